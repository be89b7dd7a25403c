// What a live view costs the solver: the runs of `ondoscope --measure-steps` for one grid, without a view, with views, and
// without again, put side by side. Value in, value out; any thread.
#pragma once

#include "engine/core/result.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace ondo {

// One line of ondoscope's.
struct ViewRun {
    std::string device, grid, window, view; // "256x256x256", sizes in pixels "1600x1000"
    std::string display, reason;            // "direct", "host", "none", and why it is not direct
    std::string tracesHash;                 // empty: not told
    double tracesLargest = 0.0;             // Pa; of silence a hash says nothing
    int order = 0;
    double steps = 0.0, samples = 0.0; // of the whole run; of each trace
    double seconds = 0.0;              // that were measured
    double stepsPerSecond = 0.0;
    double viewsPerSecond = 0.0;
    double glMilliseconds = -1.0;                // a view; < 0: not measured
    double pictureBytes = 0.0, fieldBytes = 0.0; // to the host while it was measured; the last field is one of them
};

// Refuses (BadInput) what is no such line.
[[nodiscard]] Result<ViewRun> readViewRun(std::string_view line);

// The order of measurement. No view comes first and last, so that a machine that drifts is seen.
inline constexpr std::array<int, 4> kViewRates = {0, 30, 60, 0}; // views a second; 0: no view

struct ViewFigure {
    std::string caseName;
    std::string skipped;       // why it was not measured; the rest is then empty
    std::vector<ViewRun> runs; // as kViewRates

    [[nodiscard]] double baseline() const;            // steps a second without a view: the mean of both
    [[nodiscard]] double drift() const;               // their difference over it
    [[nodiscard]] double kept(std::size_t run) const; // steps a second over those without a view
    [[nodiscard]] bool sameTraces() const;            // bit for bit in all runs
};

struct ViewReport {
    static constexpr int kSchema = 1; // of json()

    std::string version;
    double loadBefore = 0.0, loadAfter = 0.0; // of the machine, one minute; < 0: not known
    bool stopped = false;
    std::vector<ViewFigure> figures;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;
};

} // namespace ondo
