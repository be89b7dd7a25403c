// A file opened for reading at any offset, with its size known first: every reader checks what a header claims
// against it before it allocates. Any thread; reads do not share a position.
#pragma once

#include "engine/core/result.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ondo {

class InputFile {
public:
    // NotFound when nothing is there, BadInput for a folder or another thing that is not a plain file.
    [[nodiscard]] static Result<std::shared_ptr<const InputFile>> open(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;
    InputFile(InputFile&&) = delete;
    InputFile& operator=(InputFile&&) = delete;

    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] std::int64_t size() const { return m_size; } // bytes

    // Fills `out` from `offset`; an error names the file when the file ends before.
    [[nodiscard]] Result<> read(std::int64_t offset, std::span<unsigned char> out) const;
    // `count` bytes from `offset`; refuses more than the file has, before allocating.
    [[nodiscard]] Result<std::vector<unsigned char>> bytes(std::int64_t offset, std::int64_t count) const;
    // At most `count` bytes from the front, fewer when the file is shorter.
    [[nodiscard]] std::vector<unsigned char> head(std::int64_t count) const;

private:
    InputFile() = default;
    std::string m_path;
    std::int64_t m_size = 0;
    int m_handle = -1;
};

using InputFilePtr = std::shared_ptr<const InputFile>;

} // namespace ondo
