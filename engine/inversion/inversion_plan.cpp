#include "engine/inversion/gradient_needs.h"
#include "engine/inversion/inversion.h"
#include "engine/inversion/tangent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kRoom = 0.2; // beyond the start model's speeds, where no bounds are given

Result<> checkStages(const InversionSettings& s)
{
    if (s.stages.empty()) {
        return badInput("the inversion has no stage", "give one, with its iterations");
    }
    for (std::size_t i = 0; i < s.stages.size(); ++i) {
        if (s.stages[i].iterations < 1 || s.stages[i].iterations > 1000000) {
            return badInput(fmt::format("stage {} has {} iterations", i + 1, s.stages[i].iterations),
                            "give 1 or more, or leave the stage out");
        }
    }
    return {};
}

struct Bounded {
    const std::vector<float>& values;
    const char *name, *unit;
    std::optional<double> low, high;
};

// `fixed`: nodes that do not move.
Result<SpeedBounds> boundsOf(const Grid& g, const Bounded& b, std::vector<bool> fixed)
{
    const auto [least, most] = std::minmax_element(b.values.begin(), b.values.end());
    SpeedBounds out;
    out.low = b.low.value_or((1.0 - kRoom) * static_cast<double>(*least));
    out.high = b.high.value_or((1.0 + kRoom) * static_cast<double>(*most));
    if (!(out.low > 0.0) || !(out.high > out.low) || !std::isfinite(out.high)) {
        return badInput(fmt::format("{} from {:g} {} to {:g} {}", b.name, out.low, b.unit, out.high, b.unit),
                        "give 0 < slowest < fastest, 0 < second_low < second_high");
    }
    const auto row = static_cast<std::size_t>(g.ny) * static_cast<std::size_t>(g.nx);
    for (std::size_t i = 0; i < b.values.size(); ++i) {
        const auto value = static_cast<double>(b.values[i]);
        if (!fixed[i] && (value < out.low || value > out.high)) {
            return badInput(fmt::format("the start model has {:g} {} at node z {}, x {}, outside the bounds of {:g} to "
                                        "{:g} {}",
                                        value, b.unit, i / row, i % static_cast<std::size_t>(g.nx), out.low, out.high,
                                        b.unit),
                            "widen the bounds, repair the model or hold the node fixed");
        }
    }
    out.fixed = std::move(fixed);
    return out;
}

Result<std::vector<bool>> fixedNodes(const Model& start, const InversionSettings& s)
{
    const Grid& g = start.grid();
    const auto& v = start.velocity().samples();
    const auto row = static_cast<std::size_t>(g.ny) * static_cast<std::size_t>(g.nx);
    std::vector<bool> fixed;
    for (std::size_t i = 0; i < v.size(); ++i) {
        const std::size_t z = i / row;
        fixed.push_back(static_cast<double>(z) * g.dz < s.fixedDepth || static_cast<double>(v[i]) <= s.fixedSpeed);
    }
    if (std::all_of(fixed.begin(), fixed.end(), [](bool one) { return one; })) {
        return badInput(fmt::format("all {} nodes are held fixed", v.size()),
                        "give a smaller fixed_depth or fixed_speed");
    }
    return fixed;
}

Result<> checkParameters(const RunDescription& run, const InversionSettings& s)
{
    if (s.parameters != InvertedParameters::Speed && run.equation != Equation::VariableDensity) {
        return badInput(fmt::format("the parameters \"{}\" with the equation \"{}\"", parametersName(s.parameters),
                                    equationKind(run.equation).name),
                        "set equation = \"variable-density\" and a density, or parameters to speed");
    }
    if (s.parameters == InvertedParameters::Speed &&
        (s.secondLow || s.secondHigh || s.secondTikhonov != 0.0 || s.secondTotalVariation != 0.0)) {
        return badInput("bounds or weights of a second parameter, and the speed moves alone",
                        "leave them out, or set parameters to speed,density or speed,impedance");
    }
    return checkRoughness({s.secondTikhonov, s.secondTotalVariation, s.epsilon, 1.0});
}

// Densities that may come up: at each speed's end the impedance's. What decides on the step is a heavy node among light ones
// at the highest speed; for impedances rho v^2 = z v grows with the speed.
std::optional<ValueRange> densitiesWithin(const Model& start, const SpeedBounds& speed, const SpeedBounds& second,
                                          InvertedParameters parameters)
{
    if (parameters == InvertedParameters::Speed) {
        return std::nullopt;
    }
    const double by = parameters == InvertedParameters::SpeedImpedance ? std::max(speed.high, start.range().high) : 1.0;
    const auto& rho = start.density().samples();
    const auto [least, most] = std::minmax_element(rho.begin(), rho.end());
    return ValueRange{std::min(second.low / by, static_cast<double>(*least)),
                      std::max(second.high / by, static_cast<double>(*most)), 0};
}

} // namespace

Result<std::shared_ptr<SimulationPlan>> planWithin(const RunDescription& run, const Model& model,
                                                   const kernels::DeviceFacts& device, double low, double high,
                                                   const DeviceSpeed* speed, std::optional<ValueRange> densities)
{
    // As the model, but with both ends on nodes of its own: what makes the time step hold for all models between them. Where
    // density varies the step depends on where the fastest speed is: it is everywhere, but on the lightest node, which is
    // never the one that decides (density_limits.h: what stands about it is no lighter).
    auto v = model.velocity().samples();
    const ValueRange range = model.range();
    const auto fastest = static_cast<float>(std::max(high, range.high));
    std::size_t slow = 1;
    Model extreme = model;
    v[0] = fastest;
    if (model.hasDensity()) {
        std::fill(v.begin(), v.end(), fastest);
        const auto& rho = model.density().samples();
        slow = static_cast<std::size_t>(std::min_element(rho.begin(), rho.end()) - rho.begin());
    }
    if (densities) {
        // The heaviest node among the lightest, in the middle: no other model of these densities has a shorter step.
        const Grid& g = model.grid();
        std::vector<float> rho(v.size(), static_cast<float>(densities->low));
        const auto middle =
            (static_cast<std::size_t>(g.nz / 2) * static_cast<std::size_t>(g.ny) + static_cast<std::size_t>(g.ny / 2)) *
                static_cast<std::size_t>(g.nx) +
            static_cast<std::size_t>(g.nx / 2);
        rho[middle] = static_cast<float>(densities->high);
        slow = middle == 0 ? 1 : 0;
        auto made = model.withDensity(std::move(rho));
        if (!made) {
            return tl::unexpected<Error>(made.error());
        }
        extreme = std::move(*made);
    }
    v[slow] = static_cast<float>(std::min(low, range.low));
    const auto wide = extreme.withVelocity(std::move(v));
    if (!wide) {
        return tl::unexpected<Error>(wide.error());
    }
    const auto plan = SimulationPlan::make(run, *wide, device, speed);
    if (!plan) {
        return tl::unexpected<Error>(plan.error());
    }
    auto held = std::make_shared<SimulationPlan>(**plan);
    held->model = model;
    return held;
}

Result<InversionPlan> planInversion(const RunDescription& run, const Model& start, const kernels::DeviceFacts& device,
                                    const InversionSettings& settings, const DeviceSpeed* speed)
{
    if (auto ok = checkStages(settings); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    // The start model is judged as a run's is; its range is of no use before.
    if (auto judged = SimulationPlan::make(run, start, device); !judged) {
        return tl::unexpected<Error>(judged.error());
    }
    for (const auto& check :
         {checkFiredShots(run.survey, settings), checkParameters(run, settings), checkOptimiser(settings.optimiser),
          checkRoughness({settings.tikhonov, settings.totalVariation, settings.epsilon, 1.0})}) {
        if (!check) {
            return tl::unexpected<Error>(check.error());
        }
    }
    const auto fixed = fixedNodes(start, settings);
    if (!fixed) {
        return tl::unexpected<Error>(fixed.error());
    }
    auto bounds = boundsOf(start.grid(),
                           {start.velocity().samples(), "speeds", "m/s", settings.slowest, settings.fastest}, *fixed);
    if (!bounds) {
        return tl::unexpected<Error>(bounds.error());
    }
    SpeedBounds second;
    if (settings.parameters != InvertedParameters::Speed) {
        const auto q = secondOf(start, settings.parameters);
        const std::string name(secondName(settings.parameters));
        const std::string unit(secondUnit(settings.parameters));
        auto made =
            boundsOf(start.grid(), {q, name.c_str(), unit.c_str(), settings.secondLow, settings.secondHigh}, *fixed);
        if (!made) {
            return tl::unexpected<Error>(made.error());
        }
        second = std::move(*made);
    }
    const auto held = planWithin(run, start, device, bounds->low, bounds->high, speed,
                                 densitiesWithin(start, *bounds, second, settings.parameters));
    if (!held) {
        return tl::unexpected<Error>(held.error());
    }
    for (const auto& stage : settings.stages) {
        DataMisfitOptions data = settings.data;
        data.lowPass = stage.lowPass;
        if (auto ok = checkDataMisfit((*held)->time, data); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
    }
    // What is fired at once decides the memory: a super-shot has the sources of many.
    SimulationPlan fired = **held;
    if (settings.encodedShots > 0) {
        fired.run.survey = firedShots(run.survey, settings, 0).survey;
    }
    GradientOptions gradient = settings.gradient;
    gradient.parameters = settings.parameters == InvertedParameters::SpeedImpedance ? ModelParameters::SpeedImpedance
                                                                                    : ModelParameters::SpeedDensity;
    auto memory = chooseMemory(fired, gradient);
    if (!memory) {
        return tl::unexpected<Error>(memory.error());
    }
    GradientMemory curvature;
    if (settings.optimiser.method == "gauss-newton") {
        const auto tangent = checkTangent(fired, settings.parameters != InvertedParameters::Speed);
        if (!tangent) {
            return tl::unexpected<Error>(tangent.error());
        }
        curvature = *tangent;
    }
    InversionPlan out{*held,     std::move(*bounds),         std::move(second),      memory->memory,
                      curvature, std::move(memory->options), std::move(memory->why), 0,
                      0.0};
    for (const auto& stage : settings.stages) {
        out.records += stage.iterations + 1;
    }
    const double share = settings.shotsPerIteration > 0 ? static_cast<double>(settings.shotsPerIteration) /
                                                              static_cast<double>(run.survey.shots.size())
                                                        : 1.0;
    out.gradients = out.records * share;
    return out;
}

std::string describeInversion(const InversionPlan& plan, const InversionSettings& s)
{
    std::string text = fmt::format("inversion misfit {}{}, optimiser {}, {} stage{}\n", s.data.kind,
                                   s.data.sourceScale ? " with the best source factor a shot" : "", s.optimiser.method,
                                   s.stages.size(), s.stages.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < s.stages.size(); ++i) {
        text += fmt::format("stage {:<3} {} iterations{}\n", i + 1, s.stages[i].iterations,
                            s.stages[i].lowPass > 0.0 ? fmt::format(", traces below {:g} Hz", s.stages[i].lowPass)
                                                      : std::string());
    }
    const auto fixed = std::count(plan.bounds.fixed.begin(), plan.bounds.fixed.end(), true);
    text += fmt::format("bounds    {:g} to {:g} m/s; {} of {} nodes held fixed\n", plan.bounds.low, plan.bounds.high,
                        fixed, plan.bounds.fixed.size());
    if (s.parameters != InvertedParameters::Speed) {
        const ModelVector vector(plan.plan->model, s.parameters, {}, {});
        text += fmt::format(
            "second    {} from {:g} to {:g} {}; 1 m/s counts as {:.4g} {} of it; roughness: tikhonov {:g}, total "
            "variation {:g}\n",
            secondName(s.parameters), plan.second.low, plan.second.high, secondUnit(s.parameters), 1.0 / vector.scale(),
            secondUnit(s.parameters), s.secondTikhonov, s.secondTotalVariation);
    }
    text += fmt::format("steps     the first changes a node by {:g} m/s, none by more than {:g} m/s\n",
                        s.optimiser.firstStep, s.optimiser.mostStep);
    text += fmt::format("shape     {}, smoothing {:g} m, roughness: tikhonov {:g}, total variation {:g} (eps {:g})\n",
                        s.illumination ? fmt::format("illumination of the sources, water level {:g}", s.water)
                                       : std::string("no illumination"),
                        s.smoothing, s.tikhonov, s.totalVariation, s.epsilon);
    if (s.data.sourceFilter != "none") {
        text += fmt::format(
            "source    estimated by a filter {}, water level {:g}\n",
            s.data.sourceFilter == "common" ? "for all shots, by one more forward run of each a gradient" : "a shot",
            s.data.sourceWater);
    }
    if (s.encodedShots > 0) {
        text += fmt::format(
            "shots     all {} in {} super-shot{} of random signs for each iteration, seed {}; their light by "
            "each alone\n",
            plan.plan->run.survey.shots.size(), s.encodedShots, s.encodedShots == 1 ? "" : "s", s.seed);
    }
    if (s.shotsPerIteration > 0) {
        text += fmt::format("shots     {} drawn for each iteration, seed {}\n", s.shotsPerIteration, s.seed);
    }
    text += describeGradient(*plan.plan, plan.gradient, plan.memory);
    if (plan.curvature.total() > 0) {
        text += fmt::format("curvature at most {} products a step, each a Born run of {} and a gradient\n",
                            s.optimiser.inner, bytesOf(plan.curvature.total()));
    }
    text += plan.why.empty() ? std::string() : fmt::format("chosen    {}\n", plan.why);
    const double nodes = static_cast<double>(plan.bounds.fixed.size());
    text += fmt::format("file      {:.3g} MB when it is complete\n",
                        plan.records * nodes * (s.parameters == InvertedParameters::Speed ? 12.0 : 24.0) / 1e6);
    text += fmt::format("work      {:g} gradients of {} at the least\n", plan.gradients,
                        s.encodedShots > 0 ? "the super-shots" : "the survey");
    return text;
}

} // namespace ondo
