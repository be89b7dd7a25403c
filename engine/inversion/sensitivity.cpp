#include "engine/inversion/sensitivity.h"

#include "engine/session/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace ondo {

namespace {

constexpr double kRamp = 0.1;        // of the window, at each end
constexpr double kFewestSamples = 4; // in a window
constexpr double kSlack = 1e-9;      // of a sample: typed numbers are rounded

Result<> checkWindow(double from, double to, const TimeAxis& time)
{
    const double end = time.duration();
    if (!std::isfinite(from) || !std::isfinite(to) || from >= to) {
        return badInput(fmt::format("the window from {:.6g} s to {:.6g} s ends before it begins", from, to),
                        "give a later end or an earlier beginning");
    }
    if (from < -kSlack * time.dt || to > end + kSlack * time.dt) {
        return badInput(fmt::format("the window from {:.6g} s to {:.6g} s lies outside of the trace, which ends at "
                                    "{:.6g} s",
                                    from, to, end),
                        "move the window into the trace, or lengthen the run");
    }
    if (to - from < kFewestSamples * time.dt) {
        return badInput(fmt::format("the window from {:.6g} s to {:.6g} s holds fewer than {:.0f} samples of {:.3g} ms",
                                    from, to, kFewestSamples, time.dt * 1e3),
                        "widen the window");
    }
    return {};
}

Residual energyOf(const TraceTable& trace, const std::vector<double>& w)
{
    Residual r;
    for (std::size_t k = 0; k < w.size(); ++k) {
        const double x = w[k] * trace.values[k];
        r.misfit += 0.5 * x * x * trace.dt;
        r.values.push_back(w[k] * x * trace.dt);
    }
    return r;
}

Residual travelTimeOf(const TraceTable& trace, const std::vector<double>& w)
{
    const auto count = w.size();
    std::vector<double> x(count), slope(count, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
        x[k] = w[k] * trace.values[k];
    }
    double power = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
        const double before = k > 0 ? x[k - 1] : 0.0;
        const double after = k + 1 < count ? x[k + 1] : 0.0;
        slope[k] = (after - before) / (2.0 * trace.dt);
        power += slope[k] * slope[k] * trace.dt;
    }
    Residual r;
    r.values.assign(count, 0.0);
    for (std::size_t k = 0; k < count && power > 0.0; ++k) {
        r.values[k] = -w[k] * slope[k] * trace.dt / power;
    }
    return r;
}

} // namespace

bool KernelRequest::samePair(const KernelRequest& other) const
{
    return shot == other.shot && receiver == other.receiver && measure == other.measure && from == other.from &&
           to == other.to;
}

std::string kernelUnit(KernelMeasure measure)
{
    return measure == KernelMeasure::Energy ? "Pa² s per m/s" : "s per m/s";
}

std::string adjointUnit(KernelMeasure measure, int rank)
{
    const std::string perSample = measure == KernelMeasure::Energy ? "Pa s" : "s/Pa";
    return rank == 2 ? perSample : measure == KernelMeasure::Energy ? "Pa s/m" : "s/(Pa m)";
}

std::vector<double> windowTaper(double from, double to, double dt, int samples)
{
    std::vector<double> w(static_cast<std::size_t>(samples), 0.0);
    const double ramp = kRamp * (to - from);
    const double end = (samples - 1) * dt;
    const auto rise = [ramp](double inside) {
        return inside >= ramp ? 1.0 : 0.5 - 0.5 * std::cos(std::numbers::pi * inside / ramp);
    };
    for (int k = 0; k < samples; ++k) {
        const double t = k * dt;
        if (t < from - kSlack * dt || t > to + kSlack * dt) {
            continue;
        }
        const double up = from <= kSlack * dt ? 1.0 : rise(std::max(0.0, t - from));
        const double down = to >= end - kSlack * dt ? 1.0 : rise(std::max(0.0, to - t));
        w[static_cast<std::size_t>(k)] = up * down;
    }
    return w;
}

MisfitFunction windowMeasure(KernelMeasure measure, double from, double to)
{
    return [=](int, const TraceTable& trace) -> Result<Residual> {
        const auto w = windowTaper(from, to, trace.dt, trace.samples);
        return measure == KernelMeasure::Energy ? energyOf(trace, w) : travelTimeOf(trace, w);
    };
}

Result<KernelPlan> planKernel(const SimulationPlan& plan, const KernelRequest& request)
{
    const auto& shots = plan.run.survey.shots;
    if (request.shot < 0 || static_cast<std::size_t>(request.shot) >= shots.size()) {
        return badInput(fmt::format("there is no shot {} in a survey of {}", request.shot + 1, shots.size()),
                        "pick another shot");
    }
    const Shot& shot = shots[static_cast<std::size_t>(request.shot)];
    if (request.receiver < 0 || static_cast<std::size_t>(request.receiver) >= shot.receivers.size()) {
        return badInput(fmt::format("there is no receiver {} among the {} of shot {}", request.receiver + 1,
                                    shot.receivers.size(), request.shot + 1),
                        "pick another receiver, or add some to the shot");
    }
    RunDescription run = plan.run;
    run.survey.shots = {Shot{shot.sources, {shot.receivers[static_cast<std::size_t>(request.receiver)]}}};
    run.shotsAtOnce = 1;
    run.output = {};
    // As the survey's own run records it: what is clicked in the gather is what is differentiated.
    run.duration = plan.time.duration();
    run.sampleInterval = plan.time.dt;
    auto pair = SimulationPlan::make(run, plan.model, plan.device, plan.speed.get());
    if (!pair) {
        return tl::unexpected<Error>(pair.error());
    }
    KernelPlan out;
    out.plan = std::move(*pair);
    out.from = request.from;
    out.to = request.to == 0.0 ? out.plan->time.duration() : request.to;
    if (auto ok = checkWindow(out.from, out.to, out.plan->time); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    GradientOptions options;
    options.tape = request.tape;
    options.sourcePositions = options.receiverPositions = false;
    auto choice = chooseMemory(*out.plan, options);
    if (!choice) {
        return tl::unexpected<Error>(choice.error());
    }
    out.options = std::move(choice->options);
    out.memory = choice->memory;
    out.error = choice->error.most;
    out.reason = choice->error.reason;
    out.why = std::move(choice->why);
    return out;
}

Result<SensitivityKernel> computeKernel(const SimulationPlan& plan, const std::shared_ptr<Device>& device,
                                        const KernelRequest& request, const GradientHooks& hooks)
{
    SensitivityKernel out;
    const auto done = guarded([&]() -> Result<> {
        auto planned = planKernel(plan, request);
        if (!planned) {
            return tl::unexpected<Error>(planned.error());
        }
        auto gradient = computeGradient(
            planned->plan, device, windowMeasure(request.measure, planned->from, planned->to), planned->options, hooks);
        if (!gradient) {
            return tl::unexpected<Error>(gradient.error());
        }
        out.request = request;
        out.plan = std::move(*planned);
        out.values = std::move(gradient->speed);
        out.trace = std::move(gradient->synthetic.front());
        out.measured = gradient->misfit;
        out.peakBytes = gradient->peakBytes;
        out.seconds = gradient->seconds;
        out.tape = std::move(gradient->tape);
        out.notes = std::move(gradient->notes);
        out.checks = checkKernel(out);
        return {};
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    return out;
}

double relativeDifference(const std::vector<double>& a, const std::vector<double>& b)
{
    double difference = 0.0, size = 0.0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    if (difference == 0.0) {
        return 0.0;
    }
    return size > 0.0 ? std::sqrt(difference / size) : std::numeric_limits<double>::infinity();
}

} // namespace ondo
