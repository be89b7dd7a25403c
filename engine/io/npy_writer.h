// NumPy .npy files, version 1, little-endian, C order. Any thread; atomic.
#pragma once

#include "engine/core/result.h"
#include "engine/io/sample_type.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ondo {

// The file's first bytes for samples that follow in this type, little-endian, last index fastest.
[[nodiscard]] std::vector<unsigned char> npyHeader(SampleType type, const std::vector<std::int64_t>& shape);

// Refuses a sample count other than the product of `shape`.
[[nodiscard]] Result<> writeNpy(const std::string& path, std::span<const float> samples,
                                const std::vector<std::int64_t>& shape);

} // namespace ondo
