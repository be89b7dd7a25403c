// How fast one device is, as measured on it by engine/bench/calibration: seconds of a step over grids of several sizes, what
// layers, receivers, sources and shots at once add, and what a run costs before and after its steps. What it predicts lies
// between measurements wherever it can, on logarithmic scales: a device has regimes (on chip, in a cache, from memory) and
// each has measured sizes of its own. Value type, any thread; shared as shared_ptr<const>.
#pragma once

#include "engine/session/plan_work.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ondo {

struct SpeedPoint {
    double points = 0.0;  // nodes of a launch, layers included
    double seconds = 0.0; // what this is of says the curve
};

// Over the size of a launch, rising.
struct SpeedCurve {
    int rank = 2;
    int order = 8;
    std::vector<SpeedPoint> at;

    // Between the measured sizes; below the first as it goes on from there, at most down to nothing saved; beyond the last
    // in proportion to the size.
    [[nodiscard]] double seconds(double points) const;
    // The same for a quantity that does not grow with the size (a ratio, seconds a node): beyond the ends as at the ends.
    [[nodiscard]] double level(double points) const;
};

// Of receivers, on a grid of so many nodes.
struct ReceiverCost {
    double points = 0.0;
    double sample = 0.0; // s: each time there is any
    double node = 0.0;   // s a node that is summed
};

// What a gradient is made of (engine/inversion/launch_waves.h): s of each, over the nodes of a launch with layers of 20 cells
// on all faces, order 8, single precision.
struct GradientSpeed {
    enum Part { Step, Keep, Back, Image, Rewind, Shell, StepOfMany, KeepOfMany, BackOfMany, ImageOfMany, Parts };
    // Step: one step forwards by itself; Keep: its W(n); Back: a step of the adjoint run; Image: what imaging adds to it;
    // Rewind: what it adds to an imaged step to take the run's back in the interior; Shell: a step of the layers alone with what
    // is kept of it, s a node of theirs. OfMany: of steps that go out in one call, as the modes whose W(n) lies evenly let them.
    std::vector<SpeedPoint> at[Parts];
    double orderFour[Parts]; // of order 4 over order 8, at one size
    double wide[Parts];      // of double over single precision

    GradientSpeed()
    {
        std::fill_n(orderFour, static_cast<int>(Parts), 1.0);
        std::fill_n(wide, static_cast<int>(Parts), 2.0);
    }

    [[nodiscard]] bool empty() const { return at[Step].empty(); }
    // Of a launch; Shell: a node. 0: no basis.
    [[nodiscard]] double seconds(Part part, const LaunchWork& launch) const;
};

struct RankSpeed {
    std::vector<SpeedCurve> plain;          // s a step, one shot, single precision, no layers; one curve an order
    std::vector<SpeedCurve> layered;        // s a layer node more; one curve an order
    double slabWeight[3] = {1.0, 1.0, 1.0}; // cost of a layer node across z, y, x; their mean is 1
    SpeedCurve wide;                        // double over single precision, of the same step
    // A layer node more over a node of the same plain step: on one device these may go another way than single precision.
    SpeedCurve wideLayered;
    std::vector<SpeedCurve> eightShots; // a step of eight shots over one of one shot, whose nodes are counted
    // Run-time radius: `points` is the order, `seconds` the step over one of order 8; a layer node as above.
    std::vector<SpeedPoint> general, generalLayered;
    std::vector<ReceiverCost> receivers; // over the size, rising
    double sourceNode = 0.0;             // s a node that sources add to
    GradientSpeed gradient;

    bool empty() const { return plain.empty(); }
};

// Blocks on their way, s each.
struct StagingCost {
    double copied = 0.0;        // a byte within the device
    double staged = 0.0;        // a byte between device and pinned memory
    double filed = 0.0;         // a byte to the disk or back, of files that memory does not hold
    double filedCached = 0.0;   // of files that the system's page cache holds
    double gathered = 0.0;      // a number from boxes to a block or back
    double packed = 0.0;        // a number to 16 or 32 bits or back
    double packedScaled = 0.0;  // the same with a scale a block: float16, int8
    double gradientPoint = 0.0; // a node of each shot: the image back and onto the model, and all else but steps
};

// Before, between and after the steps.
struct CallCost {
    double fixed = 0.0;         // s a run
    double launch = 0.0;        // s a launch
    double modelPoint = 0.0;    // s a node: upload, memory's first touch
    double fieldPoint = 0.0;    // s a node and shot: memory's first touch
    double clearPoint = 0.0;    // s a node and shot, each launch
    double readPoint = 0.0;     // s a node: the last field
    double waveletSample = 0.0; // s
    double receiverNode = 0.0;  // s
    double traceSample = 0.0;   // s
};

struct DeviceSpeed {
    std::string key;    // of the device, the program and its kernels: engine/io/speed_file
    std::string device; // name, for a person
    std::string when;   // UTC, "2026-05-01 12:00:00"
    double took = 0.0;  // s
    double load = -1.0; // of the machine, one minute, before it; < 0: not known
    RankSpeed rank[2];  // of 2 and of 3 dimensions
    CallCost call;
    StagingCost staging;

    // Seconds of one step of a launch. 0: no basis (nothing was measured for such a grid).
    [[nodiscard]] double stepSeconds(const LaunchWork& launch) const;
    // All of a run: allocation, upload, steps, traces back. 0: no basis.
    [[nodiscard]] double runSeconds(const PlanWork& work) const;
    // One sample of receivers on so many nodes, of a launch like this.
    [[nodiscard]] double recordSeconds(const LaunchWork& launch, double nodes) const;
    // What a run takes besides its steps.
    [[nodiscard]] double callSeconds(const PlanWork& work) const;
};

} // namespace ondo
