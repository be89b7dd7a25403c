// Several steps of a gradient in one call: the host one by one, a GPU as it likes (on chip), and the GPU one by one, which must
// give the same bits.
#pragma once

#include "tests/parity/kernel_run.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace ondo::check {

using Expect = std::function<void(bool, const std::string&)>;

// In pieces that begin and end anywhere between samples and kept steps.
template<class T>
double retreatCase(Backend& host, Backend& other, StreamHandle stream, const Case& c, int ratio, int every, bool exact,
                   const Expect& expect)
{
    const Problem<T> p = makeProblem<T>(c);
    Run<T> onHost(host, nullptr, p);
    Run<T> onOther(other, stream, p);
    Run<T> stepwise(other, stream, p);
    const int third = c.steps / 3;
    for (const int piece : {third + 1, 1, third, c.steps - 2 * third - 2}) {
        onHost.advance(piece, ratio, every);
        onOther.advance(piece, ratio, every);
    }
    for (const int piece : {third, third + 2, c.steps - 2 * third - 2}) {
        onHost.retreat(piece, ratio, every);
        onOther.retreat(piece, ratio, every);
    }
    for (int i = 0; i < c.steps; ++i) {
        stepwise.advance(1, ratio, every);
    }
    for (int i = 0; i < c.steps; ++i) {
        stepwise.retreat(1, ratio, every);
    }
    const Outcome<T> a = onHost.outcome();
    const Outcome<T> b = onOther.outcome();
    const Outcome<T> d = stepwise.outcome();
    const double error = errorOfPeak(a, b);
    bool same =
        b.now == d.now && b.before == d.before && b.traces == d.traces && b.kept == d.kept && b.image == d.image;
    for (int axis = 0; axis < 3; ++axis) {
        same = same && b.psi[axis] == d.psi[axis] && b.zeta[axis] == d.zeta[axis];
    }
    const std::string name = "retreat, ratio " + std::to_string(ratio) + ", every " + std::to_string(every) + ", " +
                             c.name() + (sizeof(T) == 8 ? " double" : " float");
    const bool any = std::any_of(a.image.begin(), a.image.end(), [](T v) { return v != T(0); });
    expect(error <= (exact                         ? 0.0
                     : sizeof(T) == sizeof(double) ? 1e-12
                                                   : 2e-5) &&
               any,
           name + ": error " + std::to_string(error) + " of the peak");
    expect(same, name + ": other bits than one step at a time");
    return error;
}

template<class T>
void checkRetreat(Backend& host, Backend& other, StreamHandle stream, bool quick, bool exact,
                  const std::vector<std::array<Face, 6>>& faces, const Expect& expect)
{
    double worst = 0.0;
    unsigned seed = 4100;
    const auto check = [&](int order, const std::array<Face, 6>& mix, int ratio, int every, int shots, int nz, int nx,
                           int layer) {
        Case c;
        c.order = order;
        std::copy(mix.begin(), mix.end(), c.face);
        c.face[2] = c.face[3] = Face::Zero;
        c.n[0] = nz;
        c.n[2] = nx;
        c.layer = layer;
        c.shots = shots;
        c.steps = 16;
        c.seed = seed++;
        c.near = true;
        worst = std::max(worst, retreatCase<T>(host, other, stream, c, ratio, every, exact, expect));
    };
    for (const int order : {4, 8, 10}) {
        for (const auto& mix : faces) {
            check(order, mix, order == 4 ? 1 : 3, order == 4 ? 3 : 1, 1, 77, 93, 5);
        }
    }
    check(8, faces[0], 2, 1, 2, 120, 140, 20); // wide layers
    if (!quick) {
        check(8, faces[0], 3, 1, 2, 701, 907, 20); // tiles on every multiprocessor
        check(8, faces[4], 1, 4, 1, 533, 1203, 20);
        check(4, faces[1], 1, 1, 3, 340, 340, 20);
        check(8, faces[0], 2, 2, 1, 1040, 1040, 20);
        check(8, faces[0], 3, 1, 1, 1901, 1807, 20); // too large to stay on chip
    }
    std::printf("retreat, %s: largest error %.3g of the peak\n", sizeof(T) == 8 ? "double" : "float", worst);
}

} // namespace ondo::check
