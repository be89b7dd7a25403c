// Products with the Hessian: computeHessianProduct of tangent.h.
#include "engine/inversion/model_gradient.h"
#include "engine/inversion/tangent_parts.h"
#include "engine/session/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

// What the launches leave: of the images what they change by, and, where density varies, the sources' own at each node.
struct HessianImages {
    ModelGradient change;
    std::vector<double> sources;

    explicit HessianImages(const SimulationPlan& plan)
        : change(plan)
        , sources(change.density.size(), 0.0)
    {
    }
};

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
    HessianLaunch(TangentPlace<T>& place, const SimulationPlan& plan, int first, int count, TangentPauses& pauses)
        : m_plan(plan)
        , m_survey(plan, first, count)
        , m_pauses(pauses)
        , m_forward(place.domain, m_survey, place.along)
        , m_adjoint(place.domain, m_survey, place.along)
    {
    }

    Result<> run(const MisfitFunction& misfit, const TapeOptions& options, HessianImages& out)
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
            const double factor = options.every / m_adjoint.scale(s);
            auto images = m_adjoint.images(s);
            if (m_plan.variableDensity()) {
                // A source radiates the same into a perturbed model: what it does to the gradient is no derivative.
                addSourceImage(m_plan, images.front().source, factor, out.sources);
                std::fill(images.front().source.begin(), images.front().source.end(), T(0));
            }
            for (const auto& image : images) {
                addModelGradient(m_plan, image, factor, out.change);
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
    TangentPauses& m_pauses;
    TangentWave<T> m_forward;
    TangentAdjoint<T> m_adjoint;
};

template<class T>
Result<> hessianAll(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const MisfitFunction& misfit, const ModelDirection& direction, const TapeOptions& options,
                    const GradientHooks& hooks, HessianImages& out)
{
    TangentPlace<T> place(plan, device, direction);
    const int shots = static_cast<int>(plan->run.survey.shots.size());
    TangentPauses pauses(*device, place.stream, hooks, shots);
    for (int first = 0; first < shots; first += plan->run.shotsAtOnce) {
        HessianLaunch<T> launch(place, *plan, first, std::min(plan->run.shotsAtOnce, shots - first), pauses);
        if (auto ok = launch.run(misfit, options, out); !ok) {
            return ok;
        }
    }
    return {};
}

// J^T M J v: the traces' derivative, then a gradient that is driven by what it makes of the residuals.
Result<HessianProduct> gaussNewton(const std::shared_ptr<const SimulationPlan>& plan,
                                   const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                   const ModelDirection& direction, const HessianOptions& how,
                                   const GradientHooks& hooks)
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
    GradientOptions options = modelAlone(how);
    if (!direction.impedance.empty()) {
        options.parameters = ModelParameters::SpeedImpedance;
    }
    auto gradient = computeGradient(plan, device, driven, options, hooks);
    if (!gradient) {
        return tl::unexpected<Error>(gradient.error());
    }
    HessianProduct out;
    out.speed = std::move(gradient->speed);
    out.density = std::move(gradient->density);
    out.impedance = std::move(gradient->impedance);
    out.misfit = value;
    out.peakBytes = std::max(tangent->peakBytes, gradient->peakBytes);
    return out;
}

// From the images' derivatives to the gradient's, by speed and density. What stands before an image changes with the model too:
//   J_c = 2 V / c (image + source / rho),   J_rho = V (image / rho + density image)   (model_gradient.h)
void addFactors(const Model& model, const ModelDirection& along, const Gradient& gradient, HessianImages& images)
{
    const float* const c = model.velocity().samples().data();
    const bool two = !along.density.empty();
    const float* const rho = two ? model.density().samples().data() : nullptr;
    for (std::size_t i = 0; i < along.speed.size(); ++i) {
        const auto speed = static_cast<double>(c[i]);
        images.change.speed[i] -= along.speed[i] / speed * gradient.speed[i];
        if (two) {
            const auto density = static_cast<double>(rho[i]);
            const double share = along.density[i] / density;
            const double source = images.sources[i] / density;
            images.change.speed[i] -= 2.0 / speed * source * share;
            images.change.density[i] -= (0.5 * speed * gradient.speed[i] - source) / density * share;
        }
    }
}

// By speed and impedance: J_z = J_rho / c, J_c at fixed z = J_c - rho / c J_rho, and what they change by.
void turn(const Model& model, const ModelDirection& along, HessianProduct& product)
{
    ModelDirection& g = product.gradient;
    for (std::size_t i = 0; i < product.speed.size(); ++i) {
        const auto c = static_cast<double>(model.velocity().samples()[i]);
        const auto rho = static_cast<double>(model.density().samples()[i]);
        const double share = along.speed[i] / c;
        product.impedance.push_back((product.density[i] - share * g.density[i]) / c);
        product.speed[i] -= (rho * product.density[i] + (along.density[i] - rho * share) * g.density[i]) / c;
        g.impedance.push_back(g.density[i] / c);
        g.speed[i] -= rho / c * g.density[i];
    }
    product.density.clear();
    g.density.clear();
}

Result<HessianProduct> fullHessian(const std::shared_ptr<const SimulationPlan>& plan,
                                   const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                   const ModelDirection& direction, const HessianOptions& how,
                                   const GradientHooks& hooks)
{
    auto gradient = computeGradient(plan, device, misfit, modelAlone(how), hooks);
    if (!gradient) {
        return tl::unexpected<Error>(gradient.error());
    }
    const auto along = inSpeedAndDensity(plan->model, direction);
    HessianImages images(*plan);
    device->arena().forgetPeaks();
    const auto done = guarded([&]() -> Result<> {
        return plan->run.precision == Precision::Float64
                   ? hessianAll<double>(plan, device, misfit, along, how.tape, hooks, images)
                   : hessianAll<float>(plan, device, misfit, along, how.tape, hooks, images);
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    addFactors(plan->model, along, *gradient, images);
    HessianProduct out;
    out.misfit = gradient->misfit;
    out.peakBytes = std::max(gradient->peakBytes, device->arena().use().peak);
    out.speed = std::move(images.change.speed);
    out.density = std::move(images.change.density);
    out.gradient = {std::move(gradient->speed), std::move(gradient->density), {}};
    if (!direction.impedance.empty()) {
        turn(plan->model, along, out);
    }
    return out;
}

double dotOf(const std::vector<double>& a, const std::vector<double>& b)
{
    return a.empty() ? 0.0 : std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

} // namespace

Result<HessianProduct> computeHessianProduct(const std::shared_ptr<const SimulationPlan>& plan,
                                             const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                             const ModelDirection& direction, const HessianOptions& options,
                                             const GradientHooks& hooks)
{
    if (auto ok = checkDirection(*plan, direction); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const bool density = !direction.density.empty() || !direction.impedance.empty();
    if (const auto needs = checkHessianProduct(*plan, options, density); !needs) {
        return tl::unexpected<Error>(needs.error());
    }
    const auto begun = Clock::now();
    auto out = options.gaussNewton ? gaussNewton(plan, device, misfit, direction, options, hooks)
                                   : fullHessian(plan, device, misfit, direction, options, hooks);
    if (out) {
        out->curvature = dotOf(direction.speed, out->speed) + dotOf(direction.density, out->density) +
                         dotOf(direction.impedance, out->impedance);
        out->seconds = std::chrono::duration<double>(Clock::now() - begun).count();
        if (!allFinite(out->speed) || !allFinite(out->density) || !allFinite(out->impedance)) {
            return fail(ErrorKind::Unstable, "the Hessian product is not finite everywhere",
                        "use a smaller Courant fraction, or a smaller direction");
        }
    }
    return out;
}

} // namespace ondo
