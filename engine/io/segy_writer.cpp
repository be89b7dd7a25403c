#include "engine/io/segy_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/sample_writer.h"
#include "engine/io/segy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ondo {

namespace {

constexpr std::size_t kMostWord = 32767;

// The words of SEG-Y, counted from 0; the standard counts from 1.
template<std::size_t N>
class Block {
public:
    void i16(std::size_t at, std::int64_t value)
    {
        storeNumber(m_bytes.data() + at, static_cast<std::int16_t>(value), ByteOrder::Big);
    }
    void i32(std::size_t at, std::int64_t value)
    {
        storeNumber(m_bytes.data() + at, static_cast<std::int32_t>(value), ByteOrder::Big);
    }
    [[nodiscard]] std::span<const unsigned char> bytes() const { return m_bytes; }

private:
    std::array<unsigned char, N> m_bytes{};
};

// The finest scalar that keeps every coordinate within 32 bits.
int coordinateScalar(const std::vector<SegyTrace>& traces)
{
    double most = 0.0;
    for (const auto& t : traces) {
        for (const Position& p : {t.source, t.receiver}) {
            most = std::max({most, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
        }
    }
    for (const int scalar : {1000, 100, 10}) {
        if (most * scalar < 2.0e9) {
            return -scalar;
        }
    }
    return 1;
}

// A letter that the text header has not becomes a question mark.
std::string asciiOnly(const std::string& utf8)
{
    std::string out;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 || byte >= 0xC0) { // the other bytes go on with a letter
            out += byte < 0x80 ? c : '?';
        }
    }
    return out;
}

std::vector<unsigned char> textHeader(const SegyDocument& document)
{
    std::vector<unsigned char> out;
    for (std::size_t i = 1; i <= 40; ++i) {
        std::string line = fmt::format("C{:>2} ", i);
        if (i <= document.text.size() && i < 39) {
            line += asciiOnly(document.text[i - 1]);
        } else if (i == 39) {
            line += "SEG Y REV1";
        } else if (i == 40) {
            line += "END TEXTUAL HEADER";
        }
        line.resize(80, ' ');
        std::transform(line.begin(), line.end(), std::back_inserter(out), asciiToEbcdic);
    }
    return out;
}

Block<400> binaryHeader(const SegyDocument& document, std::int64_t interval, std::int64_t samples)
{
    const auto shots = static_cast<std::int64_t>(document.traces.size());
    const int first = document.traces.front().shot;
    const auto inFirst = std::count_if(document.traces.begin(), document.traces.end(),
                                       [first](const SegyTrace& t) { return t.shot == first; });
    Block<400> b;
    b.i32(0, 1);
    b.i32(4, 1);
    b.i32(8, 1);
    b.i16(12, std::min<std::int64_t>(inFirst, kMostWord));
    b.i16(16, interval);
    b.i16(18, interval);
    b.i16(20, samples);
    b.i16(22, samples);
    b.i16(24, 5); // IEEE floating point
    b.i16(26, 1);
    b.i16(28, inFirst == shots ? 1 : 5); // as recorded, or by common source
    b.i16(54, 1);                        // metres
    b.i16(300, 0x0100);                  // revision 1.0
    b.i16(302, 1);                       // traces of one length
    return b;
}

Block<240> traceHeader(const SegyTrace& t, std::int64_t number, int scalar, std::int64_t interval)
{
    const double factor = scalar < 0 ? -scalar : 1.0 / scalar;
    const auto scaled = [factor](double metres) { return std::llround(metres * factor); };
    Block<240> h;
    h.i32(0, number);
    h.i32(4, number);
    h.i32(8, t.shot);
    h.i32(12, t.channel);
    h.i32(16, t.shot);
    h.i32(20, t.crossline);
    h.i32(24, 1);
    h.i16(28, 1); // seismic data
    h.i16(30, 1);
    h.i16(32, 1);
    h.i16(34, 1); // production
    h.i32(36, std::llround(std::hypot(t.receiver.x - t.source.x, t.receiver.y - t.source.y)));
    h.i32(40, scaled(-t.receiver.z));
    h.i32(48, scaled(t.source.z));
    h.i16(68, scalar);
    h.i16(70, scalar);
    h.i32(72, scaled(t.source.x));
    h.i32(76, scaled(t.source.y));
    h.i32(80, scaled(t.receiver.x));
    h.i32(84, scaled(t.receiver.y));
    h.i16(88, 1); // length
    h.i16(114, static_cast<std::int64_t>(t.samples.size()));
    h.i16(116, interval);
    h.i32(180, scaled(0.5 * (t.source.x + t.receiver.x)));
    h.i32(184, scaled(0.5 * (t.source.y + t.receiver.y)));
    h.i32(188, 1);
    h.i32(192, t.crossline);
    h.i32(196, t.shot);
    return h;
}

} // namespace

Result<> checkSegyTraces(const std::string& what, std::size_t samples, double intervalMicroseconds)
{
    if (samples == 0 || samples > kMostWord) {
        return badInput(fmt::format("{}: traces of {} samples do not fit SEG-Y revision 1", what, samples),
                        "at most 32767, all of one length; use a longer sample interval, or .npy");
    }
    const auto interval = std::llround(intervalMicroseconds);
    if (interval < 1 || interval > static_cast<long long>(kMostWord)) {
        return badInput(fmt::format("{}: a sample interval of {:g} us does not fit SEG-Y", what, intervalMicroseconds),
                        "from 1 to 32767 us; use .npy or HDF5");
    }
    return {};
}

Result<> writeSegy(const std::string& path, const SegyDocument& document)
{
    if (document.traces.empty()) {
        return badInput(path + ": there is no trace to write", "record some receivers first");
    }
    const std::size_t samples = document.traces.front().samples.size();
    const bool equal = std::all_of(document.traces.begin(), document.traces.end(),
                                   [samples](const SegyTrace& t) { return t.samples.size() == samples; });
    if (!equal) {
        return badInput(path + ": traces of different lengths do not fit SEG-Y revision 1", "write HDF5");
    }
    if (auto ok = checkSegyTraces(path, samples, document.intervalMicroseconds); !ok) {
        return ok;
    }
    const auto interval = static_cast<std::int64_t>(std::llround(document.intervalMicroseconds));
    return writeAtomically(path, [&](const std::string& temporary) {
        return SampleWriter::open(temporary).and_then([&](SampleWriter writer) -> Result<> {
            writer.bytes(textHeader(document));
            writer.bytes(binaryHeader(document, interval, static_cast<std::int64_t>(samples)).bytes());
            const int scalar = coordinateScalar(document.traces);
            std::int64_t number = 0;
            for (const auto& trace : document.traces) {
                writer.bytes(traceHeader(trace, ++number, scalar, interval).bytes());
                writer.floats(trace.samples, ByteOrder::Big);
            }
            return writer.close();
        });
    });
}

} // namespace ondo
