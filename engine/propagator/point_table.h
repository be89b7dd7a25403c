// Sources and receivers of a launch as the lists that kernels/common/point_ops.h wants. Host values; pure arithmetic.
#pragma once

#include "engine/session/simulation_plan.h"
#include "kernels/backend.h"
#include "kernels/core/shape.h"

#include <atomic>
#include <cstdint>
#include <utility>
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

// As makeRecording, with the derivatives of the weights along each axis of the grid (z, (y,) x) as receivers of their own,
// 1/m: rows receiver * rank + axis.
[[nodiscard]] RecordingTable makeSlopeRecording(const SimulationPlan& plan, const kernels::Layout& layout,
                                                const std::vector<PlacedPoint>& receivers);

// The nodes of a point list on the host, for backends that plan ahead.
class HostNodes {
public:
    void keep(std::vector<std::int64_t> node, std::vector<int> begin)
    {
        static std::atomic<std::uint64_t> next{1};
        if (m_id != 0 && node == m_node && begin == m_begin) {
            return; // the same shot again: what was planned for it still holds
        }
        m_node = std::move(node);
        m_begin = std::move(begin);
        m_id = next++;
    }
    [[nodiscard]] kernels::PointNodes view() const { return {m_node.data(), m_begin.data(), m_id}; }

private:
    std::vector<std::int64_t> m_node;
    std::vector<int> m_begin;
    std::uint64_t m_id = 0;
};

} // namespace ondo
