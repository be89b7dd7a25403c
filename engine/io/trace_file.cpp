#include "engine/io/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

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

void applyExtension(TraceHeader& header, std::span<const unsigned char> extension, ByteOrder order)
{
    static constexpr unsigned char kAscii[] = {'S', 'E', 'G', '0', '0', '0', '0', '1'};
    static constexpr unsigned char kEbcdic[] = {0xE2, 0xC5, 0xC7, 0xF0, 0xF0, 0xF0, 0xF0, 0xF1};
    const auto name = extension.subspan(232, 8);
    if (!std::equal(name.begin(), name.end(), std::begin(kAscii)) &&
        !std::equal(name.begin(), name.end(), std::begin(kEbcdic))) {
        return;
    }
    // A double of zero leaves the integer as it is.
    const auto replace = [&](double& value, std::size_t at) {
        const double more = loadNumber<double>(extension.data() + at, order);
        if (std::isfinite(more) && more != 0.0 && std::abs(more) < 1e12) {
            value = more;
        }
    };
    replace(header.receiverElevation, 32);
    replace(header.sourceElevation, 48);
    replace(header.sourceDepth, 56);
    replace(header.sourceX, 96);
    replace(header.sourceY, 104);
    replace(header.receiverX, 112);
    replace(header.receiverY, 120);
    double interval = 0.0;
    replace(interval, 144);
    header.interval = interval > 0.0 ? interval * 1e-6 : header.interval;
}

} // namespace ondo
