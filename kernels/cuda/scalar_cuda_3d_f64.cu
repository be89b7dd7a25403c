#include "kernels/cuda/scalar_cuda_impl.cuh"

namespace ondo::kernels::cuda {

template void scalarStep<double, 3>(const ScalarStepArgs<double>&, cudaStream_t);

} // namespace ondo::kernels::cuda
