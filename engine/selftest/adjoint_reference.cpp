// The transpose of one step, and a gradient node by node: the slow reference's adjoint against the slow reference's forward
// step, then the device's gradient against the slow adjoint. What is proven first does not use what is proven after it.
#include "engine/propagator/domain.h"
#include "engine/selftest/adjoint_setup.h"
#include "engine/selftest/groups.h"
#include "engine/selftest/truth.h"
#include "engine/survey/off_grid.h"
#include "kernels/reference/scalar_adjoint_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

using kernels::ReferenceFace;
using kernels::ScalarAdjointReference;
using kernels::ScalarReference;

constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};

// The node of the user's grid whose speed a computed node has.
std::size_t userNode(const SimulationPlan& plan, int z, int y, int x)
{
    const Grid& g = plan.model.grid();
    const int uz = std::clamp(z - plan.layerLow[0], 0, g.nz - 1);
    const int uy = std::clamp(y - plan.layerLow[1], 0, g.ny - 1);
    const int ux = std::clamp(x - plan.layerLow[2], 0, g.nx - 1);
    return static_cast<std::size_t>((std::int64_t{uz} * g.ny + uy) * g.nx + ux);
}

ScalarReference referenceOf(const SimulationPlan& plan)
{
    const Grid& g = plan.model.grid();
    ScalarReference r;
    r.rank = g.rank;
    r.order = plan.run.spaceOrder;
    r.dt = plan.time.innerStep();
    const int n[3] = {plan.nz, plan.ny, plan.nx};
    const double h[3] = {g.dz, g.dy, g.dx};
    for (int axis = 0; axis < 3; ++axis) {
        r.n[axis] = n[axis];
        r.h[axis] = h[axis];
        for (int side = 0; side < 2; ++side) {
            const auto c = plan.run.boundary.at(kFaces[axis][side]);
            r.face[axis][side] = c == FaceCondition::Free    ? ReferenceFace::Odd
                                 : c == FaceCondition::Rigid ? ReferenceFace::Even
                                                             : ReferenceFace::Zero;
        }
        if (plan.layerLow[axis] + plan.layerHigh[axis] > 0) {
            const auto p = layerProfile(n[axis], plan.layerLow[axis], plan.layerHigh[axis], plan.radius, h[axis], r.dt,
                                        plan.vMax, plan.run.boundary.reflection, plan.layerFrequency);
            const auto inside = [&](const std::vector<double>& v) {
                return std::vector<double>(v.begin() + plan.radius, v.begin() + plan.radius + n[axis]);
            };
            r.a[axis] = inside(p.a);
            r.b[axis] = inside(p.b);
            r.aHalf[axis] = inside(p.aHalf);
            r.bHalf[axis] = inside(p.bHalf);
        }
    }
    const auto& v = plan.model.velocity().samples();
    for (int z = 0; z < n[0]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[2]; ++x) {
                r.speed.push_back(static_cast<double>(v[userNode(plan, z, y, x)]));
            }
        }
    }
    r.reset();
    return r;
}

struct Amounts {
    std::vector<std::size_t> node;
    std::vector<double> weight; // W, and W / V
    std::vector<double> density;
};

Amounts amountsOf(const SimulationPlan& plan, const ScalarReference& r, const Position& p)
{
    Amounts out;
    for (const auto& w : pointWeights(plan.model.grid(), plan.run.boundary, plan.layerLow, plan.layerHigh, p)) {
        out.node.push_back(
            static_cast<std::size_t>(r.at(w.z + plan.layerLow[0], w.y + plan.layerLow[1], w.x + plan.layerLow[2])));
        out.weight.push_back(w.weight);
        out.density.push_back(w.weight * w.inverseVolume);
    }
    return out;
}

// Everything of a state, in a row: for random states and inner products.
std::vector<std::vector<double>*> partsOf(ScalarReference& r)
{
    std::vector<std::vector<double>*> parts = {&r.p, &r.before};
    for (int axis = 0; axis < 3; ++axis) {
        if (!r.psi[axis].empty()) {
            parts.push_back(&r.psi[axis]);
            parts.push_back(&r.zeta[axis]);
        }
    }
    return parts;
}

std::vector<std::vector<double>*> partsOf(ScalarAdjointReference& r)
{
    std::vector<std::vector<double>*> parts = {&r.p, &r.before};
    for (int axis = 0; axis < 3; ++axis) {
        if (!r.psi[axis].empty()) {
            parts.push_back(&r.psi[axis]);
            parts.push_back(&r.zeta[axis]);
        }
    }
    return parts;
}

// <step x, y> against <x, step^T y>, x a random state and source, y random derivatives.
SelftestOutcome ownTranspose(SelftestContext& context, int rank, int order)
{
    double worst = 0.0;
    std::string where;
    for (const auto& faces : adjointFaces()) {
        AdjointSetup setup;
        setup.rank = rank;
        setup.order = order;
        setup.faces = faces;
        const auto plan = adjointPlan(setup, *context.cpu);
        auto forward = referenceOf(*plan);
        ScalarAdjointReference back(forward);
        std::uint64_t seed = 7;
        for (auto* part : partsOf(forward)) {
            *part = noise(part->size(), seed++);
        }
        for (int axis = 0; axis < 3; ++axis) {
            for (std::size_t i = 0; i < forward.p.size(); ++i) {
                const int n[3] = {static_cast<int>(i) / (plan->ny * plan->nx),
                                  static_cast<int>(i) / plan->nx % plan->ny, static_cast<int>(i) % plan->nx};
                if (forward.onFreeFace({n[0], n[1], n[2]})) {
                    forward.p[i] = forward.before[i] = 0.0; // as the step keeps it
                }
            }
        }
        for (auto* part : partsOf(back)) {
            *part = noise(part->size(), seed++);
        }
        const auto source = noise(forward.p.size(), seed++);
        double scale = 0.0;
        double left = 0.0;
        double right = 0.0;
        std::vector<std::vector<double>> before;
        for (auto* part : partsOf(forward)) {
            before.push_back(*part);
        }
        std::vector<std::vector<double>> given;
        for (auto* part : partsOf(back)) {
            given.push_back(*part);
        }
        forward.step(source);
        back.stepBack();
        const auto after = partsOf(forward);
        const auto taken = partsOf(back);
        for (std::size_t i = 0; i < after.size(); ++i) {
            left += dot(*after[i], given[i]);
            right += dot(*taken[i], before[i]);
            scale += std::sqrt(dot(*after[i], *after[i]) * dot(given[i], given[i]));
        }
        right += dot(back.source, source);
        const double d = std::abs(left - right) / scale;
        if (!(d <= worst)) {
            worst = d;
            where = faces.name;
        }
    }
    return judged(worst, 1e-14, "of the norms", "round-off of sums of some ten thousand terms in double",
                  fmt::format("{} sets of faces; worst: {}", adjointFaces().size(), where));
}

struct SlowGradient {
    double misfit = 0.0;
    std::vector<double> speed;                // by user's node
    std::vector<std::vector<double>> wavelet; // [source][step]
};

// Shot 0, J = <weights, traces>.
SlowGradient slowGradient(const SimulationPlan& plan, const TraceTable& weights)
{
    auto r = referenceOf(plan);
    const Shot& shot = plan.run.survey.shots[0];
    const int steps = plan.time.innerSteps();
    std::vector<Amounts> sources;
    std::vector<std::vector<double>> wavelets;
    for (const auto& s : shot.sources) {
        sources.push_back(amountsOf(plan, r, s.position));
        wavelets.push_back(s.wavelet.samples(plan.time.innerStep(), steps));
    }
    std::vector<Amounts> receivers;
    for (const auto& one : shot.receivers) {
        receivers.push_back(amountsOf(plan, r, one.position));
    }
    SlowGradient out;
    std::vector<std::vector<double>> history = {r.before, r.p};
    for (int n = 0; n < steps; ++n) {
        std::vector<double> source(r.p.size(), 0.0);
        for (std::size_t i = 0; i < sources.size(); ++i) {
            for (std::size_t e = 0; e < sources[i].node.size(); ++e) {
                source[sources[i].node[e]] += sources[i].density[e] * wavelets[i][static_cast<std::size_t>(n)];
            }
        }
        r.step(source);
        history.push_back(r.p);
    }
    ScalarAdjointReference back(r);
    std::vector<double> c2(r.p.size(), 0.0);
    out.wavelet.assign(sources.size(), std::vector<double>(static_cast<std::size_t>(steps), 0.0));
    for (int n = steps - 1; n >= 0; --n) {
        const auto at = static_cast<std::size_t>(n);
        if ((n + 1) % plan.time.ratio == 0) {
            for (std::size_t i = 0; i < receivers.size(); ++i) {
                const double w = weights.at(static_cast<int>(i), (n + 1) / plan.time.ratio);
                for (std::size_t e = 0; e < receivers[i].node.size(); ++e) {
                    back.p[receivers[i].node[e]] += receivers[i].weight[e] * w;
                    out.misfit += receivers[i].weight[e] * w * history[at + 2][receivers[i].node[e]];
                }
            }
        }
        back.stepBack();
        for (std::size_t i = 0; i < c2.size(); ++i) {
            const double cdt = r.speed[i] * r.dt;
            c2[i] += back.weight[i] * (history[at + 2][i] - 2.0 * history[at + 1][i] + history[at][i]) / (cdt * cdt);
        }
        for (std::size_t i = 0; i < sources.size(); ++i) {
            for (std::size_t e = 0; e < sources[i].node.size(); ++e) {
                out.wavelet[i][at] += sources[i].density[e] * back.source[sources[i].node[e]];
            }
        }
    }
    out.speed.assign(static_cast<std::size_t>(plan.model.grid().nodes()), 0.0);
    for (int z = 0; z < plan.nz; ++z) {
        for (int y = 0; y < plan.ny; ++y) {
            for (int x = 0; x < plan.nx; ++x) {
                const auto i = static_cast<std::size_t>(r.at(z, y, x));
                out.speed[userNode(plan, z, y, x)] += c2[i] * 2.0 * r.speed[i] * r.dt * r.dt;
            }
        }
    }
    return out;
}

SelftestOutcome againstReference(SelftestContext& context, int rank, int order, Precision precision)
{
    double worst = 0.0;
    std::string where;
    const auto& sets = adjointFaces();
    for (std::size_t f = 0; f < sets.size(); ++f) {
        AdjointSetup setup;
        setup.rank = rank;
        setup.order = order;
        setup.precision = precision;
        setup.faces = sets[f];
        setup.onNodes = f % 2 == 1;
        setup.ratio = f % 3 == 2 ? 2 : 1;
        setup.samples = rank == 3 ? 16 : 40;
        setup.seed = 3 + f;
        const auto plan = adjointPlan(setup, *context.device);
        const auto weights = randomData(*plan, 91);
        const auto slow = slowGradient(*plan, weights->front());
        const auto fast = gradientOf(plan, context.device, innerProduct(weights));
        double d = truth::largestDifference(fast.speed, slow.speed) / truth::largest(slow.speed);
        for (std::size_t i = 0; i < slow.wavelet.size(); ++i) {
            const auto& series = fast.shots[0].sources[i].series;
            d = std::max(d, truth::largestDifference(series, slow.wavelet[i]) / truth::largest(slow.wavelet[i]));
        }
        if (!(d <= worst)) {
            worst = d;
            where = sets[f].name;
        }
    }
    const bool wide = precision == Precision::Float64;
    return judged(
        worst, wide ? 1e-12 : 1e-5, "of the peak",
        wide ? "round-off in double over the run; second differences of the reference's history lose two digits"
             : "round-off in single over both runs, model and weights rounded to single",
        fmt::format("speeds and wavelets, {} sets of faces; worst: {}", sets.size(), where));
}

} // namespace

void addAdjointReferenceCases(std::vector<SelftestCase>& out)
{
    for (int rank = 2; rank <= 3; ++rank) {
        for (const int order : {2, 4, 8, 16}) {
            out.push_back({"adjoint", fmt::format("the reference's own transpose, {}-D, order {}", rank, order), false,
                           [=](SelftestContext& c) { return ownTranspose(c, rank, order); }});
        }
    }
    for (const auto precision : {Precision::Float64, Precision::Float32}) {
        for (int rank = 2; rank <= 3; ++rank) {
            for (const int order : {2, 4, 6, 8, 10, 12, 16}) {
                out.push_back({"adjoint",
                               fmt::format("gradient against the reference, {}-D, order {}, {}", rank, order,
                                           precisionName(precision)),
                               false, [=](SelftestContext& c) { return againstReference(c, rank, order, precision); }});
            }
        }
    }
}

} // namespace ondo
