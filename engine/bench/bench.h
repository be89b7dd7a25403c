// How fast this machine computes, measured so that nobody can be flattered. The protocol:
//   - yardsticks of the same run: the machine's copy bandwidth (before and after the cases, the larger counts), and what an
//     empty step costs: on a GPU a launch in a stream, a node of a graph, a grid barrier; on the CPU an empty run of the
//     team of threads. All as the least of several;
//   - the figure: marginal step time (t(long) - t(short)) / (steps long - steps short) of alternating runs, median and least
//     of five pairs or more;
//   - the roofline: what the copy bandwidth allows if a step moves 16 bytes a padded point (p, p before and the model read,
//     p after written; float) and 16 bytes a node and axis of an absorbing layer (psi and zeta, read and written), and
//     nothing else. The fraction can be more than 1 where the fields stay in a cache. On the host the plain OpenMP loop on the
//     same padded grid is the second yardstick;
//   - the whole call of 2,000 steps: allocation, upload, steps, traces back, as time a step over the marginal one. Median of
//     three after a first one, which is told apart, because a program's second shot finds the arena's memory there, and
//     what was made of the same points and wavelets. Fewer steps, and told, where 2,000 would take too long;
//   - the peak memory of such a run, of all that the arena took, over what it cannot do without (stateBytes in
//     engine/propagator/domain.h: three fields and the slabs); the traces are what was asked for and counted apart;
//   - random heterogeneous model, fields full of noise (no zeros, no denormals), absorbing layers of 20 cells, 500
//     receivers at each step, one source;
//   - points a second counted with the layers (padded) and without (user). Ratios are worth comparing within one run only:
//     engine/bench/bench_compare.h does so from run to run.
// Free of the command line and of Qt. One at a time.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct BenchCase {
    std::string name; // "2d-1000-o8"
    int rank = 2;
    int nodes = 1000; // along each axis, without layers
    int order = 8;
    int shots = 1;        // in one launch
    bool onHost = true;   // short enough for a CPU
    bool inQuick = false; // part of a quick look
};

[[nodiscard]] const std::vector<BenchCase>& benchCases();
// Does the name of a case contain one of the words, which commas separate?
[[nodiscard]] bool isNamedBy(const std::string& name, const std::string& words);

struct BenchOptions {
    std::string only; // words separated by commas; a case whose name contains one is run. Empty: what suits the device
    bool quick = false;
    int repeats = 5; // at least; pairs of a short and a long run
    int layerCells = 20;
    int receivers = 500;                             // a shot, at most one a node of the line
    int wholeSteps = 2000;                           // of a whole call; 0: neither that nor its memory is measured
    double wholeSeconds = 30.0;                      // that a whole call may take; quick: a sixth
    std::function<void(const std::string&)> telling; // may be empty: what is being measured
    std::function<bool()> stop;                      // may be empty; asked between runs
};

struct Spread {
    double median = 0.0, least = 0.0;
};

struct BenchMemory {
    std::size_t peak = 0;   // bytes that the arena took for the run, rounding included
    std::size_t traces = 0; // of these: the traces, which were asked for
    std::size_t state = 0;  // stateBytes of the plan: three fields and the slabs
    // GPU: by how much the device's free memory fell since the bench began, code, graphs and plans of all cases so far
    // included; 0 on the host, where others come and go.
    std::size_t device = 0;

    [[nodiscard]] double ratio() const; // peak without the traces over state; 0: not measured
};

struct BenchFigure {
    BenchCase which;
    std::string skipped;                         // why it was not run; the rest is then empty
    std::int64_t paddedNodes = 0, userNodes = 0; // of one shot
    std::int64_t layerNodes = 0;                 // of one shot, counted once an axis whose layer it is
    int receivers = 0;
    int shortSteps = 0, longSteps = 0, pairs = 0;
    Spread stepSeconds;             // marginal
    double wholeSeconds = 0.0;      // whole call of wholeSteps steps, median of wholeTimes after the first
    double wholeFirstSeconds = 0.0; // the first, on an empty arena
    int wholeSteps = 0, wholeTimes = 0;
    BenchMemory memory;
    Spread plainSeconds; // host: a step of kernels/reference/plain_loop.h on the padded grid; 0: none

    // Points a second, all shots of the launch, from the median.
    [[nodiscard]] double paddedRate() const;
    [[nodiscard]] double userRate() const;
    [[nodiscard]] double wholeRate() const;  // padded, the whole call
    [[nodiscard]] double wholeRatio() const; // a step of the whole call over the marginal one; 0: not measured
    [[nodiscard]] double timesPlain() const; // the plain loop's step over ours, both per padded point; 0: not measured
    [[nodiscard]] double bytesAStep() const; // that a step cannot help to move
    [[nodiscard]] double rooflineRate(double copyBandwidth) const; // padded points a second
    [[nodiscard]] double roofline(double copyBandwidth) const;     // fraction of it
};

struct BenchReport {
    static constexpr int kSchema = 2; // of json()

    std::string version;
    kernels::DeviceFacts device;
    bool host = true, quick = false;
    double loadBefore = 0.0, loadAfter = 0.0; // of the machine, one minute; < 0: not known
    double copyBefore = 0.0,
           copyAfter = 0.0;        // bytes a second read plus written, best of several, before and after the cases
    std::size_t copyBytes = 0;     // of one array
    double smallStepSeconds = 0.0; // marginal step of a grid too small to count
    kernels::Overheads overheads;  // host: `barrier` is an empty run of the team of threads
    bool stopped = false;
    std::vector<BenchFigure> figures;

    [[nodiscard]] double copyBandwidth() const;
    [[nodiscard]] std::size_t peakMemory() const; // of the largest case
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;
};

// Refuses (BadInput) an `only` that chooses nothing. A case that does not fit the device is in the report, skipped.
[[nodiscard]] Result<BenchReport> runBench(const std::shared_ptr<Device>& device, const BenchOptions& options);

// Best of `times` copies between two arrays of `bytes`; bytes read plus bytes written a second.
[[nodiscard]] double copyBandwidth(const std::shared_ptr<Device>& device, std::size_t bytes, int times);

// The machine's, of one minute; < 0: not known.
[[nodiscard]] double loadAverage();

} // namespace ondo
