// One step of the scalar equation on the host, chosen from the order table. Instantiated once per rank and precision in
// scalar_host_{2,3}d_{f32,f64}.cpp.
#pragma once

#include "kernels/backend.h"

namespace ondo::kernels {

template<class T, int Rank>
void scalarStepHost(const ScalarStepArgs<T>& args, int threads);

extern template void scalarStepHost<float, 2>(const ScalarStepArgs<float>&, int);
extern template void scalarStepHost<float, 3>(const ScalarStepArgs<float>&, int);
extern template void scalarStepHost<double, 2>(const ScalarStepArgs<double>&, int);
extern template void scalarStepHost<double, 3>(const ScalarStepArgs<double>&, int);

} // namespace ondo::kernels
