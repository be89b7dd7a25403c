// What a perturbed model adds to the perturbation of a field. A step is p(n+1) = 2 p(n) - p(n-1) + c2 W(n), with sources in W and
// layers whose memories know no c2 (equations/scalar.h, and scalar_adjoint.h for q). With c2 (1 + r) for c2 the perturbation
// takes a step of the same form and r c2 W(n) besides, which is r times the curvature in time of what was stepped.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/shape.h"

#include <cstdint>

namespace ondo::kernels {

// to += relative (ahead - 2 here + behind), at every node of some boxes of all shots.
template<class T>
struct AddCurvature {
    Layout layout;
    T* to = nullptr;
    const T* relative = nullptr; // one field, shared by all shots
    const T* ahead = nullptr;
    const T* here = nullptr;
    const T* behind = nullptr;

    ONDO_HD void operator()(const Box& /*box*/, int shot, int z, int y, int x) const
    {
        const std::int64_t m = layout.at(z, y, x);
        const std::int64_t i = shot * layout.shotStride + m;
        to[i] = mulAdd(relative[m], (ahead[i] - here[i]) - (here[i] - behind[i]), to[i]);
    }
};

} // namespace ondo::kernels
