// Problems of other programs (../shared/cases/PEERS.md) that acoustics of constant density can state. P10 is in
// physics_layers.cpp (with one density), P14 in physics_conservation.cpp.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numbers>

namespace ondo {

namespace {

// P01: c 3297.849 m/s, 400 x 400 nodes of 5 m, Ricker 18 Hz, (1000, 1000) to (1500, 1500), form C: our field over c^2.
constexpr double kSpeed = 3297.849, kFrequency = 18.0, kDelay = 1.5 / 18.0;

ShotTraces amplitudeRun(SelftestContext& context)
{
    ShotSetup setup;
    setup.grid = *Grid::make2D(400, 400, 5.0, 5.0);
    setup.velocity = {static_cast<float>(kSpeed)};
    setup.dt = 4e-4;
    setup.steps = 1300;
    setup.addShot({{{1000.0, 0.0, 1000.0}, Wavelet::ricker(kFrequency, kDelay)}}, {{1500.0, 0.0, 1500.0}});
    return runShot(setup, context.device);
}

SelftestOutcome amplitudeFormula(SelftestContext& context)
{
    const auto traces = amplitudeRun(context);
    std::vector<double> exact;
    const auto f = truth::ricker(kFrequency, kDelay);
    for (std::size_t k = 0; k < traces.p[0].size(); ++k) {
        exact.push_back(truth::lineSource(std::sqrt(0.5) * 1000.0, static_cast<double>(k) * traces.dt, kSpeed, f));
    }
    const double peak = truth::largest(traces.p[0]) / truth::largest(exact) - 1.0;
    return judged(100.0 * truth::relativeL2(traces.p[0], exact), 1.0, "% relative L2",
                  "PEERS allows 2 %; ours is the issue's 1 %", fmt::format("peak {:+.3f} % (of 1 %)", 100.0 * peak));
}

SelftestOutcome amplitudeFile(SelftestContext& context)
{
    const char* cases = std::getenv("ONDO_CASES");
    const std::string folder = cases != nullptr ? cases : "../shared/cases";
    std::ifstream in(folder + "/reference/specfem2d-acoustic/AA.S0001.PRE.semp");
    std::vector<std::pair<double, double>> file;
    double t = 0.0;
    double p = 0.0;
    while (in >> t >> p) {
        file.emplace_back(t + kDelay, p); // the file's time 0 is the wavelet's peak
    }
    if (file.size() < 1000) {
        return skipped("the spectral-element trace is not here; set ONDO_CASES to the folder shared/cases");
    }
    const auto traces = amplitudeRun(context);
    std::vector<double> ours;
    std::vector<double> theirs;
    for (const auto& [time, value] : file) {
        const double at = time / traces.dt;
        const auto k = static_cast<std::size_t>(at);
        if (at < 0.0 || k + 1 >= traces.p[0].size()) {
            continue;
        }
        const double u = at - static_cast<double>(k);
        ours.push_back(((1.0 - u) * traces.p[0][k] + u * traces.p[0][k + 1]) / (kSpeed * kSpeed));
        theirs.push_back(value);
    }
    const double peak = truth::largest(ours) / truth::largest(theirs) - 1.0;
    return judged(100.0 * truth::relativeL2(ours, theirs), 2.0, "% relative L2",
                  "PEERS P01; the file itself misses the closed form by 0.36 %",
                  fmt::format("{} samples, peak {:+.3f} %", ours.size(), 100.0 * peak));
}

// P12: 50 x 50 nodes of 5 m, 1500 m/s, Ricker 25 Hz: each order at least four times better than the last. At their step of
// 0.1 ms the time error (0.03 %) hides what order 8 gains, so ours is 0.04 ms.
SelftestOutcome orderStudy(SelftestContext& context)
{
    double before = 0.0;
    double worst = 0.0;
    std::string text;
    for (const int order : {2, 4, 6, 8}) {
        ShotSetup setup;
        setup.grid = *Grid::make2D(150, 150, 5.0, 5.0); // theirs with room for what comes back from its faces
        setup.velocity = {1500.0F};
        setup.setAllFaces(FaceCondition::Rigid);
        setup.order = order;
        setup.precision = Precision::Float64;
        setup.dt = 4e-5;
        setup.steps = 6000;
        setup.addShot({{{300.0, 0.0, 300.0}, Wavelet::ricker(25.0, 0.06)}}, {{435.0, 0.0, 400.0}});
        const auto traces = runShot(setup, context.device);
        std::vector<double> exact;
        for (std::size_t k = 0; k < traces.p[0].size(); ++k) {
            exact.push_back(truth::lineSource(std::hypot(135.0, 100.0), static_cast<double>(k) * traces.dt, 1500.0,
                                              truth::ricker(25.0, 0.06)));
        }
        const double error = truth::relativeL2(traces.p[0], exact);
        text += fmt::format("{}order {}: {:.3g} %", text.empty() ? "" : ", ", order, 100.0 * error);
        worst = before > 0.0 ? std::max(worst, 4.0 * error / before) : worst;
        before = error;
    }
    return judged(worst, 1.0, "of a quarter of the order below", "PEERS P12", text);
}

// P17: 2000 m/s, one node of 5 m faster by 150 m/s, 400 m from the source and 300 m from the receiver. To first order what it
// scatters is -eps h^2 G(rr) * p0''(rs), eps = 1/(c + 150)^2 - 1/c^2; the second order is (kh)^2/2pi of it, some 0.5 %.
SelftestOutcome pointScatterer(SelftestContext& context)
{
    ShotSetup setup;
    constexpr int kNodes = 301; // room for what comes back: an echo of the layers would differ with the fastest speed
    setup.grid = *Grid::make2D(kNodes, kNodes, 5.0, 5.0);
    setup.setAllFaces(FaceCondition::Rigid);
    setup.precision = Precision::Float64; // the difference of two runs is 1e-4 of either
    setup.dt = 5e-4;
    setup.steps = 1400;
    setup.velocity.assign(static_cast<std::size_t>(setup.grid.nodes()), 2000.0F);
    setup.addShot({{{550.0, 0.0, 600.0}, Wavelet::ricker(10.0, 0.15)}}, {{950.0, 0.0, 900.0}});
    const auto plain = runShot(setup, context.device).p[0];
    setup.velocity[120 * kNodes + 190] = 2150.0F;
    const auto total = runShot(setup, context.device).p[0];

    const double eps = 1.0 / (2150.0 * 2150.0) - 1.0 / (2000.0 * 2000.0);
    const auto there = [](double t) { // p0'' at the scatterer: the line source of f''
        return truth::lineSource(400.0, t, 2000.0, [](double s) {
            const double w = std::numbers::pi * 10.0;
            const double a = w * w * (s - 0.15) * (s - 0.15);
            return s < 0.0 ? 0.0 : w * w * (-6.0 + 24.0 * a - 8.0 * a * a) * std::exp(-a);
        });
    };
    const auto born = [&there](double t) { return -truth::lineSource(300.0, t, 2000.0, there); };
    std::vector<double> ours;
    std::vector<double> exact;
    for (std::size_t k = 0; k < plain.size(); k += 20) {
        ours.push_back((total[k] - plain[k]) / (25.0 * eps));
        exact.push_back(born(static_cast<double>(k) * setup.dt));
    }
    const double known =
        std::max(std::abs(born(0.48) / -13.44589010808 - 1.0), std::abs(born(0.52) / 13.53711284 - 1.0));
    if (!(known < 1e-6)) {
        return judged(known, 1e-6, "of the table's values", "TRUTHS (a), the quadrature itself");
    }
    return judged(100.0 * truth::relativeL2(ours, exact), 3.0, "% relative L2", "PEERS P17",
                  fmt::format("peak {:+.2f} %; the quadrature misses the table by {:.1g}",
                              100.0 * (truth::largest(ours) / truth::largest(exact) - 1.0), known));
}

} // namespace

void addPeerCases(std::vector<SelftestCase>& out)
{
    out.push_back({"physics", "peers P01: amplitude against the formula", false, amplitudeFormula});
    out.push_back({"physics", "peers P01: amplitude against a spectral-element trace", false, amplitudeFile});
    out.push_back({"physics", "peers P12: orders 2 to 8", false, orderStudy});
    out.push_back({"physics", "peers P17: a point scatterer", false, pointScatterer});
}

} // namespace ondo
