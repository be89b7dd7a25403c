// What the program sees of the module: two C symbols. engine/device/cuda_module.cpp opens it.
#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/cuda_check.h"
#include "kernels/fingerprint.h"

#include <cstring>

namespace ondo::kernels::cuda {

namespace {

class CudaModule final : public BackendModule {
public:
    [[nodiscard]] std::string release() const override { return ONDO_MODULE_RELEASE; }

    [[nodiscard]] int count(std::string& why) override
    {
        int n = 0;
        const cudaError_t error = cudaGetDeviceCount(&n);
        (void)cudaGetLastError();
        if (error == cudaErrorNoDevice || (error == cudaSuccess && n == 0)) {
            why = "the NVIDIA driver is there, but no GPU is visible to CUDA: see nvidia-smi and CUDA_VISIBLE_DEVICES";
            return 0;
        }
        if (error != cudaSuccess) {
            why = std::string("CUDA cannot start: ") + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) +
                  "); see whether nvidia-smi works";
            return 0;
        }
        return n;
    }

    [[nodiscard]] DeviceFacts describe(int ordinal) override { return describeDevice(ordinal); }
    [[nodiscard]] std::unique_ptr<Backend> open(int ordinal) override { return makeCudaBackend(ordinal); }
};

} // namespace

} // namespace ondo::kernels::cuda

#define ONDO_EXPORT extern "C" __attribute__((visibility("default")))

ONDO_EXPORT const char* ondoModuleRelease()
{
    return ONDO_MODULE_RELEASE;
}

// Nothing throws through here.
ONDO_EXPORT ondo::kernels::BackendModule* ondoBackendModule(const char* release)
{
    static ondo::kernels::cuda::CudaModule module;
    return release != nullptr && std::strcmp(release, ONDO_MODULE_RELEASE) == 0 ? &module : nullptr;
}
