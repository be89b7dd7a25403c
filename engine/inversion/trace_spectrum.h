// How strong traces are at each frequency. Pure arithmetic, any thread.
#pragma once

#include <vector>

namespace ondo {

struct AmplitudeSpectrum {
    std::vector<double> hertz; // from 0 to half the samples a second
    std::vector<double>
        amplitude; // |integral of a trace exp(-2 pi i f t) dt|, root mean square over traces; Pa s of Pa
};

// Traces of so many samples one after the other, each dt seconds.
[[nodiscard]] AmplitudeSpectrum amplitudeSpectrum(const std::vector<float>& traces, int samples, double dt);

} // namespace ondo
