#include "engine/inversion/inversion.h"

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

Result<SpeedBounds> boundsOf(const Model& start, const InversionSettings& s)
{
    const ValueRange range = start.range();
    SpeedBounds b;
    b.low = s.slowest.value_or((1.0 - kRoom) * range.low);
    b.high = s.fastest.value_or((1.0 + kRoom) * range.high);
    if (!(b.low > 0.0) || !(b.high > b.low) || !std::isfinite(b.high)) {
        return badInput(fmt::format("speeds from {:g} m/s to {:g} m/s", b.low, b.high), "give 0 < slowest < fastest");
    }
    const Grid& g = start.grid();
    const auto& v = start.velocity().samples();
    const auto row = static_cast<std::size_t>(g.ny) * static_cast<std::size_t>(g.nx);
    bool moves = false;
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double speed = static_cast<double>(v[i]);
        const std::size_t plane = i / row;
        const bool fixed = static_cast<double>(plane) * g.dz < s.fixedDepth || speed <= s.fixedSpeed;
        b.fixed.push_back(fixed);
        moves = moves || !fixed;
        if (!fixed && (speed < b.low || speed > b.high)) {
            return badInput(
                fmt::format("the start model has {:g} m/s at node z {}, x {}, outside the bounds of {:g} to "
                            "{:g} m/s",
                            speed, i / row, i % static_cast<std::size_t>(g.nx), b.low, b.high),
                "widen the bounds, repair the model or hold the node fixed");
        }
    }
    if (!moves) {
        return badInput(fmt::format("all {} nodes are held fixed", v.size()),
                        "give a smaller fixed_depth or fixed_speed");
    }
    return b;
}

} // namespace

Result<std::shared_ptr<SimulationPlan>> planWithin(const RunDescription& run, const Model& model,
                                                   const kernels::DeviceFacts& device, double low, double high,
                                                   const DeviceSpeed* speed)
{
    // As the model, but with both ends on nodes of its own: what makes the time step hold for all models between them. Where
    // density varies the step depends on where the fastest speed is: it is everywhere, but on the lightest node, which is
    // never the one that decides (density_limits.h: what stands about it is no lighter).
    auto v = model.velocity().samples();
    const ValueRange range = model.range();
    const auto fastest = static_cast<float>(std::max(high, range.high));
    std::size_t slow = 1;
    v[0] = fastest;
    if (model.hasDensity()) {
        std::fill(v.begin(), v.end(), fastest);
        const auto& rho = model.density().samples();
        slow = static_cast<std::size_t>(std::min_element(rho.begin(), rho.end()) - rho.begin());
    }
    v[slow] = static_cast<float>(std::min(low, range.low));
    const auto wide = model.withVelocity(std::move(v));
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
    for (const auto& check : {checkFiredShots(run.survey, settings), checkOptimiser(settings.optimiser),
                              checkRoughness({settings.tikhonov, settings.totalVariation, settings.epsilon, 1.0})}) {
        if (!check) {
            return tl::unexpected<Error>(check.error());
        }
    }
    auto bounds = boundsOf(start, settings);
    if (!bounds) {
        return tl::unexpected<Error>(bounds.error());
    }
    const auto held = planWithin(run, start, device, bounds->low, bounds->high, speed);
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
    auto memory = chooseMemory(fired, settings.gradient);
    if (!memory) {
        return tl::unexpected<Error>(memory.error());
    }
    InversionPlan out{*held, std::move(*bounds), memory->memory, std::move(memory->options), std::move(memory->why), 0,
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
    text += plan.why.empty() ? std::string() : fmt::format("chosen    {}\n", plan.why);
    const double nodes = static_cast<double>(plan.bounds.fixed.size());
    text += fmt::format("file      {:.3g} MB when it is complete\n", plan.records * nodes * 12.0 / 1e6);
    text += fmt::format("work      {:g} gradients of {} at the least\n", plan.gradients,
                        s.encodedShots > 0 ? "the super-shots" : "the survey");
    return text;
}

} // namespace ondo
