// What `ondo invert` has been asked, and the part of it that goes along a line of models and inverts nothing.
#pragma once

#include "engine/inversion/inversion.h"
#include "engine/io/observed_reader.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo::cli {

struct InvertRequest {
    std::string file, observed, out, device, storage = "exact";
    std::vector<std::string> assignments;
    TapeOptions tape;
    int threads = 0, from = -1;
    bool resume = false, dryRun = false, quiet = false, keys = false;
    // Of a line:
    std::string line; // file of the model at its end; empty: none
    int points = 41;
    std::vector<double> span = {-0.25, 1.25};
    std::vector<std::string> misfits; // empty: the inversion's
};

struct PreparedInversion {
    InversionSettings settings;
    InversionPlan plan;
    std::shared_ptr<Device> device;
    std::string description;
};

// The exit code.
int misfitLine(const InvertRequest& request, const PreparedInversion& prepared, const ObservedTraces& observed);

} // namespace ondo::cli
