// From what a person says (a run file, overrides, or nothing) to a run that can be planned: the description, the model
// read, and the default shot where no survey was given. Any thread (HDF5: one at a time).
#pragma once

#include "engine/model/model.h"
#include "engine/project/run_description.h"

#include <span>
#include <string>
#include <vector>

namespace ondo {

struct LoadedRun {
    RunDescription description;
    Model model;
    std::vector<std::string> notes; // each guess on the way, one line each
};

// `file` may be empty: all defaults. `assignments` are "key=value". Those of source, receivers and wavelet come last, so
// that they also change the shot that is chosen when the file places none.
[[nodiscard]] Result<LoadedRun> loadRun(const std::string& file, std::span<const std::string> assignments);

// Only model.* may be assigned: how to read a file that does not say it.
[[nodiscard]] Result<ModelSource> modelHints(std::span<const std::string> assignments);

} // namespace ondo
