// What a direction of the density adds to a perturbed step of equations/scalar.h, and to a perturbed one of
// scalar_adjoint.h. common/curvature.h adds what the factor kappa dt^2 changes by; here the sum of the axes changes, with
//   G p = L' p + D- (B' psi'),   (L' p): core/density_links.h,   B' = -B^2 mean(rho') at halves
// of the unperturbed step, psi' its first memory. A tangent step is the same step of dp, and with T in its place T + G p:
//   zeta' takes b G p, W takes (1 + b) G p, p(n+1) takes kappa dt^2 (1 + b) G p       (b = 0 outside a layer)
// The memories of the adjoint know no density, so that dq(n) takes kappa dt^2 G theta, with theta = q + e and u for psi'.
// And the image of a node's density, that of a fixed theta and p, changes by that of its own weights:
//   sum over links of their weights' change + sum over both halves beside it of B B' (D+ theta) psi'
// A pass of its own after the unperturbed and the perturbed step, of every node of the domain. Images of faces are there.
#pragma once

#include "kernels/equations/scalar_adjoint.h"

namespace ondo::kernels {

template<class T>
struct ScalarTangentState {
    // Of the run: `now` p(n), or q(n+1), from which its step was; its memories after it. `other` is not looked at.
    ScalarState<T> s;
    const T* change = nullptr; // rho', laid out as the density, halo and all
    T* to = nullptr;           // dp(n+1), or dq(n)
    T* zeta[3] = {};           // forwards: second memories of dp
    Layout compact;
    T* kept = nullptr;      // forwards: dW(n), or null
    KeptDensity<T> density; // backwards: of the run; the image that is added to; field null: this step is not imaged
};

namespace detail {

// A memory at halves with the buoyancy's change.
template<class T>
struct ChangedTap {
    const T* psi;
    const T* rho;
    const T* change;
    std::int64_t step, stride;
    ONDO_HD T operator()(int k) const
    {
        return halfBuoyancyChange(rho + k * stride, change + k * stride, stride) * psi[k * step];
    }
};

// G along one axis. tap: p, or theta; j: the slab's place, looked at where the box is stretched.
template<class T, int M, int Mask, int A, class Tap>
ONDO_HD inline T changeAlong(const ScalarTangentState<T>& t, const Box& box, const Tap& tap, std::int64_t m,
                             std::int64_t j)
{
    const ScalarState<T>& s = t.s;
    const std::int64_t stride = strideOf(s.layout, A);
    T sum = linkedChange<T, M>(tap, s.density + m, t.change + m, stride, s.axis[A].linked, s.layout.radius);
    if (isStretched<Mask, A>(box)) {
        const AxisLayer<T>& l = s.layer[A];
        const ChangedTap<T> memory{l.psi + j, s.density + m, t.change + m, l.step, stride};
        sum += backwardDerivativeOf<T, M>(memory, s.axis[A].staggered, s.layout.radius);
    }
    return sum;
}

} // namespace detail

template<class T, int Rank, int M, int Mask>
struct ScalarTangentStep {
    ScalarTangentState<T> t;

    template<int A>
    ONDO_HD T along(const Box& box, const T* p, std::int64_t m, int shot, int z, int y, int x) const
    {
        const StridedTap<T> tap{p, detail::strideOf(t.s.layout, A)};
        if (!isStretched<Mask, A>(box)) {
            return detail::changeAlong<T, M, Mask, A>(t, box, tap, m, 0);
        }
        const AxisLayer<T>& l = t.s.layer[A];
        const std::int64_t j = l.at(box.side[A], shot, z, y, x);
        const T g = detail::changeAlong<T, M, Mask, A>(t, box, tap, m, j);
        const T more = l.b[A == kZ ? z : A == kY ? y : x] * g;
        t.zeta[A][j] = t.zeta[A][j] + more;
        return g + more;
    }

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const std::int64_t m = t.s.layout.at(z, y, x);
        const std::int64_t i = shot * t.s.layout.shotStride + m;
        const T* p = t.s.now + i;
        T w = along<kZ>(box, p, m, shot, z, y, x);
        if constexpr (Rank == 3) {
            w += along<kY>(box, p, m, shot, z, y, x);
        }
        w += along<kX>(box, p, m, shot, z, y, x);
        t.to[i] = mulAdd(t.s.c2[m], w, t.to[i]);
        if (t.kept != nullptr) {
            T* const kept = t.kept + t.compact.at(shot, z, y, x);
            *kept = *kept + w;
        }
    }
};

template<class T, int Rank, int M, int Mask>
struct ScalarTangentBack {
    ScalarTangentState<T> t;

    // The image's share of an axis.
    template<int A>
    ONDO_HD T imageAlong(const Box& box, const T* q, std::int64_t i, std::int64_t m, std::int64_t j, int n) const
    {
        const ScalarState<T>& s = t.s;
        const std::int64_t stride = detail::strideOf(s.layout, A);
        const StridedTap<T> p{t.density.field + i, stride};
        const T* const rho = s.density + m;
        const T* const change = t.change + m;
        const T* const c = s.axis[A].second;
        const int radius = M > 0 ? M : s.layout.radius;
        if (!isStretched<Mask, A>(box)) {
            return linkProductsChange(StridedTap<T>{q, stride}, p, LinkedDensity<T>{rho, change, stride}, c, radius, 0);
        }
        const AxisLayer<T>& l = s.layer[A];
        const detail::StretchedTap<T> theta{q, l.zeta + j, stride, l.step};
        const auto slope = [&](int half) {
            const detail::StretchedTap<T> from{theta.q + half * stride, theta.e + half * l.step, stride, l.step};
            return halfBuoyancy(rho + half * stride, stride) *
                   halfBuoyancyChange(rho + half * stride, change + half * stride, stride) *
                   forwardDerivativeOf<T, M>(from, s.axis[A].staggered, radius) * t.density.psi[A][j + half * l.step];
        };
        const int nodes = A == kZ ? s.layout.nz : A == kY ? s.layout.ny : s.layout.nx;
        const int last = detail::lastOfLayer(box.side[A], n, nodes);
        return linkProductsChange(theta, p, LinkedDensity<T>{rho, change, stride}, c, radius, last) +
               (slope(0) + slope(-1));
    }

    template<int A>
    ONDO_HD T along(const Box& box, const T* q, std::int64_t i, std::int64_t m, int shot, int z, int y, int x,
                    T& image) const
    {
        const AxisLayer<T>& l = t.s.layer[A];
        const std::int64_t stride = detail::strideOf(t.s.layout, A);
        const bool inLayer = isStretched<Mask, A>(box);
        const std::int64_t j = inLayer ? l.at(box.side[A], shot, z, y, x) : 0;
        if (t.density.field != nullptr) {
            image += imageAlong<A>(box, q, i, m, j, A == kZ ? z : A == kY ? y : x);
        }
        if (inLayer) {
            const detail::StretchedTap<T> theta{q, l.zeta + j, stride, l.step};
            return detail::changeAlong<T, M, Mask, A>(t, box, theta, m, j);
        }
        return detail::changeAlong<T, M, Mask, A>(t, box, StridedTap<T>{q, stride}, m, j);
    }

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const std::int64_t m = t.s.layout.at(z, y, x);
        const std::int64_t i = shot * t.s.layout.shotStride + m;
        const T* q = t.s.now + i;
        T image = T(0);
        T w = along<kZ>(box, q, i, m, shot, z, y, x, image);
        if constexpr (Rank == 3) {
            w += along<kY>(box, q, i, m, shot, z, y, x, image);
        }
        w += along<kX>(box, q, i, m, shot, z, y, x, image);
        t.to[i] = mulAdd(t.s.c2[m], w, t.to[i]);
        if (t.density.field != nullptr) {
            T* const sum = t.density.image + t.compact.at(shot, z, y, x);
            *sum = *sum + image;
        }
    }
};

} // namespace ondo::kernels
