// Observed order of convergence with the time error removed.
//   Standing waves in a closed box, free and rigid faces mixed: a mode's amplitude obeys a(n+1) + a(n-1) = 2 cos(w dt) a(n)
//   and 2 - 2 cos(w dt) = (c dt K)^2, K the scheme's own wavenumber: K/k - 1 is the space error alone, to round-off.
//   Green's function between nodes' own places: Richardson extrapolation takes the dt^2 term away.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ondo {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSpeed = 2000.0;

// Half-waves along an axis and how its ends are held.
struct Standing {
    double halfWaves;
    FaceCondition low, high;
};

double shape(const Standing& s, double u) // u = 0 .. 1 along the axis
{
    const double phase = kPi * s.halfWaves * u;
    return s.low == FaceCondition::Free ? std::sin(phase) : std::cos(phase);
}

// |K/k - 1| of a mode of `points` nodes per wavelength along each axis.
double wavenumberError(SelftestContext& context, int rank, int order, int points)
{
    constexpr auto kFree = FaceCondition::Free;
    constexpr auto kRigid = FaceCondition::Rigid;
    // By axis z, y, x. A quarter wave fits between a free and a rigid face.
    const Standing along[3] = {{2.5, kFree, kRigid}, {3.0, kFree, kFree}, {2.0, kRigid, kRigid}};
    const double h = 10.0 * 10.0 / points;
    int n[3] = {1, 1, 1};
    double wavenumber = 0.0;
    for (int a = 0; a < 3; ++a) {
        if (a != 1 || rank == 3) {
            n[a] = static_cast<int>(std::lround(along[a].halfWaves * points / 2.0)) + 1;
            const double k = kPi * along[a].halfWaves / ((n[a] - 1) * h);
            wavenumber += k * k;
        }
    }
    ShotSetup setup;
    setup.grid = rank == 3 ? *Grid::make3D(n[0], n[1], n[2], h, h, h) : *Grid::make2D(n[0], n[2], h, h);
    setup.velocity = {static_cast<float>(kSpeed)};
    constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};
    for (int a = 0; a < 3; ++a) {
        setup.boundary.at(kFaces[a][0]) = along[a].low;
        setup.boundary.at(kFaces[a][1]) = along[a].high;
    }
    setup.order = order;
    setup.precision = Precision::Float64;
    setup.dt = 0.4 * h / kSpeed;
    setup.steps = 40;
    HeldShot held(setup, context.device);
    std::vector<double> mode;
    for (int z = 0; z < n[0]; ++z) {
        for (int y = 0; y < n[1]; ++y) {
            for (int x = 0; x < n[2]; ++x) {
                mode.push_back(shape(along[0], z / (n[0] - 1.0)) * shape(along[2], x / (n[2] - 1.0)) *
                               (rank == 3 ? shape(along[1], y / (n[1] - 1.0)) : 1.0));
            }
        }
    }
    held.propagator->writeState(0, mode, mode);
    // The mode's amplitude at its own largest node.
    const auto top = static_cast<std::size_t>(std::max_element(mode.begin(), mode.end()) - mode.begin());
    std::array<double, 3> a = {1.0, 1.0, 1.0};
    double above = 0.0;
    double below = 0.0;
    for (int step = 0; step < setup.steps; ++step) {
        held.step(1);
        a = {a[1], a[2], held.now()[top] / mode[top]};
        if (step > 0) {
            above += (a[2] - 2.0 * a[1] + a[0]) * a[1];
            below += a[1] * a[1];
        }
    }
    const double scheme = std::sqrt(-above / below) / (kSpeed * setup.dt);
    return std::abs(scheme / std::sqrt(wavenumber) - 1.0);
}

SelftestOutcome standingWaves(SelftestContext& context, int rank, int order)
{
    const double coarse = wavenumberError(context, rank, order, 12);
    const double fine = wavenumberError(context, rank, order, 20);
    const double observed = truth::observedOrder(coarse, fine, 20.0 / 12.0);
    return judged(
        std::abs(observed - order), 0.2, "from the nominal order", "the issue's bound",
        fmt::format("order {:.3f}; wavenumber error {:.3g} at 12, {:.3g} at 20 points", observed, coarse, fine));
}

// Traces at two receivers on nodes, dt^2 removed.
std::vector<double> extrapolated(SelftestContext& context, int order, double h, double dt, double seconds)
{
    const int n = 2 * static_cast<int>(std::ceil(560.0 / h)) + static_cast<int>(std::lround(320.0 / h)) + 1;
    const int at = static_cast<int>(std::ceil(560.0 / h));
    std::vector<double> all[2];
    for (int halved = 0; halved < 2; ++halved) {
        ShotSetup setup;
        setup.grid = *Grid::make2D(n, n, h, h);
        setup.velocity = {static_cast<float>(kSpeed)};
        setup.setAllFaces(FaceCondition::Rigid);
        setup.order = order;
        setup.precision = Precision::Float64;
        setup.dt = halved == 1 ? 0.5 * dt : dt;
        setup.steps = static_cast<int>(std::lround(seconds / setup.dt));
        const Position source{at * h, 0.0, at * h};
        setup.addShot({{source, Wavelet::ricker(10.0, 0.2)}},
                      {{source.x + 320.0, 0.0, source.z}, {source.x + 240.0, 0.0, source.z + 320.0}});
        const auto traces = runShot(setup, context.device);
        for (const auto& trace : traces.p) {
            for (std::size_t k = 0; k < trace.size(); k += halved == 1 ? 2 : 1) {
                all[halved].push_back(trace[k]);
            }
        }
    }
    for (std::size_t i = 0; i < all[0].size(); ++i) {
        all[1][i] = (4.0 * all[1][i] - all[0][i]) / 3.0;
    }
    return all[1];
}

SelftestOutcome greenOrder(SelftestContext& context, int order)
{
    // What Richardson leaves is of the fourth power of the step; order 8 needs it below 1e-8.
    const double dt = order < 8 ? 4e-4 : 2e-4;
    constexpr double kSeconds = 0.52;
    std::vector<double> exact;
    for (const double r : {320.0, 400.0}) {
        for (int k = 0; k <= std::lround(kSeconds / dt); ++k) {
            exact.push_back(truth::lineSource(r, k * dt, kSpeed, truth::ricker(10.0, 0.2)));
        }
    }
    const double hCoarse = order < 6 ? 16.0 : 10.0;
    const double hFine = order < 6 ? 10.0 : 20.0 / 3.0;
    const double coarse = truth::relativeL2(extrapolated(context, order, hCoarse, dt, kSeconds), exact);
    const double fine = truth::relativeL2(extrapolated(context, order, hFine, dt, kSeconds), exact);
    const double observed = truth::observedOrder(coarse, fine, hCoarse / hFine);
    return judged(
        std::abs(observed - order), 0.2, "from the nominal order", "the issue's bound",
        fmt::format("order {:.3f}; L2 {:.3g} at {:.3g} m, {:.3g} at {:.3g} m", observed, coarse, hCoarse, fine, hFine));
}

// Half the spacing and half the step: a second-order scheme in time gains four.
SelftestOutcome halving(SelftestContext& context)
{
    double error[2];
    for (int halved = 0; halved < 2; ++halved) {
        const double h = halved == 1 ? 4.0 : 8.0;
        ShotSetup setup;
        const int n = static_cast<int>(900.0 / h) + 1;
        setup.grid = *Grid::make2D(n, n, h, h);
        setup.velocity = {static_cast<float>(kSpeed)};
        setup.setAllFaces(FaceCondition::Rigid);
        setup.precision = Precision::Float64;
        setup.dt = 0.3 * h / kSpeed;
        setup.steps = static_cast<int>(0.4 / setup.dt);
        setup.addShot({{{360.0, 0.0, 440.0}, Wavelet::ricker(10.0, 0.15)}}, {{560.0, 0.0, 440.0}});
        const auto traces = runShot(setup, context.device);
        std::vector<double> exact;
        for (std::size_t k = 0; k < traces.p[0].size(); ++k) {
            exact.push_back(
                truth::lineSource(200.0, static_cast<double>(k) * traces.dt, kSpeed, truth::ricker(10.0, 0.15)));
        }
        error[halved] = truth::relativeL2(traces.p[0], exact);
    }
    const double gain = error[0] / error[1];
    return judged(std::abs(gain - 4.0), 0.2, "from a gain of 4", "second order in time, the rest is far smaller",
                  fmt::format("L2 {:.4f} % then {:.4f} %", 100.0 * error[0], 100.0 * error[1]));
}

} // namespace

void addOrderCases(std::vector<SelftestCase>& out)
{
    for (int rank = 2; rank <= 3; ++rank) {
        for (const int order : {2, 4, 6, 8, 10, 12}) {
            out.push_back({"physics", fmt::format("order {} in space, standing waves, {}-D", order, rank), false,
                           [rank, order](SelftestContext& c) { return standingWaves(c, rank, order); }});
        }
    }
    for (const int order : {2, 4, 6, 8}) {
        out.push_back({"physics", fmt::format("order {} in space, Green's function", order), false,
                       [order](SelftestContext& c) { return greenOrder(c, order); }});
    }
    out.push_back({"physics", "half the spacing and step, a quarter of the error", false, halving});
}

} // namespace ondo
