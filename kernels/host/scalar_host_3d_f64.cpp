#include "kernels/host/scalar_host_impl.h"
#include "kernels/host/tile_step_impl.h"

namespace ondo::kernels {

template void scalarMemoryHost<double, 3>(const ScalarStepArgs<double>&, const LayerReach (&)[3], Share);
template void scalarStepHost<double, 3>(const ScalarStepArgs<double>&, const LayerReach (&)[3], Share);
template void tileStepHost<double, 3>(const TileStep<double>&);

} // namespace ondo::kernels
