#include "kernels/host/scalar_host_impl.h"
#include "kernels/host/tile_step_impl.h"

namespace ondo::kernels {

template void scalarMemoryHost<float, 3>(const ScalarStepArgs<float>&, const LayerReach (&)[3], Share);
template void scalarStepHost<float, 3>(const ScalarStepArgs<float>&, const LayerReach (&)[3], Share);
template void tileStepHost<float, 3>(const TileStep<float>&);

} // namespace ondo::kernels
