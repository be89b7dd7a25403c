// SEG-Y revisions 0, 1 and 2: where the traces lie and what the headers say. Any thread.
// The format code of the binary header is followed, never silently corrected; what contradicts it becomes a hint.
#pragma once

#include "engine/io/array_file.h"

namespace ondo {

struct SegyLayout {
    ByteOrder order = ByteOrder::Big;
    std::string orderReason;
    bool ebcdic = false;
    std::string text; // 3200 characters, control characters shown as dots
    int code = 0;
    SampleType type = SampleType::Ibm32;
    int revisionMajor = 0;
    int revisionMinor = 0;
    int extendedTexts = 0;
    int extraHeaders = 0;             // 240-byte trace header extensions a trace
    int trailers = 0;                 // 3200-byte stanzas behind the traces
    std::vector<std::string> stanzas; // what the extended texts are called, "SEG: Layout v2.1"
    std::int64_t samples = 0;
    std::int64_t dataStart = 0;
    std::int64_t traces = 0;
    std::int64_t leftOver = 0;            // bytes after the last whole trace
    std::vector<std::int64_t> traceStart; // only when traces differ in length: offset of each header
    std::vector<std::int64_t> traceSamples;
    int measure = 0;                // bytes 3255-3256: 1 metres, 2 feet
    std::optional<double> interval; // s
    double delay = 0.0;             // s, time of the first sample
    std::vector<std::string> warnings;
    std::vector<std::string> hints;

    [[nodiscard]] std::int64_t headerBytes() const { return std::int64_t{240} * (1 + extraHeaders); }
    [[nodiscard]] std::int64_t traceBytes() const { return headerBytes() + samples * sampleBytes(type); }
};

// Refuses unknown format codes, sizes that do not fit and text stanzas that the header does not declare.
[[nodiscard]] Result<SegyLayout> readSegyLayout(const InputFile& file, const ModelSource& hints);
// 240 bytes of the header of one trace.
[[nodiscard]] Result<std::vector<unsigned char>> segyTraceHeader(const InputFile& file, const SegyLayout& layout,
                                                                 std::int64_t trace);
[[nodiscard]] std::optional<SampleType> segySampleType(int code);
[[nodiscard]] const char* segyCodeName(int code); // "IBM floating point"

[[nodiscard]] char ebcdicToAscii(unsigned char c);
[[nodiscard]] unsigned char asciiToEbcdic(char c);

// The names of the ((...)) stanzas in extended text headers.
[[nodiscard]] std::vector<std::string> segyStanzas(const std::string& text);
// What is wrong with a ((SEG:Layout)) stanza in extended text headers, one line each.
[[nodiscard]] std::vector<std::string> checkSegyStanza(const std::string& text);

} // namespace ondo
