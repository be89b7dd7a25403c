#include "engine/selftest/shot.h"

#include <cmath>
#include <random>
#include <stdexcept>

namespace ondo {

void ShotSetup::addShot(const std::vector<Source>& sources, const std::vector<Position>& receivers)
{
    Shot shot;
    shot.sources = sources;
    for (const auto& r : receivers) {
        shot.receivers.push_back({r});
    }
    shots.push_back(std::move(shot));
}

std::shared_ptr<const SimulationPlan> planOf(const ShotSetup& setup, const Device& device)
{
    const auto nodes = static_cast<std::size_t>(setup.grid.nodes());
    auto model = setup.velocity.size() == 1
                     ? Model::make(setup.grid, std::vector<float>(nodes, setup.velocity.front()), "selftest")
                     : Model::make(setup.grid, setup.velocity, "selftest");
    if (!model) {
        throw std::runtime_error(model.error().text());
    }
    RunDescription run;
    if (!setup.density.empty()) {
        run.equation = Equation::VariableDensity;
        model = model->withDensity(setup.density.size() == 1 ? std::vector<float>(nodes, setup.density.front())
                                                             : setup.density);
        if (!model) {
            throw std::runtime_error(model.error().text());
        }
    }
    run.boundary = setup.boundary;
    run.spaceOrder = setup.order;
    run.precision = setup.precision;
    run.shotsAtOnce = setup.shotsAtOnce;
    run.courant = 0.5;
    run.duration = 1.0;
    run.survey.shots = setup.shots;
    if (run.survey.shots.empty()) {
        const Grid& g = setup.grid;
        const Position middle{g.origin.x + 0.5 * g.lengthX(), g.origin.y + 0.5 * g.lengthY(),
                              g.origin.z + 0.5 * g.lengthZ()};
        run.survey.shots.push_back({{{middle, Wavelet::ricker(10.0, 0.0, 0.0)}}, {}});
    }
    auto made = SimulationPlan::make(run, *model, device.facts());
    if (!made) {
        throw std::runtime_error(made.error().text());
    }
    auto plan = std::make_shared<SimulationPlan>(**made);
    plan->time.dt = setup.dt;
    plan->time.ratio = 1;
    plan->time.count = setup.steps + 1;
    return plan;
}

std::vector<ShotTraces> runShots(const ShotSetup& setup, const std::shared_ptr<Device>& device)
{
    HeldShot held(setup, device);
    std::vector<ShotTraces> all;
    const int count = static_cast<int>(held.plan->run.survey.shots.size());
    for (int first = 0; first < count; first += setup.shotsAtOnce) {
        const int now = std::min(setup.shotsAtOnce, count - first);
        held.propagator->begin(first, now);
        held.step(setup.steps);
        std::vector<double> rows;
        held.propagator->readTraces(0, held.propagator->samplesRecorded(), rows);
        std::size_t width = 0;
        for (int s = 0; s < now; ++s) {
            width += static_cast<std::size_t>(held.propagator->receiverCount(s));
        }
        std::size_t column = 0;
        for (int s = 0; s < now; ++s) {
            ShotTraces t;
            t.dt = setup.dt;
            t.p.resize(static_cast<std::size_t>(held.propagator->receiverCount(s)));
            for (auto& trace : t.p) {
                for (std::size_t i = column; i < rows.size(); i += width) {
                    trace.push_back(rows[i]);
                }
                ++column;
            }
            all.push_back(std::move(t));
        }
    }
    return all;
}

ShotTraces runShot(const ShotSetup& setup, const std::shared_ptr<Device>& device)
{
    return runShots(setup, device).front();
}

HeldShot::HeldShot(const ShotSetup& setup, std::shared_ptr<Device> on)
    : plan(planOf(setup, *on))
    , device(std::move(on))
    , stream(device, kernels::StreamPriority::Solver)
    , propagator(Propagator::create(plan, device, stream))
{
    propagator->begin(0, std::min(setup.shotsAtOnce, static_cast<int>(plan->run.survey.shots.size())));
}

void HeldShot::step(std::int64_t count)
{
    constexpr std::int64_t kAtOnce = 256; // so that a device's queue stays short
    for (std::int64_t left = count; left > 0; left -= kAtOnce) {
        propagator->advance(static_cast<int>(std::min(left, kAtOnce)));
        stream.synchronize();
    }
}

std::vector<double> HeldShot::now(int shot)
{
    std::vector<double> present;
    std::vector<double> before;
    propagator->readState(shot, present, before);
    return present;
}

std::size_t HeldShot::index(int z, int y, int x) const
{
    return static_cast<std::size_t>((std::int64_t{z} * plan->ny + y) * plan->nx + x);
}

Wavelet sampledWavelet(const std::vector<double>& values, double dt)
{
    auto w = Wavelet::sampled(values, dt);
    if (!w) {
        throw std::runtime_error(w.error().text());
    }
    return *w;
}

std::vector<double> noise(std::size_t count, std::uint64_t seed)
{
    std::mt19937_64 engine(seed);
    std::vector<double> v(count);
    for (auto& x : v) {
        x = static_cast<double>(engine() >> 11) * 0x1.0p-52 - 1.0;
    }
    return v;
}

SelftestOutcome judged(double figure, double tolerance, const std::string& unit, const std::string& reason,
                       const std::string& text)
{
    SelftestOutcome o;
    o.verdict = std::isfinite(figure) && figure <= tolerance ? SelftestVerdict::Passed : SelftestVerdict::Failed;
    o.figure = figure;
    o.tolerance = tolerance;
    o.unit = unit;
    o.reason = reason;
    o.text = text;
    return o;
}

SelftestOutcome skipped(const std::string& why)
{
    SelftestOutcome o;
    o.verdict = SelftestVerdict::Skipped;
    o.reason = why;
    return o;
}

} // namespace ondo
