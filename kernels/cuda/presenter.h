// CUDA to OpenGL: pixels on the device into textures of a context on the same device.
#pragma once

#include "kernels/backend.h"

#include <memory>

namespace ondo::kernels::cuda {

[[nodiscard]] std::unique_ptr<TexturePresenter> makePresenter(int ordinal);

} // namespace ondo::kernels::cuda
