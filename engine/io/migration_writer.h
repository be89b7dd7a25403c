// A migration to HDF5. The file is there with image and gathers, and is replaced by a copy that is one iterate longer with
// each iteration of least squares, so that a reader sees it whole at any time. One thread at a time (HDF5).
//   /image/migrated      Pa^2 s, (z, (y,) x): the gradient over the illumination, muted, filtered if asked
//   /image/gradient      Pa^2 s, the derivative of the data's misfit by the reflectivity 2 dc / c, downhill
//   /image/illumination  share of its largest
//   /gathers/lag_x       Pa^2 s, (column, z, lag), and in 3-D lag_y; lags_x, lags_y: m; columns: their x and y, m; spread: m,
//                        how far from no lag each column's energy lies; angle, angles (degrees): in 2-D
//   /iterations/0000/reflectivity  without unit; attributes residual, objective, gradient: shares of what they were at first
//   /model, /provenance  as of a gradient
#pragma once

#include "engine/inversion/migration.h"
#include "engine/session/simulation_plan.h"

#include <string>

namespace ondo {

struct MigrationResult {
    const SimulationPlan& plan;
    const MigrationOptions& options;
    const Migration& migration;
    std::string observed; // the file of the data
};

[[nodiscard]] Result<> writeMigration(const std::string& path, const MigrationResult& result);
// Adds an iterate to a file of writeMigration().
[[nodiscard]] Result<> appendIterate(const std::string& path, const Grid& grid, const LeastSquaresStep& step,
                                     const std::vector<double>& reflectivity);

} // namespace ondo
