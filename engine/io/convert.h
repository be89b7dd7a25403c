// One file of numbers into another: `ondo convert IN OUT`. Any thread (HDF5: one at a time); atomic.
#pragma once

#include "engine/project/run_description.h"

#include <string>

namespace ondo {

// A model becomes a model in m/s, (z, y, x): .npy .bin .rsf .segy .vti .vtk .h5. Traces (SEG-Y, SU) keep samples, shape and
// headers: .segy .su .npy .rsf .bin (trace_convert.h). Arrays without a spacing keep samples and shape: .npy in a type that
// holds them all, or .bin. Returns lines that say what was read, guessed and written.
[[nodiscard]] Result<std::string> convertFile(const std::string& in, const std::string& out,
                                              const ModelSource& hints = {});

} // namespace ondo
