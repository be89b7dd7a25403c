// Constant-density acoustics, 2-D and 3-D, second order in time, order 2M in space.
//
//   p_tt = c^2 lap p + c^2 f delta(x - xs)                    (convention A = B of truth/TRUTHS.md)
//   p(n+1) = 2 p(n) - p(n-1) + c^2 dt^2 (sum_axes w_axis + f(n) S),   w_axis = p_aa inside, the stretched one in a layer
//
// p in Pa; z down. p(n+1) overwrites p(n-1) (`other`). The injection S is a pass of its own (common/point_ops.h).
// c2 = (c dt)^2 in m^2 at every node of the domain; it is 0 on nodes of a free face, which keeps p = 0 there.
// Faces: halo = odd image (free), even image (rigid), zero (outside a layer); see common/mirror_face.h.
// Stability: c dt sqrt(Lambda_M sum 1/h^2) <= 2 (seismic.md 2.1; core/stencil.h nyquistSymbol).
// Discrete adjoint: after scaling by c^2 the interior operator is symmetric in the inner product of nodal volumes
// (halved on rigid faces), see seismic.md 2.2 for the transpose of the layer.
#pragma once

#include "kernels/core/cpml.h"
#include "kernels/core/hd.h"
#include "kernels/core/shape.h"
#include "kernels/core/stencil.h"

namespace ondo::kernels {

template<class T>
struct ScalarState {
    Layout layout;
    const T* c2 = nullptr; // one field, shared by all shots
    const T* now = nullptr;
    T* other = nullptr; // p(n-1) in, p(n+1) out
    AxisCoefficients<T> axis[3];
    AxisLayer<T> layer[3];
};

// p(n+1) from p(n-1), p(n), c2 and the sum of the axes; N: of a node, or of several side by side.
// p + (p - before): the difference is exact for smooth fields, which keeps round-off from growing with steps.
template<class N>
ONDO_HD inline N leap(const N& before, const N& p, const N& c2, const N& w)
{
    return p + mulAdd(c2, w, p - before);
}

// A node outside every layer.
template<class T, int Rank, int M>
struct ScalarInteriorStep {
    ScalarState<T> s;

    ONDO_HD void operator()(const Box&, int shot, int z, int y, int x) const
    {
        const int r = s.layout.radius;
        const std::int64_t m = s.layout.at(z, y, x);
        const std::int64_t i = shot * s.layout.shotStride + m;
        const T* p = s.now + i;
        T w = secondDerivative<T, M>(p, s.layout.strideZ, s.axis[kZ].second, r);
        if constexpr (Rank == 3) {
            w += secondDerivative<T, M>(p, s.layout.strideY, s.axis[kY].second, r);
        }
        w += secondDerivative<T, M>(p, 1, s.axis[kX].second, r);
        s.other[i] = leap(s.other[i], p[0], s.c2[m], w);
    }
};

// Mask: one bit an axis (1 << kZ, ...) that is stretched; kAnyMask: read from the box.
inline constexpr int kAnyMask = -1;

template<int Mask, int A>
ONDO_HD inline bool isStretched(const Box& box)
{
    return Mask == kAnyMask ? box.side[A] != kNone : ((Mask >> A) & 1) != 0;
}

// First memories of a layer, at each node within its reach; all of them before the first ScalarLayerStep.
template<class T, int Rank, int M, int Mask>
struct ScalarMemoryStep {
    ScalarState<T> s;

    template<int A>
    ONDO_HD void along(const Box& box, const T* p, std::int64_t stride, int shot, int z, int y, int x) const
    {
        if (isStretched<Mask, A>(box)) {
            const std::int64_t j = s.layer[A].at(box.side[A], shot, z, y, x);
            stepFirstMemory<T, M>(s.layer[A], s.axis[A], p, stride, A == kZ ? z : A == kY ? y : x, j, s.layout.radius);
        }
    }

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const T* p = s.now + s.layout.at(shot, z, y, x);
        along<kZ>(box, p, s.layout.strideZ, shot, z, y, x);
        if constexpr (Rank == 3) {
            along<kY>(box, p, s.layout.strideY, shot, z, y, x);
        }
        along<kX>(box, p, 1, shot, z, y, x);
    }
};

// A node within reach of a layer.

template<class T, int Rank, int M, int Mask>
struct ScalarLayerStep {
    ScalarState<T> s;

    template<int A>
    ONDO_HD T along(const Box& box, const T* p, std::int64_t stride, int shot, int z, int y, int x) const
    {
        const int r = s.layout.radius;
        const int n = A == kZ ? z : A == kY ? y : x;
        if (isStretched<Mask, A>(box)) {
            const std::int64_t j = s.layer[A].at(box.side[A], shot, z, y, x);
            return stretchedSecondDerivative<T, M>(s.layer[A], s.axis[A], p, stride, n, j, r);
        }
        return secondDerivative<T, M>(p, stride, s.axis[A].second, r);
    }

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const std::int64_t m = s.layout.at(z, y, x);
        const std::int64_t i = shot * s.layout.shotStride + m;
        const T* p = s.now + i;
        T w = along<kZ>(box, p, s.layout.strideZ, shot, z, y, x);
        if constexpr (Rank == 3) {
            w += along<kY>(box, p, s.layout.strideY, shot, z, y, x);
        }
        w += along<kX>(box, p, 1, shot, z, y, x);
        s.other[i] = leap(s.other[i], p[0], s.c2[m], w);
    }
};

} // namespace ondo::kernels
