// The arrows of ARCHITECTURE.md as a function of one file's path and text, so that a test can plant a violation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

// What is wrong with the file, one line each ("engine/a.cpp:3: engine must not include ui/main_window.h"); empty: nothing.
// `path` is relative to the root, with slashes.
[[nodiscard]] std::vector<std::string> layeringFaults(std::string_view path, std::string_view text);

// The headers of kernels/equations ("scalar.h") that `compiled`, the text of the rest of kernels, does not include.
[[nodiscard]] std::vector<std::string> orphanEquations(const std::vector<std::string>& headers,
                                                       std::string_view compiled);
