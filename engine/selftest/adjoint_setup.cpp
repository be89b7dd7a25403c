#include "engine/selftest/adjoint_setup.h"

#include "engine/inversion/forward_traces.h"

#include <numeric>
#include <stdexcept>
#include <utility>

namespace ondo {

namespace {

constexpr auto kA = FaceCondition::Absorbing;
constexpr auto kF = FaceCondition::Free;
constexpr auto kR = FaceCondition::Rigid;
constexpr double kSlowest = 1500.0, kFastest = 3500.0;
constexpr double kLightest = 1000.0, kHeaviest = 2000.0;

// On sixteenths of a unit, so that perturbations by such are exact in float.
std::vector<float> roughValues(const Grid& grid, double least, double most, std::uint64_t seed)
{
    std::vector<float> v;
    for (const double x : noise(static_cast<std::size_t>(grid.nodes()), seed)) {
        const double c = 0.5 * (least + most) + 0.5 * (most - least) * x;
        v.push_back(static_cast<float>(std::round(c * 16.0) / 16.0));
    }
    return v;
}

std::vector<Position> positions(const Grid& g, bool onNodes, const std::vector<std::array<double, 3>>& cells)
{
    std::vector<Position> out;
    for (const auto& c : cells) {
        const double z = onNodes ? std::round(c[0]) : c[0];
        const double y = onNodes ? std::round(c[1]) : c[1];
        const double x = onNodes ? std::round(c[2]) : c[2];
        out.push_back({g.origin.x + x * g.dx, g.rank == 3 ? g.origin.y + y * g.dy : 0.0, g.origin.z + z * g.dz});
    }
    return out;
}

} // namespace

const std::vector<AdjointFaces>& adjointFaces()
{
    static const std::vector<AdjointFaces> kSets = {
        {"absorbing", {kA, kA, kA, kA, kA, kA}},       {"free top", {kA, kA, kA, kA, kF, kA}},
        {"rigid", {kR, kR, kR, kR, kR, kR}},           {"free", {kF, kF, kF, kF, kF, kF}},
        {"free over rigid", {kA, kA, kA, kA, kF, kR}}, {"opposite faces unlike", {kF, kA, kA, kR, kR, kA}},
        {"all mixed", {kR, kF, kF, kA, kA, kF}},
    };
    return kSets;
}

std::shared_ptr<const SimulationPlan> adjointPlan(const AdjointSetup& a, const Device& device)
{
    ShotSetup setup;
    setup.grid = a.rank == 3 ? *Grid::make3D(18, 17, 19, 10.0, 12.0, 9.0, {-30.0, 20.0, 5.0})
                             : *Grid::make2D(27, 33, 10.0, 9.0, {-30.0, 0.0, 5.0});
    const Grid& g = setup.grid;
    setup.velocity = roughValues(g, kSlowest, kFastest, a.seed);
    if (a.equation == Equation::VariableDensity) {
        setup.density = roughValues(g, kLightest, kHeaviest, a.seed + 1000);
    }
    setup.boundary.faces = a.faces.by;
    setup.boundary.layerCells = a.rank == 3 ? 4 : 7;
    setup.boundary.reflection = 1e-4;
    setup.boundary.frequency = 30.0;
    setup.order = a.order;
    setup.precision = a.precision;
    setup.shotsAtOnce = a.shotsAtOnce;
    setup.dt = 0.7 * stableDistance(g, a.order / 2) / kFastest;
    setup.steps = a.ratio * a.samples;
    const double z = g.nz - 1;
    const double y = g.ny - 1;
    const double x = g.nx - 1;
    const auto sources = positions(g, a.onNodes, {{1.6, 2.3, 1.7}, {8.4, 7.7, 10.2}, {10.3, 8.4, 11.6}});
    auto receivers = positions(
        g, a.onNodes,
        {{0.8, 1.4, 4.3}, {z - 1.3, y - 2.2, x - 0.9}, {9.7, 7.2, 11.3}, {z - 4.4, 3.6, 6.4}, {9.2, 8.1, 12.4}});
    if (a.receiverOnSource) {
        receivers.push_back(sources[1]);
    }
    for (int s = 0; s < a.shots; ++s) {
        std::vector<Source> fired;
        for (std::size_t i = 0; i < sources.size(); ++i) {
            if (a.shots > 1 && static_cast<int>(i) == s) {
                continue; // shots that differ
            }
            const auto seed = a.seed + 100 * static_cast<std::uint64_t>(s) + i;
            // Noise ends where it began: its last sample is not the first to reach a receiver too late.
            fired.push_back(
                {sources[i], a.smooth ? Wavelet::ricker(25.0, 0.05, 1.0 + 0.3 * static_cast<double>(i))
                                      : sampledWavelet(noise(static_cast<std::size_t>(setup.steps), seed), setup.dt)});
        }
        setup.addShot(fired, receivers);
    }
    auto plan = std::make_shared<SimulationPlan>(*planOf(setup, device));
    plan->time.dt = setup.dt * a.ratio;
    plan->time.ratio = a.ratio;
    plan->time.count = a.samples + 1;
    plan->vMax = kFastest; // of the layers, whatever the speeds become
    return plan;
}

std::shared_ptr<const SimulationPlan> withSpeeds(const SimulationPlan& plan, std::vector<float> speeds)
{
    auto other = std::make_shared<SimulationPlan>(plan);
    auto model = plan.model.withVelocity(std::move(speeds));
    if (!model) {
        throw std::runtime_error(model.error().text());
    }
    other->model = *model;
    return other;
}

std::shared_ptr<const SimulationPlan> withDensities(const SimulationPlan& plan, std::vector<float> densities)
{
    auto other = std::make_shared<SimulationPlan>(plan);
    auto model = plan.model.withDensity(std::move(densities));
    if (!model) {
        throw std::runtime_error(model.error().text());
    }
    other->model = *model;
    return other;
}

std::shared_ptr<const SimulationPlan> withSurvey(const SimulationPlan& plan, Survey survey)
{
    auto other = std::make_shared<SimulationPlan>(plan);
    other->run.survey = std::move(survey);
    return other;
}

std::vector<TraceTable> tracesOf(const std::shared_ptr<const SimulationPlan>& plan,
                                 const std::shared_ptr<Device>& device)
{
    auto traces = computeTraces(plan, device);
    if (!traces) {
        throw std::runtime_error(traces.error().text());
    }
    return std::move(*traces);
}

double misfitOf(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                const MisfitFunction& misfit)
{
    double sum = 0.0;
    int shot = 0;
    for (const auto& traces : tracesOf(plan, device)) {
        const auto residual = misfit(shot++, traces);
        if (!residual) {
            throw std::runtime_error(residual.error().text());
        }
        sum += residual->misfit;
    }
    return sum;
}

Gradient gradientOf(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const MisfitFunction& misfit, const GradientOptions& options)
{
    auto g = computeGradient(plan, device, misfit, options);
    if (!g) {
        throw std::runtime_error(g.error().text());
    }
    return std::move(*g);
}

std::shared_ptr<const std::vector<TraceTable>> randomData(const SimulationPlan& plan, std::uint64_t seed)
{
    auto data = std::make_shared<std::vector<TraceTable>>();
    for (const auto& shot : plan.run.survey.shots) {
        TraceTable t{static_cast<int>(shot.receivers.size()), plan.time.count, plan.time.dt, {}};
        t.values = noise(shot.receivers.size() * static_cast<std::size_t>(plan.time.count), seed++);
        data->push_back(std::move(t));
    }
    return data;
}

MisfitFunction innerProduct(std::shared_ptr<const std::vector<TraceTable>> weights)
{
    return [data = std::move(weights)](int shot, const TraceTable& synthetic) -> Result<Residual> {
        const auto& w = (*data)[static_cast<std::size_t>(shot)].values;
        return Residual{dot(w, synthetic.values), w};
    };
}

double dot(const std::vector<double>& a, const std::vector<double>& b)
{
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

} // namespace ondo
