// Where an axis lies within reach of its absorbing layers.
#pragma once

#include "kernels/core/shape.h"

namespace ondo::kernels {

// Nodes [0, low) and [high, n) of it.
struct LayerReach {
    int low = 0, high = 0, n = 0;

    [[nodiscard]] int sideOf(int i) const { return i < low ? kLow : i < high ? kNone : kHigh; }
};

// Of all axes, from a step's boxes (interior and layers). False if they are not layers round one interior.
[[nodiscard]] bool findReach(const Box* boxes, int count, const Layout& layout, LayerReach (&reach)[3]);

} // namespace ondo::kernels
