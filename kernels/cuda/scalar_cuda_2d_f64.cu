#include "kernels/cuda/scalar_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void scalarStep<double, 2>(const ScalarStepArgs<double>&, const StepLaunch&, cudaStream_t);

} // namespace ondo::kernels::cuda
