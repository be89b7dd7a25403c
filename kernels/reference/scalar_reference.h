// The slow and obvious version of kernels/equations/scalar.h, in double precision: whole arrays, coefficients from the
// published fractions, mirror images by index, no slabs, no templates. What every backend is compared with.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace ondo::kernels {

enum class ReferenceFace { Zero, Odd, Even }; // beyond the domain: 0, the odd image, the even image

struct ScalarReference {
    int rank = 2;
    int n[3] = {1, 1, 1};          // nodes z, y, x of the computed domain
    double h[3] = {1.0, 1.0, 1.0}; // m
    int order = 2;
    double dt = 0.0;               // s
    ReferenceFace face[3][2] = {}; // axis, low or high
    std::vector<double> speed;     // m/s, (z, y, x)
    std::vector<double> density;   // kg/m^3; empty: one density
    // CPML profiles by axis, n[axis] long, at nodes and half a node above; empty: no layer.
    std::vector<double> a[3], b[3], aHalf[3], bHalf[3];

    std::vector<double> p, before; // Pa
    std::vector<double> psi[3], zeta[3];

    void reset(); // sizes and zeroes the fields
    // p, before <- p at the next instant, p. Source term: amounts in Pa/m^2 added as (c dt)^2 * amount at nodes, may be empty,
    // whatever the density.
    void step(const std::vector<double>& source);

    // Parts of a step: psi along an axis, and its derivative at a node.
    void stepFirstMemory(int axis, const std::vector<double>& taps);
    [[nodiscard]] double derivativeOfMemory(int axis, const std::array<int, 3>& here,
                                            const std::vector<double>& taps) const;
    // The second derivative along an axis, times 1/rho link by link where density varies.
    [[nodiscard]] double secondDerivativeAt(int axis, const std::array<int, 3>& here,
                                            const std::vector<double>& taps) const;
    // 1 over the mean density from a node to that `k` nodes on along an axis, k < 0: back; 1 for one density.
    [[nodiscard]] double buoyancyOfLink(int axis, const std::array<int, 3>& here, int k) const;

    // The node whose value stands at `i` along an axis, and with which sign; false: zero there.
    bool imageOf(std::array<int, 3>& i, int axis, double& sign) const;
    [[nodiscard]] bool onFreeFace(const std::array<int, 3>& i) const;

    [[nodiscard]] std::int64_t at(int z, int y, int x) const { return (std::int64_t{z} * n[1] + y) * n[2] + x; }
};

// Taps of the second derivative times h^2, [0] the centre's, and of the layers' D+ and D- times h, [0] that of k = 1.
[[nodiscard]] std::vector<double> referenceSecondTaps(int radius);
[[nodiscard]] std::vector<double> referenceLayerTaps(int radius);

} // namespace ondo::kernels
