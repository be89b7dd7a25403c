#include "engine/io/npy_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/sample_writer.h"
#include "engine/io/stored_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace ondo {

std::vector<unsigned char> npyHeader(SampleType type, const std::vector<std::int64_t>& shape)
{
    // NumPy's word: byte order, kind and bytes.
    const std::string_view name = sampleTypeName(type);
    const char kind = type == SampleType::Bool8 ? 'b' : (name.starts_with("u") ? 'u' : (isInteger(type) ? 'i' : 'f'));
    const int bytes = sampleBytes(type);
    std::string header =
        fmt::format("{{'descr': '{}{}{}', 'fortran_order': False, 'shape': ({}{}), }}", bytes == 1 ? '|' : '<', kind,
                    bytes, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    // The data begin at a multiple of 64 bytes, the header ends in a line feed.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    constexpr unsigned char kMagic[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    std::vector<unsigned char> out(10 + header.size());
    std::copy(std::begin(kMagic), std::end(kMagic), out.begin());
    storeNumber(out.data() + 8, static_cast<std::uint16_t>(header.size()), ByteOrder::Little);
    std::copy(header.begin(), header.end(), out.begin() + 10);
    return out;
}

Result<> writeNpy(const std::string& path, std::span<const float> samples, const std::vector<std::int64_t>& shape)
{
    if (productOf(shape) != static_cast<std::int64_t>(samples.size())) {
        return fail(ErrorKind::Internal,
                    fmt::format("{}: {} samples for a shape of {}", path, samples.size(), fmt::join(shape, " x ")));
    }
    return writeAtomically(path, [&](const std::string& temporary) {
        return SampleWriter::open(temporary).and_then([&](SampleWriter writer) -> Result<> {
            writer.bytes(npyHeader(SampleType::Float32, shape));
            writer.floats(samples, ByteOrder::Little);
            return writer.close();
        });
    });
}

} // namespace ondo
