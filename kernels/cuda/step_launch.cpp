// What a device's steps are launched with: asked of the device and of the environment, once.
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/launches.h"

#include <cstdlib>

namespace ondo::kernels::cuda {

StepLaunch makeStepLaunch(int ordinal)
{
    StepLaunch launch;
    const auto number = [](const char* name, int otherwise) {
        const char* text = std::getenv(name);
        return text != nullptr ? std::atoi(text) : otherwise;
    };
    launch.march = number("ONDO_MARCH", 1) != 0;
    launch.branches = number("ONDO_MARCH_FORK", 1) != 0;
    launch.planes[0] = number("ONDO_MARCH_PLANES", 0);
    launch.planes[1] = number("ONDO_MARCH_LAYER_PLANES", 0);
    launch.device = ordinal;
    ONDO_CUDA(cudaDeviceGetAttribute(&launch.multiprocessors, cudaDevAttrMultiProcessorCount, ordinal));
    ONDO_CUDA(cudaDeviceGetAttribute(&launch.sharedBytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, ordinal));
    ONDO_CUDA(cudaEventCreateWithFlags(&launch.fork, cudaEventDisableTiming));
    for (int i = 0; i < StepLaunch::kBranches; ++i) {
        ONDO_CUDA(cudaStreamCreateWithFlags(&launch.branch[i], cudaStreamNonBlocking));
        ONDO_CUDA(cudaEventCreateWithFlags(&launch.joined[i], cudaEventDisableTiming));
    }
    return launch;
}

} // namespace ondo::kernels::cuda
