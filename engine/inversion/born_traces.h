// The Born operator of a run: what a small change of the speeds changes in the traces, to first order; exactly the transpose of
// what computeGradient computes, so that conjugate gradients may use both. With W(n) of the run itself (scalar_adjoint.h) and
// m = 2 dc / c at each node, the layers' as their model is continued, the scattered field takes the run's own steps and
//   p1(n+1) += c2 m W(n)
// which is a source at each node with W(n) for its wavelet: the kernel that injects sources does it. Two forward runs.
// Blocks; any thread, one call at a time a device.
#pragma once

#include "engine/device/device.h"
#include "engine/inversion/gradient.h"

#include <memory>
#include <vector>

namespace ondo {

// speed: m/s by node, (z, y, x), at fixed density. By shot: Pa. progress tells the steps of both runs, which go together, as
// forward ones. Refuses (BadInput) another number of nodes, changes that are not finite; Cancelled, Unstable, the device's.
[[nodiscard]] Result<std::vector<TraceTable>> bornTraces(const std::shared_ptr<const SimulationPlan>& plan,
                                                         const std::shared_ptr<Device>& device,
                                                         const std::vector<double>& speed,
                                                         const GradientHooks& hooks = {});

} // namespace ondo
