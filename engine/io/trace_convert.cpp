#include "engine/io/trace_convert.h"

#include "engine/io/atomic_file.h"
#include "engine/io/npy_writer.h"
#include "engine/io/sample_writer.h"
#include "engine/io/segy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <set>

namespace ondo {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kBlockBytes = 1 << 20;

std::string endingOf(const std::string& path)
{
    std::string ending = fs::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return ending;
}

void turn(std::span<unsigned char> bytes, std::size_t at, std::size_t width)
{
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
}

struct Run {
    std::size_t first; // offset
    std::size_t last;  // one past
    std::size_t width;
};

// The widths of the words of a trace header up to byte 180, which SEG-Y and SU share, and from there on SEG-Y's.
constexpr std::array<Run, 14> kTraceWords = {{{0, 28, 4},
                                              {28, 36, 2},
                                              {36, 68, 4},
                                              {68, 72, 2},
                                              {72, 88, 4},
                                              {88, 180, 2},
                                              {180, 200, 4},
                                              {200, 204, 2},
                                              {204, 208, 4},
                                              {208, 218, 2},
                                              {218, 224, 2},
                                              {224, 228, 4},
                                              {228, 232, 2},
                                              {232, 232, 1}}};
constexpr std::size_t kShared = 180;
// Of the 400 bytes from 3201 on.
constexpr std::array<Run, 9> kFileWords = {{{0, 12, 4},
                                            {12, 60, 2},
                                            {60, 72, 4},
                                            {72, 88, 8},
                                            {88, 100, 4},
                                            {302, 308, 2},
                                            {308, 312, 2},
                                            {312, 328, 8},
                                            {328, 332, 4}}};

template<std::size_t N>
void turnWords(std::span<unsigned char> bytes, const std::array<Run, N>& runs)
{
    for (const Run& run : runs) {
        for (std::size_t at = run.first; at + run.width <= run.last && run.width > 1; at += run.width) {
            turn(bytes, at, run.width);
        }
    }
}

bool anything(std::span<const unsigned char> bytes)
{
    return std::any_of(bytes.begin(), bytes.end(), [](unsigned char c) { return c != 0; });
}

int codeOf(SampleType type)
{
    for (int code = 1; code <= 16; ++code) {
        if (segySampleType(code) == type) {
            return code;
        }
    }
    return 0;
}

// What rounding to float32 changed.
struct Rounding {
    std::int64_t changed = 0;
    double most = 0.0; // of the sample's size
    void look(double v, float rounded)
    {
        if (!std::isnan(v) && static_cast<double>(rounded) != v) {
            ++changed;
            most = std::max(most, std::abs(static_cast<double>(rounded) - v) / std::abs(v));
        }
    }
    [[nodiscard]] std::string text(std::int64_t all) const
    {
        return changed == 0 ? "float32 holds every sample exactly"
                            : fmt::format("{} of {} samples were rounded to float32, by at most {:.2g} of their size",
                                          changed, all, most);
    }
};

// Samples of trace t from `first` on, as the file stores them.
Result<> readRaw(const TraceFile& in, std::int64_t t, std::int64_t first, std::span<unsigned char> out)
{
    return in.file->read(in.headerOffset(t) + in.headerBytes + first * sampleBytes(in.type), out);
}

// Calls `take` with raw samples of trace t, a megabyte at a time.
template<class Take>
Result<> eachPart(const TraceFile& in, std::int64_t t, Take take)
{
    const std::int64_t width = sampleBytes(in.type);
    const std::int64_t most = kBlockBytes / width;
    std::vector<unsigned char> raw;
    for (std::int64_t first = 0; first < in.samplesOf(t); first += most) {
        raw.resize(static_cast<std::size_t>(std::min(most, in.samplesOf(t) - first) * width));
        if (auto r = readRaw(in, t, first, raw); !r) {
            return r;
        }
        if (auto r = take(std::span<unsigned char>(raw)); !r) {
            return r;
        }
    }
    return {};
}

std::int64_t sampleTotal(const TraceFile& in)
{
    std::int64_t total = in.counts.empty() ? in.traces * in.samples : 0;
    for (const auto n : in.counts) {
        total += n;
    }
    return total;
}

Result<> writeFloats(const TraceFile& in, std::int64_t t, SampleWriter& writer, Rounding& rounding)
{
    std::vector<double> values;
    std::vector<float> rounded;
    return eachPart(in, t, [&](std::span<unsigned char> raw) -> Result<> {
        values.resize(raw.size() / static_cast<std::size_t>(sampleBytes(in.type)));
        rounded.resize(values.size());
        if (in.type == SampleType::Float32) {
            // As they are: a NaN keeps its bits.
            if (in.order == ByteOrder::Big) {
                for (std::size_t at = 0; at < raw.size(); at += 4) {
                    turn(raw, at, 4);
                }
            }
            writer.bytes(raw);
            return {};
        }
        decodeSamples(raw.data(), in.type, in.order, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            rounded[i] = static_cast<float>(values[i]);
            rounding.look(values[i], rounded[i]);
        }
        writer.floats(rounded, ByteOrder::Little);
        return {};
    });
}

class Conversion {
public:
    Conversion(const ArrayFile& file, std::string path)
        : m_in(*file.traces)
        , m_array(*file.mainArray())
        , m_path(std::move(path))
    {
    }
    Result<> segy(SampleWriter& writer);
    Result<> su(SampleWriter& writer);
    Result<> plain(SampleWriter& writer);
    Result<> npy(SampleWriter& writer);
    Result<> checkSegy() const;
    Result<> checkSu() const;
    [[nodiscard]] std::string notes() const { return m_notes; }

private:
    Result<std::vector<unsigned char>> fileHeader() const;
    Result<> traceHeaders(std::int64_t t, SampleWriter& writer);
    Result<bool> floatsHoldAll() const;
    void note(const std::string& text) { m_notes += "  " + text + "\n"; }

    const TraceFile& m_in;
    const StoredArray& m_array;
    std::string m_path;
    std::string m_notes;
};

Result<> Conversion::checkSegy() const
{
    if (codeOf(m_in.type) == 0) {
        return badInput(fmt::format("{}: SEG-Y has no format code for {} samples", m_path, sampleTypeName(m_in.type)),
                        "write .npy, or state another sample type");
    }
    if (m_in.format == "SEG-Y" && m_in.order == ByteOrder::Little && m_in.headerBytes > 240) {
        return badInput(
            fmt::format("{}: the words of {} extra trace headers, which are little-endian, cannot be told apart",
                        m_path, m_in.headerBytes / 240 - 1),
            "write .su or .npy, which leave them out");
    }
    return {};
}

Result<> Conversion::checkSu() const
{
    const std::int64_t longest =
        m_in.counts.empty() ? m_in.samples : *std::max_element(m_in.counts.begin(), m_in.counts.end());
    if (longest > 65535) {
        return badInput(fmt::format("{}: traces of {} samples do not fit SU", m_path, longest),
                        "at most 65535: write .segy or .npy");
    }
    return {};
}

// 3600 bytes and the extended texts, big-endian.
Result<std::vector<unsigned char>> Conversion::fileHeader() const
{
    std::vector<unsigned char> out;
    if (m_in.format == "SEG-Y") {
        auto head = m_in.file->bytes(0, m_in.firstHeader);
        if (!head) {
            return head;
        }
        out = std::move(*head);
        if (m_in.order == ByteOrder::Little) {
            turnWords(std::span(out).subspan(3200, 400), kFileWords);
        }
    } else {
        for (int i = 1; i <= 40; ++i) {
            std::string line = fmt::format("C{:>2} ", i);
            line += i == 1 ? fmt::format("WRITTEN FROM SU BY ONDOSCOPE {}", ONDO_VERSION)
                           : (i == 39 ? "SEG Y REV1" : (i == 40 ? "END TEXTUAL HEADER" : ""));
            line.resize(80, ' ');
            std::transform(line.begin(), line.end(), std::back_inserter(out), asciiToEbcdic);
        }
        out.resize(3600, 0);
        const auto put = [&out](std::size_t at, std::int64_t v) {
            storeNumber(out.data() + at, static_cast<std::uint16_t>(v), ByteOrder::Big);
        };
        const auto interval = std::llround(m_in.interval.value_or(0.0) * 1e6);
        put(3216, interval);
        put(3220, m_in.samples);
        put(3228, 1);
        put(3500, 0x0100);
        put(3502, m_in.counts.empty() ? 1 : 0);
    }
    storeNumber(out.data() + 3224, static_cast<std::uint16_t>(codeOf(m_in.type)), ByteOrder::Big);
    return out;
}

Result<> Conversion::traceHeaders(std::int64_t t, SampleWriter& writer)
{
    auto head = m_in.file->bytes(m_in.headerOffset(t), m_in.headerBytes);
    if (!head) {
        return tl::unexpected<Error>(head.error());
    }
    if (m_in.order == ByteOrder::Little) {
        turnWords(std::span(*head).first(240), kTraceWords);
    }
    if (m_in.format == "SU") {
        // SU's own words have another meaning in SEG-Y.
        std::fill(head->begin() + kShared, head->end(), static_cast<unsigned char>(0));
    }
    writer.bytes(*head);
    return {};
}

Result<> Conversion::segy(SampleWriter& writer)
{
    auto head = fileHeader();
    if (!head) {
        return tl::unexpected<Error>(head.error());
    }
    writer.bytes(*head);
    const auto width = static_cast<std::size_t>(sampleBytes(m_in.type));
    for (std::int64_t t = 0; t < m_in.traces; ++t) {
        if (auto r = traceHeaders(t, writer); !r) {
            return r;
        }
        auto r = eachPart(m_in, t, [&](std::span<unsigned char> raw) -> Result<> {
            if (m_in.order == ByteOrder::Little) {
                for (std::size_t at = 0; at < raw.size(); at += width) {
                    turn(raw, at, width);
                }
            }
            writer.bytes(raw);
            return {};
        });
        if (!r) {
            return r;
        }
    }
    note(fmt::format("samples as they were stored, {}; nothing is rounded", sampleTypeName(m_in.type)));
    if (m_in.trailer > 0) {
        note(fmt::format("{} bytes behind the last trace were left out", m_in.trailer));
    }
    return {};
}

Result<> Conversion::su(SampleWriter& writer)
{
    Rounding rounding;
    bool lost = false;
    for (std::int64_t t = 0; t < m_in.traces; ++t) {
        auto head = m_in.file->bytes(m_in.headerOffset(t), 240);
        if (!head) {
            return tl::unexpected<Error>(head.error());
        }
        if (m_in.format == "SEG-Y") {
            lost = lost || anything(std::span(*head).subspan(kShared));
            std::fill(head->begin() + kShared, head->end(), static_cast<unsigned char>(0));
        }
        if (m_in.order == ByteOrder::Big) {
            // SU's words behind the shared ones: floats of four bytes, a whole number, then two and two.
            static constexpr std::array<Run, 2> kSuWords = {{{180, 208, 4}, {208, 240, 2}}};
            std::array<Run, 6> shared{};
            std::copy_n(kTraceWords.begin(), 6, shared.begin());
            turnWords(std::span(*head), shared);
            turnWords(std::span(*head), kSuWords);
        }
        // What the reader goes by: SU states each trace's own length, and an interval that the file's header may have had.
        storeNumber(head->data() + 114, static_cast<std::uint16_t>(m_in.samplesOf(t)), ByteOrder::Little);
        if (loadNumber<std::uint16_t>(head->data() + 116, ByteOrder::Little) == 0 && m_in.interval) {
            storeNumber(head->data() + 116, static_cast<std::uint16_t>(std::llround(*m_in.interval * 1e6)),
                        ByteOrder::Little);
        }
        writer.bytes(*head);
        if (auto r = writeFloats(m_in, t, writer, rounding); !r) {
            return r;
        }
    }
    note(rounding.text(sampleTotal(m_in)));
    if (lost) {
        note("bytes 181-240 of the trace headers (CDP coordinates, in-line, cross-line) have no place in SU and were "
             "left "
             "out");
    }
    return {};
}

Result<> Conversion::plain(SampleWriter& writer)
{
    Rounding rounding;
    for (std::int64_t t = 0; t < m_in.traces; ++t) {
        if (auto r = writeFloats(m_in, t, writer, rounding); !r) {
            return r;
        }
    }
    note(rounding.text(sampleTotal(m_in)));
    return {};
}

Result<bool> Conversion::floatsHoldAll() const
{
    std::vector<double> values;
    bool all = true;
    for (std::int64_t t = 0; t < m_in.traces && all; ++t) {
        auto r = eachPart(m_in, t, [&](std::span<unsigned char> raw) -> Result<> {
            values.resize(raw.size() / static_cast<std::size_t>(sampleBytes(m_in.type)));
            decodeSamples(raw.data(), m_in.type, m_in.order, values);
            all = all && std::all_of(values.begin(), values.end(),
                                     [](double v) { return static_cast<double>(static_cast<float>(v)) == v; });
            return {};
        });
        if (!r) {
            return tl::unexpected<Error>(r.error());
        }
    }
    return all;
}

Result<> Conversion::npy(SampleWriter& writer)
{
    SampleType type = m_in.type;
    const bool own = type == SampleType::Ibm32 || type == SampleType::FixedGain32 || type == SampleType::Int24 ||
                     type == SampleType::UInt24;
    if (type == SampleType::Int24 || type == SampleType::UInt24) {
        type = SampleType::Int32;
    } else if (own) {
        auto floats = floatsHoldAll();
        if (!floats) {
            return tl::unexpected<Error>(floats.error());
        }
        type = *floats ? SampleType::Float32 : SampleType::Float64;
    }
    writer.bytes(npyHeader(type, m_array.shape));
    std::vector<double> values;
    std::vector<unsigned char> out;
    const auto width = static_cast<std::size_t>(sampleBytes(m_in.type));
    for (std::int64_t t = 0; t < m_in.traces; ++t) {
        auto r = eachPart(m_in, t, [&](std::span<unsigned char> raw) -> Result<> {
            if (!own) {
                for (std::size_t at = 0; m_in.order == ByteOrder::Big && at < raw.size(); at += width) {
                    turn(raw, at, width);
                }
                writer.bytes(raw);
                return {};
            }
            values.resize(raw.size() / width);
            decodeSamples(raw.data(), m_in.type, m_in.order, values);
            const auto wide = static_cast<std::size_t>(sampleBytes(type));
            out.resize(values.size() * wide);
            for (std::size_t i = 0; i < values.size(); ++i) {
                unsigned char* at = out.data() + i * wide;
                if (type == SampleType::Int32) {
                    storeNumber(at, static_cast<std::int32_t>(values[i]), ByteOrder::Little);
                } else if (type == SampleType::Float32) {
                    storeNumber(at, static_cast<float>(values[i]), ByteOrder::Little);
                } else {
                    storeNumber(at, values[i], ByteOrder::Little);
                }
            }
            writer.bytes(out);
            return {};
        });
        if (!r) {
            return r;
        }
    }
    note(fmt::format("[{}] {}, every sample exactly as it was", fmt::join(m_array.shape, ", "), sampleTypeName(type)));
    return {};
}

std::string rsfHeader(const TraceFile& in, const StoredArray& array, const std::string& data)
{
    std::string out =
        fmt::format("Ondoscope " ONDO_VERSION "\n\n\tdata_format=\"native_float\"\n\tesize=4\n\tin=\"./{}\"\n",
                    fs::path(data).filename().string());
    const std::int64_t n1 = array.shape.back();
    out += fmt::format("\tn1={}\n\td1={}\n\to1=0\n\tlabel1=\"Time\"\n\tunit1=\"s\"\n", n1, in.interval.value_or(1.0));
    if (array.shape.size() == 2) {
        out += fmt::format("\tn2={}\n\td2=1\n\to2=0\n\tlabel2=\"Trace\"\n", array.shape.front());
    }
    return out;
}

} // namespace

Result<> checkTraceEnding(const std::string& path)
{
    static const std::set<std::string> kEndings = {".segy", ".sgy", ".su", ".npy", ".rsf", ".bin", ".raw"};
    if (const auto ending = endingOf(path); !kEndings.contains(ending)) {
        return badInput(
            fmt::format("{}: traces are not written as \"{}\"", path, ending),
            "end the name in .segy, .su, .npy, .rsf or .bin; to convert a model state its spacing: model.dz "
            "and model.dx");
    }
    return {};
}

Result<std::string> convertTraces(const ArrayFile& in, const std::string& out)
{
    if (auto ok = checkTraceEnding(out); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const std::string ending = endingOf(out);
    const bool segy = ending == ".segy" || ending == ".sgy";
    Conversion work(in, out);
    if (auto ok = segy ? work.checkSegy() : (ending == ".su" ? work.checkSu() : Result<>()); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const std::string samples = ending == ".rsf" ? out + "@" : out;
    auto done = writeAtomically(samples, [&](const std::string& temporary) {
        return SampleWriter::open(temporary).and_then([&](SampleWriter writer) -> Result<> {
            auto r = segy               ? work.segy(writer)
                     : ending == ".su"  ? work.su(writer)
                     : ending == ".npy" ? work.npy(writer)
                                        : work.plain(writer);
            auto closed = writer.close();
            return r ? closed : r;
        });
    });
    if (done && ending == ".rsf") {
        done = writeText(out, rsfHeader(*in.traces, *in.mainArray(), samples));
    }
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    return fmt::format("{}: {}, {} traces\n{}", out, in.format, in.traces->traces, work.notes());
}

} // namespace ondo
