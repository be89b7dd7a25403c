// Source time functions. Value type. The amplitude is the f(t) of convention A (truth/TRUTHS.md):
//   (1/c^2) p_tt - lap p = f(t) delta(x - xs),  f in Pa m (2-D: per metre of line source, Pa) when p is in Pa.
#pragma once

#include "engine/core/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ondo {

enum class WaveletKind { Ricker, Gaussian, GaussianDerivative, Ormsby, Klauder, Sampled };

struct Wavelet {
    WaveletKind kind = WaveletKind::Ricker;
    double peakFrequency = 10.0; // Hz; Ricker, Gaussian and its derivatives
    double delay = 0.0;          // s, time of the wavelet's centre. 0: chosen, 1.5 / peakFrequency (band: see centre())
    double amplitude = 1.0;      // factor on the unit-peak shape
    int derivative = 1;          // GaussianDerivative: 1, 2 or 3
    double corners[4] = {2, 6, 25, 40}; // Hz; Ormsby f1 < f2 < f3 < f4
    double sweepLow = 5.0;              // Hz; Klauder: autocorrelation of a linear sweep
    double sweepHigh = 40.0;            // Hz
    double sweepLength = 8.0;           // s
    std::vector<double> recorded;       // Sampled
    double recordedStep = 0.0;          // s; Sampled
    std::string file;                   // where `recorded` came from, for provenance

    bool operator==(const Wavelet&) const = default;

    [[nodiscard]] static Wavelet ricker(double peakFrequency, double delay = 0.0, double amplitude = 1.0);
    [[nodiscard]] static Result<Wavelet> sampled(std::vector<double> samples, double step, std::string file = {});

    // Refuses frequencies or corners out of order, not finite, empty recordings.
    [[nodiscard]] Result<> check() const;
    // f(k dt), k = 0 .. count-1. A recorded wavelet on another step is interpolated by a windowed sinc; beyond its end it is 0.
    [[nodiscard]] std::vector<double> samples(double dt, int count) const;
    // Sampled: derivatives with respect to the recorded samples, from those with respect to samples(dt, ...), `series`: the
    // transpose of the interpolation, beyond the series' end 0. Empty for other kinds.
    [[nodiscard]] std::vector<double> recordedGradient(const std::vector<double>& series, double dt) const;
    [[nodiscard]] double centre() const;            // s: the delay in force
    [[nodiscard]] double dominantFrequency() const; // Hz
    // Hz; above it the spectrum stays below 5 % of its peak (2.5 x peak frequency would be the rule of thumb for a Ricker).
    [[nodiscard]] double highestFrequency() const;
    [[nodiscard]] std::string describe() const; // "Ricker 12 Hz, peak at 0.125 s"
};

[[nodiscard]] std::string_view waveletKindName(WaveletKind kind); // "ricker" "gaussian" ...
[[nodiscard]] Result<WaveletKind> waveletKindFromName(std::string_view name);

} // namespace ondo
