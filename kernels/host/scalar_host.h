// A share of one step of the scalar equation on the host (interior and layers; the mirror halos must be filled before),
// chosen from the order table. All shares may run at once: a node is written by one of them and read by none. Instantiated once per rank and precision in
// scalar_host_{2,3}d_{f32,f64}.cpp.
#pragma once

#include "kernels/backend.h"
#include "kernels/host/layer_reach.h"
#include "kernels/host/thread_team.h"

namespace ondo::kernels {

// The layers' first memories along z and y; complete before scalarStepHost begins, which does those along x.
template<class T, int Rank>
void scalarMemoryHost(const ScalarStepArgs<T>& args, const LayerReach (&reach)[3], Share share);
template<class T, int Rank>
void scalarStepHost(const ScalarStepArgs<T>& args, const LayerReach (&reach)[3], Share share);

extern template void scalarMemoryHost<float, 2>(const ScalarStepArgs<float>&, const LayerReach (&)[3], Share);
extern template void scalarMemoryHost<float, 3>(const ScalarStepArgs<float>&, const LayerReach (&)[3], Share);
extern template void scalarMemoryHost<double, 2>(const ScalarStepArgs<double>&, const LayerReach (&)[3], Share);
extern template void scalarMemoryHost<double, 3>(const ScalarStepArgs<double>&, const LayerReach (&)[3], Share);
extern template void scalarStepHost<float, 2>(const ScalarStepArgs<float>&, const LayerReach (&)[3], Share);
extern template void scalarStepHost<float, 3>(const ScalarStepArgs<float>&, const LayerReach (&)[3], Share);
extern template void scalarStepHost<double, 2>(const ScalarStepArgs<double>&, const LayerReach (&)[3], Share);
extern template void scalarStepHost<double, 3>(const ScalarStepArgs<double>&, const LayerReach (&)[3], Share);

} // namespace ondo::kernels
