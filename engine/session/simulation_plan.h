// Preflight: everything checked and estimated before anything is allocated; the immutable result is what a run obeys.
// Value type, shared as shared_ptr<const>. Any thread.
#pragma once

#include "engine/core/result.h"
#include "engine/grid/time_axis.h"
#include "engine/model/model.h"
#include "engine/project/run_description.h"
#include "kernels/backend.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct PlanWarning {
    std::string what;
    std::string remedy;
};

struct DeviceSpeed;

struct SimulationPlan {
    RunDescription run;
    Model model;
    kernels::DeviceFacts device;

    // Scheme
    int radius = 4;                   // half the space order
    TimeAxis time;                    // time.innerStep() is the scheme's dt
    double courantNumber = 0.0;       // v_max dt / smallest spacing
    double courantLimit = 0.0;        // the same number at the stability limit of the exact scheme
    double pointsPerWavelength = 0.0; // at the lowest speed and the wavelet's highest frequency
    double phaseErrorDegrees = 0.0;   // per wavelength there, the worse of axis and diagonal (truth/TRUTHS.md i)
    double vMin = 0.0, vMax = 0.0;    // m/s
    double densityMin = 0.0, densityMax = 0.0; // kg/m^3; 0: the equation has none

    // Computed domain: user nodes plus layers
    int layerLow[3] = {0, 0, 0}; // cells, by axis z, y, x
    int layerHigh[3] = {0, 0, 0};
    int nz = 1, ny = 1, nx = 1;
    double layerFrequency = 0.0; // Hz, for alpha

    // Estimates
    std::size_t deviceBytes = 0;              // that the propagator holds on the device in its largest launch
    std::size_t deviceBytesTaken = 0;         // of the device for them: the arena rounds up
    double secondsEstimate = 0.0;             // the whole run, all shots; 0: no basis (the device's speed is not known)
    std::shared_ptr<const DeviceSpeed> speed; // that it comes from; null: not known
    std::vector<PlanWarning> warnings;

    [[nodiscard]] bool variableDensity() const { return run.equation == Equation::VariableDensity; }
    [[nodiscard]] std::int64_t paddedNodes() const { return std::int64_t{nz} * ny * nx; }
    [[nodiscard]] std::int64_t totalSteps() const;
    // Several lines for a person: grid, scheme, margins, memory, time, warnings.
    [[nodiscard]] std::string describe() const;

    // Refuses (BadInput): a density that the equation has no place for, or one that is missing; orders
    // not proven stable with one; model values not finite or not positive, order, durations, positions outside, wavelets;
    // (Unstable): a courant fraction >= 1; (OutOfMemory): more than the device has. speed: of that device; null: not known.
    [[nodiscard]] static Result<std::shared_ptr<const SimulationPlan>> make(const RunDescription& run,
                                                                            const Model& model,
                                                                            const kernels::DeviceFacts& device,
                                                                            const DeviceSpeed* speed = nullptr);
};

// Greatest stable v dt for the grid: 2 / sqrt(Lambda_M sum_axes 1/h^2), in metres.
[[nodiscard]] double stableDistance(const Grid& grid, int radius);

} // namespace ondo
