// What a density asks of the scheme (kernels/core/density_links.h), rigorous for any model; pure arithmetic on a plan's domain.
// With links of taps c_k the energy of a field is sum over links c_k b (difference)^2, and
//   largest eigenvalue <= max over nodes of kappa sum_axes sum_(odd k) 2 c_k (b_(i+k/2) + b_(i-k/2)):
// (a - b)^2 <= 2 a^2 + 2 b^2, and even taps, which are negative, only lower it. For one density it is that of
// core/stencil.h nyquistSymbol. The energy is none if even taps outweigh c_1 anywhere; a link of k nodes being no more than
// k times the sum of the squares of its steps, it is positive where for each step from node to node
//   c_1 b_step >= sum_(even k) |c_k| k sum of b over the middles of the k links that cover the step.
#pragma once

#include "engine/session/simulation_plan.h"

namespace ondo {

// The longest stable step, s, of a plan whose model has a density.
[[nodiscard]] double stableStep(const SimulationPlan& plan);

struct ContrastMargin {
    double least = 0.0; // the left side over the right one, at worst; below 1: not proven stable
    int axis = 0;       // where: the step from node (z, y, x) of the user's grid along that axis
    int z = 0, y = 0, x = 0;
};
[[nodiscard]] ContrastMargin contrastMargin(const SimulationPlan& plan);

// Highest order for which the margin of one density is above 1.
[[nodiscard]] int highestDensityOrder();

} // namespace ondo
