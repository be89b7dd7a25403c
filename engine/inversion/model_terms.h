// What an inversion asks of a model beside its data: to be smooth, to stay within bounds, to keep some nodes; and how a
// gradient is shaped before it moves a model. Values and pure arithmetic on (z, y, x) arrays, x fastest. Any thread.
#pragma once

#include "engine/core/result.h"
#include "engine/grid/grid.h"

#include <string>
#include <string_view>
#include <vector>

namespace ondo {

// Roughness in units of its own, so that a weight means the same for every grid and misfit: with the slopes
//   g(a) = (v(next along a) - v) / h(a) * L / v0        L: the grid's largest length, v0: `speed`
//   tikhonov         1/2 mean over nodes of sum over axes of g^2
//   total variation  mean over nodes of sqrt(sum over axes of g^2 + eps^2) - eps
// First differences; at the last node of an axis the slope is 0.
struct Roughness {
    double tikhonov = 0.0, totalVariation = 0.0; // weights
    double epsilon = 0.1;                        // eps: below it, total variation acts as tikhonov does
    double speed = 1.0;                          // m/s, v0

    [[nodiscard]] bool any() const { return tikhonov > 0.0 || totalVariation > 0.0; }
    // The weighted sum; its derivative by each node's speed is added to `gradient`.
    [[nodiscard]] double judge(const Grid& grid, const std::vector<double>& v, std::vector<double>& gradient) const;
};
[[nodiscard]] Result<> checkRoughness(const Roughness& roughness);

// The box a speed stays in, m/s, and the nodes that do not move.
struct SpeedBounds {
    double low = 0.0, high = 0.0;
    std::vector<bool> fixed; // by node; empty: none

    // v + step * direction within the box, as single precision holds it: a model's samples are floats.
    [[nodiscard]] std::vector<double> moved(const std::vector<double>& v, const std::vector<double>& direction,
                                            double step) const;
    // True where a node may follow -gradient.
    [[nodiscard]] std::vector<bool> freeNodes(const std::vector<double>& v, const std::vector<double>& gradient) const;
};

// Convolution with a Gaussian of standard deviation `length` metres along each axis, mirrored at the grid's faces:
// keeps a
// constant, and is symmetric as a matrix. Twice in a row it is also positive.
void smoothGaussian(const Grid& grid, double length, std::vector<double>& values);

// What the first guess of the inverse Hessian does to a gradient: w G G w, G smoothing, w the root of 1 /
// (illumination /
// its mean + water), 0 where a node is fixed. Symmetric and positive, so that what comes out still points uphill.
class Preconditioner {
public:
    Preconditioner() = default;
    // illumination: by node, none negative; empty: 1 everywhere. length: m, of the whole smoothing; 0: none.
    [[nodiscard]] static Result<Preconditioner> make(const Grid& grid, const std::vector<double>& illumination,
                                                     double water, double length, const std::vector<bool>& fixed);
    [[nodiscard]] std::vector<double> apply(std::vector<double> gradient) const;

private:
    Grid m_grid;
    double m_length = 0.0;
    std::vector<double> m_root;
};

} // namespace ondo
