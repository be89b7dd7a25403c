#include "kernels/cuda/cuda_backend.h"
#include "kernels/cuda/cuda_check.h"

#include <string>

namespace ondo::kernels::cuda {

namespace {

std::string uuidText(const cudaUUID_t& uuid)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
        const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        if (i == 4 || i == 6 || i == 8 || i == 10) {
            text += '-';
        }
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15];
    }
    return text;
}

} // namespace

DeviceFacts describeDevice(int ordinal)
{
    cudaDeviceProp p = {};
    ONDO_CUDA(cudaGetDeviceProperties(&p, ordinal));
    DeviceFacts f;
    f.id = "cuda:" + std::to_string(ordinal);
    f.name = p.name;
    f.backend = "cuda" + std::to_string(CUDART_VERSION / 1000);
    f.memoryTotal = p.totalGlobalMem;
    f.computeMajor = p.major;
    f.computeMinor = p.minor;
    f.multiprocessors = p.multiProcessorCount;
    f.uuid = uuidText(p.uuid);
    ONDO_CUDA(cudaDriverGetVersion(&f.driverVersion));
    ONDO_CUDA(cudaRuntimeGetVersion(&f.runtimeVersion));
    return f;
}

} // namespace ondo::kernels::cuda
