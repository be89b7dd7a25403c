#include "engine/inversion/inversion.h"

#include "engine/inversion/forward_traces.h"
#include "engine/inversion/illumination.h"
#include "engine/inversion/tangent.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

// What an evaluation leaves beside J and its gradient.
struct Findings {
    double data = 0.0, roughness = 0.0;
    std::vector<double> misfits, factors, drawn, codes, filters, wavelets;
    int unused = 0;
};

// One stage: its objective, and the walk through its records.
class Stage {
public:
    Stage(const InversionPlan& plan, std::shared_ptr<Device> device, const InversionSettings& settings,
          const InversionHooks& hooks, const std::vector<TraceTable>& observed, int number)
        : m_plan(plan)
        , m_device(std::move(device))
        , m_settings(settings)
        , m_hooks(hooks)
        , m_observed(observed)
        , m_data(settings.data)
        , m_number(number)
        , m_report(std::make_shared<DataMisfitReport>())
        , m_vector(plan.plan->model, settings.parameters, plan.bounds, plan.second)
    {
        const Model& start = plan.plan->model;
        const auto& v = start.velocity().samples();
        m_roughness = {settings.tikhonov, settings.totalVariation, settings.epsilon,
                       std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size())};
        m_secondRoughness = m_roughness; // of numbers that are scaled to speeds
        m_secondRoughness.tikhonov = settings.secondTikhonov;
        m_secondRoughness.totalVariation = settings.secondTotalVariation;
    }

    [[nodiscard]] Result<> prepare()
    {
        m_data.lowPass = stage().lowPass;
        auto misfit = dataMisfit(*m_plan.plan, m_observed, m_data, m_report);
        if (!misfit) {
            return tl::unexpected<Error>(misfit.error());
        }
        m_misfit = std::move(*misfit);
        return {};
    }

    // first: the index of the record the stage begins with.
    [[nodiscard]] Result<> run(InversionHistory& history, int first)
    {
        m_index = first;
        if (history.count() == first) {
            if (auto ok = begin(history); !ok) {
                return ok;
            }
        }
        auto now = history.read(m_index);
        if (!now) {
            return tl::unexpected<Error>(now.error());
        }
        m_reference = now->reference;
        if (auto ok = equip(now->illumination); !ok) {
            return ok;
        }
        InversionRecord at = std::move(*now);
        while (m_index + 1 < history.count() && m_index - first < stage().iterations) {
            auto next = history.read(m_index + 1);
            if (!next) {
                return tl::unexpected<Error>(next.error());
            }
            if (next->stage != m_number) {
                break; // this one ended early
            }
            walkAgain(at, next->restarted);
            at = std::move(*next);
            ++m_index;
        }
        const bool ended = m_index + 1 < history.count();
        while (!ended && m_index - first < stage().iterations) {
            const auto moved = advance(history, at);
            if (!moved) {
                return tl::unexpected<Error>(moved.error());
            }
            if (!*moved) {
                break;
            }
        }
        return {};
    }

    [[nodiscard]] int lastIndex() const { return m_index; }

private:
    [[nodiscard]] const InversionStage& stage() const { return m_settings.stages[static_cast<std::size_t>(m_number)]; }

    [[nodiscard]] std::shared_ptr<SimulationPlan> planAt(const Numbers& x) const
    {
        auto plan = std::make_shared<SimulationPlan>(*m_plan.plan);
        plan->model = modelOf(plan->model, m_vector.speed(x), m_vector.second(x), m_settings.parameters);
        return plan;
    }

    // The optimiser's part of a step that was taken before.
    void walkAgain(const InversionRecord& at, bool restarted)
    {
        const Numbers x = m_vector.numbersOf(at.speed, at.second);
        const Numbers gradient = m_vector.gradientOf(at.gradient, at.secondGradient);
        m_optimiser->remember(x, gradient);
        if (restarted) {
            m_optimiser->restart();
            m_optimiser->remember(x, gradient);
        }
    }

    // Of what is fired for a record; scaled up to all shots.
    [[nodiscard]] Result<Evaluation> evaluate(const Numbers& x, int record)
    {
        const auto plan = planAt(x);
        const auto all = plan->run.survey.shots.size();
        const FiredShots fired = firedShots(plan->run.survey, m_settings, record);
        plan->run.survey = fired.survey;
        const auto misfit = misfitOf(plan, fired);
        if (!misfit) {
            return tl::unexpected<Error>(misfit.error());
        }
        ++m_evaluation;
        auto g = computeGradient(plan, m_device, *misfit, m_plan.gradient, gradientHooks());
        if (!g) {
            return tl::unexpected<Error>(g.error());
        }
        auto found = std::make_shared<Findings>();
        found->data = g->misfit * fired.share;
        found->misfits.assign(fired.drawn.empty() ? g->shots.size() : all, 0.0);
        found->factors.assign(found->misfits.size(), 1.0);
        for (std::size_t i = 0; i < g->shots.size(); ++i) {
            const std::size_t shot = fired.drawn.empty() ? i : static_cast<std::size_t>(fired.drawn[i]);
            found->misfits[shot] = g->shots[i].misfit;
            found->factors[shot] = m_report->factor[i];
        }
        found->drawn.assign(fired.drawn.begin(), fired.drawn.end());
        found->codes = fired.codes;
        found->unused = std::accumulate(m_report->unused.begin(), m_report->unused.end(), 0);
        keepSources(*plan, *found);
        const Numbers none;
        const Numbers& second = m_settings.parameters == InvertedParameters::SpeedDensity     ? g->density
                                : m_settings.parameters == InvertedParameters::SpeedImpedance ? g->impedance
                                                                                              : none;
        return total(x, std::move(found), m_vector.gradientOf(g->speed, second), fired.share);
    }

    void keepSources(const SimulationPlan& plan, Findings& found) const
    {
        const std::size_t sources = m_data.sourceFilter == "none"     ? 0
                                    : m_data.sourceFilter == "common" ? 1
                                                                      : plan.run.survey.shots.size();
        for (std::size_t i = 0; i < sources; ++i) {
            const SourceFilter& filter = m_report->filter[i];
            found.filters.insert(found.filters.end(), filter.samples.begin(), filter.samples.end());
            auto wavelet = plan.run.survey.shots[i].sources.front().wavelet.samples(plan.time.dt, plan.time.count);
            filter.apply(wavelet, wavelet.size());
            found.wavelets.insert(found.wavelets.end(), wavelet.begin(), wavelet.end());
        }
    }

    // The whole survey's is made once, but where all its traces decide on the source.
    [[nodiscard]] Result<MisfitFunction> misfitOf(const std::shared_ptr<const SimulationPlan>& plan,
                                                  const FiredShots& fired)
    {
        const bool common = m_data.sourceFilter == "common";
        if (!common && fired.drawn.empty() && fired.codes.empty()) {
            return m_misfit;
        }
        const auto observed = firedTraces(m_observed, fired);
        SourceFilter filter;
        if (common) { // of all shots before the first one's residual
            ForwardHooks hooks;
            hooks.stop = m_hooks.stop;
            const auto traces = computeTraces(plan, m_device, hooks);
            if (!traces) {
                return tl::unexpected<Error>(traces.error());
            }
            auto fitted = commonSourceFilter(*plan, observed, m_data, *traces);
            if (!fitted) {
                return tl::unexpected<Error>(fitted.error());
            }
            filter = std::move(*fitted);
        }
        return dataMisfit(*plan, observed, m_data, m_report, filter);
    }

    [[nodiscard]] Result<Evaluation> total(const Numbers& x, std::shared_ptr<Findings> found, Numbers gradient,
                                           double share)
    {
        if (m_reference == 0.0) {
            if (!(found->data > 0.0) || !std::isfinite(found->data)) {
                return badInput(
                    fmt::format("the misfit of the model that stage {} begins with is {:g}", m_number + 1, found->data),
                    "there is nothing to invert: synthetic and observed traces are equal already");
            }
            m_reference = found->data;
        }
        for (double& v : gradient) {
            v *= share / m_reference;
        }
        found->roughness = roughness(x, gradient);
        const double value = found->data / m_reference + found->roughness;
        return Evaluation{value, std::move(gradient), std::move(found)};
    }

    // Of both halves; added to the gradient.
    [[nodiscard]] double roughness(const Numbers& x, Numbers& gradient) const
    {
        if (!m_roughness.any() && !m_secondRoughness.any()) {
            return 0.0;
        }
        double sum = 0.0;
        const auto nodes = static_cast<std::ptrdiff_t>(m_plan.plan->model.grid().nodes());
        for (std::ptrdiff_t at = 0; at < static_cast<std::ptrdiff_t>(x.size()); at += nodes) {
            const Numbers values(x.begin() + at, x.begin() + at + nodes);
            Numbers derivative(gradient.begin() + at, gradient.begin() + at + nodes);
            sum += (at == 0 ? m_roughness : m_secondRoughness).judge(m_plan.plan->model.grid(), values, derivative);
            std::copy(derivative.begin(), derivative.end(), gradient.begin() + at);
        }
        return sum;
    }

    [[nodiscard]] GradientHooks gradientHooks() const
    {
        GradientHooks h;
        h.stop = m_hooks.stop;
        h.note = m_hooks.note;
        h.picture = m_hooks.picture;
        h.look = m_hooks.look;
        if (m_hooks.progress) {
            h.progress = [this](const GradientProgress& p) {
                m_hooks.progress({m_number, static_cast<int>(m_settings.stages.size()), m_iteration, stage().iterations,
                                  m_evaluation, p});
            };
        }
        return h;
    }

    [[nodiscard]] Result<> begin(InversionHistory& history)
    {
        const auto begun = Clock::now();
        const Model& start = m_plan.plan->model;
        Numbers x = m_vector.numbersOf(start.velocity().samples(), secondOf(start, m_settings.parameters));
        if (history.count() > 0) {
            auto last = history.read(history.count() - 1);
            if (!last) {
                return tl::unexpected<Error>(last.error());
            }
            x = m_vector.numbersOf(last->speed, last->second);
        }
        InversionRecord r;
        if (m_settings.illumination) {
            auto light = computeIllumination(planAt(x), m_device, m_hooks.stop);
            if (!light) {
                return tl::unexpected<Error>(light.error());
            }
            r.illumination = std::move(*light);
        }
        m_evaluation = 0;
        auto at = evaluate(x, m_index);
        if (!at) {
            return tl::unexpected<Error>(at.error());
        }
        if (history.count() == 0 && start.hasDensity() && !m_vector.two()) {
            r.held = start.density().samples();
        }
        r.evaluations = 1;
        r.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
        return record(history, r, x, *at, 0);
    }

    [[nodiscard]] Result<> record(InversionHistory& history, InversionRecord& r, const Numbers& x, Evaluation& at,
                                  int iteration)
    {
        const auto& found = *static_cast<const Findings*>(at.more.get());
        r.stage = m_number;
        r.iteration = iteration;
        r.speed = m_vector.speed(x);
        r.second = m_vector.second(x);
        r.gradient = m_vector.bySpeed(at.gradient);
        r.secondGradient = m_vector.bySecond(at.gradient);
        r.objective = at.value;
        r.data = found.data;
        r.reference = m_reference;
        r.roughness = found.roughness;
        r.misfits = found.misfits;
        r.factors = found.factors;
        r.unused = found.unused;
        r.drawn = found.drawn;
        r.codes = found.codes;
        r.filters = found.filters;
        r.wavelets = found.wavelets;
        if (auto ok = history.append(r); !ok) {
            return ok;
        }
        if (m_hooks.recorded) {
            m_hooks.recorded(r);
        }
        return {};
    }

    [[nodiscard]] Result<> equip(const std::vector<double>& illumination)
    {
        auto shape = Preconditioner::make(m_plan.plan->model.grid(), illumination, m_settings.water,
                                          m_settings.smoothing, m_plan.bounds.fixed);
        if (!shape) {
            return tl::unexpected<Error>(shape.error());
        }
        const ModelVector& m = m_vector;
        m_terrain.moved = [&m](const Numbers& x, const Numbers& d, double step) { return m.moved(x, d, step); };
        m_terrain.freeNumbers = [&m](const Numbers& x, const Numbers& g) { return m.freeNumbers(x, g); };
        m_terrain.precondition = [&m, p = std::move(*shape)](const Numbers& g) { return m.precondition(p, g); };
        m_terrain.curvature = [this](const Numbers& x, const Numbers& v) { return curvature(x, v); };
        auto made = makeOptimiser(m_settings.optimiser, m_terrain);
        if (!made) {
            return tl::unexpected<Error>(made.error());
        }
        m_optimiser = std::move(*made);
        return {};
    }

    // Gauss-Newton's of the data, and the roughness's own, which is the difference of its slopes.
    [[nodiscard]] Result<Numbers> curvature(const Numbers& x, const Numbers& v)
    {
        const auto plan = planAt(x);
        const FiredShots all{plan->run.survey, {}, {}, 1.0};
        const auto misfit = misfitOf(plan, all);
        if (!misfit) {
            return tl::unexpected<Error>(misfit.error());
        }
        HessianOptions options;
        options.gaussNewton = true;
        options.tape = m_plan.gradient.tape;
        options.instead = m_plan.gradient.instead;
        const bool impedance = m_settings.parameters == InvertedParameters::SpeedImpedance;
        ModelDirection direction{m_vector.bySpeed(v), {}, {}};
        (impedance ? direction.impedance : direction.density) = m_vector.secondAlong(v);
        const auto product = computeHessianProduct(plan, m_device, *misfit, direction, options, gradientHooks());
        if (!product) {
            return tl::unexpected<Error>(product.error());
        }
        Numbers out = m_vector.two()
                          ? m_vector.gradientOf(product->speed, impedance ? product->impedance : product->density)
                          : product->speed;
        for (double& one : out) {
            one /= m_reference;
        }
        if (m_roughness.any() || m_secondRoughness.any()) {
            constexpr double kShare = 1e-4; // of the speeds, by which they move: small where it is curved
            double size = 0.0;
            double most = 0.0;
            for (std::size_t i = 0; i < x.size(); ++i) {
                size = std::max(size, std::abs(x[i]));
                most = std::max(most, std::abs(v[i]));
            }
            const double h = most > 0.0 ? kShare * size / most : 0.0;
            Numbers ahead = x;
            Numbers slopes(x.size(), 0.0);
            Numbers slopesAhead(x.size(), 0.0);
            for (std::size_t i = 0; i < x.size(); ++i) {
                ahead[i] += h * v[i];
            }
            (void)roughness(x, slopes);
            (void)roughness(ahead, slopesAhead);
            for (std::size_t i = 0; i < out.size() && h > 0.0; ++i) {
                out[i] += (slopesAhead[i] - slopes[i]) / h;
            }
        }
        return out;
    }

    // False: nothing lower was found.
    [[nodiscard]] Result<bool> advance(InversionHistory& history, InversionRecord& at)
    {
        const auto begun = Clock::now();
        m_iteration = at.iteration + 1;
        m_evaluation = 0;
        const int next = m_index + 1;
        const Objective objective = [this, next](const Numbers& x) { return evaluate(x, next); };
        const Evaluation here{at.objective, m_vector.gradientOf(at.gradient, at.secondGradient), nullptr};
        auto step = takeStep(objective, *m_optimiser, m_terrain, m_settings.optimiser,
                             m_vector.numbersOf(at.speed, at.second), here, at.change);
        if (!step) {
            return tl::unexpected<Error>(step.error());
        }
        if (m_hooks.note && !step->remark.empty()) {
            m_hooks.note(step->remark);
        }
        if (step->stuck) {
            if (m_hooks.note) {
                m_hooks.note(fmt::format("stage {} ends after {} of {} iterations: no lower misfit was found in {} "
                                         "trials along the steepest way",
                                         m_number + 1, at.iteration, stage().iterations, step->evaluations));
            }
            return false;
        }
        InversionRecord r;
        r.restarted = step->restarted;
        r.step = step->length;
        r.change = step->change;
        r.evaluations = step->evaluations;
        r.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
        if (auto ok = record(history, r, step->x, step->at, m_iteration); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        at = std::move(r);
        m_index = next;
        return true;
    }

    const InversionPlan& m_plan;
    std::shared_ptr<Device> m_device;
    const InversionSettings& m_settings;
    const InversionHooks& m_hooks;
    const std::vector<TraceTable>& m_observed;
    DataMisfitOptions m_data; // with the stage's low-pass
    int m_number = 0;
    int m_index = 0; // of the record it stands at
    int m_iteration = 0, m_evaluation = 0;
    double m_reference = 0.0;
    Roughness m_roughness, m_secondRoughness;
    std::shared_ptr<DataMisfitReport> m_report;
    ModelVector m_vector;
    MisfitFunction m_misfit;
    Terrain m_terrain;
    std::unique_ptr<Optimiser> m_optimiser;
};

} // namespace

Result<> runInversion(const InversionPlan& plan, const std::shared_ptr<Device>& device,
                      const std::vector<TraceTable>& observed, const InversionSettings& settings,
                      InversionHistory& history, const InversionHooks& hooks)
{
    int first = 0;
    for (int s = 0; s < static_cast<int>(settings.stages.size()); ++s) {
        Stage stage(plan, device, settings, hooks, observed, s);
        if (auto ok = stage.prepare(); !ok) {
            return ok;
        }
        if (auto ok = stage.run(history, first); !ok) {
            return ok;
        }
        first = stage.lastIndex() + 1;
    }
    return {};
}

} // namespace ondo
