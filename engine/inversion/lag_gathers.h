// Space-lag gathers of a migration: the image of sources' and receivers' fields taken a distance apart,
//   I(x, h) = V sum over shots and instants of q(x + h) W(x - h)          q, W: kernels/equations/scalar_adjoint.h
// for horizontal h along x, in 3-D along y too, at chosen columns. In the true model an echo's energy lies at h = 0; where it
// does not, the model is too slow or too fast (Rickett and Sava 2002). I(x, 0) is the derivative by the reflectivity 2 dc/c of
// the node, but on faces (and, where density varies, at sources), to the error of summing every so many steps.
// In 2-D they stack along slopes to gathers by angle: an echo of a flat layer lies at z = h tan(theta), theta half the opening
// angle, positive for waves that travel towards greater x (Sava and Fomel 2003, equation 13).
// Cost: a run forwards and one backwards more than the image, W in the host's memory at every so many steps (eight in the
// shortest period), and lags x columns x depths products at each, on the host. Blocks; any thread, one call at a time a device.
#pragma once

#include "engine/device/device.h"
#include "engine/session/simulation_plan.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct LagOptions {
    double farthest = 0.0;     // m, |h| at most; 0: no gathers
    double apart = 0.0;        // m, between columns; 0: a sixteenth of the grid's length along x
    double widestAngle = 60.0; // degrees; of angle gathers, every 2 degrees
    [[nodiscard]] bool any() const { return farthest > 0.0; }
    bool operator==(const LagOptions&) const = default;
};

struct LagColumn {
    int x = 0, y = 0; // nodes
};

struct LagGathers {
    std::vector<LagColumn> columns;
    int depths = 0;                     // the grid's
    std::vector<double> lagsX, lagsY;   // m, h: whole nodes; lagsY empty in 2-D
    std::vector<double> alongX, alongY; // Pa^2 s, (column, z, lag)
    std::vector<double> angles;         // degrees; empty in 3-D
    std::vector<double>
        byAngle;   // Pa^2 s m, (column, z, angle): the sum over h of I(z + h tan(theta), h) times the lags' spacing
    int every = 1; // steps between the instants that are summed
};

// What the gathers need, before anything is computed.
struct LagNeeds {
    std::vector<LagColumn> columns;
    int lagsX = 0, lagsY = 0; // nodes to either side
    int every = 1;
    std::size_t hostBytes = 0; // of W, of one shot
};
// Refuses (BadInput) lags shorter than a node or longer than half the grid, columns nearer than a node; (OutOfMemory) W beyond the
// host's free memory.
[[nodiscard]] Result<LagNeeds> checkLags(const SimulationPlan& plan, const LagOptions& options);

struct LagHooks {
    std::function<void(int shot, double fraction)> progress; // now and then; may be empty
    const std::atomic<bool>* stop = nullptr;
};

// residuals: by shot, dJ/dd of each sample, [receiver][sample]. Shot after shot, summed in order: the same bits whatever
// shotsAtOnce says. Failures: what checkLags refuses, Cancelled, Unstable, the device's.
[[nodiscard]] Result<LagGathers> computeLagGathers(const std::shared_ptr<const SimulationPlan>& plan,
                                                   const std::shared_ptr<Device>& device,
                                                   const std::vector<std::vector<double>>& residuals,
                                                   const LagOptions& options, const LagHooks& hooks = {});

// One gather (z, lag) stacked along slopes: (z, angle), linear between nodes, 0 beyond the first and the last.
[[nodiscard]] std::vector<double> slantStack(const std::vector<double>& gather, int depths, double dz,
                                             const std::vector<double>& lags, const std::vector<double>& angles);

// How far from h = 0 a gather's energy lies, m: the root of sum h^2 I^2 / sum I^2 over depths from `top` on.
[[nodiscard]] double lagSpread(const std::vector<double>& gather, const std::vector<double>& lags, int top);

} // namespace ondo
