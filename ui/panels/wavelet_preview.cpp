#include "ui/panels/wavelet_preview.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ondo {

namespace {

constexpr int kSamples = 320;
constexpr int kFrequencies = 120;

} // namespace

WaveletPreview previewOf(const Wavelet& wavelet)
{
    WaveletPreview preview;
    if (!wavelet.check()) {
        return preview;
    }
    const double dominant = std::max(1e-9, wavelet.dominantFrequency());
    preview.duration = wavelet.kind == WaveletKind::Sampled
                           ? wavelet.recordedStep * static_cast<double>(wavelet.recorded.size())
                           : std::min(2.0 * wavelet.centre(), wavelet.centre() + 3.0 / dominant);
    preview.highest = 1.25 * wavelet.highestFrequency();
    const double dt = preview.duration / (kSamples - 1);
    preview.wavelet = {0.0, dt, wavelet.samples(dt, kSamples)};
    preview.spectrum = {0.0, preview.highest / (kFrequencies - 1), {}};
    for (int k = 0; k < kFrequencies; ++k) {
        const double angle = 2.0 * std::numbers::pi * preview.spectrum.step * k * dt;
        double real = 0.0;
        double imaginary = 0.0;
        for (int i = 0; i < kSamples; ++i) {
            const double value = preview.wavelet.values[static_cast<std::size_t>(i)];
            real += value * std::cos(angle * i);
            imaginary += value * std::sin(angle * i);
        }
        preview.spectrum.values.push_back(std::hypot(real, imaginary));
    }
    return preview;
}

} // namespace ondo
