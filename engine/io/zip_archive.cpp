#include "engine/io/zip_archive.h"

#include "engine/io/inflate.h"
#include "engine/io/sample_type.h"

#include <fmt/format.h>

#include <algorithm>

#include <zlib.h>

namespace ondo {

namespace {

constexpr std::uint32_t kEndOfDirectory = 0x06054b50;
constexpr std::uint32_t kEndOfDirectory64 = 0x06064b50;
constexpr std::uint32_t kLocator64 = 0x07064b50;
constexpr std::uint32_t kCentral = 0x02014b50;
constexpr std::uint32_t kLocal = 0x04034b50;
constexpr std::int64_t kMostExpansion = 1040; // deflate makes at most 1032 bytes of one

std::uint16_t u16(const unsigned char* at)
{
    return loadNumber<std::uint16_t>(at, ByteOrder::Little);
}
std::uint32_t u32(const unsigned char* at)
{
    return loadNumber<std::uint32_t>(at, ByteOrder::Little);
}
std::int64_t i64(const unsigned char* at)
{
    return loadNumber<std::int64_t>(at, ByteOrder::Little);
}

struct Directory {
    std::int64_t start = 0;
    std::int64_t length = 0;
};

Result<Directory> findDirectory(const InputFile& file)
{
    const std::int64_t tailLength = std::min<std::int64_t>(file.size(), 65535 + 22);
    auto tail = file.bytes(file.size() - tailLength, tailLength);
    if (!tail || tail->size() < 22) {
        return badInput("no ZIP directory");
    }
    for (std::int64_t at = tailLength - 22; at >= 0; --at) {
        const unsigned char* p = tail->data() + at;
        if (u32(p) != kEndOfDirectory) {
            continue;
        }
        Directory d{u32(p + 16), u32(p + 12)};
        if (d.start == 0xFFFFFFFF && at >= 20 && u32(p - 20) == kLocator64) {
            auto end64 = file.bytes(i64(p - 20 + 8), 56);
            if (!end64 || u32(end64->data()) != kEndOfDirectory64) {
                return badInput("the ZIP directory is damaged");
            }
            d = {i64(end64->data() + 48), i64(end64->data() + 40)};
        }
        return d;
    }
    return badInput("no ZIP directory");
}

// Sizes past 4 GB stand in an extra field, in a fixed order, only those that overflow.
void applyZip64(std::span<const unsigned char> extra, ZipArchive::Entry& entry)
{
    std::size_t at = 0;
    while (at + 4 <= extra.size()) {
        const std::size_t length = u16(extra.data() + at + 2);
        if (at + 4 + length > extra.size()) {
            return;
        }
        if (u16(extra.data() + at) == 1) {
            std::size_t field = at + 4;
            for (std::int64_t* value : {&entry.size, &entry.packed, &entry.headerStart}) {
                if (*value == 0xFFFFFFFF && field + 8 <= at + 4 + length) {
                    *value = i64(extra.data() + field);
                    field += 8;
                }
            }
        }
        at += 4 + length;
    }
}

} // namespace

Result<std::vector<ZipArchive::Entry>> ZipArchive::list(const InputFile& file)
{
    const auto head = file.head(4);
    if (head.size() < 4 || (u32(head.data()) != kLocal && u32(head.data()) != kEndOfDirectory)) {
        return badInput("not a ZIP archive");
    }
    auto directory = findDirectory(file);
    if (!directory) {
        return tl::unexpected(directory.error());
    }
    auto bytes = file.bytes(directory->start, directory->length);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    std::vector<Entry> out;
    std::size_t at = 0;
    while (at + 46 <= bytes->size() && u32(bytes->data() + at) == kCentral) {
        const unsigned char* p = bytes->data() + at;
        const std::size_t nameLength = u16(p + 28);
        const std::size_t extraLength = u16(p + 30);
        const std::size_t whole = 46 + nameLength + extraLength + u16(p + 32);
        if (at + whole > bytes->size()) {
            return badInput("the ZIP directory is cut short");
        }
        Entry e;
        e.method = u16(p + 10);
        e.crc = u32(p + 16);
        e.packed = u32(p + 20);
        e.size = u32(p + 24);
        e.headerStart = u32(p + 42);
        e.name.assign(reinterpret_cast<const char*>(p + 46), nameLength);
        applyZip64({p + 46 + nameLength, extraLength}, e);
        if (!e.name.ends_with("/")) {
            out.push_back(std::move(e));
        }
        at += whole;
    }
    return out;
}

Result<std::vector<unsigned char>> ZipArchive::extract(const InputFile& file, const Entry& entry)
{
    auto local = file.bytes(entry.headerStart, 30);
    if (!local || u32(local->data()) != kLocal) {
        return badInput("the archive's entry is not where its directory says", "get the file again");
    }
    const std::int64_t start = entry.headerStart + 30 + u16(local->data() + 26) + u16(local->data() + 28);
    auto packed = file.bytes(start, entry.packed);
    if (!packed) {
        return tl::unexpected(packed.error());
    }
    if (entry.size < 0 || entry.size / kMostExpansion > entry.packed + 1) {
        return badInput(fmt::format("{} bytes cannot come from {} packed ones", entry.size, entry.packed),
                        "the file is damaged");
    }
    std::vector<unsigned char> out;
    if (entry.method == 0) {
        out = std::move(*packed);
    } else if (entry.method == 8) {
        auto inflated = inflateBytes(*packed, DeflateWrapper::None, entry.size);
        if (!inflated) {
            return inflated;
        }
        out = std::move(*inflated);
    } else {
        return badInput(fmt::format("compression method {} is not read", entry.method), "save without it");
    }
    const auto sum = crc32_z(crc32_z(0, nullptr, 0), out.data(), out.size());
    if (static_cast<std::int64_t>(out.size()) != entry.size || sum != entry.crc) {
        return badInput("the entry's checksum is wrong", "get the file again");
    }
    return out;
}

} // namespace ondo
