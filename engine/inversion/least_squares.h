// The x for which |A x - b|^2 + lambda |x|^2 is least, by conjugate gradients of that (CGLS: Hestenes and Stiefel 1952, section
// 10; Bjorck 1996, algorithm 7.4.1), which knows A as two functions and never sees A^T A. Values in double. Any thread.
#pragma once

#include "engine/core/result.h"

#include <functional>
#include <string>
#include <vector>

namespace ondo {

// Vectors of the model and of the data; apply() and transpose() must be transposes of each other.
struct LinearPair {
    std::function<Result<std::vector<double>>(const std::vector<double>& x)> apply;     // A x
    std::function<Result<std::vector<double>>(const std::vector<double>& r)> transpose; // A^T r
};

struct LeastSquaresOptions {
    int iterations = 10;
    // lambda as a share of |A p|^2 / |p|^2 with p = A^T b, which is near the largest that this ratio can be.
    double damping = 0.0;
    double enough = 1e-6; // ends when |A^T (b - A x) - lambda x| is this share of what it was
};

struct LeastSquaresStep {
    int iteration = 0;      // from 1
    double residual = 0.0;  // |b - A x| / |b|
    double objective = 0.0; // (|b - A x|^2 + lambda |x|^2) / |b|^2: never more than the step before
    double gradient = 0.0;  // |A^T (b - A x) - lambda x| of what it was at x = 0
    double length = 0.0;    // of the step, in conjugate directions
};

struct LeastSquaresResult {
    std::vector<double> x;
    std::vector<LeastSquaresStep> steps;
    std::string ended; // why, where it was before the last iteration
};

// Called after each step; a failure ends it all.
using LeastSquaresHook = std::function<Result<>(const LeastSquaresStep& step, const std::vector<double>& x)>;

// From x = 0. transposed: A^T b, if it is known; empty: it is computed. A step that does not lower the objective is not taken:
// what is left is rounding, and `ended` says so. Refuses (BadInput) a b that is zero or that A^T does not see.
[[nodiscard]] Result<LeastSquaresResult> solveLeastSquares(const LinearPair& pair, std::vector<double> b,
                                                           const LeastSquaresOptions& options,
                                                           std::vector<double> transposed = {},
                                                           const LeastSquaresHook& hook = {});

} // namespace ondo
