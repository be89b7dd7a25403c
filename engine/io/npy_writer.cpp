#include "engine/io/npy_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/sample_writer.h"
#include "engine/io/stored_array.h"

#include <fmt/format.h>

#include <array>

namespace ondo {

Result<> writeNpy(const std::string& path, std::span<const float> samples, const std::vector<std::int64_t>& shape)
{
    if (productOf(shape) != static_cast<std::int64_t>(samples.size())) {
        return fail(ErrorKind::Internal,
                    fmt::format("{}: {} samples for a shape of {}", path, samples.size(), fmt::join(shape, " x ")));
    }
    std::string header = fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}{}), }}",
                                     fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    // The data begin at a multiple of 64 bytes, the header ends in a line feed.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    std::array<unsigned char, 10> magic = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0};
    storeNumber(magic.data() + 8, static_cast<std::uint16_t>(header.size()), ByteOrder::Little);
    return writeAtomically(path, [&](const std::string& temporary) {
        return SampleWriter::open(temporary).and_then([&](SampleWriter writer) -> Result<> {
            writer.bytes(magic);
            writer.bytes({reinterpret_cast<const unsigned char*>(header.data()), header.size()});
            writer.floats(samples, ByteOrder::Little);
            return writer.close();
        });
    });
}

} // namespace ondo
