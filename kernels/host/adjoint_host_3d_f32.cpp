#include "kernels/host/adjoint_host_impl.h"

namespace ondo::kernels {

template void scalarKeepHost<float, 3>(const ScalarKeepArgs<float>&, Share);
template void scalarAdjointHost<float, 3>(const ScalarAdjointArgs<float>&, AdjointPass, Share);

} // namespace ondo::kernels
