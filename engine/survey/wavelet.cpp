#include "engine/survey/wavelet.h"

#include "engine/survey/kaiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ondo {

namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::array<std::string_view, 6> kNames = {"ricker", "gaussian", "gaussian-derivative",
                                                    "ormsby", "klauder",  "sampled"};

double sinc(double x)
{
    return std::abs(x) < 1e-12 ? 1.0 : std::sin(kPi * x) / (kPi * x);
}

// Sine integral-free closed form of an Ormsby (trapezoidal spectrum) wavelet, unit peak.
double ormsby(const double f[4], double t)
{
    const auto term = [t](double q) { return kPi * q * q * sinc(q * t) * sinc(q * t); };
    const double up = (term(f[3]) - term(f[2])) / (f[3] - f[2]);
    const double down = (term(f[1]) - term(f[0])) / (f[1] - f[0]);
    const double peak = kPi * (f[3] + f[2] - f[1] - f[0]);
    return (up - down) / peak;
}

// Autocorrelation of a linear sweep of length T from f1 to f2, unit peak (Klauder et al. 1960).
double klauder(double f1, double f2, double length, double t)
{
    const double lag = std::abs(t);
    if (lag >= length) {
        return 0.0;
    }
    const double k = (f2 - f1) / length;
    const double f0 = 0.5 * (f1 + f2);
    // sin(pi k t (T - t)) / (pi k t T): the limit at 0 is (T - t) / T.
    const double a = k * lag * (length - lag);
    return (1.0 - lag / length) * sinc(a) * std::cos(2.0 * kPi * f0 * lag);
}

// n-th derivative of exp(-a), a = (pi f t)^2, n = 1..3, scaled to a unit absolute peak.
double gaussianDerivative(int n, double f, double t)
{
    const double s = kPi * f * t;
    const double g = std::exp(-s * s);
    switch (n) {
    case 1: return -std::numbers::sqrt2 * s * g * std::exp(0.5);
    case 2: return (2.0 * s * s - 1.0) * g;
    default: {
        // d3: (12 s - 8 s^3) e^{-s^2}; its largest value stands at s^2 = (3 - sqrt 6) / 2.
        const double best = std::sqrt((3.0 - std::sqrt(6.0)) / 2.0);
        const double peak = (12.0 * best - 8.0 * best * best * best) * std::exp(-best * best);
        return (12.0 * s - 8.0 * s * s * s) * g / peak;
    }
    }
}

// Kaiser-windowed sinc interpolation of a recording of `count` samples: visit(i, sinc, window) for those that a position
// between them takes, the value being the sum of sample * sinc * window over `atCentre`; zero outside the recording.
template<class Visit>
void interpolation(long count, double position, const Visit& visit)
{
    constexpr int kHalf = 16;
    constexpr double kBeta = 8.0;
    const auto base = static_cast<long>(std::floor(position));
    if (std::abs(position - std::round(position)) < 1e-9) {
        const long i = std::lround(position);
        if (i >= 0 && i < count) {
            visit(static_cast<std::size_t>(i), 1.0, 1.0, 1.0);
        }
        return;
    }
    static const double atCentre = besselI0(kBeta);
    for (long i = base - kHalf + 1; i <= base + kHalf; ++i) {
        if (i < 0 || i >= count) {
            continue;
        }
        const double d = position - static_cast<double>(i);
        const double w = d / kHalf;
        if (std::abs(w) >= 1.0) {
            continue;
        }
        visit(static_cast<std::size_t>(i), sinc(d), besselI0(kBeta * std::sqrt(1.0 - w * w)), atCentre);
    }
}

double interpolate(const std::vector<double>& values, double position)
{
    double sum = 0.0;
    double scale = 1.0;
    interpolation(static_cast<long>(values.size()), position, [&](std::size_t i, double s, double w, double centre) {
        sum += values[i] * s * w;
        scale = centre;
    });
    return sum / scale;
}

// Highest frequency of a sampled signal at which the amplitude spectrum reaches 5 % of its peak, by a plain DFT on a grid.
double bandEdge(const std::vector<double>& s, double dt, bool wantPeak)
{
    const double nyquist = 0.5 / dt;
    const int bins = 400;
    std::vector<double> amplitude(bins + 1, 0.0);
    for (int b = 0; b <= bins; ++b) {
        const double w = 2.0 * kPi * nyquist * b / bins * dt;
        double re = 0.0;
        double im = 0.0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            re += s[i] * std::cos(w * static_cast<double>(i));
            im -= s[i] * std::sin(w * static_cast<double>(i));
        }
        amplitude[static_cast<std::size_t>(b)] = std::hypot(re, im);
    }
    const auto top = std::max_element(amplitude.begin(), amplitude.end());
    if (wantPeak) {
        return nyquist * static_cast<double>(top - amplitude.begin()) / bins;
    }
    int edge = bins;
    while (edge > 0 && amplitude[static_cast<std::size_t>(edge)] < 0.05 * *top) {
        --edge;
    }
    return nyquist * edge / bins;
}

bool positive(double v)
{
    return std::isfinite(v) && v > 0.0;
}

} // namespace

Wavelet Wavelet::ricker(double peakFrequency, double delay, double amplitude)
{
    Wavelet w;
    w.peakFrequency = peakFrequency;
    w.delay = delay;
    w.amplitude = amplitude;
    return w;
}

Result<Wavelet> Wavelet::sampled(std::vector<double> samples, double step, std::string file)
{
    Wavelet w;
    w.kind = WaveletKind::Sampled;
    w.recorded = std::move(samples);
    w.recordedStep = step;
    w.file = std::move(file);
    if (auto ok = w.check(); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return w;
}

Result<> Wavelet::check() const
{
    if (!std::isfinite(amplitude)) {
        return badInput("the wavelet's amplitude is not a finite number");
    }
    if (!std::isfinite(delay) || delay < 0.0) {
        return badInput(fmt::format("the wavelet's delay is {} s", delay),
                        "give 0 (chosen for you) or a positive time");
    }
    switch (kind) {
    case WaveletKind::Ricker:
    case WaveletKind::Gaussian:
    case WaveletKind::GaussianDerivative:
        if (!positive(peakFrequency)) {
            return badInput(fmt::format("the wavelet's peak frequency is {} Hz", peakFrequency),
                            "give a positive frequency");
        }
        if (kind == WaveletKind::GaussianDerivative && (derivative < 1 || derivative > 3)) {
            return badInput(fmt::format("derivative {} of a Gaussian is not offered", derivative), "use 1, 2 or 3");
        }
        break;
    case WaveletKind::Ormsby:
        if (!(corners[0] >= 0.0 && corners[0] < corners[1] && corners[1] <= corners[2] && corners[2] < corners[3]) ||
            !std::isfinite(corners[3])) {
            return badInput(fmt::format("the Ormsby corners {} {} {} {} Hz do not increase", corners[0], corners[1],
                                        corners[2], corners[3]),
                            "give four increasing frequencies");
        }
        break;
    case WaveletKind::Klauder:
        if (!positive(sweepLow) || !positive(sweepLength) || !(sweepHigh > sweepLow) || !std::isfinite(sweepHigh)) {
            return badInput(fmt::format("a sweep from {} to {} Hz in {} s makes no Klauder wavelet", sweepLow,
                                        sweepHigh, sweepLength),
                            "give 0 < low < high and a positive length");
        }
        break;
    case WaveletKind::Sampled:
        if (recorded.empty() || !positive(recordedStep)) {
            return badInput(
                fmt::format("a recorded wavelet of {} samples with a step of {} s", recorded.size(), recordedStep),
                "give samples and a positive step");
        }
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            if (!std::isfinite(recorded[i])) {
                return badInput(fmt::format("sample {} of the recorded wavelet is not a finite number", i));
            }
        }
        break;
    }
    return {};
}

double Wavelet::centre() const
{
    if (delay > 0.0 || kind == WaveletKind::Sampled) {
        return delay;
    }
    switch (kind) {
    case WaveletKind::Ormsby: return 3.0 / std::max(corners[1], 0.25 * corners[3]);
    case WaveletKind::Klauder: return 4.0 / std::max(sweepHigh - sweepLow, sweepLow);
    default: return 1.5 / peakFrequency;
    }
}

std::vector<double> Wavelet::samples(double dt, int count) const
{
    std::vector<double> out(static_cast<std::size_t>(std::max(count, 0)), 0.0);
    const double t0 = centre();
    for (int i = 0; i < count; ++i) {
        const double t = i * dt - t0;
        double v = 0.0;
        switch (kind) {
        case WaveletKind::Ricker: {
            const double a = (kPi * peakFrequency * t) * (kPi * peakFrequency * t);
            v = (1.0 - 2.0 * a) * std::exp(-a);
            break;
        }
        case WaveletKind::Gaussian: v = std::exp(-(kPi * peakFrequency * t) * (kPi * peakFrequency * t)); break;
        case WaveletKind::GaussianDerivative: v = gaussianDerivative(derivative, peakFrequency, t); break;
        case WaveletKind::Ormsby: v = ormsby(corners, t); break;
        case WaveletKind::Klauder: v = klauder(sweepLow, sweepHigh, sweepLength, t); break;
        case WaveletKind::Sampled: v = interpolate(recorded, t / recordedStep); break;
        }
        out[static_cast<std::size_t>(i)] = amplitude * v;
    }
    return out;
}

std::vector<double> Wavelet::recordedGradient(const std::vector<double>& series, double dt) const
{
    std::vector<double> out(recorded.size(), 0.0);
    for (std::size_t k = 0; k < series.size(); ++k) {
        const double t = static_cast<double>(k) * dt - centre();
        interpolation(static_cast<long>(recorded.size()), t / recordedStep,
                      [&](std::size_t i, double s, double w, double atCentre) {
                          out[i] += amplitude * series[k] * s * w / atCentre;
                      });
    }
    return out;
}

double Wavelet::dominantFrequency() const
{
    switch (kind) {
    case WaveletKind::Ormsby: return 0.5 * (corners[1] + corners[2]);
    case WaveletKind::Klauder: return 0.5 * (sweepLow + sweepHigh);
    case WaveletKind::Sampled: return bandEdge(recorded, recordedStep, true);
    // exp(-(pi f t)^2) has the spectrum exp(-(v/f)^2): its n-th derivative peaks at v = f sqrt(n/2); the Gaussian itself at 0.
    case WaveletKind::GaussianDerivative: return peakFrequency * std::sqrt(0.5 * derivative);
    default: return peakFrequency;
    }
}

double Wavelet::highestFrequency() const
{
    // The 5 % condition on the closed-form spectra. Ricker, and the second derivative, which is one: (v/f)^2 exp(1 - (v/f)^2)
    // = 0.05 at 2.397; the customary 2.5 is kept. Gaussian: sqrt(ln 20). First and third derivative: 2.146 and 2.599.
    switch (kind) {
    case WaveletKind::Ricker: return 2.5 * peakFrequency;
    case WaveletKind::Gaussian: return 1.731 * peakFrequency;
    case WaveletKind::GaussianDerivative:
        return peakFrequency * (derivative == 1 ? 2.147 : derivative == 2 ? 2.5 : 2.6);
    case WaveletKind::Ormsby: return corners[3];
    case WaveletKind::Klauder: {
        // Fresnel ripples end 0.53 sqrt(sweep rate) past the sweep (tried for rates from 0.15 to 35 Hz/s); what stands
        // before t = 0 is cut off, and the cut alone reaches 0.35 / centre past it.
        const double rate = (sweepHigh - sweepLow) / sweepLength;
        return sweepHigh + std::max(0.55 * std::sqrt(rate), 0.4 / centre());
    }
    case WaveletKind::Sampled: return bandEdge(recorded, recordedStep, false);
    }
    return peakFrequency;
}

std::string Wavelet::describe() const
{
    const double t0 = centre();
    switch (kind) {
    case WaveletKind::Ricker: return fmt::format("Ricker {:g} Hz, peak at {:.4g} s", peakFrequency, t0);
    case WaveletKind::Gaussian: return fmt::format("Gaussian {:g} Hz, peak at {:.4g} s", peakFrequency, t0);
    case WaveletKind::GaussianDerivative:
        return fmt::format("Gaussian derivative {} of {:g} Hz, centre at {:.4g} s", derivative, peakFrequency, t0);
    case WaveletKind::Ormsby:
        return fmt::format("Ormsby {:g}-{:g}-{:g}-{:g} Hz, centre at {:.4g} s", corners[0], corners[1], corners[2],
                           corners[3], t0);
    case WaveletKind::Klauder:
        return fmt::format("Klauder {:g}-{:g} Hz in {:g} s, centre at {:.4g} s", sweepLow, sweepHigh, sweepLength, t0);
    case WaveletKind::Sampled:
        return fmt::format("{} samples, step {:g} ms{}", recorded.size(), recordedStep * 1e3,
                           file.empty() ? "" : " from " + file);
    }
    return {};
}

std::string_view waveletKindName(WaveletKind kind)
{
    return kNames[static_cast<std::size_t>(kind)];
}

Result<WaveletKind> waveletKindFromName(std::string_view name)
{
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (kNames[i] == name) {
            return static_cast<WaveletKind>(i);
        }
    }
    return badInput(fmt::format("'{}' is no wavelet", name),
                    "use ricker, gaussian, gaussian-derivative, ormsby, klauder or sampled");
}

} // namespace ondo
