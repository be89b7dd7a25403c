#include "engine/inversion/tangent.h"

#include "engine/inversion/model_gradient.h"
#include "engine/inversion/tangent_wave.h"
#include "engine/session/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kQueued = 64; // steps that a device is given before it is waited for

double secondsSince(Clock::time_point begun)
{
    return std::chrono::duration<double>(Clock::now() - begun).count();
}

Result<> checkDirection(const SimulationPlan& plan, const ModelDirection& direction)
{
    const auto nodes = static_cast<std::size_t>(plan.model.grid().nodes());
    if (!direction.density.empty()) {
        return badInput("a derivative along a direction of the density, which is not built",
                        "give a direction of the speed alone; the gradient by density is there (ondo gradient)");
    }
    if (direction.speed.size() != nodes) {
        return badInput(fmt::format("a direction of {} speeds for a model of {} nodes", direction.speed.size(), nodes),
                        "give one a node, z slowest and x fastest");
    }
    const auto odd =
        std::find_if(direction.speed.begin(), direction.speed.end(), [](double v) { return !std::isfinite(v); });
    if (odd != direction.speed.end()) {
        return badInput(
            fmt::format("the direction's speed at node {} is not a finite number", odd - direction.speed.begin() + 1),
            "repair it");
    }
    return {};
}

// Waits now and then, tells, and looks whether to stop.
class Pauses {
public:
    Pauses(Device& device, const Stream& stream, const GradientHooks& hooks, int shots)
        : m_device(device)
        , m_stream(stream)
        , m_hooks(hooks)
        , m_shots(shots)
    {
    }

    Result<> at(int firstShot, bool backwards, int done, int steps)
    {
        if (m_hooks.stop != nullptr && m_hooks.stop->load(std::memory_order_relaxed)) {
            m_device.backend().synchronize(m_stream.handle());
            return fail(ErrorKind::Cancelled, "the derivative was stopped before it was complete");
        }
        if (done % kQueued == 0) {
            m_device.backend().synchronize(m_stream.handle());
            if (m_hooks.progress && Clock::now() - m_told > std::chrono::milliseconds(100)) {
                m_told = Clock::now();
                m_hooks.progress({firstShot, m_shots, backwards, done, steps});
            }
        }
        return {};
    }

private:
    Device& m_device;
    const Stream& m_stream;
    const GradientHooks& m_hooks;
    int m_shots;
    Clock::time_point m_told;
};

bool allFinite(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

Result<> checkTables(const TraceTable& traces, const TraceTable& tangent, int shot)
{
    if (allFinite(traces.values) && allFinite(tangent.values)) {
        return {};
    }
    return fail(ErrorKind::Unstable, fmt::format("the run of shot {} grew beyond all bounds", shot + 1),
                "use a smaller Courant fraction, or a smaller direction");
}

// Of the shots of a launch.
template<class T>
Result<> takeTables(const SimulationPlan& plan, const LaunchSurvey& survey, const TangentWave<T>& wave, Tangent& out)
{
    const auto traces = wave.run().traces();
    const auto changes = wave.change().traces();
    for (int s = 0; s < survey.count; ++s) {
        const auto [from, to] = survey.receiversOf(s);
        out.synthetic.push_back(tableOf(traces, survey.receivers.size(), from, to - from, plan.time));
        out.tangent.push_back(tableOf(changes, survey.receivers.size(), from, to - from, plan.time));
        if (auto ok = checkTables(out.synthetic.back(), out.tangent.back(), survey.first + s); !ok) {
            return ok;
        }
    }
    return {};
}

// A domain with its model, and the direction beside it.
template<class T>
struct Place {
    Stream stream;
    WaveDomain<T> domain;
    Buffer<T> relative;

    Place(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
          const ModelDirection& direction)
        : stream(device, kernels::StreamPriority::Solver)
        , domain(plan, device, stream)
    {
        {
            auto field = domain.field(domain.batch(), "field"); // the launch's own takes its place
            domain.upload(field);
        }
        relative = uploaded(device, stream, relativeChange<T>(*plan, direction.speed), "direction", BlockSize::Kept);
    }
};

template<class T>
Result<> tangentAll(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const ModelDirection& direction, const GradientHooks& hooks, Tangent& out)
{
    Place<T> place(plan, device, direction);
    const int shots = static_cast<int>(plan->run.survey.shots.size());
    Pauses pauses(*device, place.stream, hooks, shots);
    for (int first = 0; first < shots; first += plan->run.shotsAtOnce) {
        const LaunchSurvey survey(*plan, first, std::min(plan->run.shotsAtOnce, shots - first));
        TangentWave<T> wave(place.domain, survey, place.relative.data());
        wave.record(0);
        for (int n = 0; n < wave.steps(); ++n) {
            if (auto ok = pauses.at(first, false, n, wave.steps()); !ok) {
                return ok;
            }
            wave.step(n, nullptr);
            if ((n + 1) % plan->time.ratio == 0) {
                wave.record((n + 1) / plan->time.ratio);
            }
        }
        if (auto ok = takeTables(*plan, survey, wave, out); !ok) {
            return ok;
        }
    }
    return {};
}

double peakOf(const std::vector<double>& values)
{
    double peak = 0.0;
    for (const double v : values) {
        peak = std::max(peak, std::abs(v));
    }
    return peak;
}

// How the misfit's residuals change as the traces move along their derivative: M J v.
class ResidualChange {
public:
    explicit ResidualChange(const MisfitFunction& misfit)
        : m_misfit(misfit)
    {
    }

    Result<std::vector<double>> of(int shot, const TraceTable& traces, const TraceTable& tangent) const
    {
        // Small, for misfits that are curved; not so small that the difference of two residuals were round-off.
        constexpr double kStep = 1e-4; // of the traces' size
        const double size = peakOf(traces.values);
        const double speed = peakOf(tangent.values);
        if (speed == 0.0) {
            return std::vector<double>(tangent.values.size(), 0.0);
        }
        const double h = kStep * (size > 0.0 ? size : speed) / speed;
        const auto ahead = at(shot, traces, tangent, h);
        const auto behind = ahead ? at(shot, traces, tangent, -h) : ahead;
        if (!behind) {
            return tl::unexpected<Error>(behind.error());
        }
        std::vector<double> change(ahead->size());
        std::transform(ahead->begin(), ahead->end(), behind->begin(), change.begin(),
                       [h](double a, double b) { return (a - b) / (2.0 * h); });
        return change;
    }

private:
    Result<std::vector<double>> at(int shot, TraceTable traces, const TraceTable& tangent, double step) const
    {
        for (std::size_t i = 0; i < traces.values.size(); ++i) {
            traces.values[i] += step * tangent.values[i];
        }
        auto residual = m_misfit(shot, traces);
        return residual ? Result<std::vector<double>>(std::move(residual->values))
                        : tl::unexpected<Error>(residual.error());
    }

    const MisfitFunction& m_misfit;
};

// One launch of the second-order adjoint.
template<class T>
class HessianLaunch {
public:
    HessianLaunch(Place<T>& place, const SimulationPlan& plan, int first, int count, Pauses& pauses)
        : m_plan(plan)
        , m_survey(plan, first, count)
        , m_pauses(pauses)
        , m_forward(place.domain, m_survey, place.relative.data())
        , m_adjoint(place.domain, m_survey, place.relative.data())
    {
    }

    Result<> run(const MisfitFunction& misfit, const TapeOptions& options, ModelGradient& out)
    {
        auto tape = (*findTape(options))->make(m_forward, options);
        if (!tape) {
            return tl::unexpected<Error>(tape.error());
        }
        if (auto ok = forwards(**tape); !ok) {
            return ok;
        }
        if (auto ok = judge(misfit); !ok) {
            return ok;
        }
        if (auto ok = backwards(**tape); !ok) {
            return ok;
        }
        for (int s = 0; s < m_survey.count; ++s) {
            for (const auto& image : m_adjoint.images(s)) {
                addModelGradient(m_plan, image, options.every / m_adjoint.scale(s), out);
            }
        }
        return {};
    }

private:
    Result<> forwards(Tape& tape)
    {
        m_forward.record(0);
        const int steps = m_forward.steps();
        for (int n = 0; n < steps; ++n) {
            if (auto ok = m_pauses.at(m_survey.first, false, n, steps); !ok) {
                return ok;
            }
            const auto kept = tape.beforeStep(n);
            if (!kept) {
                return tl::unexpected<Error>(kept.error());
            }
            m_forward.step(n, *kept);
            if ((n + 1) % m_plan.time.ratio == 0) {
                m_forward.record((n + 1) / m_plan.time.ratio);
            }
            if (auto ok = tape.afterStep(n); !ok) {
                return ok;
            }
        }
        return {};
    }

    Result<> judge(const MisfitFunction& misfit)
    {
        Tangent tables;
        if (auto ok = takeTables(m_plan, m_survey, m_forward, tables); !ok) {
            return ok;
        }
        std::vector<double> values;
        std::vector<double> changes;
        std::vector<double> scales;
        const ResidualChange changing(misfit);
        for (int s = 0; s < m_survey.count; ++s) {
            const auto i = static_cast<std::size_t>(s);
            const int shot = m_survey.first + s;
            const auto residual = misfit(shot, tables.synthetic[i]);
            if (!residual) {
                return tl::unexpected<Error>(residual.error());
            }
            const auto change = changing.of(shot, tables.synthetic[i], tables.tangent[i]);
            if (!change) {
                return tl::unexpected<Error>(change.error());
            }
            if (!allFinite(residual->values) || !allFinite(*change)) {
                return badInput(fmt::format("the misfit of shot {} has a derivative that is not finite", shot + 1),
                                "look for traces that are zero everywhere, or for samples that are not finite");
            }
            scales.push_back(residualScale(std::max(peakOf(residual->values), peakOf(*change))));
            values.insert(values.end(), residual->values.begin(), residual->values.end());
            changes.insert(changes.end(), change->begin(), change->end());
        }
        m_adjoint.setResiduals(values, changes, scales);
        return {};
    }

    Result<> backwards(Tape& tape)
    {
        const int steps = m_forward.steps();
        m_adjoint.begin(m_plan.time.count - 1);
        for (int n = steps - 1; n >= 0; --n) {
            if (auto ok = m_pauses.at(m_survey.first, true, steps - 1 - n, steps); !ok) {
                return ok;
            }
            const auto kept = tape.kept(n);
            if (!kept) {
                return tl::unexpected<Error>(kept.error());
            }
            m_adjoint.stepBack(n, static_cast<const T*>(*kept), m_forward.keptBytes() / sizeof(T),
                               m_forward.run().wavelets());
        }
        return {};
    }

    const SimulationPlan& m_plan;
    LaunchSurvey m_survey;
    Pauses& m_pauses;
    TangentWave<T> m_forward;
    TangentAdjoint<T> m_adjoint;
};

template<class T>
Result<> hessianAll(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const MisfitFunction& misfit, const ModelDirection& direction, const TapeOptions& options,
                    const GradientHooks& hooks, ModelGradient& out)
{
    Place<T> place(plan, device, direction);
    const int shots = static_cast<int>(plan->run.survey.shots.size());
    Pauses pauses(*device, place.stream, hooks, shots);
    for (int first = 0; first < shots; first += plan->run.shotsAtOnce) {
        HessianLaunch<T> launch(place, *plan, first, std::min(plan->run.shotsAtOnce, shots - first), pauses);
        if (auto ok = launch.run(misfit, options, out); !ok) {
            return ok;
        }
    }
    return {};
}

Result<> checkFullHessian(const SimulationPlan& plan, const TapeOptions& tape)
{
    if (plan.variableDensity()) {
        return badInput("a full Hessian product where density varies, which is not built",
                        "use Gauss-Newton, or the equation \"acoustic\"");
    }
    if (tape.mode == kAutomaticTape || tape.tail > 0) {
        return badInput(fmt::format("the memory mode \"{}\"{} for a Hessian product", tape.mode,
                                    tape.tail > 0 ? " with a tail" : ""),
                        "name one that keeps all steps: \"full\", \"chunks\" or \"binomial\"");
    }
    const auto kind = findTape(tape);
    if (!kind) {
        return tl::unexpected<Error>(kind.error());
    }
    if ((*kind)->rewinds) {
        return badInput(fmt::format("the memory mode \"{}\" for a Hessian product: a perturbed field cannot be stepped "
                                    "backwards without the field that it is a perturbation of",
                                    tape.mode),
                        "use \"full\", \"chunks\" or \"binomial\"");
    }
    return {};
}

GradientOptions speedAlone(const TapeOptions& tape)
{
    GradientOptions options;
    options.tape = tape;
    options.sourcePositions = options.receiverPositions = false;
    return options;
}

// J^T M J v: the traces' derivative, then a gradient that is driven by what it makes of the residuals.
Result<HessianProduct> gaussNewton(const std::shared_ptr<const SimulationPlan>& plan,
                                   const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                   const ModelDirection& direction, const TapeOptions& tape, const GradientHooks& hooks)
{
    const auto tangent = computeTangent(plan, device, direction, hooks);
    if (!tangent) {
        return tl::unexpected<Error>(tangent.error());
    }
    double value = 0.0;
    const ResidualChange changing(misfit);
    const auto driven = [&](int shot, const TraceTable& synthetic) -> Result<Residual> {
        const auto residual = misfit(shot, synthetic);
        if (!residual) {
            return tl::unexpected<Error>(residual.error());
        }
        value += residual->misfit;
        auto change = changing.of(shot, synthetic, tangent->tangent[static_cast<std::size_t>(shot)]);
        return change ? Result<Residual>(Residual{residual->misfit, std::move(*change)})
                      : tl::unexpected<Error>(change.error());
    };
    auto gradient = computeGradient(plan, device, driven, speedAlone(tape), hooks);
    if (!gradient) {
        return tl::unexpected<Error>(gradient.error());
    }
    HessianProduct out;
    out.speed = std::move(gradient->speed);
    out.misfit = value;
    return out;
}

Result<HessianProduct> fullHessian(const std::shared_ptr<const SimulationPlan>& plan,
                                   const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                   const ModelDirection& direction, const TapeOptions& tape, const GradientHooks& hooks)
{
    auto gradient = computeGradient(plan, device, misfit, speedAlone(tape), hooks);
    if (!gradient) {
        return tl::unexpected<Error>(gradient.error());
    }
    ModelGradient model(*plan);
    const auto done = guarded([&]() -> Result<> {
        return plan->run.precision == Precision::Float64
                   ? hessianAll<double>(plan, device, misfit, direction, tape, hooks, model)
                   : hessianAll<float>(plan, device, misfit, direction, tape, hooks, model);
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    HessianProduct out;
    out.misfit = gradient->misfit;
    out.gradient = std::move(gradient->speed);
    // The gradient is 2 / c times an image, and this is what the factor's derivative makes of it.
    const float* const c = plan->model.velocity().samples().data();
    for (std::size_t i = 0; i < model.speed.size(); ++i) {
        out.speed.push_back(model.speed[i] - direction.speed[i] / static_cast<double>(c[i]) * out.gradient[i]);
    }
    return out;
}

} // namespace

Result<Tangent> computeTangent(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                               const ModelDirection& direction, const GradientHooks& hooks)
{
    if (auto ok = checkDirection(*plan, direction); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const auto begun = Clock::now();
    Tangent out;
    device->arena().forgetPeaks();
    const auto done = guarded([&]() -> Result<> {
        return plan->run.precision == Precision::Float64 ? tangentAll<double>(plan, device, direction, hooks, out)
                                                         : tangentAll<float>(plan, device, direction, hooks, out);
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    out.peakBytes = device->arena().use().peak;
    out.seconds = secondsSince(begun);
    return out;
}

Result<HessianProduct> computeHessianProduct(const std::shared_ptr<const SimulationPlan>& plan,
                                             const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                             const ModelDirection& direction, const HessianOptions& options,
                                             const GradientHooks& hooks)
{
    if (auto ok = checkDirection(*plan, direction); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    if (auto ok = options.gaussNewton ? Result<>{} : checkFullHessian(*plan, options.tape); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const auto begun = Clock::now();
    auto out = options.gaussNewton ? gaussNewton(plan, device, misfit, direction, options.tape, hooks)
                                   : fullHessian(plan, device, misfit, direction, options.tape, hooks);
    if (out) {
        for (std::size_t i = 0; i < out->speed.size(); ++i) {
            out->curvature += direction.speed[i] * out->speed[i];
        }
        out->seconds = secondsSince(begun);
        if (!allFinite(out->speed)) {
            return fail(ErrorKind::Unstable, "the Hessian product is not finite everywhere",
                        "use a smaller Courant fraction, or a smaller direction");
        }
    }
    return out;
}

} // namespace ondo
