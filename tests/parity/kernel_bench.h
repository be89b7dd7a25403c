// What a step costs on one backend, by the problems of kernel_case.h: bare steps, steps with points one by one, and as the
// engine asks for them.
#pragma once

#include "tests/parity/kernel_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string>

namespace ondo::check {

// Marginal time of a step: what n more steps cost, so that start-up and launch latency of the first are out. Bare steps, steps
// with points one by one, as the engine asks for them, and those of a gradient.
template<class T>
void benchCase(Backend& cuda, StreamHandle stream, int rank, int user, int few, int many, int shots = 1,
               bool density = false)
{
    enum Way { Bare, OneByOne, Advance, Kept, Back, BackImaged, AdvanceKept, Retreat };
    constexpr int kRepeats = 5;
    Case c;
    c.rank = rank;
    c.order = 8;
    c.layer = 20;
    c.line = true;
    c.shots = shots;
    c.density = density;
    c.steps = (kRepeats + 1) * (few + many);
    for (int i = 0; i < 6; ++i) {
        c.face[i] = rank == 2 && i / 2 == kY ? Face::Zero : Face::Layer;
    }
    for (int axis = 0; axis < 3; ++axis) {
        c.n[axis] = rank == 2 && axis == kY ? 1 : user + 2 * c.layer;
    }
    const Problem<T> p = makeProblem<T>(c);
    const EventHandle from = cuda.createEvent(true);
    const EventHandle to = cuda.createEvent(true);
    const double nodes = static_cast<double>(p.layout.nodes()) * shots;
    const double users = std::pow(static_cast<double>(user), rank) * shots;
    for (const Way way : {Bare, OneByOne, Advance, Kept, Back, BackImaged, AdvanceKept, Retreat}) {
        if (density && way >= BackImaged) {
            continue; // asks for more of the forward run than a problem has
        }
        Run<T> run(cuda, stream, p);
        double submit = 0.0; // the host's part, which the device's hides behind if it is shorter
        const auto timed = [&](int steps) {
            const auto start = std::chrono::steady_clock::now();
            cuda.record(from, stream);
            if (way == Advance) {
                run.advance(steps, 1);
            } else if (way == AdvanceKept) {
                run.advance(steps, 1, Run<T>::kAllOver);
            } else if (way == Retreat) {
                run.retreat(steps, 1, Run<T>::kAllOver);
            } else {
                for (int i = 0; i < steps; ++i) {
                    switch (way) {
                    case OneByOne: run.step(); break;
                    case Kept: run.stepKept(); break;
                    case Back: run.stepBack(false); break;
                    case BackImaged: run.stepBack(true); break;
                    default: run.stepAlone();
                    }
                }
            }
            cuda.record(to, stream);
            submit =
                std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() / steps;
            cuda.wait(to);
            return cuda.milliseconds(from, to) * 1e3;
        };
        timed(few);
        double best = 1e30;
        for (int repeat = 0; repeat < kRepeats; ++repeat) {
            best = std::min(best, (-timed(few) + timed(many)) / (many - few));
        }
        constexpr const char* kWays[] = {
            "",       ", with a survey",   ", the same through advance", ", W kept",
            ", back", ", back and imaged", ", W kept through advance",   ", back and imaged through retreat"};
        std::printf(
            "%d-D %d order 8 %s, %s%d shots%s: %.2f us/step, %.1f Gpts/s padded, %.1f user (submitted in %.2f us)\n",
            rank, user, sizeof(T) == 8 ? "double" : "float", density ? "density varies, " : "", shots, kWays[way], best,
            nodes / best * 1e-3, users / best * 1e-3, submit);
    }
    cuda.destroyEvent(from);
    cuda.destroyEvent(to);
}

// names: "all", or some of 2-1000-1 (axes, nodes along one, shots) and the like; 3-512-1d: where density varies.
inline void benchCases(Backend& cuda, StreamHandle stream, const std::string& names)
{
    struct Figure {
        int rank, user, few, many, shots;
        bool density = false;
    };
    for (const Figure& f : {Figure{2, 300, 1000, 9000, 1}, Figure{2, 1000, 500, 4500, 1}, Figure{2, 1000, 20, 220, 32},
                            Figure{2, 2048, 200, 1200, 1}, Figure{2, 4096, 50, 350, 1}, Figure{3, 256, 20, 120, 1},
                            Figure{3, 512, 8, 32, 1}, Figure{2, 4096, 50, 350, 1, true},
                            Figure{3, 256, 20, 120, 1, true}, Figure{3, 512, 8, 32, 1, true}}) {
        const std::string name = std::to_string(f.rank) + "-" + std::to_string(f.user) + "-" + std::to_string(f.shots) +
                                 (f.density ? "d" : "");
        if (names == "all" || (names + ",").find(name + ",") != std::string::npos) {
            benchCase<float>(cuda, stream, f.rank, f.user, f.few, f.many, f.shots, f.density);
        }
    }
    if (names == "all") {
        benchCase<double>(cuda, stream, 2, 1000, 200, 2200);
    }
}

} // namespace ondo::check
