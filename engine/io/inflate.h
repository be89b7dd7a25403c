// Decompression with a limit, for the compressed parts of .mat and .npz files. Any thread.
#pragma once

#include "engine/core/result.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ondo {

enum class DeflateWrapper { Zlib, None };

// The whole of `in`. Refuses damaged streams and more than `most` bytes of output; memory grows with what really comes
// out, not with what a header claims.
[[nodiscard]] Result<std::vector<unsigned char>> inflateBytes(std::span<const unsigned char> in, DeflateWrapper wrapper,
                                                              std::int64_t most);

} // namespace ondo
