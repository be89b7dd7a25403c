#include "engine/inversion/tail.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo {

int firstOfTail(const SimulationPlan& plan, int tail)
{
    return tail > 0 ? std::max(0, plan.time.innerSteps() - tail) : 0;
}

Result<> checkTail(const SimulationPlan& plan, int tail, int shot, const std::vector<double>& residuals)
{
    const int first = firstOfTail(plan, tail);
    if (first == 0) { // all is imaged
        return {};
    }
    const auto samples = static_cast<std::size_t>(plan.time.count);
    std::vector<double> power(samples, 0.0); // at each sample
    double all = 0.0;
    for (std::size_t i = 0; i < residuals.size(); ++i) {
        power[i % samples] += residuals[i] * residuals[i];
        all += residuals[i] * residuals[i];
    }
    // A residual at step m enters q(m), which q(n + 1) W(n) of a step n < m has seen.
    double beyond = 0.0;
    int needed = 0;
    double unseen = 0.0;
    for (std::size_t k = 0; k < samples; ++k) {
        const int step = static_cast<int>(k) * plan.time.ratio;
        unseen += power[k];
        if (needed == 0 && unseen > kTailShare * all) {
            needed = plan.time.innerSteps() - step + 1;
        }
        beyond += step <= first ? power[k] : 0.0;
    }
    if (!(beyond > kTailShare * all)) {
        return {};
    }
    return badInput(
        fmt::format("{:.2g} of shot {}'s squared residuals lie before the last {} of {} steps, which alone are "
                    "imaged: what is computed would not be the gradient",
                    beyond / all, shot + 1, tail, plan.time.innerSteps()),
        fmt::format("keep the last {} steps or more, or use a misfit of a window at the end",
                    std::min(needed, plan.time.innerSteps())));
}

std::string describeTail(const SimulationPlan& plan, int tail, double left)
{
    const double seconds = std::min(tail, plan.time.innerSteps()) * plan.time.innerStep();
    return fmt::format(
        "the last {} of {} steps are imaged, {:.3g} s: waves reach {:.3g} m below the receivers and come "
        "back in them; {:.2g} of the adjoint field's largest norm is left where imaging ends",
        std::min(tail, plan.time.innerSteps()), plan.time.innerSteps(), seconds, 0.5 * plan.vMax * seconds, left);
}

} // namespace ondo
