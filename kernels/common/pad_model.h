// What the wave equation multiplies with, (c dt)^2, made where it is needed from the speeds of the user's grid: a run sends
// those once over the bus, without layers, and keeps none of them.
// Values at the edge continue into the layers; 0 on free faces (kernels/equations/scalar.h) and on all that is no node.
// PadDensity then makes kappa dt^2 of it, and the density as equations/scalar.h has it, with its halo.
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

template<class T>
struct PadDensity {
    PadModel<T> model;              // c2: (c dt)^2 in, kappa dt^2 in kg/m out; `speed` is not looked at
    const float* density = nullptr; // kg/m^3, as the speeds are laid out
    signed char mirrors[6] = {};    // by axis * 2 + (high side): a free or rigid face
    T* padded = nullptr;            // kg/m^3; layout.shotStride elements, all rows written

    // The user's node whose density stands at coordinate i of the domain or its halo.
    ONDO_HD int userIndex(int axis, int i, int n) const
    {
        const signed char* const face = mirrors + std::int64_t{2} * axis;
        if (i < 0 && face[0] != 0) {
            i = -i;
        } else if (i >= n && face[1] != 0) {
            i = 2 * (n - 1) - i;
        }
        return PadModel<T>::within(i - model.low[axis], model.user[axis]);
    }
    ONDO_HD double at(int z, int y, int x) const
    {
        const Layout& l = model.layout;
        const std::int64_t row =
            std::int64_t{userIndex(kZ, z, l.nz)} * model.user[kY] + (l.rank == 3 ? userIndex(kY, y, l.ny) : 0);
        return static_cast<double>(density[row * model.user[kX] + userIndex(kX, x, l.nx)]);
    }

    ONDO_HD void operator()(const Box& /*rows*/, int /*shot*/, int z, int y, int x) const
    {
        const std::int64_t i = model.layout.at(z, y, x);
        const double here = at(z, y, x);
        model.c2[i] = static_cast<T>(here * static_cast<double>(model.c2[i]));
        padded[i] = static_cast<T>(here);
    }
};

} // namespace ondo::kernels
