#include "engine/project/default_run.h"

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kPointsPerWavelength =
    5.6; // phase error below 3 degrees a wavelength, also where one speed rules the step
constexpr double kMostWavelengths = 80.0; // of the dominant frequency, along the longest side
constexpr int kMostReceivers = 301;
constexpr int kDepthCells = 2;

struct Speeds {
    double low = 1500.0;
    double mean = 2500.0; // of slowness: what a wave needs for a metre, inverted
};

// Values that are no speeds are left out: the plan is who refuses them.
Speeds speedsOf(const Model& model)
{
    double low = 0.0;
    double slowness = 0.0;
    std::int64_t count = 0;
    for (const float v : model.velocity().samples()) {
        const double speed = static_cast<double>(v);
        if (!std::isfinite(speed) || speed <= 0.0) {
            continue;
        }
        low = count == 0 ? speed : std::min(low, speed);
        slowness += 1.0 / speed;
        ++count;
    }
    return count == 0 ? Speeds{} : Speeds{low, static_cast<double>(count) / slowness};
}

// Down to two digits: 11.7 becomes 11, 0.0437 becomes 0.043.
double twoDigits(double v)
{
    const double scale = std::pow(10.0, 1.0 - std::floor(std::log10(v)));
    return std::floor(v * scale * (1.0 + 1e-12)) / scale;
}

// Nodes from either end of an axis at which points may stand: inside, also where the face is free.
int inset(int nodes)
{
    return std::clamp((nodes - 1) / 2, 0, kDepthCells);
}

Wavelet chooseWavelet(const Grid& grid, const Speeds& speeds)
{
    const double coarse = grid.rank == 3 ? std::max({grid.dz, grid.dy, grid.dx}) : std::max(grid.dz, grid.dx);
    const Wavelet unit = Wavelet::ricker(1.0);
    const double sampled = speeds.low / (kPointsPerWavelength * coarse) / unit.highestFrequency();
    const double longest = std::max({grid.lengthX(), grid.lengthY(), grid.lengthZ(), coarse});
    const double seen = kMostWavelengths * speeds.mean / longest;
    return Wavelet::ricker(twoDigits(std::min(sampled, seen)));
}

Shot chooseShot(const Grid& grid, const Speeds& speeds)
{
    const double depth = grid.origin.z + inset(grid.nz) * grid.dz;
    const int middleColumn = (grid.nx - 1) / 2; // on a node
    const int middleRow = (grid.ny - 1) / 2;
    const double middleY = grid.rank == 3 ? grid.origin.y + middleRow * grid.dy : 0.0;
    Shot shot;
    shot.sources.push_back({{grid.origin.x + middleColumn * grid.dx, middleY, depth}, chooseWavelet(grid, speeds)});
    const int first = inset(grid.nx);
    const int cells = grid.nx - 1 - 2 * first;
    const int every = std::max(1, (cells + kMostReceivers - 2) / (kMostReceivers - 1));
    const int count = cells / every + 1;
    const double firstX = grid.origin.x + first * grid.dx;
    const double lastX = grid.origin.x + (first + (count - 1) * every) * grid.dx;
    shot.receivers = receiverLine({firstX, middleY, depth}, {lastX, middleY, depth}, count);
    return shot;
}

// When the front has come to the bottom, or is half-way to the sides of a deep model.
double choosePictureTime(const Grid& grid, const Speeds& speeds, const Wavelet& wavelet)
{
    const double down = std::max(grid.lengthZ(), grid.smallestSpacing());
    const double across = 0.5 * std::hypot(grid.lengthX(), grid.lengthY());
    return twoDigits(wavelet.centre() + (across > 0.0 ? std::min(down, across) : down) / speeds.mean);
}

double chooseDuration(const Grid& grid, const Speeds& speeds, const Wavelet& wavelet)
{
    const double down = 2.0 * grid.lengthZ();
    const double across = 0.5 * std::hypot(grid.lengthX(), grid.lengthY());
    return twoDigits(wavelet.centre() + std::max({down, across, grid.smallestSpacing()}) / speeds.mean);
}

} // namespace

RunDescription withDefaultSurvey(RunDescription run, const Model& model)
{
    if (!run.survey.shots.empty() || model.empty()) {
        return run;
    }
    const Speeds speeds = speedsOf(model);
    Shot shot = chooseShot(model.grid(), speeds);
    if (run.unplaced.wavelet) {
        shot.sources[0].wavelet = *run.unplaced.wavelet;
    }
    if (!run.unplaced.receivers.empty()) {
        shot.receivers = run.unplaced.receivers;
    }
    run.unplaced = {};
    run.survey.shots.push_back(std::move(shot));
    return withDefaultTimes(std::move(run), model);
}

RunDescription withDefaultTimes(RunDescription run, const Model& model)
{
    if (run.survey.shots.empty() || run.survey.shots[0].sources.empty() || model.empty()) {
        return run;
    }
    const Speeds speeds = speedsOf(model);
    const Wavelet& wavelet = run.survey.shots[0].sources[0].wavelet;
    if (run.duration == 0.0) {
        run.duration = chooseDuration(model.grid(), speeds, wavelet);
    }
    if (run.output.pictureTime == 0.0) {
        const double wanted = choosePictureTime(model.grid(), speeds, wavelet);
        run.output.pictureTime = wanted < run.duration ? wanted : 0.0;
    }
    return run;
}

RunDescription defaultRun(const Model& model)
{
    return withDefaultSurvey({}, model);
}

} // namespace ondo
