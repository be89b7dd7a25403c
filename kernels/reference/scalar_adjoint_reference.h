// The slow and obvious transpose of kernels/reference/scalar_reference.h, in double precision: each line of a step is read
// backwards, and what a node took from others is added back to them, image by image. No symmetry of the operators is used,
// no scaling, no slabs: what equations/scalar_adjoint.h and every backend are compared with.
#pragma once

#include "kernels/reference/scalar_reference.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ondo::kernels {

struct ScalarAdjointReference {
    const ScalarReference& forward; // grid, faces, profiles, speeds; its fields are not looked at

    // Derivatives of J with respect to p(n), p(n-1) and the memories after step n - 1, (z, y, x).
    std::vector<double> p, before;
    std::vector<double> psi[3], zeta[3];
    // Of the last step back: with respect to the amounts that were its source, and per c2 = (c dt)^2 at fixed W (to be
    // multiplied by W = (p(n+1) - 2 p(n) + p(n-1)) / c2).
    std::vector<double> source, weight;

    explicit ScalarAdjointReference(const ScalarReference& of);
    // One step back: from derivatives with respect to what the step left to those with respect to what it began with.
    void stepBack();

private:
    void add(std::vector<double>& to, std::array<int, 3> i, int axis, double amount) const;
    void secondBack(int axis, const std::vector<double>& sum, std::vector<double>& present);
    void firstBack(int axis, std::vector<double>& present);
};

} // namespace ondo::kernels
