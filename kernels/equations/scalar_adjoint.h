// The exact transpose of a step of equations/scalar.h as it is coded there, and what a gradient needs of the forward run.
//
// A forward step, at every node of the domain (L: second derivative, images included; D+, D-: core/cpml.h):
//   psi' = aH psi + bH D+ p,   T = L p + D- psi',   zeta' = a zeta + b T,   W = sum_axes (T + zeta') + f S
//   p(n+1) = 2 p(n) - p(n-1) + c2 W(n),             d_k = R p(k ratio)
// With bars for derivatives of a misfit J(d), g = c2 p_(n+1) (p_ for the bar of p), read backwards:
//   Z  = zeta_' + g,  T_ = g + b Z,       zeta_ = a Z       (pointwise)
//   Y  = psi_' + D-^T T_,                 psi_  = aH Y
//   p_(n) = 2 p_(n+1) - p_(n+2) + L^T T_ + D+^T (bH Y) + R^T d_
// Three substitutions make of it a step of the forward's own form:
//   1. D-^T = -D+ and D+^T = -D- (core/stencil.h; zero beyond the domain, where a layer ends).
//   2. V L = L^T V with V the nodal volumes, halved on every rigid face that the node lies on (even images count twice what
//      the face's node gets once); on free faces c2 = 0. So p_ = V lambda, and V commutes with all that acts along other
//      axes, and with the layers, which end before a face of their own axis that is not absorbing is reached.
//   3. q = c2 lambda is carried, e = b Z / V and u = -bH Y / V instead of zeta_ and psi_ (both obey recursions in themselves).
// What comes out, with the memories' slabs, profiles, faces and order of axes of the forward:
//   e <- a e + b q              (second memory; first, and pointwise)
//   u <- aH u + bH D+ (q + e)   (first memory)
//   q(n) = 2 q(n+1) - q(n+2) + c2 sum_axes (L (q + e) + D- u) + c2 (R^T / V) d_
// A receiver's residual d_ is thus injected as a source's wavelet is, and the derivative with respect to a wavelet's sample
// f(n) is q(n+1) as a receiver at the source would record it (engine/survey/off_grid.h: the operators are transposes).
// Derivative with respect to a node's c2, the source's weight c2 included: (V / c2) sum_n q(n+1) W(n), and with respect to
// its speed 2 (V / c) sum_n q(n+1) W(n). The sum is taken in the step that reads q(n+1) anyway.
// q in the unit of d_ times m^(2 - rank). Fields have the forward's layout; W and the image one without a halo (`compact`).
//
// Where density varies, with K = kappa dt^2 for c2 and B the buoyancy b at half nodes, of the axis in hand (scalar.h):
//   psi' = aH psi + bH D+ p,   T = L p + D- (B psi'),   zeta' = a zeta + b T,   W = sum_axes (T + zeta') + b f S
// Read backwards Y = psi_' + B D-^T T_ and p_(n) = ... + L^T T_ + D+^T (bH Y). V L = L^T V as above, for the density
// beyond a face is the even image too. With u = -bH Y / (V B) again e <- a e + b q, u <- aH u + bH D+ (q + e), and
//   q(n) = 2 q(n+1) - q(n+2) + K sum_axes (L (q + e) + D- (B u)) + K (R^T / V) d_
// a step of the forward's own form once more. What a source at a node emits is b times what a receiver there records of q.
// Derivatives, with theta = q + e of the axis in hand (core/density_links.h for the links):
//   by K of a node        (V / K) sum_n q(n+1) W(n)
//   by b of a source      V sum_n q(n+1) f S, which AdjointWave gathers (engine/inversion/launch_waves.h)
//   by density, kappa held, of a node
//     V sum_n [ sum over links (core/density_links.h) + sum over both halves beside it of B^2 / 2 (D+ theta) psi' ]
// KeptDensity::image but for the volume, in which nodes of any face but an absorbing one count half: what lies beyond it is
// their image. What lies beyond the domain's end in a layer has the density of its last node.
#pragma once

#include "kernels/equations/scalar.h"

namespace ondo::kernels {

// W(n) of a forward step that has just been done: `now` p(n), memories as the step left them; without the sources' part. In
// the interior, which loses nothing, the step can be taken back with it: p(n-1) = 2 p(n) - p(n+1) + c2 W(n).
template<class T>
struct ScalarKeepState {
    ScalarState<T> s; // `other` is not looked at
    Layout compact;
    T* kept = nullptr;
    T* back = nullptr; // p(n+1) in, p(n-1) out; null: the step stays done
};

// The rest of what is kept of a step where density varies.
template<class T>
struct KeptDensity {
    const T* field = nullptr; // p(n), laid out as a field, halo and all
    const T* psi[3] = {};     // psi' by axis, laid out as the layers' memories
    T* image = nullptr; // the derivative by a node's density at fixed kappa, but for its volume; one a shot, `compact`
};

template<class T>
struct ScalarAdjointState {
    ScalarState<T> s; // now: q(n+1); other: q(n+2) in, q(n) out; layers: psi for u, zeta for e
    Layout compact;
    const T* kept = nullptr; // W(n); null: this step is not imaged
    T* image = nullptr;      // sum of q(n+1) W(n), one a shot
    KeptDensity<T> density;
};

namespace detail {

// Along one axis of a forward step already done: T + zeta'. m: the model's node.
template<class T, int M, int Mask, Medium medium, int A>
ONDO_HD inline T keptAlong(const ScalarState<T>& s, const Box& box, const T* p, std::int64_t m, int shot, int z, int y,
                           int x)
{
    T w = spaceDerivative<T, M, medium, A>(s, p, m);
    if (isStretched<Mask, A>(box)) {
        const std::int64_t j = s.layer[A].at(box.side[A], shot, z, y, x);
        w = w + slopeOfMemory<T, M, medium, A>(s, j, m) + s.layer[A].zeta[j];
    }
    return w;
}

// q + e along an axis, e in its slab.
template<class T>
struct StretchedTap {
    const T* q;
    const T* e;
    std::int64_t stride, step;
    ONDO_HD T operator()(int k) const { return q[k * stride] + e[k * step]; }
};

// Along one axis of an adjoint step: L (q + e) + D- u.
template<class T, int M, int Mask, Medium medium, int A>
ONDO_HD inline T adjointAlong(const ScalarState<T>& s, const Box& box, const T* q, std::int64_t m, int shot, int z,
                              int y, int x)
{
    if (isStretched<Mask, A>(box)) {
        const AxisLayer<T>& l = s.layer[A];
        const std::int64_t j = l.at(box.side[A], shot, z, y, x);
        const StretchedTap<T> tap{q, l.zeta + j, strideOf(s.layout, A), l.step};
        return spaceDerivativeOf<T, M, medium, A>(s, tap, m) + slopeOfMemory<T, M, medium, A>(s, j, m);
    }
    return spaceDerivative<T, M, medium, A>(s, q, m);
}

// On which side of the n-th node the domain ends in a layer: -1, 1, or 0.
ONDO_HD inline int lastOfLayer(int side, int n, int nodes)
{
    return side == kLow && n == 0 ? -1 : side == kHigh && n == nodes - 1 ? 1 : 0;
}

template<class T, int M, int Mask, int A>
ONDO_HD inline T densityAlong(const ScalarAdjointState<T>& a, const Box& box, const T* q, std::int64_t i,
                              std::int64_t m, int shot, int z, int y, int x)
{
    const ScalarState<T>& s = a.s;
    const std::int64_t stride = strideOf(s.layout, A);
    const StridedTap<T> p{a.density.field + i, stride};
    const T* const rho = s.density + m;
    const T* const c = s.axis[A].second;
    const int radius = M > 0 ? M : s.layout.radius;
    if (!isStretched<Mask, A>(box)) {
        return linkProducts(StridedTap<T>{q, stride}, p, rho, stride, c, radius, 0);
    }
    const AxisLayer<T>& l = s.layer[A];
    const std::int64_t j = l.at(box.side[A], shot, z, y, x);
    const StretchedTap<T> theta{q, l.zeta + j, stride, l.step};
    const auto slope = [&](int half) {
        const StretchedTap<T> from{theta.q + half * stride, theta.e + half * l.step, stride, l.step};
        const T b = halfBuoyancy(rho + half * stride, stride);
        return b * b * forwardDerivativeOf<T, M>(from, s.axis[A].staggered, radius) *
               a.density.psi[A][j + half * l.step];
    };
    const int n = A == kZ ? z : A == kY ? y : x;
    const int last = lastOfLayer(box.side[A], n, A == kZ ? s.layout.nz : A == kY ? s.layout.ny : s.layout.nx);
    return linkProducts(theta, p, rho, stride, c, radius, last) + T(0.5) * (slope(0) + slope(-1));
}

} // namespace detail

// Whether what a pointer leads to is there: known when a loop over nodes is compiled, or asked at each node.
enum class Given { Never, Always, Asked };

template<class T, int Rank, int M, int Mask, Given Back, Medium medium = Medium::OneDensity>
struct ScalarKeep {
    ScalarKeepState<T> k;

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const std::int64_t m = k.s.layout.at(z, y, x);
        const std::int64_t i = shot * k.s.layout.shotStride + m;
        const T* p = k.s.now + i;
        T w = detail::keptAlong<T, M, Mask, medium, kZ>(k.s, box, p, m, shot, z, y, x);
        if constexpr (Rank == 3) {
            w += detail::keptAlong<T, M, Mask, medium, kY>(k.s, box, p, m, shot, z, y, x);
        }
        w += detail::keptAlong<T, M, Mask, medium, kX>(k.s, box, p, m, shot, z, y, x);
        k.kept[k.compact.at(shot, z, y, x)] = w;
        if (Mask == 0 && (Back == Given::Always || (Back == Given::Asked && k.back != nullptr))) {
            k.back[i] = leap(k.back[i], p[0], k.s.c2[m], w);
        }
    }
};

// e of all layers, each within its reach; complete before the first ScalarAdjointFirst.
template<class T, int Rank, int Mask>
struct ScalarAdjointSecond {
    ScalarState<T> s;

    template<int A>
    ONDO_HD void along(const Box& box, const T& q, int shot, int z, int y, int x) const
    {
        if (isStretched<Mask, A>(box)) {
            const AxisLayer<T>& l = s.layer[A];
            const std::int64_t j = l.at(box.side[A], shot, z, y, x);
            const int n = A == kZ ? z : A == kY ? y : x;
            l.zeta[j] = nextMemory(l.a[n], l.zeta[j], l.b[n], q);
        }
    }

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const T q = s.now[s.layout.at(shot, z, y, x)];
        along<kZ>(box, q, shot, z, y, x);
        if constexpr (Rank == 3) {
            along<kY>(box, q, shot, z, y, x);
        }
        along<kX>(box, q, shot, z, y, x);
    }
};

// u of all layers; complete before the first ScalarAdjointStep in a layer.
template<class T, int Rank, int M, int Mask>
struct ScalarAdjointFirst {
    ScalarState<T> s;

    template<int A>
    ONDO_HD void along(const Box& box, const T* q, int shot, int z, int y, int x) const
    {
        if (isStretched<Mask, A>(box)) {
            const AxisLayer<T>& l = s.layer[A];
            const std::int64_t j = l.at(box.side[A], shot, z, y, x);
            const int n = A == kZ ? z : A == kY ? y : x;
            const detail::StretchedTap<T> tap{q, l.zeta + j, detail::strideOf(s.layout, A), l.step};
            l.psi[j] = nextMemory(l.aHalf[n], l.psi[j], l.bHalf[n],
                                  forwardDerivativeOf<T, M>(tap, s.axis[A].staggered, s.layout.radius));
        }
    }

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const T* q = s.now + s.layout.at(shot, z, y, x);
        along<kZ>(box, q, shot, z, y, x);
        if constexpr (Rank == 3) {
            along<kY>(box, q, shot, z, y, x);
        }
        along<kX>(box, q, shot, z, y, x);
    }
};

// q(n), and the image of q(n+1) and W(n), where `kept` is there. Mask: 0 outside every layer.
template<class T, int Rank, int M, int Mask, Given Image, Medium medium = Medium::OneDensity>
struct ScalarAdjointStep {
    ScalarAdjointState<T> a;

    ONDO_HD void operator()(const Box& box, int shot, int z, int y, int x) const
    {
        const ScalarState<T>& s = a.s;
        const std::int64_t m = s.layout.at(z, y, x);
        const std::int64_t i = shot * s.layout.shotStride + m;
        const T* q = s.now + i;
        T w = detail::adjointAlong<T, M, Mask, medium, kZ>(s, box, q, m, shot, z, y, x);
        if constexpr (Rank == 3) {
            w += detail::adjointAlong<T, M, Mask, medium, kY>(s, box, q, m, shot, z, y, x);
        }
        w += detail::adjointAlong<T, M, Mask, medium, kX>(s, box, q, m, shot, z, y, x);
        s.other[i] = leap(s.other[i], q[0], s.c2[m], w);
        if (Image == Given::Always || (Image == Given::Asked && a.kept != nullptr)) {
            const std::int64_t k = a.compact.at(shot, z, y, x);
            a.image[k] = mulAdd(q[0], a.kept[k], a.image[k]);
            if constexpr (medium == Medium::VariableDensity) {
                T products = detail::densityAlong<T, M, Mask, kZ>(a, box, q, i, m, shot, z, y, x);
                if constexpr (Rank == 3) {
                    products += detail::densityAlong<T, M, Mask, kY>(a, box, q, i, m, shot, z, y, x);
                }
                products += detail::densityAlong<T, M, Mask, kX>(a, box, q, i, m, shot, z, y, x);
                a.density.image[k] = a.density.image[k] + products;
            }
        }
    }
};

} // namespace ondo::kernels
