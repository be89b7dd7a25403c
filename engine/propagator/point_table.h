// Sources and receivers of a launch as the lists that kernels/common/point_ops.h wants. Host values; pure arithmetic.
#pragma once

#include "engine/session/simulation_plan.h"
#include "kernels/backend.h"
#include "kernels/core/shape.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ondo {

struct PlacedPoint {
    int shot = 0; // within the launch
    Position position;
    int row = 0; // sources: row of the wavelet table

    bool operator==(const PlacedPoint&) const = default;
};

struct InjectionTable {
    std::vector<std::int64_t> node, modelNode;
    std::vector<int> begin, source;
    std::vector<double> weight; // 1 / m^rank
    std::uint64_t id = 0;       // another for every table

    [[nodiscard]] kernels::PointNodes nodes() const { return {node.data(), nullptr, id}; }
};

struct RecordingTable {
    std::vector<int> begin;
    std::vector<std::int64_t> node;
    std::vector<double> weight;
    std::uint64_t id = 0; // another for every table

    [[nodiscard]] kernels::PointNodes nodes() const { return {node.data(), begin.data(), id}; }
};

// What a point's weights are multiplied with: 1; or, where density varies, 1/rho of the node, which makes c^2 of the kappa that
// a field takes its sources with, so that a source gives what it gives with one density (kernels/equations/scalar.h).
enum class PointRole { Plain, Source };

[[nodiscard]] InjectionTable makeInjection(const SimulationPlan& plan, const kernels::Layout& layout,
                                           const std::vector<PlacedPoint>& sources, PointRole role = PointRole::Plain);
[[nodiscard]] RecordingTable makeRecording(const SimulationPlan& plan, const kernels::Layout& layout,
                                           const std::vector<PlacedPoint>& receivers,
                                           PointRole role = PointRole::Plain);
// As makeRecording, with the derivatives of the weights along each axis of the grid (z, (y,) x) as receivers of their own,
// 1/m: rows receiver * rank + axis.
[[nodiscard]] RecordingTable makeSlopeRecording(const SimulationPlan& plan, const kernels::Layout& layout,
                                                const std::vector<PlacedPoint>& receivers,
                                                PointRole role = PointRole::Plain);

// makeInjection and makeRecording, kept for the next run that asks for the same points on the same grid: what a backend planned for a table's `id`
// then still holds, too. Weights with a density in them are made anew each time.
[[nodiscard]] std::shared_ptr<const InjectionTable> injectionOf(const SimulationPlan& plan,
                                                                const kernels::Layout& layout,
                                                                const std::vector<PlacedPoint>& sources,
                                                                PointRole role = PointRole::Plain);
[[nodiscard]] std::shared_ptr<const RecordingTable> recordingOf(const SimulationPlan& plan,
                                                                const kernels::Layout& layout,
                                                                const std::vector<PlacedPoint>& receivers,
                                                                PointRole role = PointRole::Plain);

} // namespace ondo
