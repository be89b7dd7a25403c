// What a plan asks of its device: the memory that its propagator holds there, byte by byte, and the work of each launch in
// the numbers that time depends on. Pure arithmetic on a plan; any thread.
#pragma once

#include "engine/session/simulation_plan.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ondo {

// One launch of shots.
struct LaunchWork {
    int rank = 2, order = 8;
    bool wide = false; // double precision
    int shots = 1;
    double points = 0.0;              // computed nodes with layers, of all shots
    double slab[3] = {0.0, 0.0, 0.0}; // of them in the layers across z, y, x, with the reach of the stencil
    double receiverNodes = 0.0;       // summed by the receivers each sample
    double sourceNodes = 0.0;         // added to by the sources each step
    double receivers = 0.0;
    double waveletSamples = 0.0; // computed before the first step
    double samples = 0.0;        // of each trace
    std::int64_t steps = 0;
    int ratio = 1; // steps a sample
};

struct PlanWork {
    std::vector<LaunchWork> launches; // in their order
    double modelPoints = 0.0;         // computed nodes of one shot: what is uploaded once
    double userPoints = 0.0;          // what is brought back at the end
};

struct PlanMemory {
    std::size_t held = 0;  // bytes that the propagator asks for, as long as it runs, in its largest launch
    std::size_t taken = 0; // of the device for them: the arena rounds up
};

[[nodiscard]] PlanWork workOf(const SimulationPlan& plan);
[[nodiscard]] PlanMemory memoryOf(const SimulationPlan& plan);

} // namespace ondo
