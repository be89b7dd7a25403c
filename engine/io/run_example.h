// A run description that holds every key of run_keys.cpp with its meaning, unit and default: what a person starts from.
// resources/examples/first_light.toml is this text; a test keeps the two in step.
#pragma once

#include <string>

namespace ondo {

// Reads back as a run: the keys that matter are set, the others stand as comments.
[[nodiscard]] std::string exampleRunFile();

} // namespace ondo
