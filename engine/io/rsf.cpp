// Madagascar RSF and SEP headers: text of key=value, where the last value of a key wins, and samples in a file beside
// it or in the same one after the bytes 0C 0C 04.
#include "engine/io/formats.h"
#include "engine/io/text_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

namespace ondo::formats {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kMostHeader = 1 << 20;

struct Header {
    std::map<std::string, std::string> keys;
    std::optional<std::int64_t> inlineStart;
    bool textual = false;
};

bool isKeyCharacter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

void parseKeys(std::string_view text, std::map<std::string, std::string>& keys)
{
    for (std::size_t at = text.find('='); at != text.npos; at = text.find('=', at + 1)) {
        std::size_t start = at;
        while (start > 0 && isKeyCharacter(text[start - 1])) {
            --start;
        }
        const bool bounded = start == 0 || text[start - 1] == ' ' || text[start - 1] == '\t' ||
                             text[start - 1] == '\n' || text[start - 1] == '\r' || text[start - 1] == ',';
        if (start == at || !bounded || at + 1 >= text.size()) {
            continue;
        }
        const std::string key(text.substr(start, at - start));
        const char quote = text[at + 1];
        if (quote == '"' || quote == '\'') {
            const auto end = text.find(quote, at + 2);
            if (end == text.npos) {
                return;
            }
            keys[key] = std::string(text.substr(at + 2, end - at - 2));
            at = end;
        } else {
            const auto end = text.find_first_of(" \t\r\n,", at + 1);
            keys[key] = std::string(text.substr(at + 1, end == text.npos ? text.npos : end - at - 1));
        }
    }
}

Header readHeader(const InputFile& file)
{
    Header out;
    const auto head = file.head(kMostHeader);
    const std::string_view all(reinterpret_cast<const char*>(head.data()), head.size());
    const auto mark = all.find("\x0C\x0C\x04");
    const std::string_view text = all.substr(0, mark);
    if (mark != all.npos) {
        out.inlineStart = static_cast<std::int64_t>(mark) + 3;
    }
    out.textual = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) >= 32 || c == '\n' || c == '\r' || c == '\t' || c == '\f';
    });
    if (out.textual) {
        parseKeys(text, out.keys);
    }
    return out;
}

std::optional<double> numberOf(const Header& h, const std::string& key)
{
    const auto found = h.keys.find(key);
    if (found == h.keys.end()) {
        return std::nullopt;
    }
    double value = 0.0;
    const auto& text = found->second;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
    return wrong == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string textOf(const Header& h, const std::string& key)
{
    const auto found = h.keys.find(key);
    return found == h.keys.end() ? std::string() : found->second;
}

struct Form {
    SampleType type = SampleType::Float32;
    ByteOrder order = ByteOrder::Little;
    bool ascii = false;
};

Result<Form> formOf(const Header& h)
{
    std::string format = textOf(h, "data_format");
    const double width = numberOf(h, "esize").value_or(4);
    if (format.empty()) {
        format = width == 1 ? "native_uchar" : (width == 8 ? "native_double" : "native_float");
    }
    Form form;
    const auto bar = format.find('_');
    const std::string coding = format.substr(0, bar);
    const std::string kind = bar == std::string::npos ? std::string() : format.substr(bar + 1);
    form.order = coding == "xdr" ? ByteOrder::Big : ByteOrder::Little;
    form.ascii = coding == "ascii";
    if (kind == "float") {
        form.type = width == 8 ? SampleType::Float64 : SampleType::Float32;
    } else if (kind == "double") {
        form.type = SampleType::Float64;
    } else if (kind == "int") {
        form.type = SampleType::Int32;
    } else if (kind == "short") {
        form.type = SampleType::Int16;
    } else if (kind == "uchar") {
        form.type = SampleType::UInt8;
    } else if (kind == "long") {
        form.type = SampleType::Int64;
    } else {
        return badInput(fmt::format("data_format=\"{}\" is not read", format),
                        "float, double, int, short, uchar and long are, as native, xdr or ascii");
    }
    if (coding != "native" && coding != "xdr" && coding != "ascii") {
        return badInput(fmt::format("data_format=\"{}\" is not read", format), "native, xdr and ascii are");
    }
    return form;
}

double lengthUnit(const std::string& unit)
{
    if (unit == "km") {
        return 1000.0;
    }
    return unit == "ft" || unit == "feet" ? 0.3048 : 1.0;
}

Result<InputFilePtr> dataFile(const InputFilePtr& header, const std::string& in, ArrayFile& out)
{
    const fs::path folder = fs::path(header->path()).parent_path();
    const fs::path stated = fs::path(in).is_absolute() ? fs::path(in) : folder / in;
    auto data = InputFile::open(stated.string());
    if (!data) {
        const fs::path beside = folder / fs::path(in).filename();
        data = InputFile::open(beside.string());
        if (!data) {
            return fail(ErrorKind::NotFound,
                        fmt::format("{}: its samples are in {}, which is not there", header->path(), in),
                        "put the file beside the header or correct in=");
        }
        out.warnings.push_back(
            fmt::format("in=\"{}\" is not there; the file of that name beside the header is read", in));
    }
    return data;
}

Result<std::vector<std::int64_t>> shapeOf(const Header& h, StoredArray& a)
{
    std::vector<std::int64_t> fastFirst;
    for (int axis = 1; axis <= 9; ++axis) {
        const auto n = numberOf(h, fmt::format("n{}", axis));
        if (!n) {
            break;
        }
        if (*n < 1 || *n != static_cast<double>(static_cast<std::int64_t>(std::min(*n, 1e15)))) {
            return badInput(fmt::format("n{}={} is not a count", axis, textOf(h, fmt::format("n{}", axis))),
                            "correct the header");
        }
        fastFirst.push_back(static_cast<std::int64_t>(*n));
    }
    while (fastFirst.size() > 1 && fastFirst.back() == 1) {
        fastFirst.pop_back();
    }
    bool named = false;
    for (std::size_t i = fastFirst.size(); i > 0; --i) {
        const std::string axis = std::to_string(i);
        a.axes.push_back(textOf(h, "label" + axis));
        named = named || !a.axes.back().empty();
        const double unit = lengthUnit(textOf(h, "unit" + axis));
        a.spacing.push_back(numberOf(h, "d" + axis).value_or(0.0) * unit);
        a.origin.push_back(numberOf(h, "o" + axis).value_or(0.0) * unit);
    }
    if (!named) {
        a.axes.clear();
    }
    return std::vector<std::int64_t>(fastFirst.rbegin(), fastFirst.rend());
}

Result<> attach(const InputFilePtr& file, const Header& h, const Form& form, ArrayFile& out, StoredArray& a)
{
    const std::string in = textOf(h, "in");
    InputFilePtr data = file;
    std::int64_t start = 0;
    if (in == "stdin" || in.empty()) {
        if (!h.inlineStart) {
            return badInput("the header says that the samples follow it, but nothing marks where they begin",
                            "correct in=, or write the file again with out=stdout");
        }
        start = *h.inlineStart;
        out.description.push_back(fmt::format("samples in the same file, from byte {}", start));
    } else {
        auto opened = dataFile(file, in, out);
        if (!opened) {
            return tl::unexpected(opened.error());
        }
        data = *opened;
        out.dataPath = data->path();
        out.description.push_back("samples in " + in);
    }
    const auto count = productOf(a.shape);
    if (!count) {
        return badInput("its counts are impossible", "correct n1, n2 ...");
    }
    if (form.ascii) {
        auto numbers = parseNumbers(*data, start);
        if (!numbers) {
            return tl::unexpected(numbers.error());
        }
        if (static_cast<std::int64_t>(numbers->values.size()) < *count) {
            return badInput(fmt::format("{} numbers are stated and {} are there", *count, numbers->values.size()));
        }
        a.type = SampleType::Float64;
        a.read = numbersReader(std::make_shared<const std::vector<double>>(std::move(numbers->values)));
        return {};
    }
    const std::int64_t there = data->size() - start;
    const std::int64_t width = sampleBytes(form.type);
    if (*count > there / width) {
        return badInput(
            fmt::format("the header states {} samples of {} bytes, and {} bytes are there", *count, width, there),
            "the samples are cut short or the header is wrong");
    }
    if (there > *count * width) {
        out.warnings.push_back(fmt::format("{} bytes are left over after the samples", there - *count * width));
    }
    a.read = contiguousReader(data, start, form.type, form.order);
    return {};
}

} // namespace

int scoreRsf(const InputFile& file)
{
    const auto small = file.head(3);
    if (small.size() < 3) {
        return 0;
    }
    const Header h = readHeader(file);
    if (!h.textual || !h.keys.contains("n1")) {
        return 0;
    }
    const bool named = h.keys.contains("in") || h.keys.contains("data_format") || h.keys.contains("esize");
    return named ? 92 : 0;
}

Result<ArrayFile> openRsf(const InputFilePtr& file, const ModelSource&)
{
    const Header h = readHeader(*file);
    ArrayFile out;
    out.format = "Madagascar RSF";
    auto form = formOf(h);
    if (!form) {
        return tl::unexpected(form.error());
    }
    StoredArray a;
    a.type = form->type;
    a.order = form->order;
    auto shape = shapeOf(h, a);
    if (!shape) {
        return tl::unexpected(shape.error());
    }
    a.shape = std::move(*shape);
    if (auto r = attach(file, h, *form, out, a); !r) {
        return tl::unexpected(r.error());
    }
    if (const auto d = numberOf(h, "d1"); d && *d > 0.0) {
        const std::string unit = textOf(h, "unit1");
        out.sampleInterval = *d;
        out.intervalUnit = unit;
    }
    out.arrays.push_back(std::move(a));
    return out;
}

} // namespace ondo::formats
