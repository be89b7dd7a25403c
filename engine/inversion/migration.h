// Migration: where the reflectors are, from traces and a smooth model that echoes nothing itself.
// The parameter is the reflectivity m = d(c^2) / c^2 = 2 dc / c of each node, without unit, at fixed density; J its Born
// operator, the derivative of the traces by m, layers, faces, points between nodes and all.
//   reverse-time migration   J^T W^2 d, by computeGradient with the data for residuals: Pa^2 s, the derivative of a misfit
//   its image                that, divided by the sources' illumination, a share of its largest; muted, perhaps filtered
//   least squares            the m for which |W (J m - d)|^2 is least, by conjugate gradients, preconditioned by the illumination
//                            (seismic.md 2.5); its first iterate is the unfiltered image times the best factor there is
//   space-lag gathers        lag_gathers.h
// d: the observed traces less those of the model itself, or the observed ones as they are. W: windows and mutes (data_misfit.h).
#pragma once

#include "engine/device/device.h"
#include "engine/inversion/data_misfit.h"
#include "engine/inversion/gradient.h"
#include "engine/inversion/lag_gathers.h"
#include "engine/inversion/least_squares.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

inline constexpr int kMuteTaper = 5; // nodes

struct MigrationOptions {
    GradientOptions gradient; // how the adjoint is computed; of the model alone, whatever else it says
    bool subtract = true;     // the model's own traces from the observed ones
    TraceWindow window;
    double mute = 0.0;   // m below the model's top: 0 there, then a half cosine over as much as kMuteTaper nodes
    double water = 0.01; // of the largest illumination, added to it: of where little light comes little is made
    // The image, before the mute, times -(c / (4 pi f))^2 lap, f the first source's dominant frequency, second differences: an
    // echo of that frequency keeps its amplitude at normal incidence, is multiplied by cos^2 of half its opening angle, and
    // what sources and receivers light the same way vanishes (Zhang and Sun 2009). Not of least squares.
    bool laplacian = false;
    int iterations = 0;   // of least squares; 0: none
    double damping = 0.0; // LeastSquaresOptions::damping
    LagOptions lags;
};

// Before anything is computed.
struct MigrationNeeds {
    GradientMemory memory;  // of each gradient
    GradientMemory born;    // of each product with J, of least squares
    double gradients = 0.0; // in all; a product with J counts as two forward runs
    double seconds = 0.0;   // of all; 0: the device's speed is not known
    std::optional<LagNeeds> lags;
};
// Refuses what checkGradient does; mutes that leave nothing, numbers out of range; what checkLags does.
[[nodiscard]] Result<MigrationNeeds> checkMigration(const SimulationPlan& plan, const MigrationOptions& options);
[[nodiscard]] std::string describeMigration(const SimulationPlan& plan, const MigrationOptions& options,
                                            const MigrationNeeds& needs);

struct Migration {
    std::vector<double> gradient;     // J^T W^2 d, Pa^2 s, (z, y, x), x fastest
    std::vector<double> illumination; // share of its largest
    std::vector<double> image;        // Pa^2 s; muted, and 0 on absorbing faces, whose nodes stand for the layers too
    std::vector<double> reflectivity; // of the last iterate; empty without least squares
    std::vector<LeastSquaresStep> steps;
    std::string ended; // why least squares ended before its last iteration; empty: it did not
    std::optional<LagGathers> gathers;
    std::vector<double> misfits; // by shot: 1/2 the integral of (W d)^2, Pa^2 s
    TapeOptions tape;            // that gradients were computed with
    std::size_t peakBytes = 0;
    double seconds = 0.0;
    std::vector<std::string> notes;
};

struct MigrationHooks {
    std::function<void(const std::string& line)> progress; // now and then; may be empty
    const std::atomic<bool>* stop = nullptr;               // looked at between steps; may be null
    std::function<void(const std::string&)> note;
    // When the image and the gathers are there, before least squares; then each of its iterates. A failure ends it.
    std::function<Result<>(const Migration&)> imaged;
    std::function<Result<>(const LeastSquaresStep&, const std::vector<double>& reflectivity)> iterated;
};

// Failures: what checkMigration refuses, data of another shape than the run's, data that are zero; Cancelled; the device's.
// The same bits each time, whatever shotsAtOnce. Blocks; any thread, one call at a time a device.
[[nodiscard]] Result<Migration> migrate(const std::shared_ptr<const SimulationPlan>& plan,
                                        const std::shared_ptr<Device>& device, const std::vector<TraceTable>& observed,
                                        const MigrationOptions& options, const MigrationHooks& hooks = {});

} // namespace ondo
