#include "engine/inversion/forward_traces.h"

#include "engine/propagator/propagator.h"
#include "engine/session/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr int kTogether = 64; // steps between two looks at the hooks

bool stopped(const ForwardHooks& hooks)
{
    return hooks.stop != nullptr && hooks.stop->load(std::memory_order_relaxed);
}

TraceTable tableOf(Propagator& propagator, const TimeAxis& time)
{
    std::vector<double> rows; // [sample][receiver]
    propagator.readTraces(0, propagator.samplesRecorded(), rows);
    TraceTable table{propagator.receiverCount(0), time.count, time.dt, {}};
    const auto receivers = static_cast<std::size_t>(table.receivers);
    const auto samples = static_cast<std::size_t>(table.samples);
    table.values.reserve(receivers * samples);
    for (std::size_t r = 0; r < receivers; ++r) {
        for (std::size_t k = 0; k < samples; ++k) {
            table.values.push_back(rows[k * receivers + r]);
        }
    }
    return table;
}

Result<> computeShot(Propagator& propagator, const SimulationPlan& plan, int shot, const ForwardHooks& hooks)
{
    const int steps = plan.time.innerSteps();
    const auto shots = static_cast<double>(plan.run.survey.shots.size());
    propagator.begin(shot, 1);
    for (int done = 0; done < steps;) {
        done += propagator.advance(std::min(kTogether, steps - done), hooks.stop);
        if (stopped(hooks)) {
            return fail(ErrorKind::Cancelled, "the run was stopped before its traces were complete");
        }
        if (hooks.progress) {
            hooks.progress((shot + static_cast<double>(done) / steps) / shots);
        }
    }
    return {};
}

} // namespace

Result<std::vector<TraceTable>> computeTraces(const std::shared_ptr<const SimulationPlan>& plan,
                                              const std::shared_ptr<Device>& device, const ForwardHooks& hooks)
{
    std::vector<TraceTable> out;
    const auto done = guarded([&]() -> Result<> {
        const Stream stream(device, kernels::StreamPriority::Solver);
        const auto propagator = Propagator::create(plan, device, stream);
        for (int s = 0; s < static_cast<int>(plan->run.survey.shots.size()); ++s) {
            if (auto ok = computeShot(*propagator, *plan, s, hooks); !ok) {
                return ok;
            }
            out.push_back(tableOf(*propagator, plan->time));
            const auto& values = out.back().values;
            if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); })) {
                return fail(ErrorKind::Unstable, fmt::format("the run of shot {} grew beyond all bounds", s + 1),
                            "use a smaller Courant fraction");
            }
        }
        return {};
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    return out;
}

} // namespace ondo
