// Absorbing layers against the table cpml_reflection.csv, in its own set-up: 161 x 161 nodes of 10 m, 2000 m/s, a source of
// scheme E (what is added to p each step is f, hence the second-order source is its time difference), 520 steps of 2 ms, five
// receivers two nodes from the layers and in the corner, against a domain too large to answer. Worst receiver, in dB.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ondo {

namespace {

constexpr int kNodes = 161, kSteps = 520, kClear = 115;
constexpr double kSpacing = 10.0, kStep = 2e-3, kSpeed = 2000.0;

ShotSetup tableSetup(int order, int extra)
{
    ShotSetup setup;
    const int n = kNodes + 2 * extra;
    setup.grid = *Grid::make2D(n, n, kSpacing, kSpacing, {-extra * kSpacing, 0.0, -extra * kSpacing});
    setup.velocity = {static_cast<float>(kSpeed)};
    setup.order = order;
    setup.precision = Precision::Float64;
    setup.dt = kStep;
    setup.steps = kSteps;
    const auto f = truth::ricker(10.0, 0.12);
    std::vector<double> source = {f(0.0) / kStep}; // the wavelet starts with a jump of 2e-5, as the table's
    for (int k = 1; k < kSteps; ++k) {
        source.push_back((f(k * kStep) - f((k - 1) * kStep)) / kStep);
    }
    const auto at = [](int z, int x) { return Position{x * kSpacing, 0.0, z * kSpacing}; };
    setup.addShot({{at(40, 40), sampledWavelet(source, kStep)}},
                  {at(2, 40), at(2, 120), at(80, 158), at(120, 2), at(158, 158)});
    return setup;
}

struct Row {
    int cells;
    double reflection, decibel;
    double frequency = 10.0; // Hz; alpha_max = pi f
};

double worstReflection(SelftestContext& context, int order, const Row& row)
{
    auto wide = tableSetup(order, kClear);
    wide.setAllFaces(FaceCondition::Rigid);
    static std::vector<ShotTraces> known(32);
    auto& reference = known[static_cast<std::size_t>(order)];
    if (reference.p.empty()) {
        reference = runShot(wide, context.cpu);
    }
    auto setup = tableSetup(order, 0);
    setup.boundary.layerCells = row.cells;
    setup.boundary.reflection = row.reflection;
    setup.boundary.frequency = row.frequency;
    const auto traces = runShot(setup, context.device);
    double worst = 0.0;
    for (std::size_t i = 0; i < traces.p.size(); ++i) {
        worst = std::max(worst, truth::largestDifference(traces.p[i], reference.p[i]) / truth::largest(reference.p[i]));
    }
    return 20.0 * std::log10(worst);
}

SelftestOutcome againstTable(SelftestContext& context, int order)
{
    constexpr double kPlain = 1e-9; // Hz: the table's alpha = 0
    constexpr Row kTable[] = {{5, 1e-3, -42.3},          {5, 1e-5, -52.9},          {10, 1e-3, -42.6},
                              {10, 1e-5, -76.2},         {20, 1e-3, -46.6},         {20, 1e-5, -82.5},
                              {30, 1e-3, -50.3},         {30, 1e-5, -87.2},         {5, 1e-3, -42.0, kPlain},
                              {10, 1e-3, -42.9, kPlain}, {20, 1e-3, -48.1, kPlain}, {30, 1e-3, -52.5, kPlain}};
    double worst = -std::numeric_limits<double>::infinity();
    std::string text;
    for (const auto& row : kTable) {
        const double got = worstReflection(context, order, row);
        worst = std::max(worst, got - row.decibel);
        text += fmt::format("{}{} cells, R {:g}{}: {:.2f} dB (table {:.1f})", text.empty() ? "" : "; ", row.cells,
                            row.reflection, row.frequency == kPlain ? ", alpha 0" : "", got, row.decibel);
    }
    return judged(worst, 0.0, "dB above the table", "at or below an independent scheme's", text);
}

} // namespace

void addAbsorptionCases(std::vector<SelftestCase>& out)
{
    for (const int order : {2, 4, 6, 8, 10}) {
        out.push_back({"physics", fmt::format("absorbing layers against the table, order {}", order), false,
                       [order](SelftestContext& c) { return againstTable(c, order); }});
    }
}

} // namespace ondo
