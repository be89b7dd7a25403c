// What a gradient costs over a run forward, by memory mode: marginal seconds of a step of both, and the peak in bytes beside
// the predicted one. Used by `ondo bench --gradient`. Any thread; blocks for seconds a case.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"
#include "engine/session/device_speed.h"
#include "engine/tape/tape.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct GradientMode {
    std::string name; // as the report shows it
    TapeOptions tape;
};

// What is measured of each grid.
[[nodiscard]] const std::vector<GradientMode>& gradientBenchModes();

struct GradientFigure {
    std::string caseName, mode;
    std::string skipped;                           // why it was not measured; the rest is then empty
    double forwardSeconds = 0.0;                   // a step of a run, as `ondo bench` measures it
    double gradientSeconds = 0.0;                  // a step of a gradient: forward, adjoint and image
    double predictedSeconds = 0.0;                 // the same as planned; 0: the device's speed is not known
    std::size_t peakBytes = 0, predictedBytes = 0; // on the device, of the longer of the two runs
    int steps = 0;                                 // of that run

    [[nodiscard]] double ratio() const { return forwardSeconds > 0.0 ? gradientSeconds / forwardSeconds : 0.0; }
};

struct GradientReport {
    static constexpr int kSchema = 2; // of json()

    std::string version, device;
    double loadBefore = -1.0, loadAfter = -1.0; // of the machine, one minute; < 0: not known
    bool stopped = false;
    std::vector<GradientFigure> figures;

    [[nodiscard]] std::string text() const;
    [[nodiscard]] std::string json() const;
};

struct GradientBenchOptions {
    std::string only;   // cases whose name contains this, several separated by commas; empty: those for the device
    std::string memory; // memory modes whose name contains this, in the same way; empty: all
    bool quick = false; // fewer cases, fewer rounds
    std::shared_ptr<const DeviceSpeed> speed;        // of the device, for what is predicted; may be null
    std::function<void(const std::string&)> telling; // may be empty
    std::function<bool()> stop;                      // may be empty
};

// Refuses (BadInput) a name that is of no case or of no memory mode.
[[nodiscard]] Result<GradientReport> benchGradients(const std::shared_ptr<Device>& device,
                                                    const GradientBenchOptions& options);

} // namespace ondo
