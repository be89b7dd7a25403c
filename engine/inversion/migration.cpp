#include "engine/inversion/migration.h"

#include "engine/inversion/gradient_needs.h"
#include "engine/inversion/illumination.h"
#include "engine/inversion/memory_choice.h"
#include "engine/inversion/tangent.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numbers>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

GradientOptions ofTheModelAlone(GradientOptions options)
{
    options.speed = true;
    options.sourcePositions = options.receiverPositions = false;
    options.parameters = ModelParameters::SpeedDensity;
    return options;
}

// By node: 1 where there is an image, 0 where it is muted.
std::vector<double> keptNodes(const SimulationPlan& plan, double mute)
{
    const Grid& g = plan.model.grid();
    const auto absorbs = [&](Face f) { return plan.run.boundary.at(f) == FaceCondition::Absorbing; };
    const auto onFace = [&](int i, int count, Face low, Face high) {
        return (i == 0 && absorbs(low)) || (i == count - 1 && absorbs(high));
    };
    std::vector<double> kept;
    kept.reserve(static_cast<std::size_t>(g.nodes()));
    for (int z = 0; z < g.nz; ++z) {
        const double below = (z * g.dz - mute) / (kMuteTaper * g.dz);
        const double depth = mute <= 0.0 ? 1.0 : 0.5 - 0.5 * std::cos(std::numbers::pi * std::clamp(below, 0.0, 1.0));
        for (int y = 0; y < g.ny; ++y) {
            for (int x = 0; x < g.nx; ++x) {
                const bool edge = onFace(z, g.nz, Face::ZLow, Face::ZHigh) ||
                                  onFace(x, g.nx, Face::XLow, Face::XHigh) ||
                                  (g.rank == 3 && onFace(y, g.ny, Face::YLow, Face::YHigh));
                kept.push_back(edge ? 0.0 : depth);
            }
        }
    }
    return kept;
}

// Along an axis the node that stands for node i: beyond a face that mirrors its image, beyond and on an absorbing one, whose
// nodes hold what the layers gave, the last node inside.
struct FilterAxis {
    int low, high; // first and last node that counts
    bool evenLow, evenHigh;

    FilterAxis(const Boundary& boundary, int count, Face lowFace, Face highFace)
        : evenLow(boundary.at(lowFace) != FaceCondition::Absorbing)
        , evenHigh(boundary.at(highFace) != FaceCondition::Absorbing)
    {
        low = std::min(evenLow ? 0 : 1, count - 1);
        high = std::max(evenHigh ? count - 1 : count - 2, low);
    }
    [[nodiscard]] int operator()(int i) const
    {
        const int mirrored = evenLow && i < low ? 2 * low - i : evenHigh && i > high ? 2 * high - i : i;
        return std::clamp(mirrored, low, high);
    }
};

std::vector<double> laplacianFilter(const SimulationPlan& plan, const std::vector<double>& image)
{
    const Grid& g = plan.model.grid();
    const double f = plan.run.survey.shots.front().sources.front().wavelet.dominantFrequency();
    const auto& c = plan.model.velocity().samples();
    const FilterAxis alongZ(plan.run.boundary, g.nz, Face::ZLow, Face::ZHigh);
    const FilterAxis alongY(plan.run.boundary, g.ny, Face::YLow, Face::YHigh);
    const FilterAxis alongX(plan.run.boundary, g.nx, Face::XLow, Face::XHigh);
    const auto at = [&](int z, int y, int x) {
        return image[static_cast<std::size_t>((std::int64_t{alongZ(z)} * g.ny + (g.rank == 3 ? alongY(y) : 0)) * g.nx +
                                              alongX(x))];
    };
    std::vector<double> out;
    out.reserve(image.size());
    for (int z = 0; z < g.nz; ++z) {
        for (int y = 0; y < g.ny; ++y) {
            for (int x = 0; x < g.nx; ++x) {
                const double here = 2.0 * at(z, y, x);
                double sum = (at(z - 1, y, x) - here + at(z + 1, y, x)) / (g.dz * g.dz) +
                             (at(z, y, x - 1) - here + at(z, y, x + 1)) / (g.dx * g.dx);
                if (g.rank == 3) {
                    sum += (at(z, y - 1, x) - here + at(z, y + 1, x)) / (g.dy * g.dy);
                }
                const double length = static_cast<double>(c[out.size()]) / (4.0 * std::numbers::pi * f);
                out.push_back(-length * length * sum);
            }
        }
    }
    return out;
}

// One migration: the data, the operators, and what came out so far.
class Migrator {
public:
    Migrator(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
             const MigrationOptions& options, const MigrationHooks& hooks)
        : m_plan(plan)
        , m_device(device)
        , m_options(options)
        , m_hooks(hooks)
        , m_kept(keptNodes(*plan, options.mute))
    {
        m_options.gradient = ofTheModelAlone(options.gradient);
        for (const Shot& shot : plan->run.survey.shots) {
            m_weights.push_back(windowWeights(shot, plan->time, options.window));
        }
        m_rootStep = std::sqrt(plan->time.dt);
    }

    [[nodiscard]] Result<Migration> run(const std::vector<TraceTable>& observed)
    {
        const auto begun = Clock::now();
        if (auto ok = image(observed); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        if (m_options.lags.any()) {
            if (auto ok = gathers(); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
        if (m_hooks.imaged) {
            if (auto ok = m_hooks.imaged(m_out); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
        if (m_options.iterations > 0) {
            if (auto ok = leastSquares(); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
        m_out.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
        return std::move(m_out);
    }

private:
    [[nodiscard]] GradientHooks gradientHooks(const std::string& what) const
    {
        GradientHooks hooks;
        hooks.stop = m_hooks.stop;
        hooks.note = m_hooks.note;
        hooks.progress = [this, what](const GradientProgress& p) {
            if (m_hooks.progress) {
                m_hooks.progress(fmt::format("{}: shot {} of {}, {} {} of {} steps", what, p.shot + 1, p.shots,
                                             p.backwards ? "backwards" : "forwards", p.step, p.steps));
            }
        };
        return hooks;
    }

    // J^T of W times the traces, in Pa^2 s; `residual` gives sample i of a shot, weighted once.
    [[nodiscard]] Result<std::vector<double>> transposed(const MisfitFunction& misfit, const std::string& what)
    {
        auto g = computeGradient(m_plan, m_device, misfit, m_options.gradient, gradientHooks(what));
        if (!g) {
            return tl::unexpected<Error>(g.error());
        }
        m_options.gradient.tape = g->tape; // where memory ran out, there is no other try in the modes before
        m_out.tape = g->tape;
        m_out.peakBytes = std::max(m_out.peakBytes, g->peakBytes);
        if (m_out.misfits.empty()) {
            for (const auto& shot : g->shots) {
                m_out.misfits.push_back(shot.misfit);
            }
            m_out.notes = g->notes;
        }
        const auto& c = m_plan->model.velocity().samples();
        for (std::size_t i = 0; i < g->speed.size(); ++i) {
            g->speed[i] *= 0.5 * static_cast<double>(c[i]);
        }
        return std::move(g->speed);
    }

    // The image, and the weighted data by the way.
    [[nodiscard]] Result<> image(const std::vector<TraceTable>& observed)
    {
        m_data.assign(observed.size(), {});
        const MisfitFunction misfit = [&](int shot, const TraceTable& synthetic) -> Result<Residual> {
            const auto s = static_cast<std::size_t>(shot);
            auto& data = m_data[s];
            data.clear(); // where the gradient began again
            Residual r;
            for (std::size_t i = 0; i < synthetic.values.size(); ++i) {
                const double own = m_options.subtract ? synthetic.values[i] : 0.0;
                const double d = m_weights[s][i] * (observed[s].values[i] - own) * m_rootStep;
                data.push_back(d);
                r.misfit += 0.5 * d * d;
                r.values.push_back(m_rootStep * m_weights[s][i] * d);
            }
            return r;
        };
        auto g = transposed(misfit, "image");
        if (!g) {
            return tl::unexpected<Error>(g.error());
        }
        if (std::all_of(m_out.misfits.begin(), m_out.misfits.end(), [](double j) { return j == 0.0; })) {
            return badInput("there is nothing to image: the data are zero",
                            m_options.subtract
                                ? "migrate in a model that does not explain them already, or migrate them as "
                                  "they are, without its own traces subtracted"
                                : "look at the data, their windows and mutes");
        }
        m_out.gradient = std::move(*g);
        if (m_hooks.progress) {
            m_hooks.progress("illumination");
        }
        auto light = computeIllumination(m_plan, m_device, m_hooks.stop);
        if (!light) {
            return tl::unexpected<Error>(light.error());
        }
        m_out.illumination = std::move(*light);
        lightUp();
        return {};
    }

    // The illumination by reflectivity, the image, and the root of what divides it.
    void lightUp()
    {
        const auto& c = m_plan->model.velocity().samples();
        double most = 0.0;
        for (std::size_t i = 0; i < m_kept.size(); ++i) {
            const double half = 0.5 * static_cast<double>(c[i]);
            m_out.illumination[i] *= half * half;
            most = std::max(most, m_out.illumination[i]);
        }
        for (std::size_t i = 0; i < m_kept.size(); ++i) {
            m_out.illumination[i] = most > 0.0 ? m_out.illumination[i] / most : 0.0;
            const double light = m_out.illumination[i] + m_options.water;
            m_root.push_back(std::sqrt(m_kept[i] / light));
            m_out.image.push_back(m_out.gradient[i] / light);
        }
        if (m_options.laplacian) {
            m_out.image = laplacianFilter(*m_plan, m_out.image);
        }
        // Muted last, or the filter would see an edge there.
        std::transform(m_kept.begin(), m_kept.end(), m_out.image.begin(), m_out.image.begin(), std::multiplies<>());
    }

    [[nodiscard]] Result<> gathers()
    {
        std::vector<std::vector<double>> residuals;
        for (std::size_t s = 0; s < m_data.size(); ++s) {
            std::vector<double> r;
            for (std::size_t i = 0; i < m_data[s].size(); ++i) {
                r.push_back(m_rootStep * m_weights[s][i] * m_data[s][i]);
            }
            residuals.push_back(std::move(r));
        }
        LagHooks hooks;
        hooks.stop = m_hooks.stop;
        hooks.progress = [this](int shot, double fraction) {
            if (m_hooks.progress) {
                m_hooks.progress(
                    fmt::format("gathers: shot {} of {}, {:.0f} %", shot + 1, m_data.size(), 100.0 * fraction));
            }
        };
        auto gathers = computeLagGathers(m_plan, m_device, residuals, m_options.lags, hooks);
        if (!gathers) {
            return tl::unexpected<Error>(gathers.error());
        }
        m_out.gathers = std::move(*gathers);
        return {};
    }

    // Unknowns are m / root, so that plain conjugate gradients are preconditioned ones; data are weighted, all shots' in a row.
    [[nodiscard]] Result<> leastSquares()
    {
        int iteration = 1;
        LinearPair pair;
        pair.apply = [&](const std::vector<double>& x) -> Result<std::vector<double>> {
            return applied(reflectivity(x), fmt::format("iteration {}", iteration));
        };
        pair.transpose = [&](const std::vector<double>& r) -> Result<std::vector<double>> {
            const MisfitFunction misfit = [&](int shot, const TraceTable&) -> Result<Residual> {
                const auto s = static_cast<std::size_t>(shot);
                Residual out;
                for (std::size_t i = 0; i < m_weights[s].size(); ++i) {
                    out.values.push_back(m_rootStep * m_weights[s][i] * r[m_begin[s] + i]);
                }
                out.misfit = 1.0; // not looked at; 0 would be told as one
                return out;
            };
            auto g = transposed(misfit, fmt::format("iteration {}", iteration));
            return g ? Result<std::vector<double>>(reflectivity(*g)) : g;
        };
        std::vector<double> data;
        for (const auto& shot : m_data) {
            m_begin.push_back(data.size());
            data.insert(data.end(), shot.begin(), shot.end());
        }
        const auto told = [&](const LeastSquaresStep& step, const std::vector<double>& x) -> Result<> {
            ++iteration;
            return m_hooks.iterated ? m_hooks.iterated(step, reflectivity(x)) : Result<>{};
        };
        auto solved = solveLeastSquares(pair, std::move(data), {m_options.iterations, m_options.damping, 1e-6},
                                        reflectivity(m_out.gradient), told);
        if (!solved) {
            return tl::unexpected<Error>(solved.error());
        }
        m_out.reflectivity = reflectivity(solved->x);
        m_out.steps = std::move(solved->steps);
        m_out.ended = std::move(solved->ended);
        return {};
    }

    // root times the values: from the unknowns to the reflectivity, and the transpose of that.
    [[nodiscard]] std::vector<double> reflectivity(const std::vector<double>& values) const
    {
        std::vector<double> m = values;
        std::transform(m.begin(), m.end(), m_root.begin(), m.begin(), std::multiplies<>());
        return m;
    }

    [[nodiscard]] Result<std::vector<double>> applied(const std::vector<double>& m, const std::string& what)
    {
        const auto& c = m_plan->model.velocity().samples();
        std::vector<double> speed;
        for (std::size_t i = 0; i < m.size(); ++i) {
            speed.push_back(0.5 * static_cast<double>(c[i]) * m[i]);
        }
        const auto born = computeTangent(m_plan, m_device, {speed, {}, {}}, gradientHooks(what));
        if (!born) {
            return tl::unexpected<Error>(born.error());
        }
        m_out.peakBytes = std::max(m_out.peakBytes, born->peakBytes);
        std::vector<double> out;
        for (std::size_t s = 0; s < born->tangent.size(); ++s) {
            for (std::size_t i = 0; i < m_weights[s].size(); ++i) {
                out.push_back(m_rootStep * m_weights[s][i] * born->tangent[s].values[i]);
            }
        }
        return out;
    }

    std::shared_ptr<const SimulationPlan> m_plan;
    std::shared_ptr<Device> m_device;
    MigrationOptions m_options;
    const MigrationHooks& m_hooks;
    std::vector<double> m_kept, m_root;
    std::vector<std::vector<double>> m_weights, m_data; // by shot, [receiver][sample]
    std::vector<std::size_t> m_begin;                   // of each shot in a row of all
    double m_rootStep = 1.0;                            // of the sample interval: sums of squares are integrals
    Migration m_out;
};

// Shape and numbers of the data as every misfit judges them.
Result<> checkData(const SimulationPlan& plan, const std::vector<TraceTable>& observed, const TraceWindow& window)
{
    DataMisfitOptions options;
    options.window = window;
    const auto judged = dataMisfit(plan, observed, options);
    return judged ? Result<>{} : tl::unexpected<Error>(judged.error());
}

} // namespace

Result<MigrationNeeds> checkMigration(const SimulationPlan& plan, const MigrationOptions& options)
{
    const Grid& g = plan.model.grid();
    DataMisfitOptions data;
    data.window = options.window;
    if (auto ok = checkDataMisfit(plan.time, data); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    if (!(options.mute >= 0.0) || !(options.mute < (g.nz - 1 - kMuteTaper) * g.dz)) {
        return badInput(
            fmt::format("a mute of the first {:g} m", options.mute),
            fmt::format("give 0 to less than {:g} m: the model is {:g} m deep, and the mute ends over {} nodes",
                        std::max(0.0, (g.nz - 1 - kMuteTaper) * g.dz), (g.nz - 1) * g.dz, kMuteTaper));
    }
    if (!(options.water > 0.0) || !std::isfinite(options.water)) {
        return badInput(fmt::format("{:g} of the largest illumination for water", options.water),
                        "give a positive number, 0.01 for instance");
    }
    if (options.iterations < 0 || !(options.damping >= 0.0) || !std::isfinite(options.damping)) {
        return badInput(fmt::format("{} iterations with a damping of {:g}", options.iterations, options.damping),
                        "give none below 0");
    }
    const auto choice = chooseMemory(plan, ofTheModelAlone(options.gradient));
    if (!choice) {
        return tl::unexpected<Error>(choice.error());
    }
    MigrationNeeds needs;
    needs.memory = choice->memory;
    if (options.iterations > 0) {
        const auto born = checkTangent(plan, false);
        if (!born) {
            return tl::unexpected<Error>(born.error());
        }
        needs.born = *born;
    }
    needs.gradients = 1.0 + options.iterations;
    const double forward = plan.secondsEstimate;
    if (needs.memory.seconds > 0.0 && forward > 0.0) {
        needs.seconds = needs.gradients * needs.memory.seconds + (2.0 * options.iterations + 1.0) * forward +
                        (options.lags.any() ? 3.0 * forward : 0.0);
    }
    if (options.lags.any()) {
        auto lags = checkLags(plan, options.lags);
        if (!lags) {
            return tl::unexpected<Error>(lags.error());
        }
        needs.lags = std::move(*lags);
    }
    return needs;
}

std::string describeMigration(const SimulationPlan& plan, const MigrationOptions& options, const MigrationNeeds& needs)
{
    std::string s = fmt::format(
        "migration {} shot{}, {}{}{}\n", plan.run.survey.shots.size(), plan.run.survey.shots.size() == 1 ? "" : "s",
        options.subtract ? "observed traces less the model's own" : "observed traces as they are",
        options.mute > 0.0 ? fmt::format(", nothing above {:g} m", options.mute) : std::string(),
        options.laplacian ? ", Laplacian filter" : "");
    if (options.iterations > 0) {
        s += fmt::format("          least squares: {} iterations, each a gradient and a Born run of {}\n",
                         options.iterations, bytesOf(needs.born.total()));
    }
    if (needs.lags) {
        s += fmt::format("          space-lag gathers: {} columns, {} lags, every {} steps, {} in the host's memory\n",
                         needs.lags->columns.size(), 2 * needs.lags->lagsX + 1, needs.lags->every,
                         bytesOf(needs.lags->hostBytes));
    }
    s += needs.seconds > 0.0 ? fmt::format("time      about {} in all\n", timeOf(needs.seconds))
                             : std::string("time      not known: ondo calibrate measures this device\n");
    return s;
}

Result<Migration> migrate(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                          const std::vector<TraceTable>& observed, const MigrationOptions& options,
                          const MigrationHooks& hooks)
{
    if (const auto needs = checkMigration(*plan, options); !needs) {
        return tl::unexpected<Error>(needs.error());
    }
    if (auto ok = checkData(*plan, observed, options.window); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return Migrator(plan, device, options, hooks).run(observed);
}

} // namespace ondo
