// The same picture as the live path makes, painted on the host from a model and, if given, a field: for a window at rest,
// for export and for the command line. Any thread; takes about 10 ms a million pixels.
#pragma once

#include "engine/frame/picture.h"
#include "engine/model/model.h"

namespace ondo {

// field may be null. Clip: settings.clip, or the percentile of the given field.
[[nodiscard]] HostPicture paintStill(const Model& model, const FieldFrame* field, const PictureSettings& settings);
// What a run shows where the wave is not yet: the model under a field of zeros.
[[nodiscard]] HostPicture paintSilence(const Model& model, const PictureSettings& settings);

// The magnitude below which `percentile` per cent of the values lie.
[[nodiscard]] double amplitudePercentile(const std::vector<float>& values, double percentile);

} // namespace ondo
