// See resident.h: the kernels of a run, and how all are launched.
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/resident_run.cuh"

#include <string>

namespace ondo::kernels::cuda {

namespace {

constexpr ResidentKernel kKernels[] = {nullptr,
                                       residentKernel<1, ResidentWay::Forward>,
                                       residentKernel<2, ResidentWay::Forward>,
                                       residentKernel<3, ResidentWay::Forward>,
                                       residentKernel<4, ResidentWay::Forward>,
                                       residentKernel<5, ResidentWay::Forward>};

ResidentKernel kernelOf(ResidentWay way, int radius)
{
    return way == ResidentWay::Forward ? kKernels[radius] : residentTapeKernel(way, radius);
}

} // namespace

std::size_t residentSharedLimit(int device)
{
    int bytes = 0;
    ONDO_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    int cooperative = 0;
    ONDO_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    return cooperative != 0 ? static_cast<std::size_t>(bytes) : 0;
}

int residentBlocks(ResidentWay way, int radius, std::size_t bytes)
{
    const ResidentKernel kernel = kernelOf(way, radius);
    if (kernel == nullptr) {
        return 0;
    }
    ONDO_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    int device = 0;
    ONDO_CUDA(cudaGetDevice(&device));
    int multiprocessors = 0;
    ONDO_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    int each = 0;
    ONDO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, residentThreads(radius), bytes));
    return each > 0 ? multiprocessors : 0; // one each: two would share what one can have
}

void launchResident(ResidentWay way, const ResidentBody& body, int radius, int blocks, std::size_t bytes,
                    cudaStream_t stream)
{
    ResidentBody copy = body;
    void* arguments[] = {&copy};
    const cudaError_t error =
        cudaLaunchCooperativeKernel(kernelOf(way, radius), dim3(static_cast<unsigned>(blocks)),
                                    dim3(static_cast<unsigned>(residentThreads(radius))), arguments, bytes, stream);
    if (error != cudaSuccess) {
        throwCudaError(error, "launching the resident steps");
    }
}

} // namespace ondo::kernels::cuda
