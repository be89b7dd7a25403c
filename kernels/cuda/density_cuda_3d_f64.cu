#include "kernels/cuda/density_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void densityStep<double, 3>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);
template void densityKeep<double, 3>(const ScalarKeepArgs<double>&, cudaStream_t);
template void densityAdjoint<double, 3>(const ScalarAdjointArgs<double>&, cudaStream_t);

} // namespace ondo::kernels::cuda
