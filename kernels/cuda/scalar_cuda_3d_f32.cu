#include "kernels/cuda/scalar_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void scalarStep<float, 3>(const ScalarStepArgs<float>&, const StepLaunch&, cudaStream_t);

} // namespace ondo::kernels::cuda
