// What the sources of a launch emit, sampled at each inner step. Host values; pure arithmetic.
#pragma once

#include "engine/survey/wavelet.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace ondo {

struct TimedWavelet {
    std::shared_ptr<const Wavelet> wavelet;
    std::int64_t firstStep = 0; // silent before
};

// [wavelet][step], T = float or double. Samples of the last few wavelets are kept for the next shot or run with the same
// source: a recording is interpolated sample by sample.
template<class T>
[[nodiscard]] std::vector<T> makeWaveletTable(const std::vector<TimedWavelet>& wavelets, double dt, int steps);

} // namespace ondo
