// Image condition on a face: the halo beyond the face's nodes is the mirror image of the domain,
// odd (p = 0, free) or even (dp/dn = 0, rigid). One call a node of the face; star stencils need no corners.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/shape.h"

namespace ondo::kernels {

template<class T>
struct MirrorFaces {
    Layout layout;
    T* field = nullptr;
    signed char odd[6] = {}; // by axis * 2 + (high side): 1 odd image, 0 even

    // The box is a face: one node thick along the axis whose `side` is set.
    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const int axis = box.side[kZ] != kNone ? kZ : box.side[kY] != kNone ? kY : kX;
        const bool high = box.side[axis] == kHigh;
        const std::int64_t stride = axis == kZ ? layout.strideZ : axis == kY ? layout.strideY : 1;
        const std::int64_t outward = high ? stride : -stride;
        T* p = field + layout.at(shot, z, y, x);
        const T sign = odd[axis * 2 + (high ? 1 : 0)] != 0 ? T(-1) : T(1);
        for (int k = 1; k <= layout.radius; ++k) {
            p[k * outward] = sign * p[-k * outward];
        }
    }
};

} // namespace ondo::kernels
