#include "kernels/reference/scalar_adjoint_reference.h"

#include <utility>

namespace ondo::kernels {

namespace {

template<class Visit>
void forEach(const ScalarReference& s, const Visit& visit)
{
    for (int z = 0; z < s.n[0]; ++z) {
        for (int y = 0; y < s.n[1]; ++y) {
            for (int x = 0; x < s.n[2]; ++x) {
                visit(std::array<int, 3>{z, y, x}, static_cast<std::size_t>(s.at(z, y, x)));
            }
        }
    }
}

std::array<int, 3> moved(std::array<int, 3> i, int axis, int by)
{
    i[static_cast<std::size_t>(axis)] += by;
    return i;
}

} // namespace

ScalarAdjointReference::ScalarAdjointReference(const ScalarReference& of)
    : forward(of)
{
    const auto size = static_cast<std::size_t>(std::int64_t{of.n[0]} * of.n[1] * of.n[2]);
    p.assign(size, 0.0);
    before.assign(size, 0.0);
    source.assign(size, 0.0);
    weight.assign(size, 0.0);
    for (int axis = 0; axis < 3; ++axis) {
        psi[axis].assign(of.a[axis].empty() ? 0 : size, 0.0);
        zeta[axis].assign(of.a[axis].empty() ? 0 : size, 0.0);
    }
}

// What was read as a value at `i` along an axis, an image perhaps.
void ScalarAdjointReference::add(std::vector<double>& to, std::array<int, 3> i, int axis, double amount) const
{
    double sign = 1.0;
    if (forward.imageOf(i, axis, sign)) {
        to[static_cast<std::size_t>(forward.at(i[0], i[1], i[2]))] += sign * amount;
    }
}

// second = u_aa (+ the derivative of psi), zeta' = a zeta + b second, laplacian += second (+ zeta').
void ScalarAdjointReference::secondBack(int axis, const std::vector<double>& sum, std::vector<double>& present)
{
    const int m = forward.order / 2;
    const auto c = referenceSecondTaps(m);
    const auto s = referenceLayerTaps(m);
    const double h = forward.h[axis];
    const bool layer = !forward.a[axis].empty();
    forEach(forward, [&](const std::array<int, 3>& here, std::size_t i) {
        double second = sum[i];
        if (layer) {
            const auto q = static_cast<std::size_t>(here[static_cast<std::size_t>(axis)]);
            const double after = zeta[axis][i] + sum[i];
            zeta[axis][i] = forward.a[axis][q] * after;
            second += forward.b[axis][q] * after;
            for (int k = 1; k <= m; ++k) {
                for (const int by : {k - 1, -k}) {
                    const auto j = moved(here, axis, by);
                    const int at = j[static_cast<std::size_t>(axis)];
                    if (at >= 0 && at < forward.n[axis]) {
                        psi[axis][static_cast<std::size_t>(forward.at(j[0], j[1], j[2]))] +=
                            (by >= 0 ? second : -second) * s[static_cast<std::size_t>(k - 1)] / h;
                    }
                }
            }
        }
        second /= h * h;
        present[i] += c[0] * second;
        for (int k = 1; k <= m; ++k) {
            add(present, moved(here, axis, k), axis, c[static_cast<std::size_t>(k)] * second);
            add(present, moved(here, axis, -k), axis, c[static_cast<std::size_t>(k)] * second);
        }
    });
}

// psi' = aHalf psi + bHalf slope
void ScalarAdjointReference::firstBack(int axis, std::vector<double>& present)
{
    const auto s = referenceLayerTaps(forward.order / 2);
    forEach(forward, [&](const std::array<int, 3>& here, std::size_t i) {
        const auto q = static_cast<std::size_t>(here[static_cast<std::size_t>(axis)]);
        const double slope = forward.bHalf[axis][q] * psi[axis][i] / forward.h[axis];
        psi[axis][i] *= forward.aHalf[axis][q];
        for (int k = 1; k <= static_cast<int>(s.size()); ++k) {
            add(present, moved(here, axis, k), axis, s[static_cast<std::size_t>(k - 1)] * slope);
            add(present, moved(here, axis, 1 - k), axis, -s[static_cast<std::size_t>(k - 1)] * slope);
        }
    });
}

void ScalarAdjointReference::stepBack()
{
    std::vector<double> present = before; // p(n) was kept as the one before
    std::vector<double> past(p.size(), 0.0);
    std::vector<double> sum(p.size(), 0.0); // with respect to laplacian + amount
    forEach(forward, [&](const std::array<int, 3>& here, std::size_t i) {
        const bool free = forward.onFreeFace(here);
        const double cdt = forward.speed[i] * forward.dt;
        weight[i] = free ? 0.0 : p[i];
        sum[i] = cdt * cdt * weight[i];
        present[i] += 2.0 * weight[i];
        past[i] = -weight[i];
    });
    source = sum;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && forward.rank == 2) {
            continue;
        }
        secondBack(axis, sum, present);
        if (!forward.a[axis].empty()) {
            firstBack(axis, present);
        }
    }
    p = std::move(present);
    before = std::move(past);
}

} // namespace ondo::kernels
