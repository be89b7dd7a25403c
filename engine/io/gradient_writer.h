// A gradient to HDF5. Any thread (HDF5: one at a time); atomic: the file takes its name when it is complete.
//   /gradient/velocity   Pa^2 s per m/s, (z, (y,) x); absent if it was not computed
//   /gradient/density    Pa^2 s per kg/m^3; or /gradient/impedance, per kg/(m^2 s); where density varies; the
//                        group's `parameters` says what is held fixed
//   /model/velocity      the model it was computed at, and /model/density
//   /shots/0000/...      misfit; synthetic traces; per wavelet sample, amplitude, source and receiver coordinate
//   /provenance          plan, run file, device
#pragma once

#include "engine/inversion/gradient.h"
#include "engine/session/simulation_plan.h"

#include <string>

namespace ondo {

struct GradientResult {
    const SimulationPlan& plan;
    const GradientOptions& options;
    const Gradient& gradient;
    std::string observed; // the file of the data
};

[[nodiscard]] Result<> writeGradient(const std::string& path, const GradientResult& result);

} // namespace ondo
