// Why the gradient of an inversion may be zero, noisy or striped, or lead nowhere: what can be told from a record, each with
// its remedy. Pure arithmetic, any thread.
#pragma once

#include "engine/inversion/inversion.h"
#include "engine/inversion/sensitivity.h"

#include <vector>

namespace ondo {

// plan: of the run, null where it is not known; low, high: the bounds, m/s. One entry each, passed or not.
[[nodiscard]] std::vector<KernelCheck> checkIterate(const InversionRecord& record, const SimulationPlan* plan,
                                                    double low, double high);

} // namespace ondo
