#include "kernels/cuda/scalar_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void scalarStep<float, 2>(const ScalarStepArgs<float>&, cudaStream_t);

} // namespace ondo::kernels::cuda
