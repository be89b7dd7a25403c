// SEG-Y and SU as a sequence of traces, each a header of 240 bytes and samples: what their readers share with whoever
// wants the headers. Any thread; nothing is held but the layout.
#pragma once

#include "engine/io/array_file.h"
#include "engine/io/input_file.h"

namespace ondo {

struct TraceFile {
    InputFilePtr file;
    std::string format; // "SEG-Y" "SU"
    ByteOrder order = ByteOrder::Big;
    SampleType type = SampleType::Float32;
    std::int64_t traces = 0;
    std::int64_t samples = 0; // of each trace; of the first one when they differ
    std::int64_t headerBytes = 240;
    std::int64_t firstHeader = 0;     // offset
    std::int64_t stride = 0;          // from header to header; 0 when traces differ in length
    int texts = 0;                    // extended text headers
    std::int64_t trailer = 0;         // bytes behind the last trace that belong to no trace
    std::vector<std::int64_t> starts; // of each header, and
    std::vector<std::int64_t> counts; // samples of each, only when they differ
    std::optional<double> interval;   // s
    int measure = 0;                  // of SEG-Y's binary header: 1 metres, 2 feet, 0 not said

    [[nodiscard]] std::int64_t headerOffset(std::int64_t trace) const
    {
        return starts.empty() ? firstHeader + trace * stride : starts[static_cast<std::size_t>(trace)];
    }
    [[nodiscard]] std::int64_t samplesOf(std::int64_t trace) const
    {
        return counts.empty() ? samples : counts[static_cast<std::size_t>(trace)];
    }
};

// Refuses what is neither, by name.
[[nodiscard]] Result<TraceFile> openTraceFile(const std::string& path, const ModelSource& hints = {});

// The words of a trace header that say where and what it is; coordinates as the file counts, with its scalars applied.
struct TraceHeader {
    std::int32_t record = 0, channel = 0, shotPoint = 0, ensemble = 0;
    int kind = 0; // trace identification: 1 seismic, 2 dead
    double sourceX = 0.0, sourceY = 0.0, receiverX = 0.0, receiverY = 0.0;
    double receiverElevation = 0.0, sourceElevation = 0.0, sourceDepth = 0.0;
    int coordinateUnit = 0; // 1 length, 2 seconds of arc, 3 degrees, 4 degrees minutes seconds
    int samples = 0;
    double interval = 0.0; // s
};
// Bytes 241-480, when the trace has a first extension of revision 2: doubles in place of the integers that it holds.
void applyExtension(TraceHeader& header, std::span<const unsigned char> extension, ByteOrder order);
[[nodiscard]] TraceHeader traceHeader(std::span<const unsigned char> bytes, ByteOrder order);

} // namespace ondo
