#include "kernels/cuda/adjoint_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void scalarKeep<float, 3>(const ScalarKeepArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarStepKept<float, 3>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarAdjoint<float, 3>(const ScalarAdjointArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarAdjointMemories<float, 3>(const ScalarAdjointArgs<float>&, cudaStream_t);

} // namespace ondo::kernels::cuda
