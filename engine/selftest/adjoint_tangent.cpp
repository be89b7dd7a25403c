// Derivatives along a direction of the model: Born traces against differences of traces and against the transpose, products
// with the Hessian against differences of gradients, and their symmetry.
#include "engine/inversion/tangent.h"
#include "engine/selftest/adjoint_setup.h"
#include "engine/selftest/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ondo {

namespace {

// Whole sixteenths up to a metre a second, which float holds exactly beside any speed.
std::vector<double> directionOf(const SimulationPlan& plan, std::uint64_t seed)
{
    auto v = noise(static_cast<std::size_t>(plan.model.grid().nodes()), seed);
    for (auto& x : v) {
        x = std::round(16.0 * x) / 16.0;
    }
    return v;
}

std::shared_ptr<const SimulationPlan> movedAlong(const SimulationPlan& plan, const std::vector<double>& v, double by)
{
    std::vector<float> c = plan.model.velocity().samples();
    for (std::size_t i = 0; i < c.size(); ++i) {
        c[i] = static_cast<float>(static_cast<double>(c[i]) + by * v[i]);
    }
    return withSpeeds(plan, std::move(c));
}

std::vector<double> flat(const std::vector<TraceTable>& tables)
{
    std::vector<double> all;
    for (const auto& t : tables) {
        all.insert(all.end(), t.values.begin(), t.values.end());
    }
    return all;
}

double normOf(const std::vector<double>& a)
{
    return std::sqrt(dot(a, a));
}

// |a - b| / |b|
double distance(std::vector<double> a, const std::vector<double>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] -= b[i];
    }
    return normOf(a) / normOf(b);
}

// The derivative at 0 of what at(k) gives at k steps, of the fourth order.
template<class At>
std::vector<double> slopeOf(const At& at)
{
    const std::vector<double> terms[4] = {at(1), at(-1), at(2), at(-2)};
    std::vector<double> slope(terms[0].size());
    for (std::size_t i = 0; i < slope.size(); ++i) {
        slope[i] = (8.0 * (terms[0][i] - terms[1][i]) - (terms[2][i] - terms[3][i])) / 12.0;
    }
    return slope;
}

template<class T>
T taken(Result<T> result)
{
    if (!result) {
        throw std::runtime_error(result.error().text());
    }
    return std::move(*result);
}

std::vector<AdjointSetup> setupsOf(Equation equation, int rank)
{
    std::vector<AdjointSetup> out;
    std::uint64_t seed = 200;
    for (const auto& faces : adjointFaces()) {
        AdjointSetup a;
        a.equation = equation;
        a.rank = rank;
        a.order = seed % 2 == 0 ? 8 : 4;
        a.faces = faces;
        a.ratio = seed % 3 == 0 ? 3 : 1;
        a.samples = a.ratio == 3 ? 12 : 24;
        a.shots = 2;
        a.shotsAtOnce = seed % 2 == 0 ? 2 : 1;
        a.seed = seed++;
        out.push_back(a);
    }
    return out;
}

// Against the run itself; the figure is of the smaller of both tolerances.
SelftestOutcome born(SelftestContext& context, Equation equation, int rank)
{
    Worst worst;
    const auto setups = setupsOf(equation, rank);
    for (const auto& a : setups) {
        const auto plan = adjointPlan(a, *context.device);
        const auto v = directionOf(*plan, a.seed);
        const auto tangent = taken(computeTangent(plan, context.device, {v, {}}));
        const auto change = flat(tangent.tangent);
        const auto differences =
            slopeOf([&](int k) { return flat(tracesOf(movedAlong(*plan, v, k), context.device)); });
        worst.add(distance(differences, change), fmt::format("{}, differences", a.faces.name));
        // The weights have the traces' signs, or the two sums would cancel their digits.
        auto weights = *randomData(*plan, a.seed + 7);
        for (std::size_t s = 0; s < weights.size(); ++s) {
            for (std::size_t i = 0; i < weights[s].values.size(); ++i) {
                weights[s].values[i] = std::copysign(weights[s].values[i], tangent.tangent[s].values[i]);
            }
        }
        const double left = dot(flat(weights), change);
        const auto g = gradientOf(plan, context.device,
                                  innerProduct(std::make_shared<const std::vector<TraceTable>>(std::move(weights))));
        worst.add(std::abs(left - dot(g.speed, v)) / std::abs(left), fmt::format("{}, transpose", a.faces.name));
    }
    return judged(worst.figure, 1e-10, "relative",
                  "double precision; differences of the fourth order, of a metre a second",
                  fmt::format("{} setups; worst: {}", setups.size(), worst.where));
}

SelftestOutcome hessian(SelftestContext& context, int rank)
{
    Worst worst;
    auto setups = setupsOf(Equation::Acoustic, rank);
    setups.resize(std::min<std::size_t>(setups.size(), rank == 2 ? setups.size() : 2));
    for (const auto& a : setups) {
        const auto plan = adjointPlan(a, *context.device);
        const auto misfit = leastSquares(randomData(*plan, a.seed + 3));
        const auto v = directionOf(*plan, a.seed);
        const auto u = directionOf(*plan, a.seed + 50);
        const auto along = [&](const std::vector<double>& d, bool gaussNewton, const char* mode) {
            HessianOptions options;
            options.gaussNewton = gaussNewton;
            options.tape.mode = mode;
            return taken(computeHessianProduct(plan, context.device, misfit, {d, {}}, options));
        };
        const auto hv = along(v, false, "full");
        const auto hu = along(u, false, "full");
        const double size = normOf(u) * normOf(hv.speed);
        worst.add(std::abs(dot(u, hv.speed) - dot(v, hu.speed)) / size, fmt::format("{}, symmetry", a.faces.name));
        const auto differences =
            slopeOf([&](int k) { return gradientOf(movedAlong(*plan, v, k), context.device, misfit).speed; });
        worst.add(distance(differences, hv.speed), fmt::format("{}, differences of gradients", a.faces.name));
        if (along(v, false, "chunks").speed != hv.speed) {
            worst.add(INFINITY, fmt::format("{}, chunks have other bits", a.faces.name));
        }
        const auto jv = along(v, true, "full");
        const auto ju = along(u, true, "full");
        worst.add(std::abs(dot(u, jv.speed) - dot(v, ju.speed)) / (normOf(u) * normOf(jv.speed)),
                  fmt::format("{}, symmetry of Gauss-Newton", a.faces.name));
        const auto tangent = taken(computeTangent(plan, context.device, {v, {}}));
        const auto change = flat(tangent.tangent);
        const double expected = plan->time.dt * dot(change, change); // least squares: M is dt
        worst.add(std::abs(jv.curvature - expected) / expected, fmt::format("{}, size of J v", a.faces.name));
    }
    return judged(worst.figure, 1e-8, "relative",
                  "double precision; the misfit's residuals are differenced, of the gradient the fourth order is left",
                  fmt::format("{} setups; worst: {}", setups.size(), worst.where));
}

} // namespace

void addAdjointTangentCases(std::vector<SelftestCase>& out)
{
    for (const int rank : {2, 3}) {
        for (const Equation equation : {Equation::Acoustic, Equation::VariableDensity}) {
            out.push_back({"adjoint",
                           fmt::format("Born traces, {}, {}-D: differences, transpose",
                                       equation == Equation::Acoustic ? "one density" : "variable density", rank),
                           false, [rank, equation](SelftestContext& c) { return born(c, equation, rank); }});
        }
        out.push_back({"adjoint", fmt::format("Hessian products, {}-D: symmetry, differences of gradients", rank),
                       false, [rank](SelftestContext& c) { return hessian(c, rank); }});
    }
}

} // namespace ondo
