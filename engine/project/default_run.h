// What is computed when nobody said what: a shot that suits a model. The window's first shot and `ondo run` without a
// survey are this one. Value in, value out; any thread.
//   source     one, at the middle of x (and y), two cells below the top; never on a face
//   receivers  a line along x at the source's depth, at most 301
//   wavelet    a Ricker whose highest frequency has 5.6 points in the shortest wavelength, and whose dominant one
//              sees at most eighty wavelengths in the model
//   duration   until the echo of the deepest node is back at the top, or a wave from the source has crossed
//   picture    of the instant at which the front comes to the bottom: later the best has left the model
#pragma once

#include "engine/model/model.h"
#include "engine/project/run_description.h"

namespace ondo {

[[nodiscard]] RunDescription defaultRun(const Model& model);

// `run` as it is if it has a shot. Otherwise with the default shot, but its own wavelet and receivers if it says any, and the
// default duration and picture if it says none.
[[nodiscard]] RunDescription withDefaultSurvey(RunDescription run, const Model& model);

// Duration and time of the picture as above, each where it is 0; `run` as it is if it has no shot.
[[nodiscard]] RunDescription withDefaultTimes(RunDescription run, const Model& model);

} // namespace ondo
