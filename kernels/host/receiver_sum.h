// A receiver's sample on the host: 32 lanes and a fixed tree, as common/point_ops.h says.
#pragma once

#include "kernels/common/point_ops.h"

namespace ondo::kernels {

template<class T>
T receiverSum(const RecordReceivers<T>& body, int receiver)
{
    T lanes[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        lanes[lane] = body.laneSum(receiver, lane);
    }
    // The tree of a warp's shuffle-down: lane i takes lane i + width.
    for (int width = kLanes / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; ++lane) {
            lanes[lane] += lanes[lane + width];
        }
    }
    return lanes[0];
}

} // namespace ondo::kernels
