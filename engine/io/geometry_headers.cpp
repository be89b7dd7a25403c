// Sources and receivers of the traces of a SEG-Y or SU file: each place once, in the order in which it comes, and which
// receivers listen to which source.
#include "engine/io/geometry_text.h"
#include "engine/io/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace ondo::geometry {

namespace {

// A place to the bit: headers hold integers, so that equal places have equal words.
struct Key {
    std::uint64_t x, y, elevation, depth;
    bool operator==(const Key&) const = default;
};

struct KeyHash {
    std::size_t operator()(const Key& k) const
    {
        std::uint64_t h = 1469598103934665603ULL;
        for (const std::uint64_t word : {k.x, k.y, k.elevation, k.depth}) {
            h = (h ^ word) * 1099511628211ULL;
            h ^= h >> 29;
        }
        return static_cast<std::size_t>(h);
    }
};

class Places {
public:
    explicit Places(std::vector<GeometryPoint>& out)
        : m_out(out)
    {
    }
    std::uint32_t index(const GeometryPoint& p)
    {
        const Key key{std::bit_cast<std::uint64_t>(p.x), std::bit_cast<std::uint64_t>(p.y),
                      std::bit_cast<std::uint64_t>(p.elevation), std::bit_cast<std::uint64_t>(p.depth)};
        const auto [found, added] = m_known.try_emplace(key, static_cast<std::uint32_t>(m_out.size()));
        if (added) {
            m_out.push_back(p);
        }
        return found->second;
    }

private:
    std::vector<GeometryPoint>& m_out;
    std::unordered_map<Key, std::uint32_t, KeyHash> m_known;
};

} // namespace

Result<> readHeaders(const InputFilePtr& file, const GeometryHints& hints, GeometryFile& out)
{
    ModelSource source;
    source.sampleType = hints.sampleType;
    source.byteOrder = hints.byteOrder;
    auto traces = openTraceFile(file->path(), source);
    if (!traces) {
        return tl::unexpected<Error>(traces.error());
    }
    out.format = "trace headers of " + traces->format;
    if (traces->measure == 2) {
        out.unit = 0.3048;
        out.unitStated = true;
    } else if (traces->measure == 1) {
        out.unitStated = true;
    }
    Places sources(out.sources);
    Places receivers(out.receivers);
    std::int64_t angles = 0;
    std::int64_t dead = 0;
    const bool extended = traces->headerBytes > 240;
    std::vector<unsigned char> bytes(extended ? 480 : 240);
    for (std::int64_t t = 0; t < traces->traces; ++t) {
        if (auto r = file->read(traces->headerOffset(t), bytes); !r) {
            return r;
        }
        TraceHeader h = traceHeader(bytes, traces->order);
        if (extended) {
            applyExtension(h, std::span(bytes).subspan(240), traces->order);
        }
        angles += h.coordinateUnit > 1 && h.coordinateUnit <= 4 ? 1 : 0;
        dead += h.kind == 2 ? 1 : 0;
        const GeometryPoint s{h.sourceX,
                              h.sourceY,
                              h.sourceElevation,
                              h.sourceDepth,
                              static_cast<double>(h.shotPoint != 0 ? h.shotPoint : h.record),
                              -1,
                              1};
        const GeometryPoint r{
            h.receiverX, h.receiverY, h.receiverElevation, 0.0, static_cast<double>(h.channel), -1, 1};
        const auto from = sources.index(s);
        if (from >= out.spreads.size()) {
            out.spreads.emplace_back();
        }
        out.spreads[from].push_back(receivers.index(r));
    }
    if (angles > 0) {
        return badInput(
            fmt::format("{} of {} traces give their places as angles (bytes 89-90), which are not projected", angles,
                        traces->traces),
            "write them in a map projection, in metres or feet");
    }
    if (dead > 0) {
        out.description.push_back(fmt::format("{} of {} traces are marked dead", dead, traces->traces));
    }
    const bool nowhere = out.sources.size() == 1 && out.receivers.size() == 1 && traces->traces > 1;
    if (nowhere) {
        out.warnings.emplace_back("every trace stands at one place: the headers have no geometry; give another file of "
                                  "places");
    }
    return {};
}

} // namespace ondo::geometry
