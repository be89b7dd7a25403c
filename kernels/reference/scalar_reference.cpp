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

std::vector<double> firstTaps(int order)
{
    switch (order) {
    case 2: return {0.0, 1.0 / 2};
    case 4: return {0.0, 2.0 / 3, -1.0 / 12};
    case 6: return {0.0, 3.0 / 4, -3.0 / 20, 1.0 / 60};
    case 8: return {0.0, 4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    case 10: return {0.0, 5.0 / 6, -5.0 / 21, 5.0 / 84, -5.0 / 504, 1.0 / 1260};
    default: break;
    }
    return {};
}

// Solves sum_k w_k k^(2j + odd) = target_j, j = 0 .. m-1, by Gaussian elimination in long double.
std::vector<double> solveTaps(int m, bool odd)
{
    std::vector<std::vector<long double>> a(static_cast<std::size_t>(m),
                                            std::vector<long double>(static_cast<std::size_t>(m) + 1, 0.0L));
    for (int j = 0; j < m; ++j) {
        for (int k = 1; k <= m; ++k) {
            a[static_cast<std::size_t>(j)][static_cast<std::size_t>(k - 1)] =
                std::pow(static_cast<long double>(k), odd ? 2 * j + 1 : 2 * j + 2);
        }
    }
    a[0][static_cast<std::size_t>(m)] = odd ? 0.5L : 1.0L;
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
    w[0] = odd ? 0.0 : static_cast<double>(-2.0L * sum);
    return w;
}

// Value of a field at a node that may lie beyond the domain along one axis.
double valueAt(const ScalarReference& s, const std::vector<double>& f, std::array<int, 3> i, int axis)
{
    double sign = 1.0;
    if (i[static_cast<std::size_t>(axis)] < 0 || i[static_cast<std::size_t>(axis)] >= s.n[axis]) {
        const bool high = i[static_cast<std::size_t>(axis)] >= s.n[axis];
        switch (s.face[axis][high ? 1 : 0]) {
        case ReferenceFace::Zero: return 0.0;
        case ReferenceFace::Odd: sign = -1.0; break;
        case ReferenceFace::Even: break;
        }
        auto& k = i[static_cast<std::size_t>(axis)];
        k = high ? 2 * (s.n[axis] - 1) - k : -k;
    }
    return sign * f[static_cast<std::size_t>(s.at(i[0], i[1], i[2]))];
}

double profile(const std::vector<double>& v, int i)
{
    return i < 0 || i >= static_cast<int>(v.size()) ? 0.0 : v[static_cast<std::size_t>(i)];
}

} // namespace

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

void ScalarReference::step(const std::vector<double>& source)
{
    const int m = order / 2;
    auto c = secondTaps(order);
    auto d = firstTaps(order);
    if (c.empty()) {
        c = solveTaps(m, false);
        d = solveTaps(m, true);
    }
    std::vector<double> next(p.size());
    std::vector<double> newPsi[3];
    for (int axis = 0; axis < 3; ++axis) {
        newPsi[axis] = psi[axis];
    }
    for (int z = 0; z < n[0]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[2]; ++x) {
                const std::array<int, 3> here = {z, y, x};
                const auto i = static_cast<std::size_t>(at(z, y, x));
                double laplacian = 0.0;
                bool onFree = false;
                for (int axis = 0; axis < 3; ++axis) {
                    if (axis == 1 && rank == 2) {
                        continue;
                    }
                    const auto ax = static_cast<std::size_t>(axis);
                    onFree = onFree || (here[ax] == 0 && face[axis][0] == ReferenceFace::Odd) ||
                             (here[ax] == n[axis] - 1 && face[axis][1] == ReferenceFace::Odd);
                    double second = c[0] * p[i];
                    double first = 0.0;
                    double memory = 0.0;
                    for (int k = 1; k <= m; ++k) {
                        auto up = here;
                        auto down = here;
                        up[ax] += k;
                        down[ax] -= k;
                        const double pu = valueAt(*this, p, up, axis);
                        const double pd = valueAt(*this, p, down, axis);
                        second += c[static_cast<std::size_t>(k)] * (pu + pd);
                        first += d[static_cast<std::size_t>(k)] * (pu - pd);
                        if (!a[axis].empty()) {
                            const auto inside = [&](int q) { return q >= 0 && q < n[axis]; };
                            const double mu = inside(up[ax])
                                                  ? a[axis][static_cast<std::size_t>(up[ax])] *
                                                        psi[axis][static_cast<std::size_t>(at(up[0], up[1], up[2]))]
                                                  : 0.0;
                            const double md =
                                inside(down[ax])
                                    ? a[axis][static_cast<std::size_t>(down[ax])] *
                                          psi[axis][static_cast<std::size_t>(at(down[0], down[1], down[2]))]
                                    : 0.0;
                            memory += d[static_cast<std::size_t>(k)] * (mu - md);
                        }
                    }
                    second /= h[axis] * h[axis];
                    first /= h[axis];
                    memory /= h[axis];
                    if (a[axis].empty()) {
                        laplacian += second;
                        continue;
                    }
                    const int q = here[ax];
                    const double bq = profile(b[axis], q);
                    const double aq = profile(a[axis], q);
                    const double db = (profile(b[axis], q + 1) - profile(b[axis], q - 1)) / (2.0 * h[axis]);
                    const double inner = (1.0 + bq) * second + db * first + memory;
                    laplacian += (1.0 + bq) * inner + aq * zeta[axis][i];
                    newPsi[axis][i] = aq * psi[axis][i] + bq * first;
                    zeta[axis][i] = aq * zeta[axis][i] + bq * inner;
                }
                const double s = source.empty() ? 0.0 : source[i];
                const double cdt = speed[i] * dt;
                next[i] = onFree ? 0.0 : 2.0 * p[i] - before[i] + cdt * cdt * (laplacian + s);
            }
        }
    }
    before = std::move(p);
    p = std::move(next);
    for (int axis = 0; axis < 3; ++axis) {
        psi[axis] = std::move(newPsi[axis]);
    }
}

} // namespace ondo::kernels
