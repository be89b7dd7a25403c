// NumPy .npy (versions 1 to 3) and .npz. Objects are pickles, which can run code when read: they are always refused.
#include "engine/io/formats.h"
#include "engine/io/zip_archive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace ondo::formats {

namespace {

constexpr unsigned char kMagic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
constexpr std::int64_t kMostHeader = 1 << 20;

struct Header {
    std::string descr;
    bool fortran = false;
    std::vector<std::int64_t> shape;
    std::int64_t dataStart = 0;
};

// The text after `'key':` in the header's dictionary, blanks skipped; empty when the key is absent.
std::string_view valueOf(std::string_view dictionary, std::string_view key)
{
    for (const char quote : {'\'', '"'}) {
        const std::string wanted = quote + std::string(key) + quote;
        const auto at = dictionary.find(wanted);
        if (at == dictionary.npos) {
            continue;
        }
        auto rest = dictionary.substr(at + wanted.size());
        const auto first = rest.find_first_not_of(" \t:");
        return first == rest.npos ? std::string_view() : rest.substr(first);
    }
    return {};
}

Result<std::vector<std::int64_t>> parseShape(std::string_view text)
{
    std::vector<std::int64_t> shape;
    const auto close = text.find(')');
    if (text.empty() || text.front() != '(' || close == text.npos) {
        return badInput("the .npy header gives no shape", "the file is damaged");
    }
    std::int64_t number = -1;
    for (const char c : text.substr(1, close - 1)) {
        if (c >= '0' && c <= '9') {
            if (number > (std::int64_t{1} << 58)) {
                return badInput("the .npy header gives an impossible shape", "the file is damaged");
            }
            number = std::max<std::int64_t>(number, 0) * 10 + (c - '0');
        } else if (c == ',') {
            if (number >= 0) {
                shape.push_back(number);
            }
            number = -1;
        } else if (c != ' ' && c != 'L') {
            return badInput("the .npy header gives a shape that is not a list of numbers", "the file is damaged");
        }
    }
    if (number >= 0) {
        shape.push_back(number);
    }
    return shape;
}

Result<Header> parseHeader(std::span<const unsigned char> bytes)
{
    if (bytes.size() < 10 || std::memcmp(bytes.data(), kMagic, 6) != 0) {
        return badInput("not a .npy file", "its first bytes are wrong");
    }
    const int version = bytes[6];
    if (version < 1 || version > 3) {
        return badInput(fmt::format(".npy version {} is not known", version), "versions 1 to 3 are");
    }
    const std::size_t start = version == 1 ? 10 : 12;
    if (bytes.size() < start) {
        return badInput("the .npy header is cut short", "get the file again");
    }
    const std::int64_t length = version == 1 ? loadNumber<std::uint16_t>(bytes.data() + 8, ByteOrder::Little)
                                             : loadNumber<std::uint32_t>(bytes.data() + 8, ByteOrder::Little);
    if (length > kMostHeader || static_cast<std::int64_t>(bytes.size() - start) < length) {
        return badInput(fmt::format("the .npy header claims {} bytes", length), "the file is cut short or damaged");
    }
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + start, static_cast<std::size_t>(length));
    Header h;
    h.dataStart = static_cast<std::int64_t>(start) + length;
    const auto descr = valueOf(text, "descr");
    if (descr.empty() || (descr.front() != '\'' && descr.front() != '"')) {
        return badInput("the .npy file holds records, not plain numbers", "save one field of it as its own array");
    }
    const auto end = descr.find(descr.front(), 1);
    if (end == descr.npos) {
        return badInput("the .npy header gives no sample type", "the file is damaged");
    }
    h.descr = std::string(descr.substr(1, end - 1));
    const auto order = valueOf(text, "fortran_order");
    if (!order.starts_with("True") && !order.starts_with("False")) {
        return badInput("the .npy header does not say its order", "the file is damaged");
    }
    h.fortran = order.starts_with("True");
    auto shape = parseShape(valueOf(text, "shape"));
    if (!shape) {
        return tl::unexpected(shape.error());
    }
    h.shape = std::move(*shape);
    return h;
}

Result<StoredArray> arrayOf(const Header& h, std::int64_t available)
{
    StoredArray a;
    a.shape = h.shape;
    a.firstFastest = h.fortran && h.shape.size() > 1;
    const char kind = h.descr.size() > 1 ? h.descr[1] : '?';
    if (kind == 'O') {
        return badInput("the .npy file holds Python objects (a pickle), which are never read",
                        "save plain numbers: numpy.save with allow_pickle=False");
    }
    static const std::vector<std::pair<std::string, SampleType>> kKinds = {
        {"f2", SampleType::Float16}, {"f4", SampleType::Float32}, {"f8", SampleType::Float64},
        {"i1", SampleType::Int8},    {"i2", SampleType::Int16},   {"i4", SampleType::Int32},
        {"i8", SampleType::Int64},   {"u1", SampleType::UInt8},   {"u2", SampleType::UInt16},
        {"u4", SampleType::UInt32},  {"u8", SampleType::UInt64},  {"b1", SampleType::Bool8}};
    const auto found = std::find_if(kKinds.begin(), kKinds.end(), [&h](const auto& k) {
        return h.descr.size() == 3 && h.descr.substr(1) == k.first;
    });
    if (found == kKinds.end()) {
        return badInput(fmt::format("the .npy file holds samples of type \"{}\"", h.descr),
                        "real numbers of type f2 f4 f8 i1 to i8 u1 to u8 or b1 are read");
    }
    a.type = found->second;
    const bool native = h.descr[0] == '=' && std::endian::native == std::endian::big;
    a.order = h.descr[0] == '>' || native ? ByteOrder::Big : ByteOrder::Little;
    const auto count = productOf(a.shape);
    if (!count || *count > available / sampleBytes(a.type)) {
        return badInput(fmt::format("the .npy header claims {} but {} bytes of data follow", a.describe(), available),
                        "the file is cut short or damaged");
    }
    return a;
}

} // namespace

Result<StoredArray> npyArray(const InputFilePtr& file, std::int64_t start, std::int64_t length)
{
    auto head = file->bytes(start, std::min<std::int64_t>(length, kMostHeader + 12));
    if (!head) {
        return tl::unexpected(head.error());
    }
    auto header = parseHeader(*head);
    if (!header) {
        return tl::unexpected(header.error());
    }
    auto array = arrayOf(*header, length - header->dataStart);
    if (array) {
        array->read = contiguousReader(file, start + header->dataStart, array->type, array->order);
    }
    return array;
}

Result<StoredArray> npyArray(std::shared_ptr<const std::vector<unsigned char>> bytes)
{
    auto header = parseHeader(*bytes);
    if (!header) {
        return tl::unexpected(header.error());
    }
    auto array = arrayOf(*header, static_cast<std::int64_t>(bytes->size()) - header->dataStart);
    if (array) {
        array->read =
            memoryReader(std::move(bytes), static_cast<std::size_t>(header->dataStart), array->type, array->order);
    }
    return array;
}

int scoreNpy(const InputFile& file)
{
    const auto head = file.head(6);
    return head.size() == 6 && std::memcmp(head.data(), kMagic, 6) == 0 ? 100 : 0;
}

Result<ArrayFile> openNpy(const InputFilePtr& file, const ModelSource&)
{
    auto array = npyArray(file, 0, file->size());
    if (!array) {
        return tl::unexpected(array.error());
    }
    ArrayFile out;
    out.format = "NumPy .npy";
    if (array->firstFastest) {
        out.description.push_back("Fortran order: the first index runs fastest in the file");
    }
    out.arrays.push_back(std::move(*array));
    return out;
}

int scoreNpz(const InputFile& file)
{
    const auto entries = ZipArchive::list(file);
    if (!entries || entries->empty()) {
        return 0;
    }
    const bool all =
        std::all_of(entries->begin(), entries->end(), [](const auto& e) { return e.name.ends_with(".npy"); });
    return all ? 100 : 0;
}

Result<ArrayFile> openNpz(const InputFilePtr& file, const ModelSource&)
{
    auto entries = ZipArchive::list(*file);
    if (!entries) {
        return tl::unexpected(entries.error());
    }
    ArrayFile out;
    out.format = "NumPy .npz";
    Error last;
    std::size_t good = 0;
    for (const auto& entry : *entries) {
        const std::string name = entry.name.substr(0, entry.name.size() - 4);
        auto bytes = ZipArchive::extract(*file, entry);
        if (!bytes) {
            return within(bytes.error(), entry.name);
        }
        auto array = npyArray(std::make_shared<const std::vector<unsigned char>>(std::move(*bytes)));
        if (!array) {
            last = array.error();
            StoredArray none;
            none.name = name;
            none.numeric = false;
            none.typeText = "unread";
            none.problem = array.error().what;
            out.arrays.push_back(std::move(none));
            continue;
        }
        ++good;
        array->name = name;
        out.arrays.push_back(std::move(*array));
    }
    if (good == 0) {
        return tl::unexpected(last);
    }
    chooseMain(out);
    return out;
}

} // namespace ondo::formats
