#include "engine/io/inflate.h"

#include <fmt/format.h>

#include <algorithm>

#include <zlib.h>

namespace ondo {

Result<std::vector<unsigned char>> inflateBytes(std::span<const unsigned char> in, DeflateWrapper wrapper,
                                                std::int64_t most)
{
    constexpr std::size_t kPiece = 1 << 18;
    z_stream stream{};
    if (inflateInit2(&stream, wrapper == DeflateWrapper::Zlib ? 15 : -15) != Z_OK) {
        return fail(ErrorKind::Internal, "zlib does not start");
    }
    std::vector<unsigned char> out;
    std::size_t taken = 0;
    int state = Z_OK;
    while (state == Z_OK) {
        if (stream.avail_in == 0 && taken < in.size()) {
            const std::size_t take = std::min<std::size_t>(in.size() - taken, 1U << 30);
            stream.next_in = const_cast<Bytef*>(in.data() + taken);
            stream.avail_in = static_cast<uInt>(take);
            taken += take;
        }
        const std::size_t before = out.size();
        out.resize(before + kPiece);
        stream.next_out = out.data() + before;
        stream.avail_out = static_cast<uInt>(kPiece);
        state = inflate(&stream, Z_NO_FLUSH);
        const std::size_t made = kPiece - stream.avail_out;
        out.resize(before + made);
        if (static_cast<std::int64_t>(out.size()) > most) {
            inflateEnd(&stream);
            return badInput(fmt::format("the compressed data give more than the {} bytes announced", most),
                            "the file is damaged");
        }
        if (state == Z_OK && made == 0 && stream.avail_in == 0 && taken == in.size()) {
            state = Z_BUF_ERROR;
        }
    }
    const std::string why = stream.msg != nullptr ? stream.msg : (state == Z_BUF_ERROR ? "they end too early" : "");
    inflateEnd(&stream);
    if (state != Z_STREAM_END) {
        return badInput(fmt::format("the compressed data are damaged ({})", why), "get the file again");
    }
    return out;
}

} // namespace ondo
