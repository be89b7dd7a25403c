// What imaging every k-th step leaves out. Pure arithmetic; any thread.
#pragma once

#include "engine/session/simulation_plan.h"

namespace ondo {

// The image is a sum over time of two band-limited signals' product. Taken every k steps, what the product has at the
// frequency 1 / (k dt) folds onto it: at most the share 2 int A(f) A(1/(k dt) - f) df / int A(f)^2 df, where A(f) is the
// injected wavelet's amplitude spectrum times f (between q, with the wavelet twice, and W, with two time derivatives); largest
// of the survey's sources, and twice that, for spectra of which no two are alike. Added are kOpenBand and half of k steps'
// share of the run for what has no band: a run's onset and end, and residuals that are injected at samples alone, several
// steps apart, near the receivers. An estimate, of the image's norm; 0 for k = 1.
inline constexpr double kOpenBand = 2e-3;
[[nodiscard]] double foldedShare(const SimulationPlan& plan, int every);

} // namespace ondo
