// Are the planner's estimates right? Whole runs of the session, and whole gradients, over cases that calibration did not measure, each predicted
// just before it is run. Free of the command line and of Qt. One at a time.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"
#include "engine/session/device_speed.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

inline constexpr double kEstimateTolerance = 0.15; // what a person still takes for "right"
// Of a gradient's time: many parts of which each was measured by itself, in caches that it had for itself.
inline constexpr double kGradientTolerance = 0.25;

struct EstimateCase {
    int rank = 2;
    int nodes = 300; // an axis, without layers
    int order = 8;
    bool layers = true; // on all faces, 20 cells; otherwise rigid faces
    int shots = 1;      // all at once
    bool wide = false;
    std::string gradient; // a memory mode, "full" or "full on disk"; empty: a run forwards

    [[nodiscard]] std::string name() const; // "2d-300-o8-layers-s8", "2d-300-o8-layers-gradient-full"
};

struct EstimateFigure {
    EstimateCase which;
    std::string skipped; // why it was not run
    int runs = 0;        // the fastest counts
    std::int64_t steps = 0;
    double predictedSeconds = 0.0, measuredSeconds = 0.0;
    std::size_t predictedBytes = 0, measuredBytes = 0; // held on the device

    [[nodiscard]] double timeError() const; // predicted over measured, less one
    [[nodiscard]] double memoryError() const;
};

[[nodiscard]] double toleranceOf(const EstimateFigure& figure); // of its time; of bytes it is kEstimateTolerance

struct EstimateReport {
    std::string device;
    double loadBefore = -1.0, loadAfter = -1.0; // of the machine, one minute; < 0: not known
    bool stopped = false;
    std::vector<EstimateFigure> figures;

    [[nodiscard]] double worstTime() const; // absolute
    [[nodiscard]] double worstMemory() const;
    [[nodiscard]] bool good() const; // each within its tolerance
    [[nodiscard]] std::string text() const;
};

struct EstimateOptions {
    std::string only;                                // words separated by commas; a case whose name contains one is run
    bool quick = false;                              // no grid that takes minutes, orders 2 and 8
    double seconds = 0.5;                            // of stepping a case, about; a few steps at least
    int attempts = 3;                                // at a case that is slower than predicted
    std::function<void(const std::string&)> telling; // may be empty
    std::function<bool()> stop;                      // may be empty; asked between runs
};

[[nodiscard]] const std::vector<EstimateCase>& estimateCases();
// Refuses (BadInput) an `only` that chooses nothing.
[[nodiscard]] Result<EstimateReport> checkEstimates(const std::shared_ptr<Device>& device, const DeviceSpeed& speed,
                                                    const EstimateOptions& options);

} // namespace ondo
