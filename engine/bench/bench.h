// How fast this machine computes, measured so that nobody can be flattered: shared/reference/performance.md 3.3.
//   - the machine's own copy bandwidth in the same run, as the yardstick;
//   - marginal step time (t(long) - t(short)) / (steps long - steps short) of alternating runs, median and least of five or
//     more, and beside it the whole call: allocation, upload, steps, traces back;
//   - random heterogeneous model, fields full of noise (no zeros, no denormals), absorbing layers of 20 cells, receivers on;
//   - on the host the plain OpenMP loop on the same padded grid, as the second yardstick;
//   - points a second counted with the layers (padded) and without (user).
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

struct BenchOptions {
    std::string only; // words separated by commas; a case whose name contains one is run. Empty: what suits the device
    bool quick = false;
    int repeats = 5; // at least; pairs of a short and a long run
    int layerCells = 20;
    int receivers = 500;                             // a shot, at most one a node of the line
    std::function<void(const std::string&)> telling; // may be empty: what is being measured
    std::function<bool()> stop;                      // may be empty; asked between runs
};

struct Spread {
    double median = 0.0, least = 0.0;
};

struct BenchFigure {
    BenchCase which;
    std::string skipped;                         // why it was not run; the rest is then empty
    std::int64_t paddedNodes = 0, userNodes = 0; // of one shot
    int receivers = 0;
    int shortSteps = 0, longSteps = 0, pairs = 0;
    Spread stepSeconds;        // marginal
    double wholeSeconds = 0.0; // whole call of wholeSteps steps, median of three; one for the largest
    int wholeSteps = 0;
    std::size_t arenaBytes = 0; // held on the device by the run
    double plainSeconds = 0.0;  // host: a step of kernels/reference/plain_loop.h on the padded grid, median; 0: none

    // Points a second, all shots of the launch, from the median.
    [[nodiscard]] double paddedRate() const;
    [[nodiscard]] double userRate() const;
    [[nodiscard]] double wholeRate() const;  // padded, the whole call
    [[nodiscard]] double timesPlain() const; // the plain loop's step over ours, both per padded point; 0: not measured
    // Time that 16 bytes a padded point would take at the copy bandwidth, over the step's time.
    [[nodiscard]] double roofline(double copyBandwidth) const;
};

struct BenchReport {
    std::string version;
    kernels::DeviceFacts device;
    bool host = true;
    double loadBefore = 0.0, loadAfter = 0.0; // of the machine, one minute; < 0: not known
    double copyBefore = 0.0,
           copyAfter = 0.0;     // bytes a second read plus written, best of several, before and after the cases
    std::size_t copyBytes = 0;  // of one array
    double launchSeconds = 0.0; // marginal step of a grid too small to count
    std::size_t arenaPeak = 0;  // of the largest case
    bool stopped = false;
    std::vector<BenchFigure> figures;

    [[nodiscard]] double copyBandwidth() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;
};

// Refuses (BadInput) an `only` that chooses nothing. A case that does not fit the device is in the report, skipped.
[[nodiscard]] Result<BenchReport> runBench(const std::shared_ptr<Device>& device, const BenchOptions& options);

// Best of `times` copies between two arrays of `bytes`; bytes read plus bytes written a second.
[[nodiscard]] double copyBandwidth(const std::shared_ptr<Device>& device, std::size_t bytes, int times);

} // namespace ondo
