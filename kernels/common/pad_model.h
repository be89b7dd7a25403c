// What the wave equation multiplies with, (c dt)^2, made where it is needed from the speeds of the user's grid: a run sends
// those once over the bus, without layers, and keeps none of them.
// Values at the edge continue into the layers; 0 on free faces (kernels/equations/scalar.h) and on all that is no node.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/shape.h"

#include <cstdint>

namespace ondo::kernels {

template<class T>
struct PadModel {
    Layout layout;
    const float* speed = nullptr; // m/s, user[0] x user[1] x user[2] nodes (z, y, x), x fastest
    T* c2 = nullptr;              // layout.shotStride elements, all written
    int user[3] = {1, 1, 1};
    int low[3] = {};            // by axis: nodes of the layer before the user's first one
    signed char isFree[6] = {}; // by axis * 2 + (high side): a free face
    double dt = 0.0;            // s

    // All rows with their halos, which touch: what lies before the first and behind the last is no node's.
    [[nodiscard]] Box rows() const
    {
        const int r = layout.radius;
        const bool volume = layout.rank == 3;
        return {
            -r, layout.nz + r, volume ? -r : 0, volume ? layout.ny + r : 1, -r, static_cast<int>(layout.strideY) - r};
    }
    // Offsets of the first element of the rows, and behind the last.
    [[nodiscard]] std::int64_t begin() const
    {
        const std::int64_t r = layout.radius;
        return layout.lead - r * layout.strideZ - (layout.rank == 3 ? r * layout.strideY : 0) - r;
    }
    [[nodiscard]] std::int64_t end() const { return begin() + layout.strideZ * (layout.nz + 2 * layout.radius); }

    ONDO_HD static int within(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }
    ONDO_HD bool hasValue(int axis, int i, int n) const
    {
        const signed char* const face = isFree + std::int64_t{2} * axis;
        return i >= 0 && i < n && !(i == 0 && face[0] != 0) && !(i == n - 1 && face[1] != 0);
    }
    // In double whatever T is, as a model on the host is judged.
    ONDO_HD T squared(float metresASecond) const
    {
        const double c = metresASecond;
        return static_cast<T>(c * dt * (c * dt));
    }
    ONDO_HD const float* userRow(int z, int y) const
    {
        const std::int64_t row = std::int64_t{within(z - low[kZ], user[kZ])} * user[kY] + within(y - low[kY], user[kY]);
        return speed + row * user[kX];
    }

    ONDO_HD void operator()(const Box& /*rows*/, int /*shot*/, int z, int y, int x) const
    {
        const bool node = hasValue(kZ, z, layout.nz) && hasValue(kY, y, layout.ny) && hasValue(kX, x, layout.nx);
        c2[layout.at(z, y, x)] = node ? squared(userRow(z, y)[within(x - low[kX], user[kX])]) : T(0);
    }
};

} // namespace ondo::kernels
