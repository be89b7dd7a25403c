// Models to files, chosen by the name's ending. Any thread (HDF5: one at a time); atomic.
#pragma once

#include "engine/model/model.h"

#include <string>

namespace ondo {

// .npy .bin: samples only, (z, y, x), x fastest, float32 little-endian. .rsf: a header and "<name>@" beside it.
// .segy .sgy: a trace a node along x (2-D). .h5: with spacing, origin, unit and axes.
// Refuses other endings.
[[nodiscard]] Result<> checkModelEnding(const std::string& path);
// Returns a line that says what a reader must be told (the spacing that .npy and .bin do not hold).
[[nodiscard]] Result<std::string> writeModel(const std::string& path, const Model& model);

} // namespace ondo
