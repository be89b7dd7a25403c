// The picture that `ondo migrate --png` leaves: the image in grey, a pixel a node or several, in three dimensions the section
// through its middle.
#pragma once

#include "engine/model/model.h"

#include <string>
#include <vector>

namespace ondo::cli {

// image: (z, y, x). Clipped at the 99th percentile of what is drawn. Returns what was drawn.
[[nodiscard]] Result<std::string> drawImage(const std::string& path, const Model& model,
                                            const std::vector<double>& image);

} // namespace ondo::cli
