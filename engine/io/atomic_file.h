// Writing that is all or nothing: the bytes go to a neighbour file, which takes the name only when it is complete.
// A reader never sees half a file, and a failed write leaves the old one as it was. Any thread.
#pragma once

#include "engine/core/result.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace ondo {

// Calls `write` with the path of the neighbour file, then renames it to `path`; removes it when `write` fails.
// Io when the folder is missing or not writable.
[[nodiscard]] Result<> writeAtomically(const std::string& path,
                                       const std::function<Result<>(const std::string& temporary)>& write);

// Removes the neighbour files of `path` that were left by processes which were killed.
void removeAbandoned(const std::string& path);

[[nodiscard]] Result<> writeBytes(const std::string& path, std::span<const unsigned char> bytes);
[[nodiscard]] Result<> writeText(const std::string& path, std::string_view text);
// The whole of a text file; refuses more than `most` bytes.
[[nodiscard]] Result<std::string> readText(const std::string& path, std::int64_t most = std::int64_t{64} << 20);

} // namespace ondo
