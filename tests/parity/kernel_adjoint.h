// The kernels of a gradient on one backend against another's: W of forward steps, then steps back, imaged and not.
#pragma once

#include "tests/parity/kernel_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace ondo::check {

// W beside its step and by itself on the one, beside it on the other; steps back; the same numbers?
template<class T>
double adjointError(Backend& host, Backend& other, StreamHandle stream, const Case& c, bool& any)
{
    const Problem<T> p = makeProblem<T>(c);
    Run<T> onHost(host, nullptr, p);
    Run<T> onOther(other, stream, p);
    onHost.step();
    onHost.keep();
    onOther.stepKept();
    for (Run<T>* run : {&onHost, &onOther}) {
        for (int i = 1; i < c.steps; ++i) {
            run->stepBack(i % 3 != 0);
        }
    }
    const Outcome<T> a = onHost.outcome();
    any = std::any_of(a.image.begin(), a.image.end(), [](T v) { return v != T(0); });
    return errorOfPeak(a, onOther.outcome());
}

// Calls expect(good, what) for each case; quick: few small ones. exact: both round alike.
template<class T>
void checkAdjoint(Backend& host, Backend& other, StreamHandle stream, bool quick, bool exact,
                  const std::vector<std::array<Face, 6>>& faces,
                  const std::function<void(bool, const std::string&)>& expect)
{
    double worst = 0.0;
    const auto judge = [&](const Case& c) {
        bool any = false;
        const double error = adjointError<T>(host, other, stream, c, any);
        const double allowed = exact ? 0.0 : sizeof(T) == sizeof(double) ? 1e-13 : 1e-5;
        expect(error <= allowed && any, "adjoint, " + c.name() + (sizeof(T) == 8 ? " double" : " float") + ": error " +
                                            std::to_string(error) + " of the peak");
        worst = std::max(worst, error);
    };
    for (const int rank : {2, 3}) {
        for (const int order : {2, 4, 6, 8, 10, 12, 16}) {
            if (quick && order != 4 && order != 12) {
                continue;
            }
            unsigned seed = 1300;
            for (const auto& mix : faces) {
                Case c = caseOfMix(rank, order, mix, 11);
                c.shots = quick ? 2 : 3;
                c.steps = 6;
                c.seed = seed++ + static_cast<unsigned>(order) * 100U;
                judge(c);
            }
        }
        // Layers as runs have them, wider than a tile's rows and not; a second tile along each axis.
        for (const int layer : {10, 20, 37}) {
            if (quick && layer != 20) {
                continue;
            }
            Case c = caseOfMix(rank, 8, faces.front(), 11);
            c.layer = layer;
            for (int axis = 0; axis < 3; ++axis) {
                c.n[axis] = rank == 2 && axis == kY ? 1 : 2 * (layer + 4) + (axis == kX ? 85 : 37);
            }
            c.steps = 6;
            c.shots = quick ? 1 : 2;
            judge(c);
        }
    }
    std::printf("adjoint, %s: largest error %.3g of the peak\n", sizeof(T) == 8 ? "double" : "float", worst);
}

} // namespace ondo::check
