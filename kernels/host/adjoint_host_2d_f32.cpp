#include "kernels/host/adjoint_host_impl.h"

namespace ondo::kernels {

template void scalarKeepHost<float, 2>(const ScalarKeepArgs<float>&, Share);
template void scalarAdjointHost<float, 2>(const ScalarAdjointArgs<float>&, AdjointPass, Share);

} // namespace ondo::kernels
