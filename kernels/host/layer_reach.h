// Where an axis lies within reach of its absorbing layers.
#pragma once

#include "kernels/core/shape.h"

namespace ondo::kernels {

// Nodes [0, low) and [high, n) of it.
struct LayerReach {
    int low = 0, high = 0, n = 0;

    [[nodiscard]] int sideOf(int i) const { return i < low ? kLow : i < high ? kNone : kHigh; }
    // Where first memories are not zero for ever: the reach goes a radius beyond its layer, a half node of which may count.
    // What lies between belongs to the low and the high layer alike, and two threads must not both write it.
    [[nodiscard]] LayerReach live(int radius) const
    {
        return {low > 0 ? low - radius : 0, high < n ? high + radius - 1 : n, n};
    }
};

// Of all axes, from a step's boxes (interior and layers; layersAlone: the latter). False if they are not layers round one
// interior.
[[nodiscard]] bool findReach(const Box* boxes, int count, const Layout& layout, LayerReach (&reach)[3],
                             bool layersAlone = false);

} // namespace ondo::kernels
