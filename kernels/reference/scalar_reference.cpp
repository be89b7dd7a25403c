#include "kernels/reference/scalar_reference.h"

#include <array>
#include <cmath>

namespace ondo::kernels {

namespace {

// Published fractions (seismic.md 2.1; Fornberg 1988, table 1). Higher orders: the linear system of the Taylor conditions.
std::vector<double> secondTaps(int order)
{
    switch (order) {
    case 2: return {-2.0, 1.0};
    case 4: return {-5.0 / 2, 4.0 / 3, -1.0 / 12};
    case 6: return {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90};
    case 8: return {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
    case 10: return {-5269.0 / 1800, 5.0 / 3, -5.0 / 21, 5.0 / 126, -5.0 / 1008, 1.0 / 3150};
    default: break;
    }
    return {};
}

// Staggered first derivative, s_1 ... (the same sources), order as given.
std::vector<double> staggeredTaps(int order)
{
    switch (order) {
    case 2: return {1.0};
    case 4: return {9.0 / 8, -1.0 / 24};
    case 6: return {75.0 / 64, -25.0 / 384, 3.0 / 640};
    case 8: return {1225.0 / 1024, -245.0 / 3072, 49.0 / 5120, -5.0 / 7168};
    case 10: return {19845.0 / 16384, -735.0 / 8192, 567.0 / 40960, -405.0 / 229376, 35.0 / 294912};
    default: break;
    }
    return {};
}

// The Taylor conditions by Gaussian elimination in long double, j = 0 .. m-1: sum_k w_k k^(2j+2) = 1, 0, ... (second
// derivative, w_0 first) or sum_k w_k (k - 1/2)^(2j+1) = 1/2, 0, ... (staggered first derivative, w_1 first).
std::vector<double> solveTaps(int m, bool staggered)
{
    std::vector<std::vector<long double>> a(static_cast<std::size_t>(m),
                                            std::vector<long double>(static_cast<std::size_t>(m) + 1, 0.0L));
    for (int j = 0; j < m; ++j) {
        for (int k = 1; k <= m; ++k) {
            a[static_cast<std::size_t>(j)][static_cast<std::size_t>(k - 1)] =
                staggered ? std::pow(static_cast<long double>(k) - 0.5L, 2 * j + 1)
                          : std::pow(static_cast<long double>(k), 2 * j + 2);
        }
    }
    a[0][static_cast<std::size_t>(m)] = staggered ? 0.5L : 1.0L;
    for (std::size_t c = 0; c < static_cast<std::size_t>(m); ++c) {
        std::size_t pivot = c;
        for (std::size_t r = c; r < static_cast<std::size_t>(m); ++r) {
            pivot = std::fabs(a[r][c]) > std::fabs(a[pivot][c]) ? r : pivot;
        }
        std::swap(a[c], a[pivot]);
        for (std::size_t r = 0; r < static_cast<std::size_t>(m); ++r) {
            if (r == c) {
                continue;
            }
            const long double f = a[r][c] / a[c][c];
            for (std::size_t k = c; k <= static_cast<std::size_t>(m); ++k) {
                a[r][k] -= f * a[c][k];
            }
        }
    }
    std::vector<double> w(static_cast<std::size_t>(m) + 1, 0.0);
    long double sum = 0.0L;
    for (std::size_t k = 0; k < static_cast<std::size_t>(m); ++k) {
        const long double v = a[k][static_cast<std::size_t>(m)] / a[k][k];
        w[k + 1] = static_cast<double>(v);
        sum += v;
    }
    w[0] = static_cast<double>(-2.0L * sum);
    if (staggered) {
        w.erase(w.begin());
    }
    return w;
}

// Value of a field at a node that may lie beyond the domain along one axis.
double valueAt(const ScalarReference& s, const std::vector<double>& f, std::array<int, 3> i, int axis)
{
    double sign = 1.0;
    return s.imageOf(i, axis, sign) ? sign * f[static_cast<std::size_t>(s.at(i[0], i[1], i[2]))] : 0.0;
}

std::vector<double> secondOf(int m)
{
    const auto known = secondTaps(2 * m);
    return known.empty() ? solveTaps(m, false) : known;
}

std::vector<double> staggeredOf(int m)
{
    const auto known = staggeredTaps(2 * m);
    return known.empty() ? solveTaps(m, true) : known;
}

// What D+ and D- of a layer are (core/stencil.h): up to order 4 as published, beyond it orders 2m and 2m-2 blended so
// that the square of their value at Nyquist is that of the second derivative.
std::vector<double> layerTaps(int m)
{
    auto high = staggeredOf(m);
    if (m <= 2) {
        return high;
    }
    auto low = staggeredOf(m - 1);
    low.push_back(0.0);
    double nyquist[3] = {0.0, 0.0, 0.0};
    const auto c = secondOf(m);
    for (std::size_t k = 0; k < high.size(); ++k) {
        nyquist[0] += 2.0 * std::abs(low[k]);
        nyquist[1] += 2.0 * std::abs(high[k]);
        nyquist[2] += 2.0 * std::abs(c[k + 1]);
    }
    const double wanted = std::sqrt(nyquist[2] - c[0]);
    const double theta = (wanted - nyquist[0]) / (nyquist[1] - nyquist[0]);
    for (std::size_t k = 0; k < high.size(); ++k) {
        high[k] = theta * high[k] + (1.0 - theta) * low[k];
    }
    return high;
}

} // namespace

std::vector<double> referenceSecondTaps(int radius)
{
    return secondOf(radius);
}

std::vector<double> referenceLayerTaps(int radius)
{
    return layerTaps(radius);
}

bool ScalarReference::imageOf(std::array<int, 3>& i, int axis, double& sign) const
{
    auto& k = i[static_cast<std::size_t>(axis)];
    if (k >= 0 && k < n[axis]) {
        return true;
    }
    const bool high = k >= n[axis];
    switch (face[axis][high ? 1 : 0]) {
    case ReferenceFace::Zero: return false;
    case ReferenceFace::Odd: sign = -sign; break;
    case ReferenceFace::Even: break;
    }
    k = high ? 2 * (n[axis] - 1) - k : -k;
    return true;
}

bool ScalarReference::onFreeFace(const std::array<int, 3>& i) const
{
    bool on = false;
    for (int axis = 0; axis < 3; ++axis) {
        const int k = i[static_cast<std::size_t>(axis)];
        on = on || (!(axis == 1 && rank == 2) && ((k == 0 && face[axis][0] == ReferenceFace::Odd) ||
                                                  (k == n[axis] - 1 && face[axis][1] == ReferenceFace::Odd)));
    }
    return on;
}

void ScalarReference::reset()
{
    const auto size = static_cast<std::size_t>(std::int64_t{n[0]} * n[1] * n[2]);
    p.assign(size, 0.0);
    before.assign(size, 0.0);
    for (int axis = 0; axis < 3; ++axis) {
        psi[axis].assign(a[axis].empty() ? 0 : size, 0.0);
        zeta[axis].assign(a[axis].empty() ? 0 : size, 0.0);
    }
}

void ScalarReference::stepFirstMemory(int axis, const std::vector<double>& taps)
{
    const auto ax = static_cast<std::size_t>(axis);
    for (int z = 0; z < n[0]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[2]; ++x) {
                const std::array<int, 3> here = {z, y, x};
                double slope = 0.0;
                for (int k = 1; k <= static_cast<int>(taps.size()); ++k) {
                    auto up = here;
                    auto down = here;
                    up[ax] += k;
                    down[ax] -= k - 1;
                    slope += taps[static_cast<std::size_t>(k - 1)] *
                             (valueAt(*this, p, up, axis) - valueAt(*this, p, down, axis)) / h[axis];
                }
                const auto q = static_cast<std::size_t>(here[ax]);
                double& m = psi[axis][static_cast<std::size_t>(at(z, y, x))];
                m = aHalf[axis][q] * m + bHalf[axis][q] * slope;
            }
        }
    }
}

double ScalarReference::derivativeOfMemory(int axis, const std::array<int, 3>& here,
                                           const std::vector<double>& taps) const
{
    const auto ax = static_cast<std::size_t>(axis);
    const auto memoryAt = [&](int q) {
        if (q < 0 || q >= n[axis]) {
            return 0.0;
        }
        auto i = here;
        i[ax] = q;
        return buoyancyOfLink(axis, i, 1) * psi[axis][static_cast<std::size_t>(at(i[0], i[1], i[2]))];
    };
    double sum = 0.0;
    for (int k = 1; k <= static_cast<int>(taps.size()); ++k) {
        sum += taps[static_cast<std::size_t>(k - 1)] * (memoryAt(here[ax] + k - 1) - memoryAt(here[ax] - k)) / h[axis];
    }
    return sum;
}

double ScalarReference::buoyancyOfLink(int axis, const std::array<int, 3>& here, int k) const
{
    if (density.empty()) {
        return 1.0;
    }
    const auto ax = static_cast<std::size_t>(axis);
    const auto densityOf = [&](int q) {
        auto i = here;
        i[ax] = q;
        double sign = 1.0;
        if (!imageOf(i, axis, sign)) {
            i[ax] = q < 0 ? 0 : n[axis] - 1; // the edge's, for ever
        }
        return density[static_cast<std::size_t>(at(i[0], i[1], i[2]))];
    };
    double sum = 0.0;
    const int step = k > 0 ? 1 : -1;
    for (int q = here[ax]; q != here[ax] + k; q += step) {
        sum += 0.5 * (densityOf(q) + densityOf(q + step));
    }
    return std::abs(k) / sum;
}

double ScalarReference::secondDerivativeAt(int axis, const std::array<int, 3>& here,
                                           const std::vector<double>& taps) const
{
    const auto ax = static_cast<std::size_t>(axis);
    double second = 0.0;
    for (int k = 1; k < static_cast<int>(taps.size()); ++k) {
        auto up = here;
        auto down = here;
        up[ax] += k;
        down[ax] -= k;
        const double centre = valueAt(*this, p, here, axis);
        second += taps[static_cast<std::size_t>(k)] *
                  (buoyancyOfLink(axis, here, k) * (valueAt(*this, p, up, axis) - centre) -
                   buoyancyOfLink(axis, here, -k) * (centre - valueAt(*this, p, down, axis)));
    }
    return second / (h[axis] * h[axis]);
}

void ScalarReference::step(const std::vector<double>& source)
{
    const int m = order / 2;
    const auto c = secondOf(m);
    const auto s = layerTaps(m);
    for (int axis = 0; axis < 3; ++axis) {
        if (!a[axis].empty()) {
            stepFirstMemory(axis, s);
        }
    }
    std::vector<double> next(p.size());
    for (int z = 0; z < n[0]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[2]; ++x) {
                const std::array<int, 3> here = {z, y, x};
                const auto i = static_cast<std::size_t>(at(z, y, x));
                double laplacian = 0.0;
                for (int axis = 0; axis < 3; ++axis) {
                    if (axis == 1 && rank == 2) {
                        continue;
                    }
                    const auto ax = static_cast<std::size_t>(axis);
                    double second = secondDerivativeAt(axis, here, c);
                    if (!a[axis].empty()) {
                        second += derivativeOfMemory(axis, here, s);
                        const auto q = static_cast<std::size_t>(here[ax]);
                        zeta[axis][i] = a[axis][q] * zeta[axis][i] + b[axis][q] * second;
                        second += zeta[axis][i];
                    }
                    laplacian += second;
                }
                const double amount = source.empty() ? 0.0 : source[i];
                const double cdt = speed[i] * dt;
                const double rho = density.empty() ? 1.0 : density[i];
                next[i] = onFreeFace(here) ? 0.0 : 2.0 * p[i] - before[i] + cdt * cdt * (rho * laplacian + amount);
            }
        }
    }
    before = std::move(p);
    p = std::move(next);
}

} // namespace ondo::kernels
