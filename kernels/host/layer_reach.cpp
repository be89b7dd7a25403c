#include "kernels/host/layer_reach.h"

#include <cstdint>

namespace ondo::kernels {

bool findReach(const Box* boxes, int count, const Layout& layout, LayerReach (&reach)[3], bool layersAlone)
{
    const int n[3] = {layout.nz, layout.ny, layout.nx};
    std::int64_t nodes = 0;
    for (int a = 0; a < 3; ++a) {
        reach[a] = {0, n[a], n[a]};
    }
    const auto from = [](const Box& b, int a) { return a == kZ ? b.z0 : a == kY ? b.y0 : b.x0; };
    const auto to = [](const Box& b, int a) { return a == kZ ? b.z1 : a == kY ? b.y1 : b.x1; };
    for (int i = 0; i < count; ++i) {
        nodes += boxes[i].nodes();
        for (int a = 0; a < 3; ++a) {
            if (boxes[i].side[a] == kLow) {
                reach[a].low = to(boxes[i], a);
            } else if (boxes[i].side[a] == kHigh) {
                reach[a].high = from(boxes[i], a);
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int a = 0; a < 3; ++a) {
            const int part[4] = {0, reach[a].low, reach[a].high, n[a]};
            const int side = boxes[i].side[a] == kLow ? 0 : boxes[i].side[a] == kNone ? 1 : 2;
            if (boxes[i].nodes() > 0 && (from(boxes[i], a) != part[side] || to(boxes[i], a) != part[side + 1])) {
                return false;
            }
        }
    }
    if (layersAlone) {
        std::int64_t interior = 1;
        for (const LayerReach& r : reach) {
            interior *= r.high - r.low;
        }
        nodes += interior;
    }
    return nodes == layout.nodes();
}

} // namespace ondo::kernels
