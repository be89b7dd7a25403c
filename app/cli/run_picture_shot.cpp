#include "app/cli/run_picture.h"

#include "engine/frame/plane_geometry.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo::cli {

PictureShot pictureShot(const SimulationPlan& plan, const std::vector<Gather>& gathers)
{
    const auto& shots = plan.run.survey.shots;
    const Grid& grid = plan.model.grid();
    PictureShot out;
    out.index = gathers.empty() ? 0 : std::min(static_cast<std::size_t>(gathers.back().shot), shots.size() - 1);
    if (shots.size() > 1) {
        out.shotText = fmt::format(", shot {} of {}", out.index + 1, shots.size());
    }
    if (grid.rank == 3 && !shots[out.index].sources.empty()) {
        out.plane = planeNearest(grid, shots[out.index].sources.front().position.y);
        out.planeText = fmt::format(", y = {:g} m", grid.origin.y + out.plane * grid.dy);
    }
    return out;
}

} // namespace ondo::cli
