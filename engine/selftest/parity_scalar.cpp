// One step after another, node by node: the device under test against the slow reference in double precision
// (kernels/reference: whole arrays, published fractions, images by index), and a device against the host.
// The layers' profiles are made here once more from their formula. Sizes are odd, larger than a warp, unlike each other.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"
#include "engine/survey/off_grid.h"
#include "kernels/reference/scalar_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ondo {

namespace {

constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};
constexpr auto kA = FaceCondition::Absorbing;
constexpr auto kF = FaceCondition::Free;
constexpr auto kR = FaceCondition::Rigid;

struct Faces {
    const char* name;
    std::array<FaceCondition, 6> by; // x low, x high, y low, y high, z low, z high
};
constexpr Faces kFaceSets[] = {
    {"absorbing", {kA, kA, kA, kA, kA, kA}},       {"free top", {kA, kA, kA, kA, kF, kA}},
    {"rigid", {kR, kR, kR, kR, kR, kR}},           {"free", {kF, kF, kF, kF, kF, kF}},
    {"free over rigid", {kA, kA, kA, kA, kF, kR}}, {"opposite faces unlike", {kF, kA, kA, kR, kR, kA}},
    {"all mixed", {kR, kF, kF, kA, kA, kF}},
};

constexpr double kFastest = 3500.0, kSlowest = 1500.0, kFrequency = 35.0;

ShotSetup paritySetup(Equation equation, int rank, int order, Precision precision, const Faces& faces)
{
    ShotSetup setup;
    setup.grid = rank == 3 ? *Grid::make3D(25, 24, 35, 10.0, 12.0, 9.0, {-30.0, 20.0, 5.0})
                           : *Grid::make2D(47, 67, 10.0, 9.0, {-30.0, 0.0, 5.0});
    const Grid& g = setup.grid;
    for (const double v : noise(static_cast<std::size_t>(g.nodes()), 17)) {
        setup.velocity.push_back(static_cast<float>(0.5 * (kFastest + kSlowest) + 0.5 * (kFastest - kSlowest) * v));
    }
    if (equation == Equation::VariableDensity) {
        for (const double v : noise(static_cast<std::size_t>(g.nodes()), 18)) {
            setup.density.push_back(static_cast<float>(1500.0 + 500.0 * v));
        }
    }
    setup.boundary.faces = faces.by;
    setup.boundary.layerCells = rank == 3 ? 5 : 9;
    setup.boundary.reflection = 1e-4;
    setup.boundary.frequency = kFrequency;
    setup.order = order;
    setup.precision = precision;
    setup.dt = (equation == Equation::VariableDensity ? 0.7 : 0.8) * stableDistance(g, order / 2) / kFastest;
    setup.steps = rank == 3 ? 14 : 50;
    setup.shotsAtOnce = 3;
    const auto at = [&g](double z, double y, double x) {
        return Position{g.origin.x + x * g.dx, g.rank == 3 ? g.origin.y + y * g.dy : 0.0, g.origin.z + z * g.dz};
    };
    const auto wavelet = Wavelet::ricker(kFrequency, 0.02);
    // Near a corner, on nodes and between them; two sources that share nodes; the third shot in the middle.
    setup.addShot({{at(2, 3, 4), wavelet}}, {});
    setup.addShot({{at(g.nz - 3.4, 9.7, g.nx - 2.2), wavelet}, {at(g.nz - 4.1, 10.2, g.nx - 3.3), wavelet}}, {});
    setup.addShot({{at(12.5, 11.5, 16.5), wavelet}}, {});
    return setup;
}

// From the formula (propagator/domain.h): sigma = sigma0 q^N, sigma0 = -(N + 1) v ln R / (2 W), N in 2 .. 3 such that
// sigma0 h <= 2 v if it can; alpha = pi f (1 - q), at least sigma / 10000, at order 4 sigma / 48 and one per cent.
void profilesAt(const ShotSetup& setup, double vMax, double at, int nodes, int low, int high, double h, double& a,
                double& b)
{
    double depth = 0.0;
    int width = 0;
    if (low > 0 && at < low) {
        depth = low - at;
        width = low;
    } else if (high > 0 && at > nodes - 1 - high) {
        depth = at - (nodes - 1 - high);
        width = high;
    }
    a = b = 0.0;
    if (width == 0) {
        return;
    }
    const double q = depth / width;
    const double attenuation = -std::log(setup.boundary.reflection);
    const double power = std::min(3.0, std::max(2.0, 4.0 * width / attenuation - 1.0));
    const double sigma = (power + 1.0) * vMax * attenuation / (2.0 * width * h) * std::pow(q, power);
    const double least = setup.order == 4 ? 1.01 / 48.0 : 1e-4;
    const double alpha = std::max(std::numbers::pi * setup.boundary.frequency * (1.0 - q), least * sigma);
    a = std::exp(-(sigma + alpha) * setup.dt);
    b = sigma / (sigma + alpha) * (a - 1.0);
}

kernels::ScalarReference referenceOf(const ShotSetup& setup, const SimulationPlan& plan)
{
    const Grid& g = setup.grid;
    kernels::ScalarReference r;
    r.rank = g.rank;
    r.order = setup.order;
    r.dt = setup.dt;
    const int n[3] = {plan.nz, plan.ny, plan.nx};
    const double h[3] = {g.dz, g.dy, g.dx};
    for (int axis = 0; axis < 3; ++axis) {
        r.n[axis] = n[axis];
        r.h[axis] = h[axis];
        for (int side = 0; side < 2; ++side) {
            const auto c = setup.boundary.at(kFaces[axis][side]);
            r.face[axis][side] = c == kF   ? kernels::ReferenceFace::Odd
                                 : c == kR ? kernels::ReferenceFace::Even
                                           : kernels::ReferenceFace::Zero;
        }
        const int low = plan.layerLow[axis];
        const int high = plan.layerHigh[axis];
        if (low + high > 0) {
            const auto size = static_cast<std::size_t>(n[axis]);
            for (auto* v : {&r.a[axis], &r.b[axis], &r.aHalf[axis], &r.bHalf[axis]}) {
                v->assign(size, 0.0);
            }
            for (std::size_t i = 0; i < size; ++i) {
                const auto x = static_cast<double>(i);
                profilesAt(setup, plan.vMax, x, n[axis], low, high, h[axis], r.a[axis][i], r.b[axis][i]);
                if (i + 1 < size) {
                    profilesAt(setup, plan.vMax, x + 0.5, n[axis], low, high, h[axis], r.aHalf[axis][i],
                               r.bHalf[axis][i]);
                }
            }
        }
    }
    for (int z = 0; z < n[0]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[2]; ++x) {
                const int uz = std::clamp(z - plan.layerLow[0], 0, g.nz - 1);
                const int uy = std::clamp(y - plan.layerLow[1], 0, g.ny - 1);
                const int ux = std::clamp(x - plan.layerLow[2], 0, g.nx - 1);
                const auto user = static_cast<std::size_t>((std::int64_t{uz} * g.ny + uy) * g.nx + ux);
                r.speed.push_back(static_cast<double>(setup.velocity[user]));
                if (!setup.density.empty()) {
                    r.density.push_back(static_cast<double>(setup.density[user]));
                }
            }
        }
    }
    r.reset();
    return r;
}

std::vector<double> referenceField(const ShotSetup& setup, const SimulationPlan& plan, int shot)
{
    auto r = referenceOf(setup, plan);
    std::vector<double> weights(r.p.size(), 0.0);
    for (const auto& source : setup.shots[static_cast<std::size_t>(shot)].sources) {
        for (const auto& w : pointWeights(setup.grid, setup.boundary, plan.layerLow, plan.layerHigh, source.position)) {
            weights[static_cast<std::size_t>(r.at(w.z + plan.layerLow[0], w.y + plan.layerLow[1],
                                                  w.x + plan.layerLow[2]))] += w.weight * w.inverseVolume;
        }
    }
    const auto f = truth::ricker(kFrequency, 0.02);
    for (int n = 0; n < setup.steps; ++n) {
        auto source = weights;
        for (auto& v : source) {
            v *= f(n * setup.dt);
        }
        r.step(source);
    }
    return r.p;
}

double tolerance(Precision precision)
{
    return precision == Precision::Float64 ? 1e-12 : 1e-5;
}

SelftestOutcome againstReference(SelftestContext& context, Equation equation, int rank, int order, Precision precision)
{
    double worst = 0.0;
    std::string where;
    for (const auto& faces : kFaceSets) {
        const auto setup = paritySetup(equation, rank, order, precision, faces);
        HeldShot held(setup, context.device);
        held.step(setup.steps);
        // The reference is slow: in three dimensions each set of faces takes one of the shots.
        const int first = rank == 3 ? static_cast<int>(&faces - kFaceSets) % 3 : 0;
        const int last = rank == 3 ? first + 1 : setup.shotsAtOnce;
        for (int shot = first; shot < last; ++shot) {
            const auto expected = referenceField(setup, *held.plan, shot);
            const double d = truth::largestDifference(held.now(shot), expected) / truth::largest(expected);
            if (!(d <= worst)) {
                worst = d;
                where = faces.name;
            }
        }
    }
    return judged(worst, tolerance(precision), "of the peak",
                  precision == Precision::Float64 ? "round-off in double, sums in another order"
                                                  : "round-off in single over the run, model rounded to single",
                  fmt::format("{} sets of faces, 3 shots in one launch; worst: {}", std::size(kFaceSets), where));
}

// In a build without contraction a device and the host do the same operations in the same order.
SelftestOutcome againstHost(SelftestContext& context, Equation equation, int rank, int order, Precision precision)
{
    if (context.device == context.cpu) {
        return skipped("the device under test is the CPU itself; use --device cuda:0");
    }
    double worst = 0.0;
    std::string where;
    for (const auto& faces : kFaceSets) {
        const auto setup = paritySetup(equation, rank, order, precision, faces);
        HeldShot device(setup, context.device);
        HeldShot host(setup, context.cpu);
        device.step(setup.steps);
        host.step(setup.steps);
        for (int shot = 0; shot < setup.shotsAtOnce; ++shot) {
            const auto expected = host.now(shot);
            const double d = truth::largestDifference(device.now(shot), expected) / truth::largest(expected);
            if (!(d <= worst)) {
                worst = d;
                where = faces.name;
            }
        }
    }
#ifdef ONDO_PARITY_BUILD
    const double unit = precision == Precision::Float64 ? 2.220446049250313e-16 : 1.1920928955078125e-07;
    return judged(worst / unit, 4.0, "units in the last place of the peak", "the same operations in the same order",
                  where);
#else
    return judged(worst, tolerance(precision), "of the peak", "round-off: contraction differs between compilers",
                  where);
#endif
}

// A shot's bits must not depend on its company, nor on how many threads share the work.
SelftestOutcome company(SelftestContext& context, Equation equation, int rank, Precision precision)
{
    double worst = 0.0;
    for (const auto& faces : kFaceSets) {
        const auto together = paritySetup(equation, rank, 8, precision, faces);
        HeldShot all(together, context.device);
        all.step(together.steps);
        for (int shot = 0; shot < together.shotsAtOnce; ++shot) {
            auto alone = together;
            alone.shotsAtOnce = 1;
            alone.shots = {together.shots[static_cast<std::size_t>(shot)]};
            HeldShot one(alone, context.device);
            one.step(alone.steps);
            worst = std::max(worst, truth::largestDifference(one.now(), all.now(shot)));
        }
    }
    return judged(worst, 0.0, "Pa", "bit for bit");
}

} // namespace

void addParityCases(std::vector<SelftestCase>& out)
{
    const auto add = [&out](Equation equation, const std::string& prefix, int rank, Precision precision,
                            std::initializer_list<int> orders) {
        for (const int order : orders) {
            const std::string what = fmt::format("{}{}-D, order {}, {}", prefix, rank, order, precisionName(precision));
            out.push_back({"parity", "against the reference, " + what, false,
                           [=](SelftestContext& c) { return againstReference(c, equation, rank, order, precision); }});
            out.push_back({"parity", "against the host, " + what, false,
                           [=](SelftestContext& c) { return againstHost(c, equation, rank, order, precision); }});
        }
        out.push_back({"parity",
                       fmt::format("a shot alone and in company, {}{}-D, {}", prefix, rank, precisionName(precision)),
                       false, [=](SelftestContext& c) { return company(c, equation, rank, precision); }});
    };
    for (const auto precision : {Precision::Float32, Precision::Float64}) {
        for (int rank = 2; rank <= 3; ++rank) {
            add(Equation::Acoustic, "", rank, precision, {2, 4, 6, 8, 10, 12});
            add(Equation::VariableDensity, "variable density, ", rank, precision, {2, 4, 6, 8, 12});
        }
    }
}

} // namespace ondo
