#include "kernels/host/density_host_impl.h"

namespace ondo::kernels {

template void densityMemoryHost<float, 3>(const ScalarStepArgs<float>&, Share);
template void densityStepHost<float, 3>(const ScalarStepArgs<float>&, Share);
template void scalarKeepHost<float, 3, Medium::VariableDensity>(const ScalarKeepArgs<float>&, Share);
template void scalarAdjointHost<float, 3, Medium::VariableDensity>(const ScalarAdjointArgs<float>&, AdjointPass, Share);

} // namespace ondo::kernels
