#include "kernels/cuda/adjoint_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void scalarKeep<double, 2>(const ScalarKeepArgs<double>&, const StepLaunch&, cudaStream_t);
template void scalarStepKept<double, 2>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);
template void scalarAdjoint<double, 2>(const ScalarAdjointArgs<double>&, const StepLaunch&, cudaStream_t);
template void scalarAdjointMemories<double, 2>(const ScalarAdjointArgs<double>&, cudaStream_t);

} // namespace ondo::kernels::cuda
