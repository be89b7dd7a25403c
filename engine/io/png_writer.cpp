#include "engine/io/png_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/sample_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <zlib.h>

namespace ondo {

namespace {

void appendWord(std::vector<unsigned char>& out, std::uint32_t value)
{
    unsigned char raw[4];
    storeNumber(raw, value, ByteOrder::Big);
    out.insert(out.end(), raw, raw + 4);
}

void appendChunk(std::vector<unsigned char>& out, std::string_view name, const std::vector<unsigned char>& data)
{
    appendWord(out, static_cast<std::uint32_t>(data.size()));
    const std::size_t start = out.size();
    out.insert(out.end(), name.begin(), name.end());
    out.insert(out.end(), data.begin(), data.end());
    appendWord(out, static_cast<std::uint32_t>(crc32_z(0, out.data() + start, out.size() - start)));
}

// Each row as the difference from the one above: smooth pictures pack well.
std::vector<unsigned char> filteredRows(const Picture& p)
{
    const std::size_t row = static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.channels);
    std::vector<unsigned char> out;
    out.reserve((row + 1) * static_cast<std::size_t>(p.height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(p.height); ++y) {
        out.push_back(2);
        for (std::size_t i = 0; i < row; ++i) {
            const unsigned above = y > 0 ? p.pixels[(y - 1) * row + i] : 0U;
            out.push_back(static_cast<unsigned char>(p.pixels[y * row + i] - above));
        }
    }
    return out;
}

} // namespace

Result<> writePng(const std::string& path, const Picture& picture)
{
    const auto wanted = static_cast<std::size_t>(std::max(picture.width, 0)) *
                        static_cast<std::size_t>(std::max(picture.height, 0)) *
                        static_cast<std::size_t>(picture.channels);
    if (wanted == 0 || picture.pixels.size() != wanted || (picture.channels != 3 && picture.channels != 4)) {
        return fail(ErrorKind::Internal,
                    fmt::format("{}: {} bytes for a picture of {} x {} x {}", path, picture.pixels.size(),
                                picture.width, picture.height, picture.channels));
    }
    const auto rows = filteredRows(picture);
    std::vector<unsigned char> packed(compressBound(static_cast<uLong>(rows.size())));
    auto length = static_cast<uLongf>(packed.size());
    if (compress2(packed.data(), &length, rows.data(), static_cast<uLong>(rows.size()), 6) != Z_OK) {
        return fail(ErrorKind::Internal, path + ": zlib refuses the picture");
    }
    packed.resize(length);
    std::vector<unsigned char> out = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    std::vector<unsigned char> head;
    appendWord(head, static_cast<std::uint32_t>(picture.width));
    appendWord(head, static_cast<std::uint32_t>(picture.height));
    for (const int byte : {8, picture.channels == 4 ? 6 : 2, 0, 0, 0}) {
        head.push_back(static_cast<unsigned char>(byte));
    }
    appendChunk(out, "IHDR", head);
    if (picture.pixelsPerMetre > 0.0) {
        std::vector<unsigned char> physical;
        appendWord(physical, static_cast<std::uint32_t>(std::lround(picture.pixelsPerMetre)));
        appendWord(physical, static_cast<std::uint32_t>(std::lround(picture.pixelsPerMetre)));
        physical.push_back(1);
        appendChunk(out, "pHYs", physical);
    }
    appendChunk(out, "IDAT", packed);
    appendChunk(out, "IEND", {});
    return writeBytes(path, out);
}

Result<> writePng(const std::string& path, const HostPicture& picture)
{
    std::vector<std::uint8_t> bytes;
    bytes.reserve(picture.pixels.size() * 3);
    for (const std::uint32_t pixel : picture.pixels) {
        for (const unsigned shift : {0U, 8U, 16U}) {
            bytes.push_back(static_cast<std::uint8_t>(pixel >> shift & 0xFFU));
        }
    }
    Picture png;
    png.width = picture.width;
    png.height = picture.height;
    png.pixels = bytes;
    return writePng(path, png);
}

} // namespace ondo
