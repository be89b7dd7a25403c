// The misfit of a survey's traces: what is done to synthetic and observed traces alike before they are compared, and
// the
// transpose of that after. In this order, each linear: the low-pass, the weights, the source.
//   low-pass  zero phase, 1 / (1 + (f / corner)^8): a Butterworth filter of order 4 run both ways. Filtering both
// sides is
//             filtering the source, for the wave equation does not change with time; but for the record's last samples.
//   weights   of a trace and sample: offsets, a window in time, a mute before first arrivals
//   source    with sourceScale: the factor that brings the synthetic shot nearest to the observed; with a sourceFilter: the
//             filter that does, of each shot or of all (source_filter.h); l2 alone
// Value types; any thread.
#pragma once

#include "engine/inversion/misfit.h"
#include "engine/inversion/source_filter.h"
#include "engine/inversion/trace_misfit.h"
#include "engine/session/simulation_plan.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ondo {

// Tapers are half cosines that lie inside what is kept.
struct TraceWindow {
    double from = 0.0;        // s
    std::optional<double> to; // s; none: the end
    double taper = 0.0;       // s
    double nearest = 0.0;     // m, offset of a receiver from its shot's first source
    std::optional<double> farthest;
    double muteSpeed = 0.0; // m/s; samples before offset / speed + muteDelay are left out; 0: none
    double muteDelay = 0.0; // s
    bool operator==(const TraceWindow&) const = default;
};

struct DataMisfitOptions {
    std::string kind = "l2";
    TraceMisfitOptions trace;
    TraceWindow window;
    double lowPass = 0.0; // Hz, corner; 0: none
    bool sourceScale = false;
    std::string sourceFilter = "none"; // sourceFilterNames()
    double sourceWater = 1e-3;         // of the synthetic traces' mean power: where they have none, the filter is 0
    bool operator==(const DataMisfitOptions&) const = default;
};

// What the last calls found, by shot; the caller reads it between calls.
struct DataMisfitReport {
    std::vector<int> unused;          // traces with a weight that the kind could not judge
    std::vector<double> factor;       // of the source; 1 without sourceScale
    std::vector<SourceFilter> filter; // empty ones without
};

// Refuses (BadInput) kinds, filters and windows that are none, and sources that are fitted for other kinds than l2: all that can
// be said
// without data.
[[nodiscard]] Result<> checkDataMisfit(const TimeAxis& time, const DataMisfitOptions& options);

// Refuses (BadInput): what checkDataMisfit() does, data of another shape than the run's, samples not finite, windows in
// which nothing is left of a shot. The function refuses a shot of which no trace can
// be judged. report: may be null. common: with a sourceFilter for all shots, that of these traces: from commonSourceFilter().
[[nodiscard]] Result<MisfitFunction> dataMisfit(const SimulationPlan& plan, const std::vector<TraceTable>& observed,
                                                const DataMisfitOptions& options,
                                                std::shared_ptr<DataMisfitReport> report = nullptr,
                                                const SourceFilter& common = {});

// Of all shots' synthetic traces, one table a shot; an empty one with other sourceFilters than "common". Refuses what
// dataMisfit() does, and traces that are zero.
[[nodiscard]] Result<SourceFilter> commonSourceFilter(const SimulationPlan& plan,
                                                      const std::vector<TraceTable>& observed,
                                                      const DataMisfitOptions& options,
                                                      const std::vector<TraceTable>& synthetic);

// Weights by [receiver][sample] of a shot.
[[nodiscard]] std::vector<double> windowWeights(const Shot& shot, const TimeAxis& time, const TraceWindow& window);

// Traces of so many samples one after the other, in place; symmetric as a matrix on a trace, so that it is its own transpose.
void lowPass(std::span<double> traces, std::size_t samples, double dt, double corner);

} // namespace ondo
