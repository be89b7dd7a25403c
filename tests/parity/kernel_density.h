// Steps where density varies, on one backend against another's: what marches, what does not, and a gradient's W and steps back.
#pragma once

#include "tests/parity/kernel_run.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace ondo::check {

// The other backend, and the same device without marching.
struct Others {
    Backend& marching;
    Backend& plain;
    StreamHandle stream = nullptr, plainStream = nullptr;
};

// Steps one by one on all and several in one call on the other, which must give the bits of its steps one by one, as must one
// thread a node; then W by itself, steps back, and what a direction of the density adds.
template<class T>
double densityError(Backend& host, const Others& others, const Case& c, bool& same, bool& plainSame)
{
    const Problem<T> p = makeProblem<T>(c);
    Run<T> onHost(host, nullptr, p);
    Run<T> onOther(others.marching, others.stream, p);
    Run<T> together(others.marching, others.stream, p);
    Run<T> byNodes(others.plain, others.plainStream, p);
    for (int i = 0; i < c.steps; ++i) {
        onHost.advance(1, 1);
        onOther.advance(1, 1);
        byNodes.advance(1, 1);
    }
    together.advance(c.steps, 1);
    const Outcome<T> a = onOther.outcome();
    const auto isSame = [&a](const Outcome<T>& b) {
        bool is = a.now == b.now && a.before == b.before && a.traces == b.traces;
        for (int axis = 0; axis < 3; ++axis) {
            is = is && a.psi[axis] == b.psi[axis] && a.zeta[axis] == b.zeta[axis];
        }
        return is;
    };
    same = isSame(together.outcome());
    plainSame = isSame(byNodes.outcome());
    const double error = errorOfPeak(onHost.outcome(), a);
    for (Run<T>* run : {&onHost, &onOther}) {
        run->keep();
        run->stepBack(false);
        run->stepBack(false);
        run->changeDensity(false);
        run->changeDensity(true);
    }
    return std::max(error, errorOfPeak(onHost.outcome(), onOther.outcome()));
}

// Calls expect(good, what) for each case; quick: few small ones. exact: both round alike.
template<class T>
void checkDensity(Backend& host, const Others& others, bool quick, bool exact,
                  const std::vector<std::array<Face, 6>>& faces,
                  const std::function<void(bool, const std::string&)>& expect)
{
    double worst = 0.0;
    const auto judge = [&](Case c) {
        c.density = true;
        bool same = false;
        bool plainSame = false;
        const double error = densityError<T>(host, others, c, same, plainSame);
        const double allowed = exact ? 0.0 : sizeof(T) == sizeof(double) ? 1e-13 : 1e-5;
        const std::string name = "density, " + c.name() + (sizeof(T) == 8 ? " double" : " float");
        expect(error <= allowed, name + ": error " + std::to_string(error) + " of the peak");
        expect(same, name + ": several steps in one call have other bits than one at a time");
        expect(plainSame, name + ": marching has other bits than one thread a node");
        worst = std::max(worst, error);
    };
    for (const int rank : {2, 3}) {
        for (const int order : {2, 4, 8, 12}) {
            if (quick && order != 8) {
                continue;
            }
            unsigned seed = 3300;
            for (const auto& mix : faces) {
                Case c = caseOfMix(rank, order, mix, seed % 2 == 0 ? 39 : 7);
                c.shots = 2;
                c.steps = quick ? 3 : 6;
                c.seed = seed++;
                judge(c);
            }
        }
        if (quick) {
            continue;
        }
        // Tiles and pieces of the march more than one, layers as runs have them, on one side only, too wide for a tile.
        using enum Face;
        struct Grid {
            std::array<Face, 6> face;
            int layer, n[3];
        };
        for (const Grid& g : {Grid{{Layer, Layer, Layer, Layer, Layer, Layer}, 20, {83, 78, 227}},
                              Grid{{Layer, Layer, Layer, Layer, Layer, Layer}, 4, {47, 61, 192}},
                              Grid{{Layer, Zero, Zero, Layer, Rigid, Layer}, 13, {77, 53, 156}},
                              Grid{{Zero, Free, Zero, Zero, Layer, Layer}, 7, {205, 37, 41}},
                              Grid{{Layer, Layer, Layer, Zero, Layer, Layer}, 60, {151, 75, 171}}}) {
            Case c;
            c.rank = rank;
            std::copy(g.face.begin(), g.face.end(), c.face);
            std::copy(g.n, g.n + 3, c.n);
            if (rank == 2) {
                c.face[2] = c.face[3] = Zero;
                c.n[0] *= 5;
                c.n[1] = 1;
                c.n[2] *= 3;
            }
            c.layer = g.layer;
            c.steps = 5;
            judge(c);
        }
    }
    std::printf("density, %s: largest error %.3g of the peak\n", sizeof(T) == 8 ? "double" : "float", worst);
}

} // namespace ondo::check
