// The colours of this window for what render draws.
#pragma once

#include "render/theme.h"

namespace ondo {

[[nodiscard]] Theme viewTheme(bool dark);

} // namespace ondo
