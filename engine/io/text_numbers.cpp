#include "engine/io/text_numbers.h"

#include "engine/io/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace ondo {

namespace {

constexpr std::int64_t kMostText = std::int64_t{512} << 20;
constexpr const char* kSeparators = " \t\r,;";

// Fortran writes 1.0D+02, which from_chars does not know.
std::optional<double> numberIn(std::string_view word)
{
    std::string text(word.starts_with('+') ? word.substr(1) : word);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == 'D' || c == 'd'; }, 'e');
    double value = 0.0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || wrong == std::errc::invalid_argument) {
        return std::nullopt;
    }
    // Out of range: text such as 1e-400 is a zero to a double.
    return wrong == std::errc::result_out_of_range ? 0.0 : value;
}

bool readLine(std::string_view line, std::vector<double>& out)
{
    std::size_t at = line.find_first_not_of(kSeparators);
    while (at != line.npos) {
        const auto end = line.find_first_of(kSeparators, at);
        const auto value = numberIn(line.substr(at, end == line.npos ? line.npos : end - at));
        if (!value) {
            return false;
        }
        out.push_back(*value);
        at = end == line.npos ? line.npos : line.find_first_not_of(kSeparators, end);
    }
    return true;
}

Result<TextNumbers> parseText(std::string_view text)
{
    TextNumbers out;
    std::int64_t number = 0;
    bool even = true;
    // Counted first: a list that doubles as it grows holds three times what it needs.
    std::size_t count = 0;
    bool blank = true;
    for (const char c : text) {
        const bool parts = c == '\n' || std::strchr(kSeparators, c) != nullptr;
        count += blank && !parts ? 1 : 0;
        blank = parts;
    }
    out.values.reserve(count);
    while (!text.empty()) {
        const auto end = text.find('\n');
        const std::string_view line = text.substr(0, end);
        text = end == text.npos ? std::string_view() : text.substr(end + 1);
        ++number;
        const auto first = line.find_first_not_of(kSeparators);
        if (first == line.npos || line[first] == '#' || line[first] == '%' || line[first] == '!') {
            continue;
        }
        const std::size_t before = out.values.size();
        if (!readLine(line, out.values)) {
            out.values.resize(before);
            if (out.rows == 0 && number == 1) {
                continue;
            }
            return badInput(fmt::format("line {} is not a row of numbers", number), "remarks begin with #");
        }
        const auto columns = static_cast<std::int64_t>(out.values.size() - before);
        even = even && (out.rows == 0 || columns == out.columns);
        out.columns = columns;
        ++out.rows;
    }
    if (out.rows == 0) {
        return badInput("there are no numbers in it");
    }
    out.columns = even ? out.columns : 0;
    return out;
}

bool isTextByte(unsigned char c)
{
    return (c >= 32 && c < 127) || c == '\n' || c == '\r' || c == '\t';
}

} // namespace

Result<TextNumbers> parseNumbers(const InputFile& file, std::int64_t start, std::int64_t end)
{
    end = end < 0 ? file.size() : end;
    if (end - start > kMostText) {
        return badInput(fmt::format("{}: {} bytes of text are more than this reader takes", file.path(), file.size()),
                        "store the numbers as .npy or raw binary");
    }
    auto bytes = file.bytes(start, end - start);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    return parseText({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
}

Result<std::vector<double>> parseCounted(const InputFile& file, std::int64_t& at, std::int64_t count)
{
    constexpr std::int64_t kBlock = 1 << 20;
    // Each number takes a character and a blank at least.
    if (count > (file.size() - at + 1) / 2) {
        return badInput(fmt::format("{} numbers are wanted but {} bytes follow", count, file.size() - at),
                        "the file is cut short");
    }
    std::vector<double> out;
    out.reserve(static_cast<std::size_t>(count));
    std::string carry;
    std::int64_t place = at; // of carry's first character
    std::int64_t next = at;
    const auto blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
    while (static_cast<std::int64_t>(out.size()) < count) {
        const std::int64_t take = std::min(kBlock, file.size() - next);
        auto bytes = file.bytes(next, take);
        if (!bytes) {
            return tl::unexpected<Error>(bytes.error());
        }
        carry.append(bytes->begin(), bytes->end());
        next += take;
        std::size_t done = 0;
        while (static_cast<std::int64_t>(out.size()) < count) {
            const auto first = std::find_if_not(carry.begin() + static_cast<std::ptrdiff_t>(done), carry.end(), blank);
            const auto end = std::find_if(first, carry.end(), blank);
            if (first == carry.end() || (end == carry.end() && take > 0)) {
                break; // the word may go on in the next block
            }
            const auto value = numberIn({&*first, static_cast<std::size_t>(end - first)});
            if (!value) {
                return badInput(fmt::format("the word at byte {} is not a number",
                                            place + static_cast<std::int64_t>(first - carry.begin())),
                                "the file is damaged");
            }
            out.push_back(*value);
            done = static_cast<std::size_t>(end - carry.begin());
        }
        place += static_cast<std::int64_t>(done);
        carry.erase(0, done);
        if (take == 0 && static_cast<std::int64_t>(out.size()) < count) {
            return badInput(fmt::format("{} of {} numbers are there", out.size(), count), "the file is cut short");
        }
        if (carry.size() > 4096 + static_cast<std::size_t>(kBlock)) {
            return badInput(fmt::format("the word at byte {} does not end", place), "the file is damaged");
        }
    }
    at = place;
    return out;
}

std::function<Result<>(std::int64_t, std::span<double>)>
numbersReader(std::shared_ptr<const std::vector<double>> values)
{
    return [values = std::move(values)](std::int64_t first, std::span<double> out) -> Result<> {
        if (first < 0 || static_cast<std::size_t>(first) + out.size() > values->size()) {
            return badInput("the numbers end before the array does");
        }
        std::copy_n(values->begin() + first, out.size(), out.begin());
        return {};
    };
}

namespace formats {

int scoreText(const InputFile& file)
{
    const auto head = file.head(1 << 14);
    if (head.empty() || !std::all_of(head.begin(), head.end(), isTextByte)) {
        return 0;
    }
    std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    if (static_cast<std::int64_t>(head.size()) < file.size()) {
        text = text.substr(0, text.rfind('\n') + 1);
    }
    // Names of columns alone in the first line do not make a table; a second row of numbers must follow.
    const auto numbers = parseText(text);
    return numbers && numbers->values.size() >= 2 ? 55 : 0;
}

Result<ArrayFile> openText(const InputFilePtr& file, const ModelSource&)
{
    auto numbers = parseNumbers(*file);
    if (!numbers) {
        return within(numbers.error(), file->path());
    }
    ArrayFile out;
    out.format = "text numbers";
    StoredArray a;
    a.type = SampleType::Float64;
    a.typeText = "text";
    if (numbers->columns > 1) {
        a.shape = {numbers->rows, numbers->columns};
        a.axes = {"row", "column"};
    } else {
        a.shape = {static_cast<std::int64_t>(numbers->values.size())};
    }
    a.read = numbersReader(std::make_shared<const std::vector<double>>(std::move(numbers->values)));
    out.arrays.push_back(std::move(a));
    return out;
}

} // namespace formats

} // namespace ondo
