// The gradient of a run's last steps alone (TapeOptions::tail): the sum over n >= N - K of q(n + 1) W(n). It is the gradient
// where residuals are of the last K steps and what was before them does not matter: a steady state, a window at the end. What
// it leaves out is what the adjoint field does in steps that are not imaged, so a residual of theirs is refused, and what is
// left of the adjoint field where imaging ends is told. Pure arithmetic; any thread.
#pragma once

#include "engine/core/result.h"
#include "engine/inversion/misfit.h"
#include "engine/session/simulation_plan.h"

#include <string>
#include <vector>

namespace ondo {

// Of the squares of a shot's residuals, what may lie at samples that no imaged step can see.
inline constexpr double kTailShare = 1e-6;

// The first step that is imaged; 0: all are.
[[nodiscard]] int firstOfTail(const SimulationPlan& plan, int tail);

// Refuses (BadInput) residuals, [receiver][sample], that reach beyond the tail, with the steps that they would need.
[[nodiscard]] Result<> checkTail(const SimulationPlan& plan, int tail, int shot, const std::vector<double>& residuals);

// left: norm of the adjoint field where imaging ends over the largest of the norms looked at on the way.
[[nodiscard]] std::string describeTail(const SimulationPlan& plan, int tail, double left);

} // namespace ondo
