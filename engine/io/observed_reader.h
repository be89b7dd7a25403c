// Observed traces for a run, from what `ondo run` writes or others do. Any thread (HDF5: one at a time).
#pragma once

#include "engine/inversion/misfit.h"
#include "engine/session/simulation_plan.h"

#include <string>
#include <vector>

namespace ondo {

struct ObservedTraces {
    std::vector<TraceTable> shots;  // by shot of the survey
    std::vector<std::string> notes; // what the file does not say and was taken from the run
};

// One table a shot, of as many receivers and samples as the run records:
//   results of `ondo run` (HDF5): shots/0000/traces ...
//   any other file of one array: [receiver][sample] or [shot][receiver][sample], or the shots' traces one after another
//   (SEG-Y); a file that does not state its sample interval is taken to have the run's, which is noted.
// Refuses (BadInput) other shapes, and intervals that are not the run's.
[[nodiscard]] Result<ObservedTraces> readObserved(const std::string& path, const SimulationPlan& plan);

} // namespace ondo
