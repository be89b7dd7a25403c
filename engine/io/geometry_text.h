// What the readers of geometry share: lines of a text file one by one, fields by column or by blanks. Internal to
// engine/io.
#pragma once

#include "engine/io/geometry_file.h"
#include "engine/io/input_file.h"

#include <string_view>
#include <unordered_map>

namespace ondo::geometry {

// Lines without their ends (LF, CR LF or CR), read a megabyte at a time.
class LineReader {
public:
    explicit LineReader(InputFilePtr file)
        : m_file(std::move(file))
    {
    }
    // False at the end, after an error, and at a line past 64 KiB, which no such file has; then `error` says why.
    bool next(std::string& line);
    [[nodiscard]] std::int64_t number() const { return m_number; }
    [[nodiscard]] const Result<>& error() const { return m_error; }

private:
    bool fill();
    InputFilePtr m_file;
    std::vector<unsigned char> m_block;
    std::size_t m_at = 0;
    std::int64_t m_read = 0;
    std::int64_t m_number = 0;
    Result<> m_error;
};

// Columns count from 1, both ends included, as the standards print them; shorter lines give what they have.
[[nodiscard]] std::string_view columns(std::string_view line, std::size_t first, std::size_t last);
[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::vector<std::string_view> words(std::string_view line, std::string_view separators = " \t\r,;");
// Nothing when the text is blank or not a finite number as a whole.
[[nodiscard]] std::optional<double> numberOf(std::string_view text);
// The value; 0 with `good` false when there are other characters than a number and blanks in it.
[[nodiscard]] double numberOrZero(std::string_view text, bool& good);

// Line names to their index in GeometryFile::lines.
class LineNames {
public:
    explicit LineNames(GeometryFile& file)
        : m_file(file)
    {
    }
    std::int32_t index(std::string_view name);

private:
    GeometryFile& m_file;
    std::unordered_map<std::string, std::int32_t> m_known;
};

// "m" "km" "ft" "us-ft" to metres.
[[nodiscard]] Result<double> unitFromName(const std::string& name);
// What the header's words or the hint say, put into the file; all lengths are multiplied later, by applyUnit().
void applyUnit(GeometryFile& file);

[[nodiscard]] bool scoreSps(const InputFilePtr& file);
[[nodiscard]] Result<> readSps(const InputFilePtr& file, GeometryFile& out);
[[nodiscard]] bool scoreP190(const InputFilePtr& file);
[[nodiscard]] Result<> readP190(const InputFilePtr& file, GeometryFile& out);
// A table that says by itself what its columns are, or is of a known kind.
[[nodiscard]] bool scoreTable(const InputFilePtr& file);
[[nodiscard]] Result<> readTable(const InputFilePtr& file, const std::string& columns, GeometryFile& out);
[[nodiscard]] Result<> readHeaders(const InputFilePtr& file, const GeometryHints& hints, GeometryFile& out);

} // namespace ondo::geometry
