// Central differences on a regular grid, pure Taylor coefficients for any even order 2M (seismic.md 2.1; Fornberg 1988):
//   f''(0) h^2 = c_0 f_0 + sum_k c_k (f_k + f_-k),   c_k = 2 (-1)^(k+1) (M!)^2 / (k^2 (M-k)! (M+k)!),  c_0 = -2 sum c_k
//   f'(0) h    = sum_k d_k (f_k - f_-k),             d_k = (-1)^(k+1) (M!)^2 / (k (M-k)! (M+k)!)
// M > 0: taps unrolled as a fold (a loop costs a factor of four on the CPU). M == 0: radius known at run time.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/shape.h"

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
    T second[kMaxRadius + 1] = {}; // c_k / h^2
    T first[kMaxRadius + 1] = {};  // d_k / h; first[0] = 0
};

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
        c.first[k] = static_cast<T>(sign * ratio / k / spacing);
    }
    c.second[0] = static_cast<T>(-2.0 * sum / (spacing * spacing));
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
    return ((c[0] * p[0]) + ... + (c[K + 1] * (p[(K + 1) * s] + p[-(K + 1) * s])));
}

template<class T, int... K>
ONDO_HD inline T firstFold(const T* p, std::int64_t s, const T* d, std::integer_sequence<int, K...>)
{
    return (... + (d[K + 1] * (p[(K + 1) * s] - p[-(K + 1) * s])));
}

// Derivative of a product: w is a profile along the axis, p the field.
template<class T, int... K>
ONDO_HD inline T productFold(const T* w, const T* p, std::int64_t s, const T* d, std::integer_sequence<int, K...>)
{
    return (... + (d[K + 1] * (w[K + 1] * p[(K + 1) * s] - w[-(K + 1)] * p[-(K + 1) * s])));
}

} // namespace detail

// Second derivative along a stride; 1/m^2 is in c.
template<class T, int M>
ONDO_HD inline T secondDerivative(const T* p, std::int64_t stride, const T* c, int radius)
{
    if constexpr (M > 0) {
        return detail::secondFold(p, stride, c, std::make_integer_sequence<int, M>{});
    } else {
        T sum = c[0] * p[0];
        for (int k = 1; k <= radius; ++k) {
            sum += c[k] * (p[k * stride] + p[-k * stride]);
        }
        return sum;
    }
}

template<class T, int M>
ONDO_HD inline T firstDerivative(const T* p, std::int64_t stride, const T* d, int radius)
{
    if constexpr (M > 0) {
        return detail::firstFold(p, stride, d, std::make_integer_sequence<int, M>{});
    } else {
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum += d[k] * (p[k * stride] - p[-k * stride]);
        }
        return sum;
    }
}

template<class T, int M>
ONDO_HD inline T firstDerivativeOfProduct(const T* w, const T* p, std::int64_t stride, const T* d, int radius)
{
    if constexpr (M > 0) {
        return detail::productFold(w, p, stride, d, std::make_integer_sequence<int, M>{});
    } else {
        T sum = T(0);
        for (int k = 1; k <= radius; ++k) {
            sum += d[k] * (w[k] * p[k * stride] - w[-k] * p[-k * stride]);
        }
        return sum;
    }
}

} // namespace ondo::kernels
