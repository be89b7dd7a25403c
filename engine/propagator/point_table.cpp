#include "engine/propagator/point_table.h"

#include "engine/survey/off_grid.h"

#include <map>

namespace ondo {

namespace {

std::int64_t nodeOffset(const SimulationPlan& plan, const kernels::Layout& layout, const NodeWeight& w)
{
    return layout.at(w.z + plan.layerLow[0], w.y + plan.layerLow[1], w.x + plan.layerLow[2]);
}

std::vector<NodeWeight> weightsOf(const SimulationPlan& plan, const Position& p)
{
    return pointWeights(plan.model.grid(), plan.run.boundary, plan.layerLow, plan.layerHigh, p);
}

} // namespace

InjectionTable makeInjection(const SimulationPlan& plan, const kernels::Layout& layout,
                             const std::vector<PlacedPoint>& sources)
{
    struct Entry {
        int source;
        double weight;
    };
    // Ordered by node, then by source: the sum at a node has one order, whatever the launch.
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Entry>> nodes;
    for (const auto& s : sources) {
        for (const auto& w : weightsOf(plan, s.position)) {
            const auto model = nodeOffset(plan, layout, w);
            nodes[{s.shot * layout.shotStride + model, model}].push_back({s.row, w.weight * w.inverseVolume});
        }
    }
    InjectionTable t;
    t.begin.push_back(0);
    for (const auto& [where, entries] : nodes) {
        t.node.push_back(where.first);
        t.modelNode.push_back(where.second);
        for (const auto& e : entries) {
            t.source.push_back(e.source);
            t.weight.push_back(e.weight);
        }
        t.begin.push_back(static_cast<int>(t.source.size()));
    }
    return t;
}

namespace {

void addReceiver(RecordingTable& t, const SimulationPlan& plan, const kernels::Layout& layout, int shot,
                 const std::vector<NodeWeight>& weights)
{
    for (const auto& w : weights) {
        t.node.push_back(shot * layout.shotStride + nodeOffset(plan, layout, w));
        t.weight.push_back(w.weight);
    }
    t.begin.push_back(static_cast<int>(t.node.size()));
}

} // namespace

RecordingTable makeRecording(const SimulationPlan& plan, const kernels::Layout& layout,
                             const std::vector<PlacedPoint>& receivers)
{
    RecordingTable t;
    t.begin.push_back(0);
    for (const auto& r : receivers) {
        addReceiver(t, plan, layout, r.shot, weightsOf(plan, r.position));
    }
    return t;
}

RecordingTable makeSlopeRecording(const SimulationPlan& plan, const kernels::Layout& layout,
                                  const std::vector<PlacedPoint>& receivers)
{
    RecordingTable t;
    t.begin.push_back(0);
    const Grid& g = plan.model.grid();
    for (const auto& r : receivers) {
        for (int axis = 0; axis < 3; ++axis) {
            if (axis != 1 || g.rank == 3) {
                addReceiver(t, plan, layout, r.shot,
                            pointWeightSlopes(g, plan.run.boundary, plan.layerLow, plan.layerHigh, r.position, axis));
            }
        }
    }
    return t;
}

} // namespace ondo
