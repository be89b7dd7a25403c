// The picture that `ondo run --png` leaves.
#pragma once

#include "engine/frame/gather.h"
#include "engine/frame/picture.h"
#include "engine/session/simulation_plan.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo::cli {

// Returns what was drawn: "picture: ..."; says so where axes and gather are missing because this build has no VTK.
[[nodiscard]] Result<std::string> drawRunPicture(const std::string& path, const SimulationPlan& plan,
                                                 const std::shared_ptr<const FieldFrame>& field,
                                                 const std::vector<Gather>& gathers);

} // namespace ondo::cli
