#include "engine/propagator/point_table.h"

#include "engine/core/recent.h"
#include "engine/survey/off_grid.h"

#include <algorithm>
#include <atomic>
#include <tuple>
#include <utility>

namespace ondo {

namespace {

constexpr std::size_t kKept = 4;          // tables: a poke back and forth, two runs by turns
constexpr std::size_t kLarge = 2'000'000; // entries, of 16 bytes

std::uint64_t nextId()
{
    static std::atomic<std::uint64_t> next{1};
    return next++;
}

std::int64_t nodeOffset(const SimulationPlan& plan, const kernels::Layout& layout, const NodeWeight& w)
{
    return layout.at(w.z + plan.layerLow[0], w.y + plan.layerLow[1], w.x + plan.layerLow[2]);
}

// All that a table is made from.
struct Key {
    Grid grid;
    Boundary boundary;
    int layerLow[3] = {}, layerHigh[3] = {};
    std::int64_t strideZ = 0, strideY = 0, shotStride = 0, lead = 0;
    std::vector<PlacedPoint> points;

    bool operator==(const Key&) const = default;
};

Key keyOf(const SimulationPlan& plan, const kernels::Layout& layout, const std::vector<PlacedPoint>& points)
{
    Key key{plan.model.grid(), plan.run.boundary, {},          {},    layout.strideZ,
            layout.strideY,    layout.shotStride, layout.lead, points};
    std::copy_n(plan.layerLow, 3, key.layerLow);
    std::copy_n(plan.layerHigh, 3, key.layerHigh);
    return key;
}

// Shots that follow each other often have the same receivers: [first, last) of a shot, at the places of [before, first).
bool sameAsBefore(const std::vector<PlacedPoint>& points, std::size_t before, std::size_t first, std::size_t last)
{
    return last - first == first - before &&
           std::equal(points.begin() + static_cast<std::ptrdiff_t>(first),
                      points.begin() + static_cast<std::ptrdiff_t>(last),
                      points.begin() + static_cast<std::ptrdiff_t>(before),
                      [](const PlacedPoint& a, const PlacedPoint& b) { return a.position == b.position; });
}

bool isWeighted(const SimulationPlan& plan, PointRole role)
{
    return role == PointRole::Source && plan.variableDensity();
}

double factorOf(const SimulationPlan& plan, PointRole role, const NodeWeight& w)
{
    if (!isWeighted(plan, role)) {
        return 1.0;
    }
    const Grid& g = plan.model.grid();
    const auto within = [](int i, int n) { return std::int64_t{std::clamp(i, 0, n - 1)}; };
    const std::int64_t node = (within(w.z, g.nz) * g.ny + within(w.y, g.ny)) * g.nx + within(w.x, g.nx);
    return 1.0 / static_cast<double>(plan.model.density().samples()[static_cast<std::size_t>(node)]);
}

void addReceiver(RecordingTable& t, const SimulationPlan& plan, const kernels::Layout& layout, int shot,
                 const std::vector<NodeWeight>& weights, PointRole role)
{
    for (const auto& w : weights) {
        t.node.push_back(shot * layout.shotStride + nodeOffset(plan, layout, w));
        t.weight.push_back(w.weight * factorOf(plan, role, w));
    }
    t.begin.push_back(static_cast<int>(t.node.size()));
}

} // namespace

InjectionTable makeInjection(const SimulationPlan& plan, const kernels::Layout& layout,
                             const std::vector<PlacedPoint>& sources, PointRole role)
{
    struct Entry {
        std::int64_t node, modelNode;
        int source;
        double weight;
    };
    std::vector<Entry> entries;
    PointWeights weights(plan.model.grid(), plan.run.boundary, plan.layerLow, plan.layerHigh);
    for (const auto& s : sources) {
        for (const auto& w : weights.of(s.position)) {
            const auto model = nodeOffset(plan, layout, w);
            entries.push_back({s.shot * layout.shotStride + model, model, s.row,
                               w.weight * w.inverseVolume * factorOf(plan, role, w)});
        }
    }
    // By node, then as the sources come: the sum at a node has one order, whatever the launch.
    std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.node < b.node; });
    InjectionTable t;
    t.id = nextId();
    for (const Entry& e : entries) {
        if (t.node.empty() || t.node.back() != e.node) {
            t.begin.push_back(static_cast<int>(t.source.size()));
            t.node.push_back(e.node);
            t.modelNode.push_back(e.modelNode);
        }
        t.source.push_back(e.source);
        t.weight.push_back(e.weight);
    }
    t.begin.push_back(static_cast<int>(t.source.size()));
    return t;
}

RecordingTable makeRecording(const SimulationPlan& plan, const kernels::Layout& layout,
                             const std::vector<PlacedPoint>& receivers, PointRole role)
{
    RecordingTable t;
    t.id = nextId();
    t.begin.reserve(receivers.size() + 1);
    t.begin.push_back(0);
    PointWeights weights(plan.model.grid(), plan.run.boundary, plan.layerLow, plan.layerHigh);
    std::size_t before = 0; // the first receiver of the shot before
    for (std::size_t first = 0; first < receivers.size();) {
        const int shot = receivers[first].shot;
        std::size_t last = first;
        while (last < receivers.size() && receivers[last].shot == shot) {
            ++last;
        }
        if (first > before && sameAsBefore(receivers, before, first, last)) {
            const std::int64_t further = (shot - receivers[before].shot) * layout.shotStride;
            const auto from = static_cast<std::size_t>(t.begin[before]);
            const auto to = static_cast<std::size_t>(t.begin[first]);
            const int entries = static_cast<int>(to - from);
            t.node.resize(to + (to - from));
            t.weight.resize(to + (to - from));
            for (std::size_t i = from; i < to; ++i) {
                t.node[i + (to - from)] = t.node[i] + further;
                t.weight[i + (to - from)] = t.weight[i];
            }
            for (std::size_t r = before; r < first; ++r) {
                t.begin.push_back(t.begin[r + 1] + entries);
            }
        } else {
            for (std::size_t r = first; r < last; ++r) {
                addReceiver(t, plan, layout, shot, weights.of(receivers[r].position), role);
            }
        }
        before = first;
        first = last;
    }
    return t;
}

RecordingTable makeSlopeRecording(const SimulationPlan& plan, const kernels::Layout& layout,
                                  const std::vector<PlacedPoint>& receivers, PointRole role)
{
    RecordingTable t;
    t.id = nextId();
    t.begin.push_back(0);
    PointWeights weights(plan.model.grid(), plan.run.boundary, plan.layerLow, plan.layerHigh);
    for (const auto& r : receivers) {
        for (int axis = 0; axis < 3; ++axis) {
            if (axis != 1 || plan.model.grid().rank == 3) {
                addReceiver(t, plan, layout, r.shot, weights.slopes(r.position, axis), role);
            }
        }
    }
    return t;
}

std::shared_ptr<const InjectionTable> injectionOf(const SimulationPlan& plan, const kernels::Layout& layout,
                                                  const std::vector<PlacedPoint>& sources, PointRole role)
{
    if (isWeighted(plan, role)) {
        return std::make_shared<const InjectionTable>(makeInjection(plan, layout, sources, role));
    }
    static Recent<Key, InjectionTable> recent(kKept);
    return recent.get(
        keyOf(plan, layout, sources), [&](const Key& key) { return makeInjection(plan, layout, key.points); },
        [](const InjectionTable& t) { return t.weight.size() > kLarge; });
}

std::shared_ptr<const RecordingTable> recordingOf(const SimulationPlan& plan, const kernels::Layout& layout,
                                                  const std::vector<PlacedPoint>& receivers, PointRole role)
{
    if (isWeighted(plan, role)) {
        return std::make_shared<const RecordingTable>(makeRecording(plan, layout, receivers, role));
    }
    static Recent<Key, RecordingTable> recent(kKept);
    return recent.get(
        keyOf(plan, layout, receivers), [&](const Key& key) { return makeRecording(plan, layout, key.points); },
        [](const RecordingTable& t) { return t.weight.size() > kLarge; });
}

} // namespace ondo
