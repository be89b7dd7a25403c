// The closed forms themselves, against the numbers of ../shared/reference/truth/TRUTHS.md and against a second method.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

using truth::ricker;

SelftestOutcome lineSourceTable(SelftestContext& /*context*/)
{
    const auto f = ricker(10.0, 0.15);
    struct Row {
        double r, t, p;
    };
    constexpr Row kRows[] = {{500, 0.34, -0.007043558536218},       {500, 0.36, -0.025726745919291},
                             {500, 0.38, -0.019123017953549},       {500, 0.40, 0.036751813696192},
                             {500, 0.42, 0.038455979056445},        {500, 0.44, -0.001202884755269},
                             {200, 0.25991332255, 0.0773273561283}, {500, 0.41006496174, 0.0488403730632},
                             {1000, 0.66011611095, 0.0344986605628}};
    double worst = 0.0;
    for (const auto& row : kRows) {
        worst = std::max(worst, std::abs(truth::lineSource(row.r, row.t, 2000.0, f) - row.p));
    }
    return judged(worst, 1e-11, "Pa", "the table's last digit");
}

SelftestOutcome pointSourceTable(SelftestContext& /*context*/)
{
    const auto f = ricker(10.0, 0.15);
    double worst = std::abs(truth::pointSource(500.0, 0.40, 2000.0, f) - 1.591549430919e-4);
    for (const double t : {0.38, 0.42}) {
        worst = std::max(worst, std::abs(truth::pointSource(500.0, t, 2000.0, f) - 2.256724784899e-5));
    }
    return judged(worst, 1e-15, "Pa", "the table's last digit");
}

SelftestOutcome freeSurfaceTable(SelftestContext& /*context*/)
{
    const auto f = ricker(10.0, 0.15);
    const double direct = std::hypot(300.0, 100.0);
    const double image = std::hypot(300.0, 300.0);
    const auto p = [&](double t) {
        return truth::lineSource(direct, t, 2000.0, f) - truth::lineSource(image, t, 2000.0, f);
    };
    const double worst = std::max(std::abs(p(direct / 2000.0 + 0.15) - 0.0590606864290),
                                  std::abs(p(direct / 2000.0 + 0.21) + 0.0629002918511));
    return judged(worst, 1e-11, "Pa", "the table's last digit");
}

SelftestOutcome twoLayerTable(SelftestContext& /*context*/)
{
    const truth::TwoLayers layers;
    const auto f = ricker(8.0, 0.1875);
    const double worst = std::max(std::abs(layers.reflected(1500.0, 500.0, 1.2415925534, f) - 0.0198196653518),
                                  std::abs(layers.reflected(1500.0, 500.0, 1.3015925534, f) + 0.0082652667383));
    return judged(worst, 1e-10, "Pa", "the table's times have ten decimals, the field changes by 1 Pa/s");
}

SelftestOutcome twoLayerSum(SelftestContext& /*context*/)
{
    truth::TwoLayers layers;
    layers.rho2 = layers.rho1;
    const auto f = ricker(8.0, 0.1875);
    const std::vector<double> times = {1.08, 1.15, 1.24, 1.27, 1.30};
    const auto sums = layers.reflectedBySum(1500.0, 500.0, times, 8.0, 0.1875);
    std::vector<double> cagniard;
    for (const double t : times) {
        cagniard.push_back(layers.reflected(1500.0, 500.0, t, f));
    }
    return judged(truth::largestDifference(sums, cagniard), 1e-9, "Pa",
                  "two unrelated integrals of a wave of 0.02 Pa; the sum stops at 4.6 f0");
}

// arrivals.csv: t_direct, t_reflected, t_head of 1500 over 2500 m/s, h = 400 m, source and receiver at depth 0.
SelftestOutcome arrivalTable(SelftestContext& /*context*/)
{
    const truth::TwoLayers layers;
    const double worst = std::max({std::abs(layers.reflectionTime(250.0, 800.0) - 0.55876848714134),
                                   std::abs(layers.reflectionTime(1000.0, 800.0) - 0.85374989832438),
                                   std::abs(layers.headTime(1000.0, 800.0) - 0.826666666666667)});
    const bool none = std::isinf(layers.headTime(500.0, 800.0));
    return judged(none ? worst : 1.0, 1e-13, "s", "the table's last digit", "no head wave before the critical offset");
}

} // namespace

void addTruthCases(std::vector<SelftestCase>& out)
{
    out.push_back({"truth", "line source against the table", false, lineSourceTable});
    out.push_back({"truth", "point source against the table", false, pointSourceTable});
    out.push_back({"truth", "free surface against the table", false, freeSurfaceTable});
    out.push_back({"truth", "two layers (Cagniard) against the table", false, twoLayerTable});
    out.push_back({"truth", "two layers of one density: Cagniard against a wavenumber sum", false, twoLayerSum});
    out.push_back({"truth", "arrival times against the table", false, arrivalTable});
}

} // namespace ondo
