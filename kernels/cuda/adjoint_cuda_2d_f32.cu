#include "kernels/cuda/adjoint_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void scalarKeep<float, 2>(const ScalarKeepArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarStepKept<float, 2>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarAdjoint<float, 2>(const ScalarAdjointArgs<float>&, const StepLaunch&, cudaStream_t);
template void scalarAdjointMemories<float, 2>(const ScalarAdjointArgs<float>&, cudaStream_t);

} // namespace ondo::kernels::cuda
