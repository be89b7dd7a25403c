#include "fatbin.h"

#include <elf.h>
#ifdef ONDO_HAVE_ZSTD
#include <zstd.h>
#endif

#include <cstdint>
#include <cstring>
#include <optional>

namespace {

using std::string_view;

// A container, and each image in it. All offsets in bytes.
constexpr std::uint32_t kContainerMagic = 0xBA55ED50;
constexpr std::size_t kContainerHeader = 16;
constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint64_t kPackedZstd = 0x8000;

struct ImageHeader {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t headerBytes;
    std::uint64_t payloadBytes; // padded to 8
    std::uint32_t packedBytes;  // 0: not packed
    std::uint32_t unknown;
    std::uint32_t toolkit;
    std::uint32_t architecture;
    std::uint32_t nameOffset, nameBytes;
    std::uint64_t flags;
    std::uint64_t zero;
    std::uint64_t unpackedBytes;
};

template<class T>
std::optional<T> readAt(string_view bytes, std::size_t at)
{
    if (at > bytes.size() || sizeof(T) > bytes.size() - at) {
        return {};
    }
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof(T));
    return value;
}

string_view part(string_view bytes, std::size_t at, std::size_t count)
{
    return at <= bytes.size() && count <= bytes.size() - at ? bytes.substr(at, count) : string_view();
}

struct Section {
    string_view name;
    string_view bytes;
};

std::vector<Section> sectionsOf(string_view elf)
{
    std::vector<Section> out;
    const auto header = readAt<Elf64_Ehdr>(elf, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        return out;
    }
    const auto at = [&](std::size_t i) { return readAt<Elf64_Shdr>(elf, header->e_shoff + i * sizeof(Elf64_Shdr)); };
    const auto names = at(header->e_shstrndx);
    if (!names) {
        return out;
    }
    const string_view text = part(elf, names->sh_offset, names->sh_size);
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
        const auto section = at(i);
        if (!section || section->sh_name >= text.size()) {
            continue;
        }
        string_view name = text.substr(section->sh_name);
        name = name.substr(0, name.find('\0'));
        out.push_back(
            {name, section->sh_type == SHT_NOBITS ? string_view() : part(elf, section->sh_offset, section->sh_size)});
    }
    return out;
}

// Each entry function has its code in a section of its own, .text.<mangled name>.
std::vector<std::string> entriesOf(string_view cubin)
{
    constexpr string_view kCode = ".text.";
    std::vector<std::string> names;
    for (const Section& section : sectionsOf(cubin)) {
        if (section.name.substr(0, kCode.size()) == kCode) {
            names.emplace_back(section.name.substr(kCode.size()));
        }
    }
    return names;
}

std::optional<std::string> unpack(string_view packed, std::size_t bytes)
{
#ifdef ONDO_HAVE_ZSTD
    std::string out(bytes, '\0');
    const std::size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
    if (ZSTD_isError(got) == 0 && got == bytes) {
        return out;
    }
#else
    (void)packed;
    (void)bytes;
#endif
    return {};
}

DeviceImage imageOf(const ImageHeader& header, string_view payload)
{
    DeviceImage image;
    image.ptx = header.kind == kKindPtx;
    image.architecture = static_cast<int>(header.architecture);
    image.bytes = header.headerBytes + payload.size();
    image.unpacked = header.packedBytes == 0 ? payload.size() : header.unpackedBytes;
    if (image.ptx) {
        return image;
    }
    if (header.packedBytes == 0) {
        image.entries = entriesOf(payload);
        image.opened = true;
    } else if ((header.flags & kPackedZstd) != 0) {
        if (const auto code = unpack(payload.substr(0, header.packedBytes), header.unpackedBytes)) {
            image.entries = entriesOf(*code);
            image.opened = true;
        }
    }
    return image;
}

void readContainer(string_view container, std::vector<DeviceImage>& images)
{
    for (std::size_t at = 0; at < container.size();) {
        const auto header = readAt<ImageHeader>(container, at);
        if (!header || header->headerBytes < sizeof(ImageHeader) || header->payloadBytes > container.size()) {
            return;
        }
        images.push_back(imageOf(*header, part(container, at + header->headerBytes, header->payloadBytes)));
        at += header->headerBytes + header->payloadBytes;
    }
}

} // namespace

std::vector<DeviceImage> deviceImages(string_view library)
{
    std::vector<DeviceImage> images;
    int objects = 0;
    for (const Section& section : sectionsOf(library)) {
        if (section.name != ".nv_fatbin") {
            continue;
        }
        const string_view bytes = section.bytes;
        for (std::size_t at = 0; at + kContainerHeader <= bytes.size();) {
            if (readAt<std::uint32_t>(bytes, at) != kContainerMagic) {
                at += 8; // padding
                continue;
            }
            const std::uint64_t size = *readAt<std::uint64_t>(bytes, at + 8);
            const std::size_t before = images.size();
            readContainer(part(bytes, at + kContainerHeader, size), images);
            for (std::size_t i = before; i < images.size(); ++i) {
                images[i].object = objects;
            }
            ++objects;
            at += kContainerHeader + size;
        }
    }
    return images;
}
