// One CUDA device behind the Backend interface.
#pragma once

#include "kernels/backend.h"

#include <memory>

namespace ondo::kernels::cuda {

// Without making a context: memoryFree is 0.
[[nodiscard]] DeviceFacts describeDevice(int ordinal);
[[nodiscard]] std::unique_ptr<Backend> makeCudaBackend(int ordinal);

} // namespace ondo::kernels::cuda
