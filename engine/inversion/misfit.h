// How far synthetic traces are from observed ones, and the derivative of that with respect to each synthetic sample: what
// the adjoint run is driven by. Value types; any thread.
#pragma once

#include "engine/core/result.h"

#include <functional>
#include <memory>
#include <vector>

namespace ondo {

// Pressure of one shot's receivers, sample k at k dt.
struct TraceTable {
    int receivers = 0, samples = 0;
    double dt = 0.0;            // s
    std::vector<double> values; // [receiver][sample], Pa

    [[nodiscard]] double at(int receiver, int sample) const
    {
        return values[static_cast<std::size_t>(receiver) * static_cast<std::size_t>(samples) +
                      static_cast<std::size_t>(sample)];
    }
};

struct Residual {
    double misfit = 0.0;
    std::vector<double> values; // d misfit / d sample, [receiver][sample]
};

// Called once a shot, in rising order, on the thread that computes the gradient. A failure ends it.
using MisfitFunction = std::function<Result<Residual>(int shot, const TraceTable& synthetic)>;

// J = 1/2 sum over receivers of the integral of (d - d_obs)^2 over time, Pa^2 s: the sum over samples times dt, so that
// neither J nor its gradient changes with the sample interval. observed: by shot of the survey.
// The function refuses (BadInput) tables of another shape or interval than the synthetic ones, and numbers not finite.
[[nodiscard]] MisfitFunction leastSquares(std::shared_ptr<const std::vector<TraceTable>> observed);

} // namespace ondo
