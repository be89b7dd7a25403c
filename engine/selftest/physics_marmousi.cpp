// PEERS P23, the marine Marmousi-II of DENISE with its own tables: what the file says, the first source to all receivers of
// the streamer, and the same traces on the device as on the host.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

namespace ondo {

namespace {

constexpr int kColumns = 500, kRows = 174, kWaterRows = 22; // the first rows of each column, to 440 m
constexpr double kSpacing = 20.0, kWater = 1500.0;
// 10 points in the shortest wavelength (2.5 times the peak frequency) of the water.
constexpr double kPeakFrequency = 3.0, kDelay = 0.5;

std::string casesFolder()
{
    const char* cases = std::getenv("ONDO_CASES");
    return cases != nullptr ? cases : "../shared/cases";
}

// (z, x) from the file's (x, z); empty if it is not here.
std::vector<float> marineSpeed()
{
    std::ifstream in(casesFolder() + "/models/marmousi2-denise/marmousi_II_marine.vp", std::ios::binary);
    std::vector<float> file(static_cast<std::size_t>(kColumns) * kRows);
    in.read(reinterpret_cast<char*>(file.data()), static_cast<std::streamsize>(file.size() * sizeof(float)));
    if (!in) {
        return {};
    }
    std::vector<float> speed(file.size());
    for (std::size_t x = 0; x < kColumns; ++x) {
        for (std::size_t z = 0; z < kRows; ++z) {
            speed[z * kColumns + x] = file[x * kRows + z];
        }
    }
    return speed;
}

Shot streamerShot()
{
    Shot shot;
    std::ifstream sources(casesFolder() + "/geometry/tables/source_streamer_tow.dat");
    int count = 0;
    double x = 0.0;
    double across = 0.0;
    double depth = 0.0;
    if (sources >> count >> x >> across >> depth) {
        shot.sources.push_back({{x, 0.0, depth}, Wavelet::ricker(kPeakFrequency, kDelay)});
    }
    std::ifstream receivers(casesFolder() + "/geometry/tables/receiver_OBC_streamer_tow.dat");
    while (receivers >> x >> depth) {
        // The streamer itself; the table goes on with the ocean bottom.
        if (!shot.sources.empty() && depth == shot.sources[0].position.z) {
            shot.receivers.push_back({{x, 0.0, depth}});
        }
    }
    return shot;
}

double largestDifference(const ShotTraces& a, const ShotTraces& b, std::size_t r, std::size_t samples)
{
    double worst = 0.0;
    for (std::size_t k = 0; k < std::min(samples, a.p[r].size()); ++k) {
        worst = std::max(worst, std::abs(a.p[r][k] - b.p[r][k]));
    }
    return worst;
}

SelftestOutcome marineShot(SelftestContext& context)
{
    ShotSetup setup;
    setup.grid = *Grid::make2D(kRows, kColumns, kSpacing, kSpacing);
    setup.velocity = marineSpeed();
    const Shot shot = streamerShot();
    if (setup.velocity.empty() || shot.sources.empty() || shot.receivers.empty()) {
        return skipped("Marmousi-II is not here; set ONDO_CASES to the folder shared/cases");
    }
    const auto bottom = setup.velocity.begin() + std::ptrdiff_t{kWaterRows} * kColumns;
    const bool water = std::all_of(setup.velocity.begin(), bottom, [](float v) { return v == float{kWater}; }) &&
                       std::none_of(bottom, bottom + kColumns, [](float v) { return v == float{kWater}; });
    if (!water) {
        return judged(1.0, 0.0, "water bottoms not at 440 m", "PEERS P23");
    }
    setup.dt = 1e-3;
    setup.steps = 1600;
    setup.shots = {shot};
    const ShotTraces whole = runShot(setup, context.device);
    const ShotTraces onHost = runShot(setup, context.cpu);
    setup.velocity.assign(setup.velocity.size(), float{kWater});
    const ShotTraces direct = runShot(setup, context.device);

    double host = 0.0;  // of each trace's peak
    double early = 0.0; // the same: what differs from water alone before the sea floor can answer
    double law = 0.0;   // relative L2 against the line source
    const Position& source = shot.sources[0].position;
    const auto f = truth::ricker(kPeakFrequency, kDelay);
    for (std::size_t r = 0; r < shot.receivers.size(); ++r) {
        const double distance = std::abs(shot.receivers[r].position.x - source.x);
        const double down = 2.0 * (kWaterRows * kSpacing) - 2.0 * source.z;
        const double answer = std::hypot(distance, down) / kWater;
        const double peak = truth::largest(whole.p[r]);
        host = std::max(host, largestDifference(whole, onHost, r, whole.p[r].size()) / peak);
        early =
            std::max(early, largestDifference(whole, direct, r, static_cast<std::size_t>(answer / setup.dt)) / peak);
        std::vector<double> exact;
        for (std::size_t k = 0; k < direct.p[r].size(); ++k) {
            exact.push_back(truth::lineSource(distance, static_cast<double>(k) * setup.dt, kWater, f));
        }
        law = std::max(law, truth::relativeL2(direct.p[r], exact));
    }
    const std::string detail = fmt::format(
        "device against host {:.2g} of the peak (1e-5), before the sea floor answers {:.2g} (1e-5)", host, early);
    if (!(host <= 1e-5) || !(early <= 1e-5)) {
        return judged(std::max(host, early), 1e-5, "of the peak", "PEERS P23", detail);
    }
    return judged(100.0 * law, 1.0, "% relative L2 of the direct wave", "the issue's 1 % at 10 points a wavelength",
                  detail);
}

} // namespace

void addMarmousiCases(std::vector<SelftestCase>& out)
{
    out.push_back({"physics", "peers P23: marine Marmousi-II, the streamer's first shot", false, marineShot});
}

} // namespace ondo
