#include "kernels/host/scalar_host_impl.h"

namespace ondo::kernels {

template void scalarMemoryHost<double, 3>(const ScalarStepArgs<double>&, Share);
template void scalarStepHost<double, 3>(const ScalarStepArgs<double>&, Share);

} // namespace ondo::kernels
