// NumPy .npy files, version 1, little-endian, C order. Any thread; atomic.
#pragma once

#include "engine/core/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ondo {

// Refuses a sample count other than the product of `shape`.
[[nodiscard]] Result<> writeNpy(const std::string& path, std::span<const float> samples,
                                const std::vector<std::int64_t>& shape);

} // namespace ondo
