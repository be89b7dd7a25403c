#include "kernels/host/density_host_impl.h"

namespace ondo::kernels {

template void densityMemoryHost<float, 2>(const ScalarStepArgs<float>&, Share);
template void densityStepHost<float, 2>(const ScalarStepArgs<float>&, Share);
template void scalarKeepHost<float, 2, Medium::VariableDensity>(const ScalarKeepArgs<float>&, Share);
template void scalarAdjointHost<float, 2, Medium::VariableDensity>(const ScalarAdjointArgs<float>&, AdjointPass, Share);

} // namespace ondo::kernels
