// Earth models from files of any kind that is read here. Any thread (HDF5: one at a time).
#pragma once

#include "engine/model/model.h"
#include "engine/project/run_description.h"

#include <string>
#include <vector>

namespace ondo {

// The model in m/s on a (z, y, x) grid, z down, and what was taken for granted on the way: every guess is a note.
struct LoadedModel {
    Model model;
    std::vector<std::string> notes;
};

// An empty path gives the built-in structural model. A relative path is looked for in `folder` (empty: the current
// one). Refuses files without a node spacing, arrays that are not two- or three-dimensional and counts that contradict
// the source, each with the key that helps.
[[nodiscard]] Result<LoadedModel> readModel(const ModelSource& source, const std::string& folder = {});

// The model of a run, with its density if it says one: from a file of as many nodes, read with the model's own hints, one
// value everywhere, or Gardner's rule. Refuses more than one of them.
[[nodiscard]] Result<LoadedModel> readRunModel(const RunDescription& run, const std::string& folder = {});

} // namespace ondo
