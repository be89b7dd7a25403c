// One step of a few planes z of a shot, the unit of time tiling (time_tiles.h): layers and all, the mirror halos excepted.
// Instantiated beside the plain step in scalar_host_{2,3}d_{f32,f64}.cpp; gives its bits.
#pragma once

#include "kernels/core/shape.h"
#include "kernels/equations/scalar.h"
#include "kernels/host/layer_reach.h"

namespace ondo::kernels {

inline constexpr int kPlanesTogether = 4; // a vector of each of these rows is computed from one column of loads

// Where a gradient keeps W of a step (equations/scalar_adjoint.h).
template<class T>
struct KeptRows {
    T* field = nullptr; // null: nowhere
    Layout compact;

    [[nodiscard]] T* at(int shot, int z, int y, int x) const
    {
        return field != nullptr ? field + compact.at(shot, z, y, x) : nullptr;
    }
};

template<class T>
struct TileStep {
    ScalarState<T> state;
    LayerReach reach[3];
    int order = 8;
    int shot = 0;
    int z0 = 0, z1 = 0;         // planes to step, all in one layer along z or in none
    int y0 = 0, y1 = 0;         // rows of them; a layer along y is in it whole or not at all
    int first0 = 0, first1 = 0; // planes whose first memories along z are due; they lead by a radius
    KeptRows<T> kept;
};

template<class T, int Rank>
void tileStepHost(const TileStep<T>& step);

extern template void tileStepHost<float, 2>(const TileStep<float>&);
extern template void tileStepHost<float, 3>(const TileStep<float>&);
extern template void tileStepHost<double, 2>(const TileStep<double>&);
extern template void tileStepHost<double, 3>(const TileStep<double>&);

} // namespace ondo::kernels
