#include "kernels/host/density_host_impl.h"

namespace ondo::kernels {

template void densityMemoryHost<double, 3>(const ScalarStepArgs<double>&, Share);
template void densityStepHost<double, 3>(const ScalarStepArgs<double>&, Share);
template void scalarKeepHost<double, 3, Medium::VariableDensity>(const ScalarKeepArgs<double>&, Share);
template void scalarAdjointHost<double, 3, Medium::VariableDensity>(const ScalarAdjointArgs<double>&, AdjointPass,
                                                                    Share);

} // namespace ondo::kernels
