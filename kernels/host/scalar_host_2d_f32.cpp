#include "kernels/host/scalar_host_impl.h"

namespace ondo::kernels {

template void scalarMemoryHost<float, 2>(const ScalarStepArgs<float>&, Share);
template void scalarStepHost<float, 2>(const ScalarStepArgs<float>&, Share);

} // namespace ondo::kernels
