// The arrows of ARCHITECTURE.md as a function of one file's path and text, so that a test can plant a violation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

// What is wrong with the file, one line each ("engine/a.cpp:3: engine must not include ui/main_window.h"); empty: nothing.
// `path` is relative to the root, with slashes.
[[nodiscard]] std::vector<std::string> layeringFaults(std::string_view path, std::string_view text);

// What is wrong with equations.def given the header names in kernels/equations ("scalar.h").
[[nodiscard]] std::vector<std::string> unlistedEquations(const std::vector<std::string>& headers,
                                                         std::string_view equationsDef);
