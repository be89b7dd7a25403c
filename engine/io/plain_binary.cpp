// What says nothing about itself: raw samples, Fortran's unformatted records, and the formats known by name only.
#include "engine/io/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace ondo::formats {

namespace {

constexpr std::size_t kMostRecords = 4096;

struct Records {
    ByteOrder order = ByteOrder::Little;
    std::vector<std::int64_t> starts; // of the data
    std::vector<std::int64_t> bytes;
};

std::optional<Records> walkRecords(const InputFile& file, ByteOrder order)
{
    Records out;
    out.order = order;
    std::int64_t at = 0;
    while (at < file.size()) {
        auto lead = file.bytes(at, 4);
        if (!lead) {
            return std::nullopt;
        }
        const std::int64_t length = loadNumber<std::int32_t>(lead->data(), order);
        if (length <= 0 || length % 4 != 0 || length > file.size() - at - 8 || out.starts.size() >= kMostRecords) {
            return std::nullopt;
        }
        auto trail = file.bytes(at + 4 + length, 4);
        if (!trail || loadNumber<std::int32_t>(trail->data(), order) != length) {
            return std::nullopt;
        }
        out.starts.push_back(at + 4);
        out.bytes.push_back(length);
        at += 8 + length;
    }
    return out;
}

std::optional<Records> findRecords(const InputFile& file)
{
    auto little = walkRecords(file, ByteOrder::Little);
    return little ? little : walkRecords(file, ByteOrder::Big);
}

// How many of the first samples are zero or of a size that physics writes.
double plausibleShare(const InputFile& file, ByteOrder order)
{
    const auto head = file.head(4 << 18);
    const std::size_t n = head.size() / 4;
    if (n == 0) {
        return 0.0;
    }
    std::vector<double> values(n);
    decodeSamples(head.data(), SampleType::Float32, order, values);
    const auto good = std::count_if(values.begin(), values.end(), [](double v) {
        return v == 0.0 || (std::isfinite(v) && std::abs(v) > 1e-20 && std::abs(v) < 1e20);
    });
    const bool allZero = std::all_of(values.begin(), values.end(), [](double v) { return v == 0.0; });
    return allZero ? 0.0 : static_cast<double>(good) / static_cast<double>(n);
}

// Both ends zero while their neighbours are not: Fortran's record marks, lost.
bool endsLookLikeMarks(const InputFile& file)
{
    if (file.size() < 32) {
        return false;
    }
    const auto front = file.bytes(0, 8);
    const auto back = file.bytes(file.size() - 8, 8);
    if (!front || !back) {
        return false;
    }
    const auto isZero = [](const unsigned char* p) {
        return std::all_of(p, p + 4, [](unsigned char c) { return c == 0; });
    };
    return isZero(front->data()) && isZero(back->data() + 4) && !isZero(front->data() + 4) && !isZero(back->data());
}

Result<ArrayFile> openStated(const InputFilePtr& file, const ModelSource& hints)
{
    auto type = sampleTypeFromName(hints.sampleType.empty() ? "float32" : hints.sampleType);
    auto order = byteOrderFromName(hints.byteOrder);
    if (!type || !order) {
        return tl::unexpected(type ? order.error() : type.error());
    }
    StoredArray a;
    a.type = *type;
    a.order = *order;
    const std::string axes = hints.axes.empty() ? (hints.ny ? "zyx" : "zx") : hints.axes;
    for (const char axis : axes) {
        const auto n = axis == 'z' ? hints.nz : (axis == 'y' ? hints.ny : hints.nx);
        if (!n) {
            return badInput(fmt::format("the axes are \"{}\" but no count along {} is given", axes, axis),
                            fmt::format("set model.n{}", axis));
        }
        a.shape.push_back(*n);
        a.axes.emplace_back(1, axis);
    }
    const auto count = productOf(a.shape);
    const std::int64_t wanted = count && *count < (std::int64_t{1} << 58) ? *count * sampleBytes(*type) : -1;
    if (wanted != file->size()) {
        return badInput(fmt::format("{}: {} samples of {} are {} bytes, but the file has {}", file->path(),
                                    fmt::join(a.shape, " x "), sampleTypeName(*type), wanted, file->size()),
                        "correct the counts or the sample type");
    }
    a.read = contiguousReader(file, 0, *type, *order);
    ArrayFile out;
    out.format = "raw binary";
    out.description.push_back("shape, type and order as you stated");
    out.arrays.push_back(std::move(a));
    return out;
}

} // namespace

int scoreFortran(const InputFile& file)
{
    if (file.size() < 12) {
        return 0;
    }
    return findRecords(file) ? 70 : 0;
}

Result<ArrayFile> openFortran(const InputFilePtr& file, const ModelSource& hints)
{
    auto type = sampleTypeFromName(hints.sampleType.empty() ? "float32" : hints.sampleType);
    const auto records = findRecords(*file);
    if (!type || !records) {
        return type ? badInput("its records do not fit") : tl::unexpected(type.error());
    }
    ArrayFile out;
    out.format = "Fortran records";
    out.description.push_back(
        fmt::format("{} records, {}-endian marks", records->starts.size(), byteOrderName(records->order)));
    const std::int64_t first = records->bytes.front();
    const bool equal =
        std::all_of(records->bytes.begin(), records->bytes.end(), [first](auto b) { return b == first; });
    const std::int64_t width = sampleBytes(*type);
    for (std::size_t i = 0; i < records->starts.size() && (!equal || i == 0); ++i) {
        if (records->bytes[i] % width != 0) {
            return badInput(fmt::format("record {} of {} bytes is not a whole number of {} samples", i + 1,
                                        records->bytes[i], sampleTypeName(*type)),
                            "state the sample type");
        }
        StoredArray a;
        a.type = *type;
        a.order = records->order;
        const std::int64_t samples = records->bytes[i] / width;
        if (equal) {
            const auto n = static_cast<std::int64_t>(records->starts.size());
            a.shape = n > 1 ? std::vector<std::int64_t>{n, samples} : std::vector<std::int64_t>{samples};
            a.read = stridedReader(file, 4, samples, records->bytes[i] + 8, a.type, a.order);
        } else {
            a.name = fmt::format("record {}", i + 1);
            a.shape = {samples};
            a.read = contiguousReader(file, records->starts[i], a.type, a.order);
        }
        out.arrays.push_back(std::move(a));
    }
    out.hints.push_back(
        fmt::format("samples are taken as {}; state another sample type if that is wrong", sampleTypeName(*type)));
    chooseMain(out);
    return out;
}

Result<ArrayFile> openRaw(const InputFilePtr& file, const ModelSource& hints)
{
    if (hints.nz && hints.nx) {
        return openStated(file, hints);
    }
    const char* remedy = "if it is raw binary, state nz, nx, sample_type, byte_order and axes";
    const double little = plausibleShare(*file, ByteOrder::Little);
    const double big = plausibleShare(*file, ByteOrder::Big);
    const ByteOrder order = !hints.byteOrder.empty() ? byteOrderFromName(hints.byteOrder).value_or(ByteOrder::Little)
                                                     : (big > little ? ByteOrder::Big : ByteOrder::Little);
    auto type = sampleTypeFromName(hints.sampleType.empty() ? "float32" : hints.sampleType);
    if (!type) {
        return tl::unexpected(type.error());
    }
    const bool stated = !hints.sampleType.empty();
    if (!stated && (file->size() % 4 != 0 || std::max(little, big) < 0.999)) {
        return badInput(fmt::format("{}: not a file of a known kind", file->path()), remedy);
    }
    if (!stated && endsLookLikeMarks(*file)) {
        return badInput(
            fmt::format("{}: raw float32 with a lone zero at both ends, as Fortran records whose marks were "
                        "lost have",
                        file->path()),
            "cut the first and last 4 bytes off, or state the shape if the zeros belong to it");
    }
    if (file->size() % sampleBytes(*type) != 0) {
        return badInput(fmt::format("{}: {} bytes are not a whole number of {} samples", file->path(), file->size(),
                                    sampleTypeName(*type)),
                        remedy);
    }
    ArrayFile out;
    out.format = "raw binary (guessed)";
    StoredArray a;
    a.type = *type;
    a.order = order;
    a.shape = {file->size() / sampleBytes(*type)};
    a.read = contiguousReader(file, 0, a.type, a.order);
    out.arrays.push_back(std::move(a));
    out.warnings.push_back(fmt::format("nothing in the file says what it is; its bytes make sense as {} {}-endian",
                                       sampleTypeName(*type), byteOrderName(order)));
    out.hints.push_back(remedy);
    return out;
}

std::string foreignFormat(const InputFile& file)
{
    struct Signature {
        std::size_t at;
        std::string_view bytes;
        const char* name;
    };
    using namespace std::string_view_literals;
    static constexpr std::array<Signature, 24> kSignatures = {{{0, "\x55\x3a"sv, "SEG-2"},
                                                               {0, "\x3a\x55"sv, "SEG-2"},
                                                               {0, "VDS"sv, "OpenVDS"},
                                                               {0, "VBS"sv, "ZGY"},
                                                               {0, "VCS"sv, "ZGY"},
                                                               {0, "zfp"sv, "a ZFP stream"},
                                                               {0, "CDF\x01"sv, "NetCDF 3"},
                                                               {0, "CDF\x02"sv, "NetCDF 3"},
                                                               {0, "\x89PNG"sv, "a PNG picture"},
                                                               {0, "\xff\xd8\xff"sv, "a JPEG picture"},
                                                               {0, "II*\0"sv, "a TIFF picture"},
                                                               {0, "MM\0*"sv, "a TIFF picture"},
                                                               {0, "%PDF"sv, "a PDF document"},
                                                               {0, "\x1f\x8b"sv, "a gzip archive"},
                                                               {0, "BZh"sv, "a bzip2 archive"},
                                                               {0,
                                                                "\xfd"
                                                                "7zXZ"sv,
                                                                "an xz archive"},
                                                               {0, "\x28\xb5\x2f\xfd"sv, "a zstd archive"},
                                                               {0, "7z\xbc\xaf"sv, "a 7z archive"},
                                                               {0, "PK\x03\x04"sv, "a ZIP archive"},
                                                               {0,
                                                                "\x7f"
                                                                "ELF"sv,
                                                                "a program"},
                                                               {257, "ustar"sv, "a tar archive"},
                                                               {0, "\x80\x04\x95"sv, "a Python pickle"},
                                                               {0, "<?xml"sv, "XML"},
                                                               {0, "~V"sv, "a LAS well log"}}};
    const auto head = file.head(8192);
    for (const auto& s : kSignatures) {
        if (head.size() >= s.at + s.bytes.size() &&
            std::memcmp(head.data() + s.at, s.bytes.data(), s.bytes.size()) == 0) {
            return s.name;
        }
    }
    if (head.size() >= 32) {
        static constexpr std::array<int, 14> kSegdCodes = {0x0015, 0x0022, 0x8015, 0x8022, 0x8024, 0x8036, 0x8038,
                                                           0x8042, 0x8044, 0x8048, 0x8058, 0x8068, 0x8080, 0x9036};
        const int code = loadNumber<std::uint16_t>(head.data() + 2, ByteOrder::Big);
        if (std::find(kSegdCodes.begin(), kSegdCodes.end(), code) != kSegdCodes.end()) {
            return fmt::format("SEG-D (format code {:04x})", code);
        }
    }
    if (head.size() >= 4096 + 3200) {
        // SGZ: a small header of little-endian words, then the SEG-Y file header it was made from.
        const auto blocks = loadNumber<std::uint32_t>(head.data(), ByteOrder::Little);
        const auto samples = loadNumber<std::uint32_t>(head.data() + 4, ByteOrder::Little);
        if (blocks >= 2 && blocks < 16 && samples > 0 && samples < (1U << 24) && head[4096] == 0xC3) {
            return "SGZ (compressed seismic)";
        }
    }
    const bool text = !head.empty() && std::all_of(head.begin(), head.end(), [](unsigned char c) {
        return (c >= 32 && c != 127) || c == '\n' || c == '\r' || c == '\t' || c == '\f';
    });
    return text ? "a text file, not a table of numbers" : "";
}

} // namespace ondo::formats
