// Central differences on a regular grid, pure Taylor coefficients for any even order 2M (seismic.md 2.1; Fornberg 1988):
//   f''(0) h^2 = c_0 f_0 + sum_k c_k (f_k + f_-k),   c_k = 2 (-1)^(k+1) (M!)^2 / (k^2 (M-k)! (M+k)!),  c_0 = -2 sum c_k
//   f'(1/2) h  = sum_k s_k (f_k - f_1-k),            s_k of order 2M, for M > 2 softened: see makeCoefficients
// M > 0: taps unrolled as a fold (a loop costs a factor of four on the CPU). M == 0: radius known at run time.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/shape.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace ondo::kernels {

// (M!)^2 / ((M-k)! (M+k)!) without overflow.
inline double binomialRatio(int radius, int k)
{
    double r = 1.0;
    for (int j = 1; j <= k; ++j) {
        r *= static_cast<double>(radius - k + j) / static_cast<double>(radius + j);
    }
    return r;
}

template<class T>
struct AxisCoefficients {
    T second[kMaxRadius + 1] = {};    // c_k / h^2
    T linked[kMaxRadius + 1] = {};    // 2 k c_k / h^2, from k = 1 on: what core/density_links.h multiplies with
    T staggered[kMaxRadius + 1] = {}; // s_k / h; staggered[0] = 0
};

// A tap of the staggered first derivative of order 2 radius (9/8, -1/24; 75/64, ...), 0 beyond its radius.
inline double staggeredTap(int radius, int k)
{
    if (k > radius) {
        return 0.0;
    }
    double product = 1.0;
    for (int j = 1; j <= radius; ++j) {
        if (j != k) {
            const double a = 2.0 * j - 1.0;
            const double b = 2.0 * k - 1.0;
            product *= a * a / (a * a - b * b);
        }
    }
    return product / (2.0 * k - 1.0);
}

// Largest value of -symbol * h^2, reached at Nyquist: -(c_0 + 2 sum (-1)^k c_k). The leapfrog scheme is stable for
// v dt sqrt(lambda sum 1/h_a^2) <= 2.
inline double nyquistSymbol(int radius)
{
    double sum = 0.0;
    for (int k = 1; k <= radius; k += 2) {
        sum += 8.0 * binomialRatio(radius, k) / (static_cast<double>(k) * k);
    }
    return sum;
}

// The same of the staggered first derivative of order 2 radius, times h.
inline double staggeredAtNyquist(int radius)
{
    double sum = 0.0;
    for (int k = 1; k <= radius; ++k) {
        sum += 2.0 * std::abs(staggeredTap(radius, k));
    }
    return sum;
}

template<class T>
AxisCoefficients<T> makeCoefficients(int radius, double spacing)
{
    AxisCoefficients<T> c;
    double sum = 0.0;
    for (int k = 1; k <= radius; ++k) {
        const double sign = k % 2 == 1 ? 1.0 : -1.0;
        const double ratio = binomialRatio(radius, k);
        const double second = 2.0 * sign * ratio / (static_cast<double>(k) * k);
        sum += second;
        c.second[k] = static_cast<T>(second / (spacing * spacing));
        c.linked[k] = static_cast<T>(2.0 * k * second / (spacing * spacing));
    }
    c.second[0] = static_cast<T>(-2.0 * sum / (spacing * spacing));
    // D-D+ of order 2M is stiffer than the second derivative, by 2 % at Nyquist. A layer that takes its first
    // derivatives away must not take away more than is there, or noise grows: it is passive where D-D+ is nowhere the
    // stiffer, or where alpha bounds what is taken (leastLayerAlpha). From radius 3 on, blended with order 2M-2 so that
    // both meet at Nyquist: a miss of 8e-4 (kh)^4 at most, which nobody sees. At radius 2 that blend would be with
    // order 2 and miss 0.003 (kh)^2: this rest stays unstretched, and reflects the more the stronger the layer (by 4 dB
    // in 5 cells, by 12 dB in steep ones). Order 4 therefore stays itself and is bounded by alpha. Radius 1: equal as
    // it is.
    double theta = 1.0;
    if (radius > 2) {
        const double softer = staggeredAtNyquist(radius - 1);
        theta = (std::sqrt(nyquistSymbol(radius)) - softer) / (staggeredAtNyquist(radius) - softer);
    }
    for (int k = 1; k <= radius; ++k) {
        const double tap = theta * staggeredTap(radius, k) + (1.0 - theta) * staggeredTap(radius - 1, k);
        c.staggered[k] = static_cast<T>(tap / spacing);
    }
    return c;
}

// The least alpha / sigma with which a layer is passive. At frequency s a half node keeps L(s) = (s + alpha) / (s +
// alpha + sigma) of its first derivative, and (second + (L - 1) D-D+) / s is positive real if and only if that holds at
// s = 0, where L = alpha / (alpha + sigma): it needs (1 - L) D-D+ <= second at all wavenumbers. Nyquist is the
// tightest, whatever sigma does along the axis. One per cent more, for profiles rounded to float.
inline double leastLayerAlpha(int radius)
{
    if (radius != 2) {
        // makeCoefficients has softened D-D+, or it is the second derivative. Only L must stay above 0 where alpha
        // ends: as 1 + b / (1 - a) of floats it fell below, and a layer alone grew by 3e-7 a step (its largest
        // eigenvalue).
        return 1e-4;
    }
    const double first = staggeredAtNyquist(radius);
    const double taken = nyquistSymbol(radius) / (first * first); // 48/49
    return 1.01 * (1.0 - taken) / taken;
}

namespace detail {

template<class T, class C, class Tap, int... K>
ONDO_HD inline T secondFold(const Tap& tap, const C* c, std::integer_sequence<int, K...>)
{
    const T twice = tap(0) + tap(0);
    T sum = c[1] * ((tap(1) + tap(-1)) - twice);
    ((sum = mulAdd(c[K + 2], (tap(K + 2) + tap(-(K + 2))) - twice, sum)), ...);
    return sum;
}

// At the node of tap(0) + 1/2.
template<class T, class C, class Tap, int... K>
ONDO_HD inline T forwardFold(const Tap& tap, const C* d, std::integer_sequence<int, K...>)
{
    T sum = d[1] * (tap(1) - tap(0));
    ((sum = mulAdd(d[K + 2], tap(K + 2) - tap(-(K + 1)), sum)), ...);
    return sum;
}

// From values at halves: tap(0) lies half a node above.
template<class T, class C, class Tap, int... K>
ONDO_HD inline T backwardFold(const Tap& tap, const C* d, std::integer_sequence<int, K...>)
{
    T sum = d[1] * (tap(0) - tap(-1));
    ((sum = mulAdd(d[K + 2], tap(K + 1) - tap(-(K + 2)), sum)), ...);
    return sum;
}

} // namespace detail

// Second derivative along a stride; 1/m^2 is in c. Written in differences, without c_0 f_0: a constant then gives exactly 0.
// With c_0 the rounded taps of a float sum to some 1e-7 instead of 0, and between rigid walls the constant mode, which
// nothing restores, grew like exp(1.6e-4 n) with the steps: by 5 % in 2000, beyond float in a million.
// tap(k): the value k nodes on, wherever it is kept. T: a value, or several side by side with the arithmetic of one.
template<class T, int M, class Tap, class C>
ONDO_HD inline T secondDerivativeOf(const Tap& tap, const C* c, int radius)
{
    if constexpr (M > 0) {
        return detail::secondFold<T>(tap, c, std::make_integer_sequence<int, M - 1>{});
    } else {
        const T twice = tap(0) + tap(0);
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum = mulAdd(c[k], (tap(k) + tap(-k)) - twice, sum);
        }
        return sum;
    }
}

// Values along a stride in memory.
template<class T>
struct StridedTap {
    const T* p;
    std::int64_t stride;
    ONDO_HD T operator()(int k) const { return p[k * stride]; }
};

template<class T, int M>
ONDO_HD inline T secondDerivative(const T* p, std::int64_t stride, const T* c, int radius)
{
    return secondDerivativeOf<T, M>(StridedTap<T>{p, stride}, c, radius);
}

// Half a node above the point, and back from values at halves onto a node.
template<class T, int M, class Tap, class C>
ONDO_HD inline T forwardDerivativeOf(const Tap& tap, const C* d, int radius)
{
    if constexpr (M > 0) {
        return detail::forwardFold<T>(tap, d, std::make_integer_sequence<int, M - 1>{});
    } else {
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum = mulAdd(d[k], tap(k) - tap(1 - k), sum);
        }
        return sum;
    }
}

template<class T, int M, class Tap, class C>
ONDO_HD inline T backwardDerivativeOf(const Tap& tap, const C* d, int radius)
{
    if constexpr (M > 0) {
        return detail::backwardFold<T>(tap, d, std::make_integer_sequence<int, M - 1>{});
    } else {
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum = mulAdd(d[k], tap(k - 1) - tap(-k), sum);
        }
        return sum;
    }
}

template<class T, int M>
ONDO_HD inline T forwardDerivative(const T* p, std::int64_t stride, const T* d, int radius)
{
    return forwardDerivativeOf<T, M>(StridedTap<T>{p, stride}, d, radius);
}

template<class T, int M>
ONDO_HD inline T backwardDerivative(const T* p, std::int64_t stride, const T* d, int radius)
{
    return backwardDerivativeOf<T, M>(StridedTap<T>{p, stride}, d, radius);
}

} // namespace ondo::kernels
