#include "engine/io/segy.h"

#include "engine/io/formats.h"
#include "engine/io/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr std::int64_t kTextBytes = 3200;
constexpr std::int64_t kHeadBytes = 3600;

struct CodeRow {
    int code;
    SampleType type;
    const char* name;
};

constexpr CodeRow kCodes[] = {{1, SampleType::Ibm32, "IBM floating point"},
                              {2, SampleType::Int32, "32-bit integer"},
                              {3, SampleType::Int16, "16-bit integer"},
                              {4, SampleType::FixedGain32, "fixed point with gain"},
                              {5, SampleType::Float32, "IEEE floating point"},
                              {6, SampleType::Float64, "64-bit IEEE floating point"},
                              {7, SampleType::Int24, "24-bit integer"},
                              {8, SampleType::Int8, "8-bit integer"},
                              {9, SampleType::Int64, "64-bit integer"},
                              {10, SampleType::UInt32, "unsigned 32-bit integer"},
                              {11, SampleType::UInt16, "unsigned 16-bit integer"},
                              {12, SampleType::UInt64, "unsigned 64-bit integer"},
                              {15, SampleType::UInt24, "unsigned 24-bit integer"},
                              {16, SampleType::UInt8, "unsigned 8-bit integer"}};

class Words {
public:
    Words(const std::vector<unsigned char>& bytes, ByteOrder order)
        : m_bytes(bytes)
        , m_order(order)
    {
    }
    // `at` counts from 0, as in the program; the standard counts from 1.
    [[nodiscard]] int i16(std::size_t at) const { return loadNumber<std::int16_t>(m_bytes.data() + at, m_order); }
    [[nodiscard]] int u16(std::size_t at) const { return loadNumber<std::uint16_t>(m_bytes.data() + at, m_order); }
    [[nodiscard]] std::int64_t i32(std::size_t at) const
    {
        return loadNumber<std::int32_t>(m_bytes.data() + at, m_order);
    }
    [[nodiscard]] double f64(std::size_t at) const { return loadNumber<double>(m_bytes.data() + at, m_order); }
    [[nodiscard]] std::uint64_t u64(std::size_t at) const
    {
        return loadNumber<std::uint64_t>(m_bytes.data() + at, m_order);
    }

private:
    const std::vector<unsigned char>& m_bytes;
    ByteOrder m_order;
};

// Larger numbers in the byte of the revision are junk.
bool isRevisionTwo(const SegyLayout& layout)
{
    return layout.revisionMajor == 2 || layout.revisionMajor == 3;
}

bool isPrintable(unsigned char c)
{
    return c >= 32 && c < 127;
}

// How many characters are printable as ASCII and as EBCDIC; a zero byte counts for neither.
std::pair<std::int64_t, std::int64_t> textCounts(std::span<const unsigned char> text)
{
    std::int64_t ascii = 0;
    std::int64_t ebcdic = 0;
    for (const unsigned char c : text) {
        ascii += isPrintable(c) || c == '\n' || c == '\r' || c == '\t' ? 1 : 0;
        ebcdic += ebcdicToAscii(c) != '.' || c == 0x4B || c == 0x25 || c == 0x15 ? 1 : 0;
    }
    return {ascii, ebcdic};
}

bool looksEbcdic(std::span<const unsigned char> text)
{
    std::int64_t blanks = 0;
    std::int64_t asciiBlanks = 0;
    for (const unsigned char c : text) {
        blanks += c == 0x40 || c == 0xC3 || c == 0xF0 || c == 0xF1 ? 1 : 0;
        asciiBlanks += c == 0x20 || c == 0x43 ? 1 : 0;
    }
    return blanks > asciiBlanks;
}

std::string decodedText(std::span<const unsigned char> raw, bool ebcdic)
{
    std::string out;
    out.reserve(raw.size());
    for (const unsigned char c : raw) {
        out += ebcdic ? ebcdicToAscii(c) : (isPrintable(c) ? static_cast<char>(c) : '.');
    }
    return out;
}

Result<ByteOrder> findOrder(const std::vector<unsigned char>& head, const ModelSource& hints, std::string& reason)
{
    if (!hints.byteOrder.empty()) {
        reason = "as you stated";
        return byteOrderFromName(hints.byteOrder);
    }
    const auto constant = loadNumber<std::uint32_t>(head.data() + 3296, ByteOrder::Big);
    if (constant == 0x01020304 || constant == 0x04030201) {
        reason = "from the order constant in bytes 3297-3300";
        return constant == 0x01020304 ? ByteOrder::Big : ByteOrder::Little;
    }
    if (constant == 0x02010403) {
        return badInput("its bytes are swapped in pairs, which is not read", "swap them back first");
    }
    const bool big = segySampleType(Words(head, ByteOrder::Big).u16(3224)).has_value();
    const bool little = segySampleType(Words(head, ByteOrder::Little).u16(3224)).has_value();
    reason = "inferred from the format code";
    return !big && little ? ByteOrder::Little : ByteOrder::Big;
}

Result<> findType(const std::vector<unsigned char>& head, const ModelSource& hints, SegyLayout& out)
{
    out.code = Words(head, out.order).u16(3224);
    if (!hints.sampleType.empty()) {
        auto type = sampleTypeFromName(hints.sampleType);
        if (!type) {
            return tl::unexpected(type.error());
        }
        out.type = *type;
        out.hints.push_back(
            fmt::format("read as {} as you stated; the header's format code is {}", hints.sampleType, out.code));
        return {};
    }
    const auto type = segySampleType(out.code);
    if (!type) {
        return badInput(fmt::format("format code {} in bytes 3225-3226 is not one of SEG-Y's", out.code),
                        "state the sample type (ibm32, float32, int16 ...) if the file is good otherwise");
    }
    out.type = *type;
    return {};
}

// 3600 bytes, then the extended texts; revision 2 may say where the first trace begins.
Result<> findDataStart(const InputFile& file, const Words& words, SegyLayout& out)
{
    out.dataStart = kHeadBytes;
    out.extendedTexts = words.i16(3504);
    std::string extended;
    if (out.extendedTexts == -1) {
        out.extendedTexts = 0;
        bool ended = false;
        while (!ended) {
            auto block = file.bytes(out.dataStart, kTextBytes);
            if (!block) {
                return badInput("its extended text headers do not end", "the file is cut short");
            }
            const std::string text = decodedText(*block, looksEbcdic(*block));
            ended = text.find("EndText") != std::string::npos || text.find("ENDTEXT") != std::string::npos;
            extended += text;
            out.dataStart += kTextBytes;
            ++out.extendedTexts;
        }
    } else if (out.extendedTexts > 0) {
        const std::int64_t length = kTextBytes * out.extendedTexts;
        if (length > file.size() - kHeadBytes) {
            return badInput(
                fmt::format("{} extended text headers are declared but the file ends before", out.extendedTexts),
                "the file is cut short or its header is damaged");
        }
        const auto block = file.bytes(kHeadBytes, length);
        if (!block) {
            return tl::unexpected(block.error());
        }
        extended = decodedText(*block, looksEbcdic(*block));
        out.dataStart += length;
    }
    if (out.revisionMajor >= 2) {
        const auto first = words.u64(3520);
        if (first > 0 && first <= static_cast<std::uint64_t>(file.size())) {
            out.dataStart = static_cast<std::int64_t>(first);
        } else if (first > 0) {
            out.warnings.push_back(
                fmt::format("the first trace is declared at byte {}, beyond the file; ignored", first));
        }
        // Two bytes in revision 2.1; 2.0 had four, whose low half is elsewhere in the order of the big end.
        const std::int64_t extra = words.i16(3506) != 0 ? words.i16(3506) : words.i32(3506);
        out.extraHeaders = extra > 0 && extra < 100 ? static_cast<int>(extra) : 0;
        out.trailers =
            !isRevisionTwo(out) ? 0 : static_cast<int>(std::clamp<std::int64_t>(words.i32(3528), 0, 1 << 20));
    }
    out.stanzas = segyStanzas(extended);
    for (auto& line : checkSegyStanza(extended)) {
        out.warnings.push_back(std::move(line));
    }
    if (auto next = file.bytes(out.dataStart, 8)) {
        const std::string text = decodedText(*next, looksEbcdic(*next));
        if (text.starts_with("((")) {
            return badInput(
                fmt::format("a text stanza \"{}...\" stands at byte {} where the traces should begin, but {} "
                            "extended text headers are declared",
                            text, out.dataStart, out.extendedTexts),
                "correct the count in bytes 3505-3506");
        }
    }
    return {};
}

void findSamples(const InputFile& file, const Words& words, SegyLayout& out)
{
    out.samples = words.u16(3220);
    if (out.revisionMajor >= 2 && words.i32(3268) != 0) {
        out.samples = words.i32(3268) & 0xFFFFFFFF; // unsigned
    }
    if (out.samples == 0) {
        if (auto trace = file.bytes(out.dataStart, 240)) {
            out.samples = Words(*trace, out.order).u16(114);
            out.warnings.push_back("the binary header gives no sample count; the first trace's is used");
        }
    }
}

// Bytes from the first trace on, less the stanzas that a trailer is said to have.
std::int64_t traceRoom(const InputFile& file, const SegyLayout& out)
{
    const std::int64_t room = file.size() - out.dataStart;
    const std::int64_t trailer = kTextBytes * out.trailers;
    return trailer < room ? room - trailer : room;
}

// Its own count of samples; the first extension of the header holds those beyond 16 bits.
std::int64_t ownSamples(const InputFile& file, const SegyLayout& out, std::int64_t at,
                        const std::vector<unsigned char>& header)
{
    if (out.extraHeaders > 0) {
        const auto more = file.bytes(at + 240, 240);
        const auto count = more ? loadNumber<std::uint32_t>(more->data() + 136, out.order) : 0U;
        if (count > 0 && count < (1U << 31)) {
            return count;
        }
    }
    return Words(header, out.order).u16(114);
}

// Whether some traces state other lengths than the file's header: looked at in up to a thousand places.
bool lengthsDiffer(const InputFile& file, const SegyLayout& out)
{
    const std::int64_t step = std::max<std::int64_t>(1, out.traces / 1000);
    for (std::int64_t t = 0; t < out.traces; t += step) {
        const std::int64_t at = out.dataStart + t * out.traceBytes();
        const auto header = file.bytes(at, 240);
        const std::int64_t own = header ? ownSamples(file, out, at, *header) : 0;
        if (own != 0 && own != out.samples) {
            return true;
        }
    }
    return false;
}

// Traces that state their own lengths: accepted only when they end exactly with the file.
bool walkVariable(const InputFile& file, SegyLayout& out)
{
    const std::int64_t limit = out.dataStart + traceRoom(file, out);
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> counts;
    std::int64_t at = out.dataStart;
    while (at < limit) {
        auto header = file.bytes(at, 240);
        if (!header) {
            return false;
        }
        const std::int64_t n = ownSamples(file, out, at, *header);
        const std::int64_t next = at + out.headerBytes() + n * sampleBytes(out.type);
        if (n == 0 || next > limit) {
            return false;
        }
        starts.push_back(at);
        counts.push_back(n);
        at = next;
    }
    out.traceStart = std::move(starts);
    out.traceSamples = std::move(counts);
    out.traces = static_cast<std::int64_t>(out.traceStart.size());
    out.leftOver = 0;
    return out.traces > 0;
}

Result<> countTraces(const InputFile& file, SegyLayout& out)
{
    const std::int64_t room = traceRoom(file, out);
    if (out.samples <= 0) {
        return badInput("no header gives the number of samples a trace", "the file is damaged");
    }
    out.traces = room / out.traceBytes();
    out.leftOver = room % out.traceBytes();
    const bool even = out.leftOver == 0 && out.traces > 0;
    if (even && !lengthsDiffer(file, out)) {
        return {};
    }
    if (walkVariable(file, out)) {
        out.warnings.push_back("traces differ in length; each trace header's own count is used");
        return {};
    }
    if (even) {
        return {};
    }
    for (const auto& row : kCodes) {
        const std::int64_t bytes = out.headerBytes() + out.samples * sampleBytes(row.type);
        if (sampleBytes(row.type) != sampleBytes(out.type) && room % bytes == 0 && room >= bytes) {
            return badInput(fmt::format("format code {} ({}) does not fit the file's size, but {} bytes a sample would",
                                        out.code, segyCodeName(out.code), sampleBytes(row.type)),
                            fmt::format("state the sample type, for example {}", sampleTypeName(row.type)));
        }
    }
    if (out.traces == 0) {
        return badInput(fmt::format("a trace of {} samples needs {} bytes but {} follow the headers", out.samples,
                                    out.traceBytes(), room),
                        "the file is cut short or its header is damaged");
    }
    out.warnings.push_back(fmt::format("{} bytes are left over after {} whole traces: the file is cut short or holds "
                                       "something else at its end",
                                       out.leftOver, out.traces));
    return {};
}

void findTimes(const InputFile& file, const Words& words, SegyLayout& out)
{
    auto header = segyTraceHeader(file, out, 0);
    const int inBinary = words.i16(3216);
    const int inTrace = header ? Words(*header, out.order).i16(116) : 0;
    const int chosen = inBinary > 0 ? inBinary : inTrace;
    if (chosen > 0) {
        out.interval = chosen * 1e-6;
    }
    // Revision 2: microseconds as a double, in place of the 16 bits.
    const double exact = isRevisionTwo(out) ? words.f64(3272) : 0.0;
    if (std::isfinite(exact) && exact > 1e-6 && exact < 1e12) {
        out.interval = exact * 1e-6;
    } else if (inBinary <= 0) {
        out.warnings.push_back(
            chosen > 0 ? fmt::format("the binary header's interval is {} us; the traces say {} us", inBinary, inTrace)
                       : fmt::format("no header gives a sample interval ({} us, {} us)", inBinary, inTrace));
    } else if (inTrace > 0 && inTrace != inBinary) {
        out.warnings.push_back(
            fmt::format("the binary header's interval is {} us, the first trace's {} us", inBinary, inTrace));
    }
    if (!header) {
        return;
    }
    const Words trace(*header, out.order);
    const int scalar = trace.i16(214);
    const double factor = scalar == 0 ? 1.0 : (scalar < 0 ? -1.0 / scalar : scalar);
    out.delay = trace.i16(108) * factor * 1e-3;
}

double lagOne(std::span<const double> x)
{
    double product = 0.0;
    double square = 0.0;
    for (std::size_t i = 1; i < x.size(); ++i) {
        if (!std::isfinite(x[i]) || !std::isfinite(x[i - 1])) {
            return -1.0;
        }
        product += x[i] * x[i - 1];
        square += x[i] * x[i];
    }
    return square > 0.0 && std::isfinite(square) ? product / square : 0.0;
}

// A format code that the samples or the text header contradict is followed, and said.
void judgeCode(const InputFile& file, SegyLayout& out)
{
    const std::int64_t bytes = out.samples * sampleBytes(out.type);
    auto raw = file.bytes(out.dataStart + out.headerBytes(), std::min<std::int64_t>(bytes, 1 << 16));
    if (!raw || sampleBytes(out.type) != 4) {
        return;
    }
    const std::size_t n = raw->size() / 4;
    std::vector<double> own(n);
    std::vector<double> ibm(n);
    std::vector<double> ieee(n);
    decodeSamples(raw->data(), out.type, out.order, own);
    decodeSamples(raw->data(), SampleType::Ibm32, out.order, ibm);
    decodeSamples(raw->data(), SampleType::Float32, out.order, ieee);
    const auto largest = [](const std::vector<double>& x) {
        double most = 0.0;
        for (const double v : x) {
            most = std::max(most, std::abs(v));
        }
        return most;
    };
    if (out.code == 1 && out.text.find("IEEE") != std::string::npos) {
        out.hints.push_back("the text header says IEEE but the format code says IBM; if the traces look wrong, state "
                            "the sample type float32");
    } else if (out.code == 1 && lagOne(ieee) > lagOne(ibm) + 0.02 && largest(ieee) < 1e15 && largest(ieee) > 1e-15) {
        out.hints.push_back("read as IEEE the first trace is smoother; if the traces look wrong, state the sample type "
                            "float32");
    } else if (out.code == 5 && lagOne(ibm) > lagOne(ieee) + 0.02 && largest(ibm) < 1e15 && largest(ibm) > 1e-15) {
        out.hints.push_back("read as IBM the first trace is smoother; if the traces look wrong, state the sample type "
                            "ibm32");
    }
    if (out.code == 4 && largest(own) > 1e15) {
        const bool asIeee = lagOne(ieee) > lagOne(ibm) || largest(ibm) > 1e15;
        out.warnings.push_back(
            fmt::format("read by its format code 4 the samples reach {:.3g}, read as IEEE {:.6g}, as IBM "
                        "{:.6g}: the code is probably wrong; state the sample type {}",
                        largest(own), largest(ieee), largest(ibm), asIeee ? "float32" : "ibm32"));
    }
}

} // namespace

std::optional<SampleType> segySampleType(int code)
{
    for (const auto& row : kCodes) {
        if (row.code == code) {
            return row.type;
        }
    }
    return std::nullopt;
}

const char* segyCodeName(int code)
{
    for (const auto& row : kCodes) {
        if (row.code == code) {
            return row.name;
        }
    }
    return "unknown";
}

Result<std::vector<unsigned char>> segyTraceHeader(const InputFile& file, const SegyLayout& layout, std::int64_t trace)
{
    const std::int64_t at = layout.traceStart.empty() ? layout.dataStart + trace * layout.traceBytes()
                                                      : layout.traceStart[static_cast<std::size_t>(trace)];
    return file.bytes(at, 240);
}

Result<SegyLayout> readSegyLayout(const InputFile& file, const ModelSource& hints)
{
    const auto head = file.head(kHeadBytes);
    if (static_cast<std::int64_t>(head.size()) < kHeadBytes) {
        return badInput(fmt::format("{} bytes are fewer than SEG-Y's 3600-byte header", file.size()));
    }
    SegyLayout out;
    auto order = findOrder(head, hints, out.orderReason);
    if (!order) {
        return tl::unexpected(order.error());
    }
    out.order = *order;
    const std::span<const unsigned char> text(head.data(), kTextBytes);
    out.ebcdic = looksEbcdic(text);
    out.text = decodedText(text, out.ebcdic);
    out.revisionMajor = head[3500];
    out.revisionMinor = head[3501];
    const Words words(head, out.order);
    if (auto r = findType(head, hints, out); !r) {
        return tl::unexpected(r.error());
    }
    if (auto r = findDataStart(file, words, out); !r) {
        return tl::unexpected(r.error());
    }
    out.measure = words.i16(3254);
    findSamples(file, words, out);
    if (auto r = countTraces(file, out); !r) {
        return tl::unexpected(r.error());
    }
    if (const auto said = isRevisionTwo(out) ? words.u64(3512) : 0;
        said != 0 && said != static_cast<std::uint64_t>(out.traces)) {
        out.warnings.push_back(
            fmt::format("the header announces {} traces but the file holds {}; it is cut short, or the "
                        "count in bytes 3513-3520 is wrong",
                        said, out.traces));
    }
    findTimes(file, words, out);
    judgeCode(file, out);
    return out;
}

namespace formats {

int scoreSegy(const InputFile& file)
{
    const auto head = file.head(kHeadBytes);
    if (static_cast<std::int64_t>(head.size()) < kHeadBytes || file.size() < kHeadBytes + 240) {
        return 0;
    }
    const auto [ascii, ebcdic] = textCounts({head.data(), kTextBytes});
    const auto zeros = std::count(head.begin(), head.begin() + kTextBytes, static_cast<unsigned char>(0));
    const std::int64_t least = (kTextBytes - zeros) * 9 / 10;
    const bool textual = zeros < kTextBytes / 2 && std::max(ascii, ebcdic) >= least;
    const bool blank = zeros == kTextBytes;
    const auto constant = loadNumber<std::uint32_t>(head.data() + 3296, ByteOrder::Big);
    const bool ordered = constant == 0x01020304 || constant == 0x04030201;
    std::string reason;
    const bool known = segySampleType(Words(head, ByteOrder::Big).u16(3224)).has_value() ||
                       segySampleType(Words(head, ByteOrder::Little).u16(3224)).has_value();
    if (!known) {
        // Text alone: only EBCDIC that begins as SEG-Y's does is worth a named refusal.
        return textual && ebcdic > ascii && head[0] == 0xC3 ? 45 : 0;
    }
    const auto layout = readSegyLayout(file, {});
    const bool fits = layout && layout->leftOver == 0;
    int score = fits ? 60 : 25;
    score += textual ? 30 : (blank ? 10 : 0);
    score += ordered ? 20 : 0;
    return std::min(score, 96);
}

static TraceFile tracesOf(const InputFilePtr& file, const SegyLayout& layout)
{
    TraceFile t;
    t.file = file;
    t.format = "SEG-Y";
    t.order = layout.order;
    t.type = layout.type;
    t.traces = layout.traces;
    t.samples = layout.traceSamples.empty() ? layout.samples : layout.traceSamples.front();
    t.headerBytes = layout.headerBytes();
    t.firstHeader = layout.dataStart;
    t.stride = layout.traceStart.empty() ? layout.traceBytes() : 0;
    t.starts = layout.traceStart;
    t.counts = layout.traceSamples;
    t.interval = layout.interval;
    t.measure = layout.measure;
    t.texts = layout.extendedTexts;
    const std::int64_t last = t.traces - 1;
    t.trailer =
        last < 0 ? 0 : file->size() - t.headerOffset(last) - t.headerBytes - t.samplesOf(last) * sampleBytes(t.type);
    return t;
}

Result<ArrayFile> openSegy(const InputFilePtr& file, const ModelSource& hints)
{
    auto layout = readSegyLayout(*file, hints);
    if (!layout) {
        return within(layout.error(), file->path());
    }
    ArrayFile out;
    out.format = "SEG-Y";
    out.description.push_back(fmt::format("revision {}.{}, {} text header, {}-endian ({})", layout->revisionMajor,
                                          layout->revisionMinor, layout->ebcdic ? "EBCDIC" : "ASCII",
                                          byteOrderName(layout->order), layout->orderReason));
    out.description.push_back(fmt::format("format code {}: {}", layout->code, segyCodeName(layout->code)));
    if (layout->extendedTexts > 0 || layout->extraHeaders > 0) {
        out.description.push_back(fmt::format("{} extended text headers, {} trace header extensions",
                                              layout->extendedTexts, layout->extraHeaders));
    }
    if (!layout->stanzas.empty()) {
        out.description.push_back(fmt::format("stanzas: {}", fmt::join(layout->stanzas, ", ")));
    }
    if (layout->trailers > 0) {
        out.description.push_back(fmt::format("{} stanzas of 3200 bytes behind the traces", layout->trailers));
    }
    if (layout->delay != 0.0) {
        out.description.push_back(fmt::format("the first sample stands at {:.6g} s", layout->delay));
    }
    out.sampleInterval = layout->interval;
    out.intervalUnit = "s";
    out.textHeader = layout->text;
    out.warnings = layout->warnings;
    out.hints = layout->hints;
    out.traces = std::make_shared<const TraceFile>(tracesOf(file, *layout));
    StoredArray a;
    a.type = layout->type;
    a.order = layout->order;
    if (layout->traceStart.empty()) {
        a.shape = {layout->traces, layout->samples};
        a.axes = {"trace", "sample"};
        a.read = stridedReader(file, layout->dataStart + layout->headerBytes(), layout->samples, layout->traceBytes(),
                               layout->type, layout->order);
    } else {
        std::vector<std::int64_t> starts = layout->traceStart;
        for (auto& s : starts) {
            s += layout->headerBytes();
        }
        a.axes = {"sample"};
        a.read = raggedReader(file, std::move(starts), layout->traceSamples, layout->type, layout->order, a.shape);
    }
    out.arrays.push_back(std::move(a));
    return out;
}

} // namespace formats

} // namespace ondo
