#include "kernels/cuda/density_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void densityStep<float, 3>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
template void densityKeep<float, 3>(const ScalarKeepArgs<float>&, cudaStream_t);
template void densityAdjoint<float, 3>(const ScalarAdjointArgs<float>&, cudaStream_t);

} // namespace ondo::kernels::cuda
