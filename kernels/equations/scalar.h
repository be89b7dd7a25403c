// Acoustics of one density or of any, 2-D and 3-D, second order in time, order 2M in space.
//
//   p_tt = c^2 lap p + c^2 f delta(x - xs)                    (convention A = B of truth/TRUTHS.md)
//   p(n+1) = 2 p(n) - p(n-1) + c^2 dt^2 (sum_axes w_axis + f(n) S),   w_axis = p_aa inside, the stretched one in a layer
//
// Where density varies, b = 1/rho and kappa = rho c^2 (Medium::VariableDensity; the same source as above):
//   p_tt = kappa div(b grad p) + c^2 f delta(x - xs)
//   p(n+1) = 2 p(n) - p(n-1) + kappa dt^2 (sum_axes w_axis + b f(n) S),   w_axis = L p inside (core/density_links.h)
// and in a layer (core/cpml.h) psi' = a psi + b_l D+ p,  T = L p + D- (b psi') with b at halves,  zeta and w as there.
//
// p in Pa; z down. p(n+1) overwrites p(n-1) (`other`). The injection S is a pass of its own (common/point_ops.h).
// c2 = (c dt)^2 in m^2 at every node of the domain, kappa dt^2 in kg/m where density varies; it is 0 on nodes of a free
// face, which keeps p = 0 there.
// Faces: halo = odd image (free), even image (rigid), zero (outside a layer); see common/mirror_face.h.
// Stability: c dt sqrt(Lambda_M sum 1/h^2) <= 2 (seismic.md 2.1; core/stencil.h nyquistSymbol); of links in
// engine/session/density_limits.h.
// Discrete adjoint: after scaling by c^2 the interior operator is symmetric in the inner product of nodal volumes
// (halved on rigid faces), see seismic.md 2.2 for the transpose of the layer.
#pragma once

#include "kernels/core/cpml.h"
#include "kernels/core/density_links.h"
#include "kernels/core/hd.h"
#include "kernels/core/shape.h"
#include "kernels/core/stencil.h"

namespace ondo::kernels {

template<class T>
struct ScalarState {
    Layout layout;
    const T* c2 = nullptr; // one field, shared by all shots, as is the density
    const T* now = nullptr;
    T* other = nullptr; // p(n-1) in, p(n+1) out
    AxisCoefficients<T> axis[3];
    AxisLayer<T> layer[3];
    // kg/m^3, laid out as a field with its halo: the even image beyond faces, the edge's value beyond a layer. Null:
    // Medium::OneDensity.
    const T* density = nullptr;
};

// What a body is compiled for; which of them runs is said by ScalarState::density.
enum class Medium { OneDensity, VariableDensity };

// p(n+1) from p(n-1), p(n), c2 and the sum of the axes; N: of a node, or of several side by side.
// p + (p - before): the difference is exact for smooth fields, which keeps round-off from growing with steps.
template<class N>
ONDO_HD inline N leap(const N& before, const N& p, const N& c2, const N& w)
{
    return p + mulAdd(c2, w, p - before);
}

namespace detail {

ONDO_HD inline std::int64_t strideOf(const Layout& layout, int axis)
{
    return axis == kZ ? layout.strideZ : axis == kY ? layout.strideY : 1;
}

// p_aa, or L p, of what tap(k) gives k nodes on from node m of the model.
template<class T, int M, Medium medium, int A, class Tap>
ONDO_HD inline T spaceDerivativeOf(const ScalarState<T>& s, const Tap& tap, std::int64_t m)
{
    if constexpr (medium == Medium::OneDensity) {
        return secondDerivativeOf<T, M>(tap, s.axis[A].second, s.layout.radius);
    } else {
        return linkedSecondDerivative<T, M>(tap, s.density + m, strideOf(s.layout, A), s.axis[A].linked,
                                            s.layout.radius);
    }
}

template<class T, int M, Medium medium, int A>
ONDO_HD inline T spaceDerivative(const ScalarState<T>& s, const T* p, std::int64_t m)
{
    return spaceDerivativeOf<T, M, medium, A>(s, StridedTap<T>{p, strideOf(s.layout, A)}, m);
}

// A first memory with the buoyancy at its half node.
template<class T>
struct BuoyantTap {
    const T* psi;
    const T* rho;
    std::int64_t step, stride;
    ONDO_HD T operator()(int k) const { return halfBuoyancy(rho + k * stride, stride) * psi[k * step]; }
};

// D- psi, or D- (b psi).
template<class T, int M, Medium medium, int A>
ONDO_HD inline T slopeOfMemory(const ScalarState<T>& s, std::int64_t j, std::int64_t m)
{
    const AxisLayer<T>& l = s.layer[A];
    const T* const taps = s.axis[A].staggered;
    if constexpr (medium == Medium::OneDensity) {
        return backwardDerivative<T, M>(l.psi + j, l.step, taps, s.layout.radius);
    } else {
        const BuoyantTap<T> tap{l.psi + j, s.density + m, l.step, strideOf(s.layout, A)};
        return backwardDerivativeOf<T, M>(tap, taps, s.layout.radius);
    }
}

} // namespace detail

// A node outside every layer.
template<class T, int Rank, int M, Medium medium = Medium::OneDensity>
struct ScalarInteriorStep {
    ScalarState<T> s;

    ONDO_HD void operator()(const Box&, int shot, int z, int y, int x) const
    {
        const std::int64_t m = s.layout.at(z, y, x);
        const std::int64_t i = shot * s.layout.shotStride + m;
        const T* p = s.now + i;
        T w = detail::spaceDerivative<T, M, medium, kZ>(s, p, m);
        if constexpr (Rank == 3) {
            w += detail::spaceDerivative<T, M, medium, kY>(s, p, m);
        }
        w += detail::spaceDerivative<T, M, medium, kX>(s, p, m);
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
template<class T, int Rank, int M, int Mask, Medium medium = Medium::OneDensity>
struct ScalarLayerStep {
    ScalarState<T> s;

    template<int A>
    ONDO_HD T along(const Box& box, const T* p, std::int64_t m, int shot, int z, int y, int x) const
    {
        const T inside = detail::spaceDerivative<T, M, medium, A>(s, p, m);
        if (!isStretched<Mask, A>(box)) {
            return inside;
        }
        const std::int64_t j = s.layer[A].at(box.side[A], shot, z, y, x);
        return stretched(s.layer[A], inside + detail::slopeOfMemory<T, M, medium, A>(s, j, m),
                         A == kZ   ? z
                         : A == kY ? y
                                   : x,
                         j);
    }

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const std::int64_t m = s.layout.at(z, y, x);
        const std::int64_t i = shot * s.layout.shotStride + m;
        const T* p = s.now + i;
        T w = along<kZ>(box, p, m, shot, z, y, x);
        if constexpr (Rank == 3) {
            w += along<kY>(box, p, m, shot, z, y, x);
        }
        w += along<kX>(box, p, m, shot, z, y, x);
        s.other[i] = leap(s.other[i], p[0], s.c2[m], w);
    }
};

} // namespace ondo::kernels
