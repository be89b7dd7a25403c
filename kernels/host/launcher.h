// The only loops over nodes on the host. The body is a copy of the calling thread's own and the innermost loop is a simd
// loop: together they make one body as fast as a hand-written loop (architecture.md part 0).
#pragma once

#include "kernels/core/shape.h"
#include "kernels/host/thread_team.h"

#include <cstdint>

namespace ondo::kernels {

// The share's rows of a box, for all shots. Every node is visited by exactly one share.
template<class Body>
void forEachNode(const Box& box, int shots, Share share, const Body& body)
{
    const std::int64_t ny = box.y1 - box.y0;
    const std::int64_t nz = box.z1 - box.z0;
    const std::int64_t rows = ny * nz * shots;
    if (rows <= 0 || box.x1 <= box.x0) {
        return;
    }
    const Body local = body;
    const Box mine = box;
    const std::int64_t last = rows * (share.index + 1) / share.count;
    for (std::int64_t row = rows * share.index / share.count; row < last; ++row) {
        if (share.abandon != nullptr && share.abandon->load(std::memory_order_relaxed)) {
            return;
        }
        const int y = mine.y0 + static_cast<int>(row % ny);
        const int z = mine.z0 + static_cast<int>(row / ny % nz);
        const int shot = static_cast<int>(row / (ny * nz));
        const int x1 = mine.x1;
#pragma omp simd
        for (int x = mine.x0; x < x1; ++x) {
            local(mine, shot, z, y, x);
        }
    }
}

} // namespace ondo::kernels
