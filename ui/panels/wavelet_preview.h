// A wavelet's shape and amplitude spectrum as curves for the small pictures of the source panel.
#pragma once

#include "engine/survey/wavelet.h"
#include "ui/panes/trace_plot.h"

namespace ondo {

struct WaveletPreview {
    Curve wavelet, spectrum;
    double duration = 1.0; // s
    double highest = 1.0;  // Hz
};

// Empty curves for a wavelet that check() refuses.
[[nodiscard]] WaveletPreview previewOf(const Wavelet& wavelet);

} // namespace ondo
