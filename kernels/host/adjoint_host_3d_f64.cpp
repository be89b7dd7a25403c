#include "kernels/host/adjoint_host_impl.h"

namespace ondo::kernels {

template void scalarKeepHost<double, 3>(const ScalarKeepArgs<double>&, Share);
template void scalarAdjointHost<double, 3>(const ScalarAdjointArgs<double>&, AdjointPass, Share);

} // namespace ondo::kernels
