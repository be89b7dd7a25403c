#include "kernels/host/scalar_host_impl.h"

namespace ondo::kernels {

template void scalarMemoryHost<float, 3>(const ScalarStepArgs<float>&, Share);
template void scalarStepHost<float, 3>(const ScalarStepArgs<float>&, Share);

} // namespace ondo::kernels
