// The structural model the program opens with: of our own making, the same on every machine. A shelf margin in section:
// sea, a young drape over an angular unconformity, folded and compacting beds cut by growth faults, a leaning salt
// diapir with an overhang, gas and channel sands, and a tilted basement. Any thread.
#pragma once

#include "engine/model/model.h"

namespace ondo {

// 9.2 km wide and 3 km deep whatever the grid: nz and nx only say how finely it is drawn.
inline constexpr int kSampleNz = 376;
inline constexpr int kSampleNx = 1151;
inline constexpr double kSampleSpacing = 8.0; // m

// A section of nz x nx nodes, `spacing` metres apart, from x = 0 and z = 0; velocities 1480 to 5200 m/s.
[[nodiscard]] Result<Model> sampleModel(int nz = kSampleNz, int nx = kSampleNx, double spacing = kSampleSpacing);

} // namespace ondo
