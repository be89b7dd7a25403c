// Central differences on a regular grid, pure Taylor coefficients for any even order 2M (seismic.md 2.1; Fornberg 1988):
//   f''(0) h^2 = c_0 f_0 + sum_k c_k (f_k + f_-k),   c_k = 2 (-1)^(k+1) (M!)^2 / (k^2 (M-k)! (M+k)!),  c_0 = -2 sum c_k
//   f'(1/2) h  = sum_k s_k (f_k - f_1-k),            s_k = theta of order 2M + (1 - theta) of order 2M-2, see makeCoefficients
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
    }
    c.second[0] = static_cast<T>(-2.0 * sum / (spacing * spacing));
    // Order 2M alone would make D-D+ stiffer than the second derivative, by 2 % at Nyquist: an absorbing layer that takes
    // its first derivatives with it is not passive, and noise grows wherever alpha < 0.02 sigma. Blended with order 2M-2 so
    // that both meet at Nyquist, D-D+ is nowhere the stiffer (checked for every radius). Radius 1: equal as it is.
    const auto atNyquist = [](int r) {
        double total = 0.0;
        for (int k = 1; k <= r; ++k) {
            total += 2.0 * std::abs(staggeredTap(r, k));
        }
        return total;
    };
    double stiffness = 2.0 * sum;
    for (int k = 1; k <= radius; ++k) {
        stiffness += 2.0 * std::abs(2.0 * binomialRatio(radius, k) / (static_cast<double>(k) * k));
    }
    const double theta =
        radius == 1 ? 1.0
                    : (std::sqrt(stiffness) - atNyquist(radius - 1)) / (atNyquist(radius) - atNyquist(radius - 1));
    for (int k = 1; k <= radius; ++k) {
        const double tap = theta * staggeredTap(radius, k) + (1.0 - theta) * staggeredTap(radius - 1, k);
        c.staggered[k] = static_cast<T>(tap / spacing);
    }
    return c;
}

// Largest value of -symbol * h^2, reached at Nyquist: -(c_0 + 2 sum (-1)^k c_k). The leapfrog scheme is stable for
// v dt sqrt(lambda sum 1/h_a^2) <= 2.
inline double nyquistSymbol(int radius)
{
    const auto c = makeCoefficients<double>(radius, 1.0);
    double s = -c.second[0];
    for (int k = 1; k <= radius; ++k) {
        s -= 2.0 * (k % 2 == 0 ? 1.0 : -1.0) * c.second[k];
    }
    return s;
}

namespace detail {

template<class T, int... K>
ONDO_HD inline T secondFold(const T* p, std::int64_t s, const T* c, std::integer_sequence<int, K...>)
{
    const T twice = p[0] + p[0];
    return (... + (c[K + 1] * ((p[(K + 1) * s] + p[-(K + 1) * s]) - twice)));
}

// At p + 1/2.
template<class T, int... K>
ONDO_HD inline T forwardFold(const T* p, std::int64_t s, const T* d, std::integer_sequence<int, K...>)
{
    return (... + (d[K + 1] * (p[(K + 1) * s] - p[-K * s])));
}

// At p, from values at halves: p[0] lies half a node above.
template<class T, int... K>
ONDO_HD inline T backwardFold(const T* p, std::int64_t s, const T* d, std::integer_sequence<int, K...>)
{
    return (... + (d[K + 1] * (p[K * s] - p[-(K + 1) * s])));
}

} // namespace detail

// Second derivative along a stride; 1/m^2 is in c. Written in differences, without c_0 f_0: a constant then gives exactly 0.
// With c_0 the rounded taps of a float sum to some 1e-7 instead of 0, and between rigid walls the constant mode, which
// nothing restores, grew like exp(1.6e-4 n) with the steps: by 5 % in 2000, beyond float in a million.
template<class T, int M>
ONDO_HD inline T secondDerivative(const T* p, std::int64_t stride, const T* c, int radius)
{
    if constexpr (M > 0) {
        return detail::secondFold(p, stride, c, std::make_integer_sequence<int, M>{});
    } else {
        const T twice = p[0] + p[0];
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum += c[k] * ((p[k * stride] + p[-k * stride]) - twice);
        }
        return sum;
    }
}

// Half a node above the point, and back from values at halves onto a node.
template<class T, int M>
ONDO_HD inline T forwardDerivative(const T* p, std::int64_t stride, const T* d, int radius)
{
    if constexpr (M > 0) {
        return detail::forwardFold(p, stride, d, std::make_integer_sequence<int, M>{});
    } else {
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum += d[k] * (p[k * stride] - p[(1 - k) * stride]);
        }
        return sum;
    }
}

template<class T, int M>
ONDO_HD inline T backwardDerivative(const T* p, std::int64_t stride, const T* d, int radius)
{
    if constexpr (M > 0) {
        return detail::backwardFold(p, stride, d, std::make_integer_sequence<int, M>{});
    } else {
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum += d[k] * (p[(k - 1) * stride] - p[-k * stride]);
        }
        return sum;
    }
}

} // namespace ondo::kernels
