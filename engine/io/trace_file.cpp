#include "engine/io/trace_file.h"

#include <fmt/format.h>

namespace ondo {

namespace {

// SEG-Y's scalars: a positive one multiplies, a negative one divides, zero is as if it were one.
double factorOf(int scalar)
{
    return scalar == 0 ? 1.0 : (scalar < 0 ? -1.0 / scalar : scalar);
}

} // namespace

Result<TraceFile> openTraceFile(const std::string& path, const ModelSource& hints)
{
    auto file = openArrayFile(path, hints);
    if (!file) {
        return tl::unexpected<Error>(file.error());
    }
    if (file->traces == nullptr) {
        return badInput(fmt::format("{}: {} has no trace headers", path, file->format), "name a SEG-Y or SU file");
    }
    return *file->traces;
}

TraceHeader traceHeader(std::span<const unsigned char> bytes, ByteOrder order)
{
    // Offsets count from 0; the standard's bytes from 1.
    const auto i32 = [&](std::size_t at) { return loadNumber<std::int32_t>(bytes.data() + at, order); };
    const auto i16 = [&](std::size_t at) {
        return static_cast<int>(loadNumber<std::int16_t>(bytes.data() + at, order));
    };
    TraceHeader h;
    h.record = i32(8);
    h.channel = i32(12);
    h.shotPoint = i32(16);
    h.ensemble = i32(20);
    h.kind = i16(28);
    const double vertical = factorOf(i16(68));
    const double across = factorOf(i16(70));
    h.receiverElevation = i32(40) * vertical;
    h.sourceElevation = i32(44) * vertical;
    h.sourceDepth = i32(48) * vertical;
    h.sourceX = i32(72) * across;
    h.sourceY = i32(76) * across;
    h.receiverX = i32(80) * across;
    h.receiverY = i32(84) * across;
    h.coordinateUnit = i16(88);
    h.samples = loadNumber<std::uint16_t>(bytes.data() + 114, order);
    h.interval = loadNumber<std::uint16_t>(bytes.data() + 116, order) * 1e-6;
    return h;
}

} // namespace ondo
