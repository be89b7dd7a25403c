// The picture that `ondo run --png` leaves.
#pragma once

#include "engine/frame/gather.h"
#include "engine/frame/picture.h"
#include "engine/session/simulation_plan.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo::cli {

// What is pictured: the shot that the last gather is of, in three dimensions on the section through its source.
struct PictureShot {
    std::size_t index = 0;
    int plane = 0;
    std::string shotText;  // ", shot 2 of 3"; empty if there is one
    std::string planeText; // ", y = 60 m"; empty in two dimensions
};
[[nodiscard]] PictureShot pictureShot(const SimulationPlan& plan, const std::vector<Gather>& gathers);

// Returns what was drawn: "picture: ..."; says so where axes and gather are missing because this build has no VTK.
[[nodiscard]] Result<std::string> drawRunPicture(const std::string& path, const SimulationPlan& plan,
                                                 const std::shared_ptr<const FieldFrame>& field,
                                                 const std::vector<Gather>& gathers);

} // namespace ondo::cli
