// The equation of variable density against what is outside it: closed forms of contacts in density alone and in both, the
// equation of one density where density does not vary, reciprocity, and its stability limit.
// Contacts lie midway between two rows of nodes.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"
#include "engine/session/density_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kFrequency = 8.0, kDelay = 0.1875; // Hz, s
constexpr double kInterface = 400.0, kSourceDepth = 100.0, kReceiverDepth = 200.0;
constexpr double kHeight = 2.0 * kInterface - kSourceDepth - kReceiverDepth;
const std::vector<double> kOffsets = {100.0, 600.0, 1500.0};

// A contact under a source at x = 0, with receivers at kOffsets; nothing from the layers before the end.
ShotSetup contact(const truth::TwoLayers& l, double spacing, int order)
{
    ShotSetup setup;
    const int beside = static_cast<int>(std::lround(340.0 / spacing));
    const int above = static_cast<int>(std::lround(820.0 / spacing));
    const int below = static_cast<int>(std::lround(450.0 / spacing));
    const int nx = 2 * beside + static_cast<int>(kOffsets.back() / spacing);
    setup.grid = *Grid::make2D(above + below, nx, spacing, spacing,
                               {-beside * spacing - 0.31 * spacing, 0.0, kInterface - (above - 0.5) * spacing});
    const auto fill = [&](std::vector<float>& values, double upper, double lower) {
        values.assign(static_cast<std::size_t>(setup.grid.nodes()), static_cast<float>(lower));
        std::fill_n(values.begin(), static_cast<std::size_t>(above) * static_cast<std::size_t>(nx),
                    static_cast<float>(upper));
    };
    fill(setup.velocity, l.c1, l.c2);
    fill(setup.density, l.rho1, l.rho2);
    setup.order = order;
    // So short that time's own error stays below the contact's; layers have one thickness in metres.
    setup.dt = 0.08 * spacing / l.c1;
    setup.boundary.layerCells = static_cast<int>(std::lround(300.0 / spacing));
    std::vector<Position> receivers;
    for (const double x : kOffsets) {
        receivers.push_back({x, 0.0, kReceiverDepth});
    }
    setup.addShot({{{0.0, 0.0, kSourceDepth}, Wavelet::ricker(kFrequency, kDelay)}}, receivers);
    const double last = std::hypot(kOffsets.back(), kHeight) / l.c1;
    setup.steps = static_cast<int>((last + kDelay + 0.14) / setup.dt);
    return setup;
}

// Direct and reflected wave. Of densities alone R = (rho2 - rho1) / (rho2 + rho1) at every angle: an image of the source.
double exactAt(const truth::TwoLayers& l, double x, double t)
{
    const auto f = truth::ricker(kFrequency, kDelay);
    const double direct = truth::lineSource(std::hypot(x, kReceiverDepth - kSourceDepth), t, l.c1, f);
    if (l.c1 == l.c2) {
        const double r = (l.rho2 - l.rho1) / (l.rho2 + l.rho1);
        return direct + r * truth::lineSource(std::hypot(x, kHeight), t, l.c1, f);
    }
    return direct + l.reflected(x, kHeight, t, f);
}

// Of the reflected wave alone, so that the direct one hides nothing: by offset.
std::vector<double> errorsOf(const truth::TwoLayers& l, const ShotTraces& traces)
{
    std::vector<double> errors;
    for (std::size_t i = 0; i < kOffsets.size(); ++i) {
        const double x = kOffsets[i];
        const double end = std::hypot(x, kHeight) / l.c1 + kDelay + 0.14;
        const auto samples = std::min(traces.p[i].size(), static_cast<std::size_t>(end / traces.dt));
        double miss = 0.0;
        double size = 0.0;
        for (std::size_t k = 0; k < samples; ++k) {
            const double t = static_cast<double>(k) * traces.dt;
            const double whole = exactAt(l, x, t);
            const double direct = truth::lineSource(std::hypot(x, kReceiverDepth - kSourceDepth), t, l.c1,
                                                    truth::ricker(kFrequency, kDelay));
            miss += (traces.p[i][k] - whole) * (traces.p[i][k] - whole);
            size += (whole - direct) * (whole - direct);
        }
        errors.push_back(std::sqrt(miss / size));
    }
    return errors;
}

SelftestOutcome reflection(SelftestContext& context, const truth::TwoLayers& l)
{
    const auto errors = errorsOf(l, runShot(contact(l, 7.5, 8), context.device));
    std::string text;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        text += fmt::format("{}{:g} m: {:.3f} %", i == 0 ? "" : "; ", kOffsets[i], 100.0 * errors[i]);
    }
    return judged(
        100.0 * *std::max_element(errors.begin(), errors.end()), 2.0, "% of the reflected wave, relative L2",
        "the issue's bound at 10 points per shortest wavelength, no fitted scale; all misses, the direct wave's too",
        text);
}

ShotSetup roughSetup(int rank, int order, Precision precision)
{
    ShotSetup setup;
    setup.grid = rank == 3 ? *Grid::make3D(24, 23, 25, 10.0, 12.0, 9.0) : *Grid::make2D(47, 53, 10.0, 9.0);
    const auto nodes = static_cast<std::size_t>(setup.grid.nodes());
    for (const double v : noise(nodes, 3)) {
        setup.velocity.push_back(static_cast<float>(2500.0 + 1000.0 * v));
    }
    for (const double v : noise(nodes, 4)) {
        setup.density.push_back(static_cast<float>(1500.0 + 500.0 * v));
    }
    setup.order = order;
    setup.precision = precision;
    setup.boundary.layerCells = 6;
    setup.boundary.faces[static_cast<std::size_t>(Face::ZLow)] = FaceCondition::Free;
    setup.boundary.faces[static_cast<std::size_t>(Face::ZHigh)] = FaceCondition::Rigid;
    setup.dt = 0.6 * stableDistance(setup.grid, order / 2) / 3500.0;
    setup.steps = 120;
    return setup;
}

// kappa b and b / b are rounded where the other equation has c^2 and nothing.
SelftestOutcome oneDensity(SelftestContext& context, int rank, Precision precision)
{
    double worst = 0.0;
    for (const int order : {2, 4, 8}) {
        auto setup = roughSetup(rank, order, precision);
        const Grid& g = setup.grid;
        setup.addShot({{{7.3 * g.dx, 8.1 * g.dy, 9.4 * g.dz}, Wavelet::ricker(20.0, 0.05)}},
                      {{11.6 * g.dx, 12.3 * g.dy, 6.7 * g.dz}, {3.0 * g.dx, 4.0 * g.dy, 15.0 * g.dz}});
        setup.density = {2345.0F};
        const auto any = runShot(setup, context.device);
        setup.density.clear();
        const auto one = runShot(setup, context.device);
        for (std::size_t i = 0; i < one.p.size(); ++i) {
            worst = std::max(worst, truth::relativeL2(any.p[i], one.p[i]));
        }
    }
    const bool wide = precision == Precision::Float64;
    return judged(worst, wide ? 1e-12 : 2e-5, "relative L2", "the same sums, each term rounded twice more");
}

// p(r|s) rho_s = p(s|r) rho_r, on nodes: between them rho_s is no single number.
SelftestOutcome reciprocity(SelftestContext& context, int rank)
{
    auto setup = roughSetup(rank, 8, Precision::Float64);
    const Grid& g = setup.grid;
    const auto at = [&](int z, int y, int x) { return Position{x * g.dx, rank == 3 ? y * g.dy : 0.0, z * g.dz}; };
    const auto density = [&](int z, int y, int x) {
        return static_cast<double>(
            setup.density[static_cast<std::size_t>((std::int64_t{z} * g.ny + (rank == 3 ? y : 0)) * g.nx + x)]);
    };
    const auto wavelet = Wavelet::ricker(20.0, 0.05);
    setup.addShot({{at(3, 4, 5), wavelet}}, {at(15, 12, 17)});
    setup.addShot({{at(15, 12, 17), wavelet}}, {at(3, 4, 5)});
    const auto traces = runShots(setup, context.device);
    auto there = traces[0].p[0];
    auto back = traces[1].p[0];
    for (std::size_t k = 0; k < there.size(); ++k) {
        there[k] *= density(3, 4, 5);
        back[k] *= density(15, 12, 17);
    }
    return judged(truth::relativeL2(there, back), 1e-12, "relative L2", "round-off in double",
                  fmt::format("densities {:.0f} and {:.0f} kg/m^3", density(3, 4, 5), density(15, 12, 17)));
}

// At 0.99 of the bound nothing grows in 20000 steps: faces, layers, densities of a factor of two from node to node.
SelftestOutcome limit(SelftestContext& context, int order)
{
    auto setup = roughSetup(2, order, Precision::Float32);
    const auto plan = planOf(setup, *context.device);
    setup.dt = 0.99 * stableStep(*plan);
    setup.steps = 20000;
    const double old = stableDistance(setup.grid, order / 2) / 3500.0;
    HeldShot held(setup, context.device);
    const auto field = noise(held.now().size(), 8);
    std::vector<double> start = field;
    for (int x = 0; x < held.plan->nx; ++x) {
        start[held.index(0, 0, x)] = 0.0; // the free face
    }
    held.propagator->writeState(0, start, start);
    held.step(2000);
    const double early = truth::largest(held.now());
    held.step(18000);
    const double late = truth::largest(held.now());
    return judged(late / early, 1.5, "of the field after 2000 steps", "absorbed or reflected, never more",
                  fmt::format("step {:.4g} of that of one density", setup.dt / old));
}

SelftestOutcome limitOfOneDensity(SelftestContext& context)
{
    double worst = 0.0;
    for (int rank = 2; rank <= 3; ++rank) {
        for (const int order : {2, 4, 8, 16}) {
            ShotSetup setup;
            setup.grid = rank == 3 ? *Grid::make3D(18, 17, 19, 10.0, 12.0, 9.0) : *Grid::make2D(27, 33, 10.0, 9.0);
            setup.velocity = {2500.0F};
            setup.density = {1700.0F};
            setup.order = order;
            const double expected = stableDistance(setup.grid, order / 2) / 2500.0;
            worst = std::max(worst, std::abs(stableStep(*planOf(setup, *context.device)) / expected - 1.0));
        }
    }
    return judged(worst, 1e-12, "relative", "the bound is that of the equation of one density, which is exact");
}

} // namespace

void addDensityCases(std::vector<SelftestCase>& out)
{
    truth::TwoLayers both;
    truth::TwoLayers alone;
    alone.c2 = alone.c1;
    out.push_back({"physics", "variable density: reflection at a contact of density alone", false,
                   [alone](SelftestContext& c) { return reflection(c, alone); }});
    out.push_back({"physics", "variable density: reflection at a contact of speed and density, acoustic_R.csv's", false,
                   [both](SelftestContext& c) { return reflection(c, both); }});
    for (int rank = 2; rank <= 3; ++rank) {
        for (const auto precision : {Precision::Float64, Precision::Float32}) {
            out.push_back(
                {"physics",
                 fmt::format("variable density: one density everywhere, {}-D, {}", rank, precisionName(precision)),
                 false, [=](SelftestContext& c) { return oneDensity(c, rank, precision); }});
        }
        out.push_back({"physics", fmt::format("variable density: reciprocity, {}-D", rank), false,
                       [=](SelftestContext& c) { return reciprocity(c, rank); }});
    }
    out.push_back({"plan", "variable density: the limit of one density", false, limitOfOneDensity});
    for (const int order : {2, 4, 8}) {
        out.push_back({"stability", fmt::format("variable density: at the limit, order {}", order), false,
                       [=](SelftestContext& c) { return limit(c, order); }});
    }
}

} // namespace ondo
