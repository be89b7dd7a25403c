#include "kernels/host/adjoint_host_impl.h"

namespace ondo::kernels {

template void scalarKeepHost<double, 2>(const ScalarKeepArgs<double>&, Share);
template void scalarAdjointHost<double, 2>(const ScalarAdjointArgs<double>&, AdjointPass, Share);

} // namespace ondo::kernels
