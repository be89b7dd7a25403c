// A gather as pixels: variable density, and wiggles with filled positive lobes. Time downwards, traces side by side at equal
// widths. Plain CPU work, any thread; 500 traces of 3000 samples in a few milliseconds.
#pragma once

#include "engine/frame/gather.h"
#include "engine/frame/picture.h"
#include "render/theme.h"

#include <memory>

namespace ondo {

struct GatherSettings {
    int width = 0, height = 0;             // device pixels
    double firstTrace = 0.0, traces = 0.0; // the part seen, in traces; traces <= 0: all
    double fromTime = 0.0, seconds = 0.0;  // s; seconds <= 0: all
    double gain = 1.0;
    bool reversedPolarity = false;
    ClipMode clipMode = ClipMode::Percentile;
    double percentile = 98.0;
    double clip = 1.0; // Pa; Fixed, or Percentile with hold
    bool hold = false;
    std::shared_ptr<const ColourTable> colours;
    std::uint32_t ground = 0xFFFFFFFFU; // where nothing has been recorded yet, and under wiggles
};

// The magnitude below which `percentile` per cent of the recorded samples lie, silence left out (below a thousandth of the
// largest). 0 for a silent gather. NaN and infinities do not count.
[[nodiscard]] double gatherPercentile(const Gather& gather, double percentile);
// The clip in force: Pa, gain not included.
[[nodiscard]] double gatherClip(const Gather& gather, const GatherSettings& settings);

// Several samples on a pixel: the one of the largest magnitude, so that no arrival is lost. HostPicture::clip is the clip.
[[nodiscard]] HostPicture rasterGather(const Gather& gather, const GatherSettings& settings);
// Just the ground colour, for wiggles alone.
[[nodiscard]] HostPicture gatherGround(const GatherSettings& settings);

struct WiggleStyle {
    Colour line, fill;         // fill.alpha 0: none
    double lineWidth = 1.0;    // device pixels
    double excursion = 1.2;    // of an amplitude at the clip, in distances between drawn traces
    double leastSpacing = 5.0; // device pixels; denser traces are left out
};

// Over a picture of settings.width x settings.height.
void drawWiggles(HostPicture& picture, const Gather& gather, const GatherSettings& settings, const WiggleStyle& style);

} // namespace ondo
