// Sources and receivers of a launch as the lists that kernels/common/point_ops.h wants. Host values; pure arithmetic.
#pragma once

#include "engine/session/simulation_plan.h"
#include "kernels/core/shape.h"

#include <cstdint>
#include <vector>

namespace ondo {

struct PlacedPoint {
    int shot = 0; // within the launch
    Position position;
    int row = 0; // sources: row of the wavelet table
};

struct InjectionTable {
    std::vector<std::int64_t> node, modelNode;
    std::vector<int> begin, source;
    std::vector<double> weight; // 1 / m^rank
};

struct RecordingTable {
    std::vector<int> begin;
    std::vector<std::int64_t> node;
    std::vector<double> weight;
};

[[nodiscard]] InjectionTable makeInjection(const SimulationPlan& plan, const kernels::Layout& layout,
                                           const std::vector<PlacedPoint>& sources);
[[nodiscard]] RecordingTable makeRecording(const SimulationPlan& plan, const kernels::Layout& layout,
                                           const std::vector<PlacedPoint>& receivers);

} // namespace ondo
