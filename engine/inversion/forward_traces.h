// The traces of a plan's shots and nothing else: no tape, no adjoint. In double, through the propagator of every run.
// Blocks; any thread, one call at a time a device.
#pragma once

#include "engine/device/device.h"
#include "engine/inversion/misfit.h"
#include "engine/session/simulation_plan.h"

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace ondo {

struct ForwardHooks {
    std::function<void(double fraction)> progress; // of all shots' steps, now and then; may be empty
    const std::atomic<bool>* stop = nullptr;       // looked at between steps; may be null
};

// By shot of the survey. Failures: Cancelled, Unstable (a field beyond all bounds), the device's.
[[nodiscard]] Result<std::vector<TraceTable>> computeTraces(const std::shared_ptr<const SimulationPlan>& plan,
                                                            const std::shared_ptr<Device>& device,
                                                            const ForwardHooks& hooks = {});

} // namespace ondo
