// Laws that an exact transpose obeys, whatever the numbers are: <F s, d> = <s, F^T d>, the derivative of J as central
// differences give it, and a Taylor remainder of second order. Traces come from the propagator that every other run uses.
#include "engine/selftest/adjoint_setup.h"
#include "engine/selftest/groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>

namespace ondo {

namespace {

constexpr int kOrders[] = {2, 4, 6, 8, 10, 12, 14, 16};
constexpr int kDensityOrders[] = {2, 4, 8, 12}; // one a kernel of its own, and the run-time radius

// The law's setups: every set of faces, points on and between nodes, one and several steps a sample.
std::vector<AdjointSetup> setupsOf(Equation equation, int rank, int order, Precision precision)
{
    std::vector<AdjointSetup> out;
    const auto& sets = adjointFaces();
    for (std::size_t f = 0; f < sets.size(); ++f) {
        for (const bool onNodes : {false, true}) {
            AdjointSetup a;
            a.equation = equation;
            a.rank = rank;
            a.order = order;
            a.precision = precision;
            a.faces = sets[f];
            a.onNodes = onNodes;
            a.ratio = (f + (onNodes ? 1 : 0)) % 3 == 2 ? 3 : 1;
            a.samples = a.ratio == 3 ? 14 : 30;
            a.seed = 40 + 2 * f + (onNodes ? 1 : 0);
            a.receiverOnSource = f % 2 == 0;
            out.push_back(a);
        }
    }
    return out;
}

std::string nameOf(const AdjointSetup& a)
{
    return fmt::format("{}, points {} nodes, {} step{} a sample", a.faces.name, a.onNodes ? "on" : "between", a.ratio,
                       a.ratio == 1 ? "" : "s");
}

// Noise; loud: of the traces' own signs, so that no terms cancel and round-off is relative to their sum.
std::shared_ptr<const std::vector<TraceTable>> dataOf(const std::shared_ptr<const SimulationPlan>& plan,
                                                      const std::shared_ptr<Device>& device, std::uint64_t seed,
                                                      bool loud)
{
    auto data = std::make_shared<std::vector<TraceTable>>(*randomData(*plan, seed));
    if (loud) {
        const auto traces = tracesOf(plan, device);
        for (std::size_t s = 0; s < data->size(); ++s) {
            auto& values = (*data)[s].values;
            for (std::size_t i = 0; i < values.size(); ++i) {
                values[i] = std::copysign(values[i], traces[s].values[i]);
            }
        }
    }
    return data;
}

// The source series against the data: both sides of <F s, d> = <s, F^T d>.
SelftestOutcome dotProduct(SelftestContext& context, Equation equation, int rank, int order, Precision precision)
{
    Worst worst;
    const auto setups = setupsOf(equation, rank, order, precision);
    for (const auto& a : setups) {
        const auto plan = adjointPlan(a, *context.device);
        const auto d = dataOf(plan, context.device, 17 + a.seed, precision == Precision::Float32);
        const double left = misfitOf(plan, context.device, innerProduct(d));
        GradientOptions options;
        options.speed = options.sourcePositions = options.receiverPositions = false;
        const auto g = gradientOf(plan, context.device, innerProduct(d), options);
        double right = 0.0;
        for (std::size_t i = 0; i < plan->run.survey.shots[0].sources.size(); ++i) {
            const auto& series = g.shots[0].sources[i].series;
            right += dot(plan->run.survey.shots[0].sources[i].wavelet.samples(plan->time.innerStep(),
                                                                              static_cast<int>(series.size())),
                         series);
        }
        worst.add(std::abs(left - right) / std::abs(left), nameOf(a));
    }
    const bool wide = precision == Precision::Float64;
    return judged(worst.figure, wide ? 1e-12 : 2e-6, "relative",
                  wide
                      ? "round-off of two runs of some thirty steps, noise against noise"
                      : "round-off in single, data of random size and the traces' signs: noise would cancel its digits",
                  fmt::format("{} setups; worst: {}", setups.size(), worst.where));
}

// Fourth order in the step: what is left of it is round-off and the fifth derivative.
double slopeOf(const std::function<double(int)>& at)
{
    return (8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / 12.0;
}

// J = least squares against noise as loud as the traces, so that every term of its derivative is there.
MisfitFunction noisyData(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device)
{
    auto data = std::make_shared<std::vector<TraceTable>>(tracesOf(plan, device));
    std::uint64_t seed = 5;
    for (auto& t : *data) {
        const double rms = std::sqrt(dot(t.values, t.values) / static_cast<double>(t.values.size()));
        t.values = noise(t.values.size(), seed++);
        for (auto& v : t.values) {
            v *= rms;
        }
    }
    return leastSquares(data);
}

// Moved by whole sixteenths of a unit, which float holds exactly.
std::vector<float> movedValues(std::vector<float> v, const std::vector<double>& direction, double by)
{
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] = static_cast<float>(static_cast<double>(v[i]) + by * direction[i]);
    }
    return v;
}

// Whole sixteenths up to `most`, uphill, so that no terms cancel.
std::vector<double> uphill(const std::vector<double>& gradient, double most, std::uint64_t seed)
{
    auto d = noise(gradient.size(), seed);
    for (std::size_t i = 0; i < d.size(); ++i) {
        d[i] = std::copysign(std::ceil(16.0 * most * std::abs(d[i])) / 16.0, gradient[i]);
    }
    return d;
}

// j(direction, k): J of a model moved k times along a direction.
using MovedMisfit = std::function<double(const std::vector<double>&, int)>;

void compareNodes(const std::shared_ptr<const SimulationPlan>& plan, const std::vector<double>& gradient,
                  const MovedMisfit& j, const std::string& name, Worst& worst)
{
    const auto along = [&](const std::vector<double>& direction) {
        return slopeOf([&](int k) { return j(direction, k); });
    };
    const auto direction = uphill(gradient, 1.0, 3);
    const double expected = dot(gradient, direction);
    worst.add(std::abs(along(direction) - expected) / std::abs(expected), name + " of all nodes");
    // Single nodes: a corner, which stands for the layers' corner, an edge, and the one that matters most.
    double peak = 0.0;
    std::size_t top = 0;
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        if (std::abs(gradient[i]) > peak) {
            peak = std::abs(gradient[i]);
            top = i;
        }
    }
    for (const std::size_t i : {std::size_t{0}, static_cast<std::size_t>(plan->model.grid().nx) * 3, top}) {
        std::vector<double> one(gradient.size(), 0.0);
        one[i] = 2.0;
        const double scale = std::max(std::abs(gradient[i]), 0.01 * peak);
        worst.add(std::abs(along(one) / 2.0 - gradient[i]) / scale, fmt::format("{} of node {}", name, i));
    }
}

void compareModel(SelftestContext& context, const std::shared_ptr<const SimulationPlan>& plan,
                  const MisfitFunction& misfit, const Gradient& g, const std::string& name, bool density, Worst& worst)
{
    compareNodes(
        plan, density ? g.density : g.speed,
        [&](const std::vector<double>& direction, int k) {
            const auto other = density
                                   ? withDensities(*plan, movedValues(plan->model.density().samples(), direction, k))
                                   : withSpeeds(*plan, movedValues(plan->model.velocity().samples(), direction, k));
            return misfitOf(other, context.device, misfit);
        },
        name + (density ? ", density" : ", speed"), worst);
}

// Speeds at fixed impedance, then impedances at fixed speed: the density that goes with them is rounded to float, and what
// that does is taken out by the gradient `g` with respect to density itself, whose own test is another.
void compareImpedance(SelftestContext& context, const std::shared_ptr<const SimulationPlan>& plan,
                      const MisfitFunction& misfit, const Gradient& g, const std::string& name, Worst& worst)
{
    GradientOptions options;
    options.parameters = ModelParameters::SpeedImpedance;
    const auto turned = gradientOf(plan, context.device, misfit, options);
    const auto& c = plan->model.velocity().samples();
    const auto& rho = plan->model.density().samples();
    const auto j = [&](const std::vector<double>& speed, const std::vector<double>& impedance, int k) {
        std::vector<float> rounded;
        double correction = 0.0;
        for (std::size_t i = 0; i < c.size(); ++i) {
            const double before = static_cast<double>(c[i]);
            const double z = static_cast<double>(rho[i]) * before + k * impedance[i];
            const double wanted = z / (before + k * speed[i]);
            rounded.push_back(static_cast<float>(wanted));
            correction += g.density[i] * (static_cast<double>(rounded.back()) - wanted);
        }
        const auto other = withDensities(*withSpeeds(*plan, movedValues(c, speed, k)), std::move(rounded));
        return misfitOf(other, context.device, misfit) - correction;
    };
    const std::vector<double> none(c.size(), 0.0);
    compareNodes(
        plan, turned.speed, [&](const std::vector<double>& d, int k) { return j(d, none, k); },
        name + ", speed at fixed impedance", worst);
    // 2500 kg/(m^2 s) for one of the direction: some 1 kg/m^3.
    constexpr double kUnit = 2500.0;
    std::vector<double> perUnit = turned.impedance;
    for (auto& v : perUnit) {
        v *= kUnit;
    }
    compareNodes(
        plan, perUnit,
        [&](std::vector<double> d, int k) {
            for (auto& v : d) {
                v *= kUnit;
            }
            return j(none, d, k);
        },
        name + ", impedance", worst);
}

Survey moved(const Survey& survey, const std::function<void(Shot&)>& change)
{
    Survey other = survey;
    change(other.shots[0]);
    return other;
}

double& coordinate(Position& p, int axis)
{
    return axis == 0 ? p.z : axis == 1 ? p.y : p.x;
}

// Sources (or receivers) moved along each axis.
template<class Points>
void comparePositions(const std::shared_ptr<const SimulationPlan>& plan, const std::function<double(const Survey&)>& j,
                      bool onNodes, const std::vector<Position>& gradient, Points Shot::*points,
                      const std::string& name, Worst& worst)
{
    const Grid& g = plan->model.grid();
    const double h[3] = {g.dz, g.dy, g.dx};
    double peak = 0.0;
    for (const auto& p : gradient) {
        peak = std::max({peak, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    }
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        for (int axis = 0; axis < 3; ++axis) {
            if (axis == 1 && g.rank == 2) {
                continue;
            }
            // On a node the weights have a corner, which leaves an error of the first order in the step: two steps take it
            // out. They are small, and beyond the millionth of a cell that still counts as the node.
            const double by = h[axis] * (onNodes ? 2e-5 : 1e-3);
            const auto at = [&](int k) {
                return j(moved(plan->run.survey,
                               [&](Shot& shot) { coordinate((shot.*points)[i].position, axis) += k * by; }));
            };
            const double slope = (onNodes ? (at(1) - at(-1)) - (at(2) - at(-2)) / 4.0 : slopeOf(at)) / by;
            Position p = gradient[i];
            const double expected = coordinate(p, axis);
            worst.add(std::abs(slope - expected) / std::max(std::abs(expected), 0.1 * peak),
                      fmt::format("{} {} along {}", name, i + 1, "zyx"[axis]));
        }
    }
}

// A recorded wavelet on a step of its own, between two of the scheme's.
std::shared_ptr<const SimulationPlan> withRecordedWavelets(const SimulationPlan& plan)
{
    std::uint64_t seed = 60;
    return withSurvey(plan, moved(plan.run.survey, [&](Shot& shot) {
                          for (auto& s : shot.sources) {
                              s.wavelet = sampledWavelet(noise(24, seed++), 1.37 * plan.time.innerStep());
                              s.wavelet.delay = 0.41 * plan.time.innerStep();
                              s.wavelet.amplitude = 0.7;
                          }
                      }));
}

void compareWavelets(const std::shared_ptr<const SimulationPlan>& plan, const std::function<double(const Survey&)>& j,
                     const Gradient& g, const std::string& name, Worst& worst)
{
    const auto& sources = plan->run.survey.shots[0].sources;
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto direction = noise(sources[i].wavelet.recorded.size(), 70 + i);
        const auto& gradient = g.shots[0].sources[i];
        const double samples = slopeOf([&](int k) {
                                   return j(moved(plan->run.survey, [&](Shot& shot) {
                                       for (std::size_t n = 0; n < direction.size(); ++n) {
                                           shot.sources[i].wavelet.recorded[n] += 0.1 * k * direction[n];
                                       }
                                   }));
                               }) /
                               0.1;
        const double scale = std::sqrt(dot(gradient.recorded, gradient.recorded) * dot(direction, direction) /
                                       static_cast<double>(direction.size()));
        worst.add(std::abs(samples - dot(gradient.recorded, direction)) / scale,
                  fmt::format("{}, recorded wavelet {}", name, i + 1));
        const double amplitude =
            slopeOf([&](int k) {
                return j(moved(plan->run.survey, [&](Shot& shot) { shot.sources[i].wavelet.amplitude += 0.1 * k; }));
            }) /
            0.1;
        worst.add(std::abs(amplitude - gradient.amplitude) / std::abs(gradient.amplitude),
                  fmt::format("{}, amplitude {}", name, i + 1));
    }
}

enum class Parameter { Speed, Wavelet, SourcePosition, ReceiverPosition, Density, Impedance };
constexpr const char* kParameterNames[] = {"speed",   "wavelet",  "source position", "receiver position",
                                           "density", "impedance"};
constexpr int kOfOneDensity = 4; // the first ones

void compareOne(SelftestContext& context, const AdjointSetup& a, Parameter parameter, Worst& worst)
{
    const auto given = adjointPlan(a, *context.device);
    const auto plan = parameter == Parameter::Wavelet ? withRecordedWavelets(*given) : given;
    const auto misfit = noisyData(plan, context.device);
    const auto g = gradientOf(plan, context.device, misfit);
    const auto j = [&](const Survey& survey) { return misfitOf(withSurvey(*plan, survey), context.device, misfit); };
    const std::string name = nameOf(a);
    switch (parameter) {
    case Parameter::Speed: compareModel(context, plan, misfit, g, name, false, worst); break;
    case Parameter::Density: compareModel(context, plan, misfit, g, name, true, worst); break;
    case Parameter::Impedance: compareImpedance(context, plan, misfit, g, name, worst); break;
    case Parameter::Wavelet: compareWavelets(plan, j, g, name, worst); break;
    case Parameter::SourcePosition: {
        std::vector<Position> positions;
        for (const auto& s : g.shots[0].sources) {
            positions.push_back(*s.position);
        }
        comparePositions(plan, j, a.onNodes, positions, &Shot::sources, name + ", source", worst);
        break;
    }
    case Parameter::ReceiverPosition:
        comparePositions(plan, j, a.onNodes, g.shots[0].receivers, &Shot::receivers, name + ", receiver", worst);
        break;
    }
}

SelftestOutcome centralDifferences(SelftestContext& context, Equation equation, int rank, int order,
                                   Parameter parameter)
{
    Worst worst;
    const auto setups = setupsOf(equation, rank, order, Precision::Float64);
    for (const auto& a : setups) {
        compareOne(context, a, parameter, worst);
    }
    return judged(worst.figure, 1e-6, "relative", "round-off of J over the step, and the step's own error",
                  fmt::format("{} setups; worst: {}", setups.size(), worst.where));
}

// |J(m + h dm) - J - h g.dm| over seven halvings of h.
SelftestOutcome taylor(SelftestContext& context, int rank, int order)
{
    double worst = 0.0;
    std::string where;
    for (const auto& faces : adjointFaces()) {
        AdjointSetup a;
        a.rank = rank;
        a.order = order;
        a.faces = faces;
        a.samples = 30;
        const auto plan = adjointPlan(a, *context.device);
        const auto misfit = noisyData(plan, context.device);
        const auto g = gradientOf(plan, context.device, misfit);
        // On eights of a metre a second, so that 2^-7 of it is on sixteenths.
        auto whole = uphill(g.speed, 32.0, 21);
        for (auto& d : whole) {
            d = 8.0 * std::round(d / 8.0);
        }
        const double along = dot(g.speed, whole);
        double last = 0.0;
        for (int k = 0; k <= 7; ++k) {
            const double h = std::ldexp(1.0, -k);
            const double j = misfitOf(withSpeeds(*plan, movedValues(plan->model.velocity().samples(), whole, h)),
                                      context.device, misfit);
            const double rest = std::abs(j - g.misfit - h * along);
            if (k > 1) { // the first halving still sees the third derivative
                const double slope = std::log2(last / rest);
                if (std::abs(slope - 2.0) > worst) {
                    worst = std::abs(slope - 2.0);
                    where = fmt::format("{}: slope {:.4f} at h = 2^-{}", faces.name, slope, k);
                }
            }
            last = rest;
        }
    }
    return judged(worst, 0.05, "off slope 2", "the issue's bound: third derivative at large h, round-off at small",
                  where);
}

// What every equation obeys; `prefix` names it.
void addLaws(std::vector<SelftestCase>& out, Equation equation, const std::string& prefix, std::span<const int> orders,
             int parameters, int rank)
{
    for (const auto precision : {Precision::Float64, Precision::Float32}) {
        for (const int order : orders) {
            out.push_back(
                {"adjoint",
                 fmt::format("{}dot product, {}-D, order {}, {}", prefix, rank, order, precisionName(precision)), false,
                 [=](SelftestContext& c) { return dotProduct(c, equation, rank, order, precision); }});
        }
    }
    for (int p = 0; p < parameters; ++p) {
        for (const int order : orders) {
            out.push_back(
                {"adjoint",
                 fmt::format("{}central differences, {}, {}-D, order {}", prefix, kParameterNames[p], rank, order),
                 rank == 3 && order > 2 && order != 8, [=](SelftestContext& c) {
                     return centralDifferences(c, equation, rank, order, static_cast<Parameter>(p));
                 }});
        }
    }
}

} // namespace

void addAdjointLawCases(std::vector<SelftestCase>& out)
{
    for (int rank = 2; rank <= 3; ++rank) {
        addLaws(out, Equation::Acoustic, "", kOrders, kOfOneDensity, rank);
        addLaws(out, Equation::VariableDensity, "variable density, ", kDensityOrders,
                static_cast<int>(std::size(kParameterNames)), rank);
        for (const int order : kOrders) {
            out.push_back({"adjoint", fmt::format("Taylor remainder, {}-D, order {}", rank, order), false,
                           [=](SelftestContext& c) { return taylor(c, rank, order); }});
        }
    }
}

} // namespace ondo
