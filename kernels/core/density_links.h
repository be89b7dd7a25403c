// Where density varies: the second derivative (p' / rho)' along one axis, by differences across links.
//   (L p)_i = sum_k c_k b_(i,i+k) (p_(i+k) - p_i) - sum_k c_k b_(i-k,i) (p_i - p_(i-k)),   c_k / h^2 of core/stencil.h
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

// Twice S of the link from node 0 to node k, of step(j): the sum of the densities of nodes j and j + 1. From the ends inwards, a
// step or two at a time, so that the two ends of a link get the same bits, wherever it is worked out.
template<class N, class Step>
ONDO_HD inline N twiceLinkDensity(const Step& step, int k)
{
    const bool even = k % 2 == 0;
    const auto part = [&](int j) { return even ? step(2 * j) + step(2 * j + 1) : step(j); };
    const int parts = even ? k / 2 : k;
    if (parts == 1) {
        return part(0);
    }
    N sum = part(0) + part(parts - 1);
    ONDO_ROLLED
    for (int j = 1; j < parts / 2; ++j) {
        sum = sum + (part(j) + part(parts - 1 - j));
    }
    return parts % 2 == 1 ? sum + part(parts / 2) : sum;
}

// Densities along a stride in memory, two by two.
template<class T>
struct StridedSteps {
    const T* rho;
    std::int64_t stride;
    ONDO_HD T operator()(int j) const { return rho[j * stride] + rho[(j + 1) * stride]; }
};

// S of the link from a node to the k-th one on.
template<class T>
ONDO_HD inline T linkDensity(const T* rho, std::int64_t stride, int low, int k)
{
    return T(0.5) * twiceLinkDensity<T>(StridedSteps<T>{rho + low * stride, stride}, k);
}

// 1/rho half a node above a node.
template<class T>
ONDO_HD inline T halfBuoyancy(const T* rho, std::int64_t stride)
{
    return T(2) * reciprocal(rho[0] + rho[stride]);
}

// Its derivative along a change of the density.
template<class T>
ONDO_HD inline T halfBuoyancyChange(const T* rho, const T* change, std::int64_t stride)
{
    const T b = halfBuoyancy(rho, stride);
    return T(-0.5) * (b * b) * (change[0] + change[stride]);
}

namespace detail {

// From the longest link to the shortest: what a march along the axis adds to nodes ahead of it comes in this order.
template<class N, class C, class Flux, int... K>
ONDO_HD inline N linkFold(const Flux& flux, const C* linked, std::integer_sequence<int, K...>)
{
    constexpr int kLongest = static_cast<int>(sizeof...(K)) + 1;
    N sum = linked[kLongest] * flux(kLongest);
    ((sum = mulAdd(linked[kLongest - 1 - K], flux(kLongest - 1 - K), sum)), ...);
    return sum;
}

template<class N, int M, class C, class Flux>
ONDO_HD inline N linkSum(const Flux& flux, const C* linked, int radius)
{
    if constexpr (M > 0) {
        return linkFold<N>(flux, linked, std::make_integer_sequence<int, M - 1>{});
    } else {
        N sum = linked[radius] * flux(radius);
        ONDO_ROLLED
        for (int k = radius - 1; k > 0; --k) {
            sum = mulAdd(linked[k], flux(k), sum);
        }
        return sum;
    }
}

} // namespace detail

// What comes over the links to one side less what goes over those to the other. tap(k): the field k nodes on; step(j): as
// above; linked: AxisCoefficients::linked. N: a value, or several side by side with the arithmetic of one.
template<class N, int M, class Tap, class Step, class C>
ONDO_HD inline N linkedSecondDerivativeOf(const Tap& tap, const Step& step, const C* linked, int radius)
{
    const N above = detail::linkSum<N, M>(
        [&](int k) { return (tap(k) - tap(0)) * reciprocal(twiceLinkDensity<N>(step, k)); }, linked, radius);
    const N below = detail::linkSum<N, M>(
        [&](int k) {
            return (tap(0) - tap(-k)) * reciprocal(twiceLinkDensity<N>([&](int j) { return step(j - k); }, k));
        },
        linked, radius);
    return above - below;
}

// rho: the node's own place.
template<class T, int M, class Tap>
ONDO_HD inline T linkedSecondDerivative(const Tap& tap, const T* rho, std::int64_t stride, const T* linked, int radius)
{
    return linkedSecondDerivativeOf<T, M>(tap, StridedSteps<T>{rho, stride}, linked, radius);
}

// Its derivative along a change of the density, which lies as the density does.
template<class T, int M, class Tap>
ONDO_HD inline T linkedChange(const Tap& tap, const T* rho, const T* change, std::int64_t stride, const T* linked,
                              int radius)
{
    const StridedSteps<T> densities{rho, stride};
    const StridedSteps<T> changes{change, stride};
    const auto fluxes = [&](int low) {
        return detail::linkSum<T, M>(
            [&](int k) {
                const int from = low * k;
                const auto at = [from](const StridedSteps<T>& steps) {
                    return [&steps, from](int j) { return steps(j + from); };
                };
                const T b = reciprocal(twiceLinkDensity<T>(at(densities), k));
                return (tap(from + k) - tap(from)) * (b * b * twiceLinkDensity<T>(at(changes), k));
            },
            linked, radius);
    };
    return fluxes(-1) - fluxes(0);
}

// The share of the node at tap(0) in S of the link between the nodes low and high. last: 1 or -1, on which side beyond the node
// none is a node of the domain: their density is its own; 0: neither.
template<class T>
ONDO_HD inline T linkWeight(int low, int high, int last)
{
    const T weight = low == 0 || high == 0 ? T(0.5) : T(1);
    const int beyond = last > 0 ? high : last < 0 ? -low : 0;
    return beyond > 0 ? weight + (T(beyond) - T(0.5)) : weight;
}

// The derivative of the operator, by the density of the node at tap(0). last: as above.
template<class T, class ThetaTap, class Tap>
ONDO_HD inline T linkProducts(const ThetaTap& theta, const Tap& p, const T* rho, std::int64_t stride, const T* c,
                              int radius, int last)
{
    T sum = T(0);
    for (int k = 1; k <= radius; ++k) {
        for (int low = -k; low <= 0; ++low) {
            const int high = low + k;
            const T weight = linkWeight<T>(low, high, last);
            const T s = linkDensity(rho, stride, low, k);
            sum = mulAdd(c[k] * (T(k) * weight) / (s * s), (theta(high) - theta(low)) * (p(high) - p(low)), sum);
        }
    }
    return sum;
}

// A density and a change of it along a stride.
template<class T>
struct LinkedDensity {
    const T* rho;
    const T* change;
    std::int64_t stride;
};

// The derivative of linkProducts along the change.
template<class T, class ThetaTap, class Tap>
ONDO_HD inline T linkProductsChange(const ThetaTap& theta, const Tap& p, const LinkedDensity<T>& of, const T* c,
                                    int radius, int last)
{
    T sum = T(0);
    for (int k = 1; k <= radius; ++k) {
        for (int low = -k; low <= 0; ++low) {
            const int high = low + k;
            const T s = linkDensity(of.rho, of.stride, low, k);
            const T ds = linkDensity(of.change, of.stride, low, k);
            const T weight = T(-2) * c[k] * (T(k) * linkWeight<T>(low, high, last)) * ds / (s * s * s);
            sum = mulAdd(weight, (theta(high) - theta(low)) * (p(high) - p(low)), sum);
        }
    }
    return sum;
}

} // namespace ondo::kernels
