#include "engine/inversion/image_sampling.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace ondo {

namespace {

constexpr int kBins = 512; // from 0 to the sampling frequency of the image

// Amplitude times frequency on kBins + 1 frequencies from 0 to `top`, Hz, by a plain DFT.
std::vector<double> spectrum(const std::vector<double>& series, double dt, double top)
{
    std::vector<double> a(kBins + 1, 0.0);
    for (int b = 1; b <= kBins; ++b) {
        const double f = top * b / kBins;
        const double w = 2.0 * std::numbers::pi * f * dt;
        // exp(i w n) by rotation: a wavelet of 1e5 samples would take minutes of sines.
        const double c = std::cos(w);
        const double s = std::sin(w);
        double re = 0.0;
        double im = 0.0;
        double x = 1.0;
        double y = 0.0;
        for (const double v : series) {
            re += v * x;
            im += v * y;
            const double next = x * c - y * s;
            y = x * s + y * c;
            x = next;
        }
        a[static_cast<std::size_t>(b)] = f * std::hypot(re, im);
    }
    return a;
}

double shareOf(const Wavelet& wavelet, const TimeAxis& time, int every)
{
    const auto series = wavelet.samples(time.innerStep(), time.innerSteps());
    const auto a = spectrum(series, time.innerStep(), 1.0 / (every * time.innerStep()));
    double whole = 0.0;
    double folded = 0.0;
    for (std::size_t b = 0; b < a.size(); ++b) {
        whole += a[b] * a[b];
        folded += a[b] * a[a.size() - 1 - b];
    }
    return whole > 0.0 ? 2.0 * folded / whole : 0.0;
}

} // namespace

double foldedShare(const SimulationPlan& plan, int every)
{
    if (every <= 1) {
        return 0.0;
    }
    // A run that ends while the traces are not at rest is cut off, and the cut has no band either.
    const double open = kOpenBand + 0.5 * every / std::max(1, plan.time.innerSteps());
    double worst = open;
    const Wavelet* last = nullptr;
    for (const auto& shot : plan.run.survey.shots) {
        for (const auto& source : shot.sources) {
            if (last == nullptr || !(source.wavelet == *last)) {
                worst = std::max(worst, open + 2.0 * shareOf(source.wavelet, plan.time, every));
                last = &source.wavelet;
            }
        }
    }
    return worst;
}

} // namespace ondo
