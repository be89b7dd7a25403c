// The misfit along the straight line between two models, J(a + t (b - a)): what a descent from one to the other has to cross.
// With a and b half a period of the data or more apart, the misfit of waveforms has a minimum a period from the right one:
// cycle skipping, seen as a second valley. One forward run a point, for all kinds of misfit together.
// The step is that of the fastest speed on the line, so it is not an inversion's own, and values differ by its dispersion.
// Value types; any thread.
#pragma once

#include "engine/inversion/data_misfit.h"
#include "engine/inversion/forward_traces.h"

#include <functional>
#include <string>
#include <vector>

namespace ondo {

struct MisfitLineRequest {
    double from = -0.25, to = 1.25; // of t; 0: model a, 1: model b
    int points = 41;
    std::vector<std::string> kinds = {"l2"}; // names of traceMisfitKinds()
    DataMisfitOptions data;                  // what else is done to the traces; its kind does not count
};

// One valley of a curve: t between the points by a parabola through three of them.
struct LineMinimum {
    double t = 0.0, value = 0.0;
};

struct MisfitCurve {
    std::string kind, unit;
    std::vector<double> values; // by point; shorter while it grows
};

struct MisfitLine {
    std::vector<double> t;
    std::vector<MisfitCurve> curves;
};

struct MisfitLineHooks {
    std::function<void(const MisfitLine& soFar)> grown; // after each point; may be empty
    std::function<void(double fraction)> progress;      // may be empty
    const std::atomic<bool>* stop = nullptr;
};

// The plan for every model of the line, with a in it. Refuses (BadInput): models on different grids, fewer than 3 points,
// from >= to, speeds on the line that are not positive, misfits that are none; what SimulationPlan::make refuses.
[[nodiscard]] Result<std::shared_ptr<const SimulationPlan>> planMisfitLine(const RunDescription& run, const Model& a,
                                                                           const Model& b,
                                                                           const kernels::DeviceFacts& device,
                                                                           const MisfitLineRequest& request);

// plan: of planMisfitLine(). observed: by shot. Blocks; one call at a time a device. A stop comes back as Cancelled.
[[nodiscard]] Result<MisfitLine> computeMisfitLine(const SimulationPlan& plan, const std::shared_ptr<Device>& device,
                                                   const std::vector<TraceTable>& observed, const Model& b,
                                                   const MisfitLineRequest& request, const MisfitLineHooks& hooks = {});

// Valleys inside the line, in rising order of t. Ripples shallower than a thousandth of the curve's range do not count.
[[nodiscard]] std::vector<LineMinimum> minimaOf(const std::vector<double>& t, const std::vector<double>& values);
// Where a descent from `start` along the curve comes to rest: a point's t.
[[nodiscard]] double descentFrom(double start, const std::vector<double>& t, const std::vector<double>& values);
// "l2: 2 minima, at t = 0.21 and 1.00: cycle skipping; a descent from t = 0 ends at t = 0.21, not at the lowest"
[[nodiscard]] std::string describeCurve(const MisfitLine& line, const MisfitCurve& curve);
// A column a kind, a row a point, for a spreadsheet; units in the first row.
[[nodiscard]] std::string tableText(const MisfitLine& line);

} // namespace ondo
