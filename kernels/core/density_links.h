// Where density varies: the second derivative (p' / rho)' along one axis, by differences across links.
//   (L p)_i = sum_k c_k [ b_(i,i+k) (p_(i+k) - p_i) - b_(i-k,i) (p_i - p_(i-k)) ],   c_k / h^2 of core/stencil.h
// b of a link is 1 over the mean density along it, by the trapezoid rule: k / S, S = rho_i / 2 + rho_(i+1) + ... + rho_(i+k) / 2.
// Then a flux that is the same everywhere, p' = F rho, is met exactly across a contact midway between nodes, which density at
// the link's middle misses by a term of first order (5.6 % of the echo at order 8, R = 0.375, 19 points a wavelength; so: 0.9 %).
// Smooth media cost an error of second order, rho'' h^2 / 12 from order 4 on: what longer means add goes with sum c_k k^4 = 0.
// One density gives 1/rho times core/stencil.h. At order 2 it is the staggered velocity-pressure scheme.
// A link gives to one end what it takes from the other: L is symmetric (in the nodal volumes of equations/scalar_adjoint.h
// where images count). -L is positive whatever the contrast if c_1 >= sum_(even k) |c_k| k^2, which holds up to order 18:
// b (sum of steps)^2 <= k sum of b_step step^2 by Cauchy and Schwarz, and each step lies under k links of length k.
// Derivative of sum theta_i (L p)_i by the density of a node: sum over links of c_k b^2 w / k (theta_+ - theta_-) (p_+ - p_-),
// w its weight in S.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/stencil.h"

#include <cstdint>
#include <utility>

namespace ondo::kernels {

// Sum over a link's steps of their mean densities, S above.
template<class T>
ONDO_HD inline T linkDensity(const T* rho, std::int64_t stride, int low, int k)
{
    T sum = T(0.5) * (rho[low * stride] + rho[(low + k) * stride]);
    for (int j = low + 1; j < low + k; ++j) {
        sum += rho[j * stride];
    }
    return sum;
}

// 1/rho half a node above a node.
template<class T>
ONDO_HD inline T halfBuoyancy(const T* rho, std::int64_t stride)
{
    return T(2) / (rho[0] + rho[stride]);
}

namespace detail {

// The links that end at a node, step by step outwards.
template<class T, class Tap>
struct LinkPairs {
    const Tap& tap;
    const T* rho;
    std::int64_t stride;
    T above = T(0), below = T(0);

    ONDO_HD T next(int k)
    {
        above += T(0.5) * (rho[(k - 1) * stride] + rho[k * stride]);
        below += T(0.5) * (rho[(1 - k) * stride] + rho[-k * stride]);
        return T(k) * ((tap(k) - tap(0)) / above - (tap(0) - tap(-k)) / below);
    }
};

template<class T, class Tap, int... K>
ONDO_HD inline T linkFold(LinkPairs<T, Tap> links, const T* c, std::integer_sequence<int, K...>)
{
    T sum = c[1] * links.next(1);
    ((sum = mulAdd(c[K + 2], links.next(K + 2), sum)), ...);
    return sum;
}

} // namespace detail

// rho: the node's own place; c: AxisCoefficients::second.
template<class T, int M, class Tap>
ONDO_HD inline T linkedSecondDerivative(const Tap& tap, const T* rho, std::int64_t stride, const T* c, int radius)
{
    detail::LinkPairs<T, Tap> links{tap, rho, stride};
    if constexpr (M > 0) {
        return detail::linkFold(links, c, std::make_integer_sequence<int, M - 1>{});
    } else {
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum = mulAdd(c[k], links.next(k), sum);
        }
        return sum;
    }
}

// The derivative above, by the density of the node at tap(0). last: 1 or -1, on which side beyond the node none is a node of
// the domain: their density is its own; 0: neither.
template<class T, class ThetaTap, class Tap>
ONDO_HD inline T linkProducts(const ThetaTap& theta, const Tap& p, const T* rho, std::int64_t stride, const T* c,
                              int radius, int last)
{
    T sum = T(0);
    for (int k = 1; k <= radius; ++k) {
        for (int low = -k; low <= 0; ++low) {
            const int high = low + k;
            T weight = low == 0 || high == 0 ? T(0.5) : T(1);
            const int beyond = last > 0 ? high : last < 0 ? -low : 0;
            if (beyond > 0) {
                weight += T(beyond) - T(0.5);
            }
            const T s = linkDensity(rho, stride, low, k);
            sum = mulAdd(c[k] * (T(k) * weight) / (s * s), (theta(high) - theta(low)) * (p(high) - p(low)), sum);
        }
    }
    return sum;
}

} // namespace ondo::kernels
