// Where density varies: the second derivative (b p')' along one axis, b = 1/rho the buoyancy, by differences across links.
//   (L_b p)_i = sum_k c_k [ b_(i+k/2) (p_(i+k) - p_i) - b_(i-k/2) (p_i - p_(i-k)) ],   c_k / h^2 of core/stencil.h
// b of a link is taken at its middle: a node's own 1/rho for even k, for odd k that half a node on, 2 / (rho_j + rho_(j+1)):
// the mean of density is what a contact between nodes weighs. Of order 2M where b is smooth, but for that mean, which is of
// second order; constant b gives b times core/stencil.h. At order 2 it is the staggered velocity-pressure scheme.
// A link gives to one end what it takes from the other: L_b is symmetric (in the nodal volumes of equations/scalar_adjoint.h
// where images count). Derivative of sum theta_i (L_b p)_i by the b of a link's middle m, summed over links with that middle:
//   -sum_k c_k (theta_(m+k/2) - theta_(m-k/2)) (p_(m+k/2) - p_(m-k/2))
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/stencil.h"

#include <cstdint>
#include <utility>

namespace ondo::kernels {

// 1/rho in m^3/kg, laid out as a field with its halo: the even image beyond faces, the edge's value beyond a layer.
template<class T>
struct Buoyancy {
    const T* node = nullptr; // null: one density everywhere, which no step asks for
    const T* half[3] = {};   // by axis, half a node above its node
    ONDO_HD explicit operator bool() const { return node != nullptr; }
};

// b at a middle, from a node's own place in both arrays: half the distance is k / 2 nodes on.
template<class T>
struct LinkBuoyancy {
    const T* node;
    const T* half;
    std::int64_t stride;

    // k / 2 nodes above; below: -k.
    ONDO_HD T at(int k) const { return k % 2 == 0 ? node[k / 2 * stride] : half[(k - 1) / 2 * stride]; }
};

namespace detail {

template<int K, class T, class Tap>
ONDO_HD inline T linkPair(const Tap& tap, const LinkBuoyancy<T>& b)
{
    return b.at(K) * (tap(K) - tap(0)) - b.at(-K) * (tap(0) - tap(-K));
}

template<class T, class Tap, int... K>
ONDO_HD inline T linkFold(const Tap& tap, const LinkBuoyancy<T>& b, const T* c, std::integer_sequence<int, K...>)
{
    T sum = c[1] * linkPair<1>(tap, b);
    ((sum = mulAdd(c[K + 2], linkPair<K + 2>(tap, b), sum)), ...);
    return sum;
}

} // namespace detail

// c: AxisCoefficients::second.
template<class T, int M, class Tap>
ONDO_HD inline T linkedSecondDerivative(const Tap& tap, const LinkBuoyancy<T>& b, const T* c, int radius)
{
    if constexpr (M > 0) {
        return detail::linkFold(tap, b, c, std::make_integer_sequence<int, M - 1>{});
    } else {
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum = mulAdd(c[k], b.at(k) * (tap(k) - tap(0)) - b.at(-k) * (tap(0) - tap(-k)), sum);
        }
        return sum;
    }
}

// sum_k c_k (theta_+ - theta_-) (p_+ - p_-) over the links whose middle lies twice / 2 nodes above tap(0), from length
// `least` on, which has the parity of `twice`.
template<class T, class ThetaTap, class Tap>
ONDO_HD inline T linkProducts(const ThetaTap& theta, const Tap& p, const T* c, int radius, int twice, int least)
{
    T sum = T(0);
    for (int k = least; k <= radius; k += 2) {
        const int low = (twice - k) / 2; // whole: both have one parity
        sum = mulAdd(c[k], (theta(low + k) - theta(low)) * (p(low + k) - p(low)), sum);
    }
    return sum;
}

} // namespace ondo::kernels
