// What a density asks of the time step and of the order (kernels/core/density_links.h), rigorous for any model; pure
// arithmetic. With links of taps c_k the energy of a field is sum over links c_k b (difference)^2, and
//   largest eigenvalue <= max over nodes of kappa sum_axes sum_(odd k) 2 c_k (b_(i,i+k) + b_(i-k,i)):
// (a - b)^2 <= 2 a^2 + 2 b^2, and even taps, which are negative, only lower it. For one density it is that of
// core/stencil.h nyquistSymbol.
#pragma once

#include "engine/session/simulation_plan.h"

namespace ondo {

// The longest stable step, s, of a plan whose model has a density.
[[nodiscard]] double stableStep(const SimulationPlan& plan);

// Highest order whose energy is proven positive whatever the density: c_1 >= sum_(even k) |c_k| k^2.
[[nodiscard]] int highestDensityOrder();

} // namespace ondo
