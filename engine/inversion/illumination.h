// How much each node's speed is lit by the sources: the diagonal of the pseudo-Hessian, that of Gauss and Newton with
// the
// receivers left out. A forward run, looked at every few steps; on the host, so that it needs no kernel of its own.
#pragma once

#include "engine/device/device.h"
#include "engine/session/simulation_plan.h"

#include <atomic>
#include <memory>
#include <vector>

namespace ondo {

// Steps between looks: eight in the shortest period of the survey's wavelets.
[[nodiscard]] int illuminationEvery(const SimulationPlan& plan);

// sum over shots and those steps of (2 W / c)^2 by node of the model, W what imaging multiplies (scalar_adjoint.h); in
// units
// that only its ratios have a use for. Shot after shot. Blocks; any thread, one call at a time a device.
[[nodiscard]] Result<std::vector<double>> computeIllumination(const std::shared_ptr<const SimulationPlan>& plan,
                                                              const std::shared_ptr<Device>& device,
                                                              const std::atomic<bool>* stop = nullptr);

} // namespace ondo
