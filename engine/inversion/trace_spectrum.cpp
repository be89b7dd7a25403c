#include "engine/inversion/trace_spectrum.h"

#include "engine/core/fourier.h"

#include <algorithm>
#include <cmath>

namespace ondo {

AmplitudeSpectrum amplitudeSpectrum(const std::vector<float>& traces, int samples, double dt)
{
    AmplitudeSpectrum out;
    const auto n = static_cast<std::size_t>(std::max(1, samples));
    const std::size_t count = traces.size() / n;
    const std::size_t length = fourierLength(2 * n);
    std::vector<double> power(length / 2 + 1, 0.0);
    for (std::size_t trace = 0; trace < count; ++trace) {
        Spectrum x(length);
        std::copy_n(traces.begin() + static_cast<std::ptrdiff_t>(trace * n), n, x.begin());
        fourier(x);
        for (std::size_t k = 0; k < power.size(); ++k) {
            power[k] += std::norm(x[k]) * dt * dt / static_cast<double>(count);
        }
    }
    for (std::size_t k = 0; k < power.size(); ++k) {
        out.hertz.push_back(static_cast<double>(k) / (static_cast<double>(length) * dt));
        out.amplitude.push_back(std::sqrt(power[k]));
    }
    return out;
}

} // namespace ondo
