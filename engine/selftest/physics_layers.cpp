// Two layers of one density: reflection and head wave (Cagniard-de Hoop), amplitude and time. The equation has no density, so
// the table's contrast of 2.2 becomes 1; the closed form is held to the table with its contrast in truth_tables.cpp.
// The interface lies midway between two rows of nodes: there the scheme sees it where it is.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kFrequency = 8.0, kDelay = 0.1875; // Hz, s
constexpr double kSpacing = 7.5;                    // m: 1500 / 20 / 10
constexpr double kInterface = 400.0, kSourceDepth = 100.0, kReceiverDepth = 200.0;
constexpr double kHeight = 2.0 * kInterface - kSourceDepth - kReceiverDepth;

truth::TwoLayers layersOfOneDensity()
{
    truth::TwoLayers l;
    l.rho1 = l.rho2 = 1000.0;
    return l;
}

// `above` rows above the interface, from which it is half a cell away; x = 0 is the source's.
ShotSetup twoLayers(double farthest, int above, int below, int left, int right)
{
    ShotSetup setup;
    const int nx = left + static_cast<int>(farthest / kSpacing) + right;
    setup.grid = *Grid::make2D(above + below, nx, kSpacing, kSpacing,
                               {-left * kSpacing - 0.31 * kSpacing, 0.0, kInterface - (above - 0.5) * kSpacing});
    setup.velocity.assign(static_cast<std::size_t>(setup.grid.nodes()), 2500.0F);
    std::fill_n(setup.velocity.begin(), static_cast<std::size_t>(above) * static_cast<std::size_t>(nx), 1500.0F);
    setup.dt = 0.2 * kSpacing / 2500.0;
    return setup;
}

std::vector<double> exactTrace(double x, std::size_t samples, double dt, bool direct)
{
    const auto layers = layersOfOneDensity();
    const auto f = truth::ricker(kFrequency, kDelay);
    std::vector<double> p;
    for (std::size_t k = 0; k < samples; ++k) {
        const double t = static_cast<double>(k) * dt;
        p.push_back(layers.reflected(x, kHeight, t, f) +
                    (direct ? truth::lineSource(std::hypot(x, kReceiverDepth - kSourceDepth), t, 1500.0, f) : 0.0));
    }
    return p;
}

SelftestOutcome reflection(SelftestContext& context)
{
    auto setup = twoLayers(1500.0, 110, 60, 45, 45);
    setup.steps = static_cast<int>((1.0541 + kDelay + 0.14) / setup.dt);
    const std::vector<double> offsets = {100.0, 600.0, 1500.0};
    std::vector<Position> receivers;
    for (const double x : offsets) {
        receivers.push_back({x, 0.0, kReceiverDepth});
    }
    setup.addShot({{{0.0, 0.0, kSourceDepth}, Wavelet::ricker(kFrequency, kDelay)}}, receivers);
    const auto traces = runShot(setup, context.device);
    const auto layers = layersOfOneDensity();
    double worst = 0.0;
    std::string text;
    for (std::size_t i = 0; i < offsets.size(); ++i) {
        auto computed = traces.p[i];
        const double end = layers.reflectionTime(offsets[i], kHeight) + kDelay + 0.14;
        computed.resize(std::min(computed.size(), static_cast<std::size_t>(end / traces.dt)));
        const double error = truth::relativeL2(computed, exactTrace(offsets[i], computed.size(), traces.dt, true));
        worst = std::max(worst, error);
        text += fmt::format("{}{:g} m: {:.3f} %", i == 0 ? "" : "; ", offsets[i], 100.0 * error);
    }
    return judged(100.0 * worst, 1.0, "% relative L2",
                  "the issue's bound at 10 points per shortest wavelength, no fitted scale", text);
}

// Where the head wave runs ahead of everything: its own window, its own size.
SelftestOutcome headWave(SelftestContext& context, bool timeOnly)
{
    constexpr double kOffset = 2200.0;
    const auto layers = layersOfOneDensity();
    auto setup = twoLayers(kOffset, 110, 80, 60, 60);
    const double head = layers.headTime(kOffset, kHeight);
    setup.steps = static_cast<int>((head + kDelay + 0.135) / setup.dt);
    setup.addShot({{{0.0, 0.0, kSourceDepth}, Wavelet::ricker(kFrequency, kDelay)}}, {{kOffset, 0.0, kReceiverDepth}});
    const auto traces = runShot(setup, context.device);
    const auto& computed = traces.p.front();
    const auto exact = exactTrace(kOffset, computed.size(), traces.dt, false);
    const double lag = truth::lagOf(computed, exact) * traces.dt;
    const std::string text = fmt::format("at {:g} m, {:.4f} s, {:.1f} % of the direct wave's size; lag {:+.3f} ms",
                                         kOffset, head, 100.0 * truth::largest(exact) / 0.0282, 1e3 * lag);
    if (timeOnly) {
        return judged(1e3 * std::abs(lag), 1e3 * (0.1 * setup.dt + 8e-4), "ms",
                      "0.1 dt + the phase error: 0.3 degrees over 6 wavelengths of 125 ms", text);
    }
    return judged(100.0 * truth::relativeL2(computed, exact), 1.0, "% relative L2",
                  "the issue's bound, of the head wave alone", text);
}

} // namespace

void addLayerCases(std::vector<SelftestCase>& out)
{
    out.push_back({"physics", "two layers: direct, reflected and head wave", false, reflection});
    out.push_back(
        {"physics", "two layers: the head wave alone", false, [](SelftestContext& c) { return headWave(c, false); }});
    out.push_back(
        {"physics", "two layers: the head wave's time", false, [](SelftestContext& c) { return headWave(c, true); }});
}

} // namespace ondo
