// Derivatives along a direction of the model: Born traces against differences of traces and against the transpose, products
// with the Hessian against differences of gradients, and their symmetry.
#include "engine/inversion/tangent.h"
#include "engine/selftest/adjoint_setup.h"
#include "engine/selftest/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace ondo {

namespace {

constexpr double kTaylorStep = 16.0; // of a sixteenth of a unit at the least
// Of differences of the fourth order, in units of a direction. What they miss goes with its fourth power: 1.3e-10 of the traces
// at 1, 7.9e-12 at 1/2 (free top, 2-D, variable density); at 1/4 round-off is as large.
constexpr double kStep = 0.5;

// Whole sixteenths of a unit, up to one, which float holds exactly beside any speed and density.
std::vector<double> sixteenths(const SimulationPlan& plan, std::uint64_t seed)
{
    auto v = noise(static_cast<std::size_t>(plan.model.grid().nodes()), seed);
    for (auto& x : v) {
        x = std::round(16.0 * x) / 16.0;
    }
    return v;
}

// Of the speed, and of the density where it varies.
ModelDirection directionOf(const SimulationPlan& plan, std::uint64_t seed)
{
    return {sixteenths(plan, seed), plan.variableDensity() ? sixteenths(plan, seed + 500) : std::vector<double>{}, {}};
}

// The same direction by speed and impedance: dz = c drho + rho dc.
ModelDirection byImpedance(const SimulationPlan& plan, const ModelDirection& v)
{
    ModelDirection out{v.speed, {}, {}};
    for (std::size_t i = 0; i < v.speed.size(); ++i) {
        out.impedance.push_back(static_cast<double>(plan.model.velocity().samples()[i]) * v.density[i] +
                                static_cast<double>(plan.model.density().samples()[i]) * v.speed[i]);
    }
    return out;
}

std::vector<float> moved(std::vector<float> values, const std::vector<double>& v, double by)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>(static_cast<double>(values[i]) + by * v[i]);
    }
    return values;
}

std::shared_ptr<const SimulationPlan> movedAlong(const SimulationPlan& plan, const ModelDirection& v, double by)
{
    auto out = withSpeeds(plan, moved(plan.model.velocity().samples(), v.speed, by));
    return v.density.empty() ? out : withDensities(*out, moved(plan.model.density().samples(), v.density, by));
}

// Speeds, then densities or impedances, of a direction, a gradient or a product.
template<class Of>
std::vector<double> joined(const Of& of)
{
    std::vector<double> all = of.speed;
    all.insert(all.end(), of.density.begin(), of.density.end());
    all.insert(all.end(), of.impedance.begin(), of.impedance.end());
    return all;
}

GradientOptions byParametersOf(const ModelDirection& v)
{
    GradientOptions options;
    options.parameters = v.impedance.empty() ? ModelParameters::SpeedDensity : ModelParameters::SpeedImpedance;
    return options;
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

// The derivative at 0 of at(h), of the fourth order.
template<class At>
std::vector<double> slopeOf(const At& at)
{
    const std::vector<double> terms[4] = {at(kStep), at(-kStep), at(2.0 * kStep), at(-2.0 * kStep)};
    std::vector<double> slope(terms[0].size());
    for (std::size_t i = 0; i < slope.size(); ++i) {
        slope[i] = (8.0 * (terms[0][i] - terms[1][i]) - (terms[2][i] - terms[3][i])) / (12.0 * kStep);
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

std::vector<AdjointSetup> setupsOf(Equation equation, int rank, Precision precision = Precision::Float64)
{
    std::vector<AdjointSetup> out;
    std::uint64_t seed = 200;
    for (const auto& faces : adjointFaces()) {
        AdjointSetup a;
        a.equation = equation;
        a.rank = rank;
        a.precision = precision;
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

// |<w, J v> - <J^T w, v>|, relative. The weights have the traces' signs, or the two sums would cancel their digits.
double offTranspose(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const ModelDirection& v, const Tangent& tangent, std::uint64_t seed)
{
    auto weights = *randomData(*plan, seed);
    for (std::size_t s = 0; s < weights.size(); ++s) {
        for (std::size_t i = 0; i < weights[s].values.size(); ++i) {
            weights[s].values[i] = std::copysign(weights[s].values[i], tangent.tangent[s].values[i]);
        }
    }
    const double left = dot(flat(weights), flat(tangent.tangent));
    const auto g = gradientOf(plan, device, innerProduct(std::make_shared<const std::vector<TraceTable>>(weights)),
                              byParametersOf(v));
    return std::abs(left - dot(joined(g), joined(v))) / std::abs(left);
}

// Against the run itself; the figure is of the smaller of both tolerances.
SelftestOutcome born(SelftestContext& context, Equation equation, int rank)
{
    Worst worst;
    const auto setups = setupsOf(equation, rank);
    for (const auto& a : setups) {
        const auto plan = adjointPlan(a, *context.device);
        const auto v = directionOf(*plan, a.seed);
        const auto tangent = taken(computeTangent(plan, context.device, v));
        const auto differences =
            slopeOf([&](double h) { return flat(tracesOf(movedAlong(*plan, v, h), context.device)); });
        worst.add(distance(differences, flat(tangent.tangent)), fmt::format("{}, differences", a.faces.name));
        worst.add(offTranspose(plan, context.device, v, tangent, a.seed + 7),
                  fmt::format("{}, transpose", a.faces.name));
        if (plan->variableDensity()) {
            const auto z = byImpedance(*plan, v);
            worst.add(offTranspose(plan, context.device, z, taken(computeTangent(plan, context.device, z)), a.seed + 9),
                      fmt::format("{}, transpose by impedance", a.faces.name));
        }
    }
    return judged(worst.figure, 1e-10, "relative",
                  "double precision; differences of the fourth order, of half a unit of speed and density",
                  fmt::format("{} setups; worst: {}", setups.size(), worst.where));
}

SelftestOutcome bornInSingle(SelftestContext& context, Equation equation, int rank)
{
    Worst worst;
    const auto setups = setupsOf(equation, rank, Precision::Float32);
    for (const auto& a : setups) {
        const auto plan = adjointPlan(a, *context.device);
        const auto v = directionOf(*plan, a.seed);
        worst.add(offTranspose(plan, context.device, v, taken(computeTangent(plan, context.device, v)), a.seed + 7),
                  a.faces.name);
    }
    return judged(worst.figure, 2e-6, "relative", "round-off in single, weights of random size and the traces' signs",
                  fmt::format("{} setups; worst: {}", setups.size(), worst.where));
}

// |d(m + h v) - d - h J v| over five halvings of h.
SelftestOutcome taylor(SelftestContext& context, Equation equation, int rank)
{
    Worst worst;
    auto setups = setupsOf(equation, rank);
    if (rank == 3) {
        setups = {setups.front(), setups.back()};
    }
    for (const auto& a : setups) {
        const auto plan = adjointPlan(a, *context.device);
        const auto v = directionOf(*plan, a.seed);
        const auto tangent = taken(computeTangent(plan, context.device, v));
        const auto change = flat(tangent.tangent);
        const auto here = flat(tangent.synthetic);
        double last = 0.0;
        for (int k = 0; k <= 5; ++k) {
            const double h = std::ldexp(kTaylorStep, -k);
            auto rest = flat(tracesOf(movedAlong(*plan, v, h), context.device));
            for (std::size_t i = 0; i < rest.size(); ++i) {
                rest[i] -= here[i] + h * change[i];
            }
            const double size = normOf(rest);
            if (k > 0) {
                const double slope = std::log2(last / size);
                worst.add(std::abs(slope - 2.0), fmt::format("{}: slope {:.4f} at h = {}", a.faces.name, slope, h));
            }
            last = size;
        }
    }
    return judged(worst.figure, 0.05, "off slope 2", "the issue's bound: third derivative at large h", worst.where);
}

// Products along directions of one pair of parameters; `gradientAt(h)`: the gradient h of v on.
template<class GradientAt>
void addProducts(SelftestContext& context, const std::shared_ptr<const SimulationPlan>& plan,
                 const MisfitFunction& misfit, const ModelDirection& v, const ModelDirection& u,
                 const GradientAt& gradientAt, const std::string& name, Worst& worst)
{
    const auto along = [&](const ModelDirection& d, bool gaussNewton, const char* mode) {
        HessianOptions options;
        options.gaussNewton = gaussNewton;
        options.tape.mode = mode;
        return taken(computeHessianProduct(plan, context.device, misfit, d, options));
    };
    const auto asymmetry = [&](const HessianProduct& hv, const HessianProduct& hu) {
        return std::abs(dot(joined(u), joined(hv)) - dot(joined(v), joined(hu))) /
               (normOf(joined(u)) * normOf(joined(hv)));
    };
    const auto hv = along(v, false, "full");
    worst.add(asymmetry(hv, along(u, false, "full")), name + ", symmetry");
    worst.add(distance(slopeOf(gradientAt), joined(hv)), name + ", differences of gradients");
    if (joined(along(v, false, "chunks")) != joined(hv)) {
        worst.add(INFINITY, name + ", chunks have other bits");
    }
    const auto jv = along(v, true, "full");
    worst.add(asymmetry(jv, along(u, true, "full")), name + ", symmetry of Gauss-Newton");
    const auto change = flat(taken(computeTangent(plan, context.device, v)).tangent);
    const double expected = plan->time.dt * dot(change, change); // least squares: M is dt
    worst.add(std::abs(jv.curvature - expected) / expected, name + ", size of J v");
}

SelftestOutcome hessian(SelftestContext& context, Equation equation, int rank)
{
    Worst worst;
    auto setups = setupsOf(equation, rank);
    if (rank == 3 && equation == Equation::VariableDensity) { // ten seconds each
        setups = {setups.back()};
    } else if (rank == 3) { // layers everywhere, and faces of all kinds
        setups = {setups.front(), setups.back()};
    }
    for (const auto& a : setups) {
        const auto plan = adjointPlan(a, *context.device);
        const auto misfit = leastSquares(randomData(*plan, a.seed + 3));
        const auto v = directionOf(*plan, a.seed);
        const auto u = directionOf(*plan, a.seed + 50);
        const auto gradients = [&](const ModelDirection& by) {
            return [&, options = byParametersOf(by)](double h) {
                return joined(gradientOf(movedAlong(*plan, v, h), context.device, misfit, options));
            };
        };
        addProducts(context, plan, misfit, v, u, gradients(v), a.faces.name, worst);
        if (plan->variableDensity() && rank == 2) {
            // What the gradient by impedance changes by along a line of densities, which float holds exactly.
            const auto z = byImpedance(*plan, v);
            addProducts(context, plan, misfit, z, byImpedance(*plan, u), gradients(z),
                        fmt::format("{}, by impedance", a.faces.name), worst);
        }
    }
    return judged(worst.figure, 1e-8, "relative",
                  "double precision; the misfit's residuals are differenced, of the gradient the fourth order is left",
                  fmt::format("{} setups; worst: {}", setups.size(), worst.where));
}

} // namespace

void addAdjointTangentCases(std::vector<SelftestCase>& out)
{
    const auto add = [&out](const std::string& name, SelftestOutcome (*run)(SelftestContext&, Equation, int),
                            Equation equation, int rank) {
        out.push_back({"adjoint", name, false, [=](SelftestContext& c) { return run(c, equation, rank); }});
    };
    for (const int rank : {2, 3}) {
        for (const Equation equation : {Equation::Acoustic, Equation::VariableDensity}) {
            const std::string where =
                fmt::format("{}, {}-D", equation == Equation::Acoustic ? "one density" : "variable density", rank);
            add(fmt::format("Born traces, {}: differences, transpose", where), born, equation, rank);
            add(fmt::format("Born traces, {}, single: transpose", where), bornInSingle, equation, rank);
            add(fmt::format("Born traces, {}: Taylor remainder", where), taylor, equation, rank);
            add(fmt::format("Hessian products, {}: symmetry, differences of gradients", where), hessian, equation,
                rank);
        }
    }
}

} // namespace ondo
