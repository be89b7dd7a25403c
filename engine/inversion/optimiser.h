// Downhill directions and how far to go along one, for any smooth function of many numbers within a box. Everything is a
// function of the iterates and their gradients alone: who goes through the stored ones again, in order, stands where the run
// stood, to the bit; there is no other state. Pure arithmetic, any thread.
#pragma once

#include "engine/core/result.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ondo {

using Numbers = std::vector<double>;

struct OptimiserOptions {
    std::string method = "lbfgs";
    int memory = 8;          // lbfgs: pairs kept
    double firstStep = 20.0; // largest change of a number in the first step, and in each of adam's
    double mostStep = 200.0; // and in any
    int mostTrials = 8;      // evaluations a step
    int inner = 6;           // gauss-newton: products with the curvature a step, at the most
    bool operator==(const OptimiserOptions&) const = default;
};
[[nodiscard]] Result<> checkOptimiser(const OptimiserOptions& options);

// Where the numbers may go and the shape of a gradient; see model_terms.h.
struct Terrain {
    std::function<Numbers(const Numbers& x, const Numbers& direction, double step)> moved;
    std::function<std::vector<bool>(const Numbers& x, const Numbers& gradient)> freeNumbers;
    std::function<Numbers(const Numbers& gradient)> precondition; // symmetric, positive
    // What the gradient at x changes by along v, but for what would make it negative; of gauss-newton alone.
    std::function<Result<Numbers>(const Numbers& x, const Numbers& v)> curvature;
};

class Optimiser {
public:
    virtual ~Optimiser() = default;
    // At the next iterate: remembers it, and gives the direction from there. Downhill, or zero where there is no way.
    [[nodiscard]] virtual Numbers direction(const Numbers& x, const Numbers& gradient) = 0;
    // The same without the direction, for iterates that a run has left behind.
    virtual void remember(const Numbers& x, const Numbers& gradient) { (void)direction(x, gradient); }
    // Of the last direction: a failure of the curvature, which was then left out; products with it.
    [[nodiscard]] virtual Result<> failure() const { return {}; }
    [[nodiscard]] virtual int products() const { return 0; }
    // Of the last direction: why it is another than the method's; empty: it is the method's.
    [[nodiscard]] virtual std::string remark() const { return {}; }
    // Forgets all iterates.
    virtual void restart() = 0;
    // True: the direction is the step. False: its length is searched for.
    [[nodiscard]] virtual bool fixedStep() const { return false; }
    // The direction's own length means something: 1 is the step to try first.
    [[nodiscard]] virtual bool scaled() const { return false; }
};

// "steepest", "cg" (Polak-Ribiere, restarted where it does not go down), "lbfgs", "adam" (no search for the length),
// "gauss-newton" (truncated: conjugate gradients on the curvature until a tenth of the gradient is left; Nocedal & Wright 2006,
// 7.1).
[[nodiscard]] const std::vector<std::string_view>& optimiserNames();
[[nodiscard]] Result<std::unique_ptr<Optimiser>> makeOptimiser(const OptimiserOptions& options, Terrain terrain);

struct Evaluation {
    double value = 0.0;
    Numbers gradient;
    std::shared_ptr<const void> more; // what the objective's owner wants to find beside a value that was taken
};
using Objective = std::function<Result<Evaluation>(const Numbers& x)>;

struct Step {
    Numbers x;
    Evaluation at;
    double length = 0.0;    // of the direction
    double change = 0.0;    // the largest of a number
    int evaluations = 0;    // products with the curvature too
    bool restarted = false; // the memory was of no use here and forgotten
    std::string remark;     // of the optimiser, for a person; mostly empty
    bool stuck = false;     // no lower value was found; x and at are where it began
};

// One step from (x, at). Searches along the projected path for a value that is lower by 1e-4 of what the slope promises, by
// cubic interpolation; longer steps are tried while the slope stays below 0.9 of its first. lastChange: of the step before
// this one, 0 for none. A failure of the objective ends it, but for Unstable values, which shorten the step.
[[nodiscard]] Result<Step> takeStep(const Objective& objective, Optimiser& optimiser, const Terrain& terrain,
                                    const OptimiserOptions& options, const Numbers& x, const Evaluation& at,
                                    double lastChange);

} // namespace ondo
