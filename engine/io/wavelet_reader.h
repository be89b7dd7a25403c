// Recorded wavelets from files. Any thread.
#pragma once

#include "engine/survey/wavelet.h"

#include <optional>
#include <string>

namespace ondo {

// Text or CSV with one column (values; `step` must be given) or two (time in seconds, value), .npy with one
// dimension, SU or SEG-Y (first trace). `step`, seconds, wins over the file's own. Refuses uneven times and files that
// say no step when none is given.
[[nodiscard]] Result<Wavelet> readWavelet(const std::string& path, std::optional<double> step = {});

} // namespace ondo
