// ONDO_CUDA(call): the call, or a BackendError that says what failed, in CUDA's own words.
// ONDO_CUDA_NOTHROW(call): for destructors; forgives, because a driver that is shutting down refuses everything.
#pragma once

#include "kernels/backend.h"

#include <cuda_runtime_api.h>

#include <string>

namespace ondo::kernels::cuda {

// After these the context is lost and every later call repeats the first error.
inline bool isLost(cudaError_t error)
{
    switch (error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorDeviceUninitialized:
    case cudaErrorCudartUnloading: return true;
    default: return false;
    }
}

[[noreturn]] inline void throwCudaError(cudaError_t error, const std::string& doing)
{
    // Reading the error clears it, so that the next call does not report this one again.
    (void)cudaGetLastError();
    const BackendFailure failure = error == cudaErrorMemoryAllocation ? BackendFailure::OutOfMemory
                                   : isLost(error)                    ? BackendFailure::Lost
                                                                      : BackendFailure::Launch;
    std::string what = doing + " failed: " + cudaGetErrorString(error) + " (" + cudaGetErrorName(error) + ")";
    if (failure == BackendFailure::Lost) {
        what += "; the GPU's context is lost: restart the program, and if it comes back run \"ondo selftest\"";
    }
    throw BackendError(failure, what);
}

} // namespace ondo::kernels::cuda

#define ONDO_CUDA(call)                                                                                                \
    do {                                                                                                               \
        const cudaError_t ondoCudaError = (call);                                                                      \
        if (ondoCudaError != cudaSuccess) {                                                                            \
            ::ondo::kernels::cuda::throwCudaError(ondoCudaError, #call);                                               \
        }                                                                                                              \
    } while (false)

#define ONDO_CUDA_NOTHROW(call)                                                                                        \
    do {                                                                                                               \
        if ((call) != cudaSuccess) {                                                                                   \
            (void)cudaGetLastError();                                                                                  \
        }                                                                                                              \
    } while (false)
