// The numbers of SimulationPlan against the tables of TRUTHS.md (i), and the limit against real growth.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace ondo {

namespace {

constexpr double kLimits[5][3] = {{2, 0.707106781186548, 0.577350269189626},
                                  {4, 0.612372435695795, 0.5},
                                  {6, 0.575223741635528, 0.469668218313862},
                                  {8, 0.554632479665589, 0.45285552331842},
                                  {10, 0.541265877364835, 0.441941738241592}};

Grid cube(int rank, int n, double h)
{
    return rank == 3 ? *Grid::make3D(n, n, n, h, h, h) : *Grid::make2D(n, n, h, h);
}

SelftestOutcome courantLimits(SelftestContext& context)
{
    double worst = 0.0;
    for (const auto& row : kLimits) {
        for (int rank = 2; rank <= 3; ++rank) {
            ShotSetup setup;
            setup.grid = cube(rank, 24, 10.0);
            setup.velocity = {2000.0F};
            setup.setAllFaces(FaceCondition::Rigid);
            setup.order = static_cast<int>(row[0]);
            setup.dt = 1e-3;
            setup.steps = 1;
            worst = std::max(worst, std::abs(planOf(setup, *context.cpu)->courantLimit - row[rank - 1]));
        }
    }
    return judged(worst, 1e-9, "c dt/h", "double precision against the table's twelve digits");
}

// Noise in a closed box: largest |p| after 3000 steps over that of the start.
double growthAt(SelftestContext& context, int rank, int order, double fraction)
{
    ShotSetup setup;
    setup.grid = cube(rank, rank == 3 ? 24 : 40, 10.0);
    setup.velocity = {2000.0F};
    setup.setAllFaces(FaceCondition::Rigid); // its modes reach the Nyquist wavenumber itself
    setup.order = order;
    setup.precision = Precision::Float64;
    setup.dt = fraction * stableDistance(setup.grid, order / 2) / 2000.0;
    setup.steps = rank == 3 ? 800 : 3000;
    HeldShot held(setup, context.device);
    auto start = noise(static_cast<std::size_t>(setup.grid.nodes()), 7);
    held.propagator->writeState(0, start, start);
    held.step(setup.steps);
    return truth::largest(held.now()) / truth::largest(start);
}

SelftestOutcome growth(SelftestContext& context, int rank)
{
    double stable = 0.0;
    double unstable = std::numeric_limits<double>::infinity();
    std::string text;
    for (const int order : {2, 8, 12}) {
        const double below = growthAt(context, rank, order, 0.999);
        const double above = growthAt(context, rank, order, 1.001);
        stable = std::max(stable, below);
        unstable = std::min(unstable, above);
        text += fmt::format("order {}: {:.3g} at 0.999, {:.3g} at 1.001 of the limit; ", order, below, above);
    }
    text.resize(text.size() - 2);
    if (!(unstable > 1e6)) {
        return judged(1e300, 1.0, "times the start", "1.001 of the limit must grow", text);
    }
    return judged(stable, 30.0, "times the start",
                  "at 0.999 a mode may swell by 1/cos(w dt/2) = 1/sqrt(1 - 0.999^2) = 22, and does not grow", text);
}

// fd_dispersion.csv, Courant 0.3: phase error per wavelength, degrees, axis and diagonal.
struct PhaseRow {
    int order;
    int points;
    double axis, diagonal2D;
};

SelftestOutcome phaseErrors(SelftestContext& context)
{
    // Closed form of the table: sin^2(w dt/2) = (C/2)^2 sum S, with the published fractions.
    static constexpr double kSecond[5][6] = {{-2.0, 1.0, 0, 0, 0, 0},
                                             {-5.0 / 2, 4.0 / 3, -1.0 / 12, 0, 0, 0},
                                             {-49.0 / 18, 3.0 / 2, -3.0 / 20, 1.0 / 90, 0, 0},
                                             {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560, 0},
                                             {-5269.0 / 1800, 5.0 / 3, -5.0 / 21, 5.0 / 126, -5.0 / 1008, 1.0 / 3150}};
    static constexpr PhaseRow kTable[] = {{2, 10, 5.465, 0}, {2, 5, 22.81, 0},   {4, 10, -0.233, 0},
                                          {4, 5, 2.286, 0},  {8, 10, -0.533, 0}, {8, 5, -1.904, 0}};
    const auto error = [&](int order, double points, double courant, int axes) {
        const double kh = 2.0 * std::numbers::pi / points;
        const double along = kh / std::sqrt(axes);
        double s = 0.0;
        for (int k = 0; k <= 5; ++k) {
            s -= (k == 0 ? 1.0 : 2.0) * kSecond[order / 2 - 1][k] * std::cos(k * along);
        }
        const double numeric = 2.0 * std::asin(0.5 * courant * std::sqrt(s * axes)) / (courant * kh);
        return 360.0 * (1.0 / numeric - 1.0);
    };
    double worst = 0.0;
    for (const auto& row : kTable) {
        worst = std::max(worst, std::abs(error(row.order, row.points, 0.3, 1) - row.axis) * 1e-6 / 5e-3);
    }
    for (int order = 2; order <= 10; order += 2) {
        for (const double points : {4.0, 5.0, 8.0, 10.0, 20.0}) {
            const auto wavelet = Wavelet::ricker(10.0);
            ShotSetup setup;
            setup.velocity = {2000.0F};
            setup.setAllFaces(FaceCondition::Rigid);
            const double h = 2000.0 / wavelet.highestFrequency() / points;
            setup.grid = cube(2, 24, h);
            RunDescription run;
            run.boundary = setup.boundary;
            run.spaceOrder = order;
            run.duration = 1.0;
            run.sampleInterval = 0.3 * h / 2000.0;
            run.courant = 0.999;
            run.survey.shots.push_back({{{{5 * h, 0, 5 * h}, wavelet}}, {}});
            const auto model = Model::constant(setup.grid, 2000.0F);
            const auto plan = SimulationPlan::make(run, *model, context.cpu->facts());
            if (!plan) {
                return judged(1e300, 1e-6, "degrees", "", plan.error().text());
            }
            const double axis = error(order, points, 0.3, 1);
            const double diagonal = error(order, points, 0.3, 2);
            const double expected = std::abs(axis) > std::abs(diagonal) ? axis : diagonal;
            worst = std::max(worst, std::abs((*plan)->phaseErrorDegrees - expected));
        }
    }
    return judged(worst, 1e-6, "degrees a wavelength",
                  "closed form from the published fractions, itself held to the table's digits");
}

} // namespace

void addPlanCases(std::vector<SelftestCase>& out)
{
    out.push_back({"plan", "Courant limits of orders 2 to 10", false, courantLimits});
    out.push_back({"plan", "growth beyond the limit and none below, 2-D", false,
                   [](SelftestContext& c) { return growth(c, 2); }});
    out.push_back({"plan", "growth beyond the limit and none below, 3-D", false,
                   [](SelftestContext& c) { return growth(c, 3); }});
    out.push_back({"plan", "phase error a wavelength", false, phaseErrors});
}

} // namespace ondo
