// One file of numbers into another: `ondo convert IN OUT`. Any thread (HDF5: one at a time); atomic.
#pragma once

#include "engine/project/run_description.h"

#include <string>

namespace ondo {

// A model becomes a model in m/s, (z, y, x): .npy .bin .rsf .segy .h5. Traces (SEG-Y, SU) and arrays without a spacing
// keep their samples and shape: .npy or .bin. Returns lines that say what was read, guessed and written.
[[nodiscard]] Result<std::string> convertFile(const std::string& in, const std::string& out,
                                              const ModelSource& hints = {});

} // namespace ondo
