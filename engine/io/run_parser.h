// A run file's TOML table and what is built from it; used by run_file.cpp and run_file_set.cpp alone.
#pragma once

#include "engine/project/run_description.h"

#include <toml++/toml.h>

#include <string>
#include <string_view>

namespace ondo {

// In place of a file's name: what is parsed comes from the command line, where lines have no number.
inline constexpr const char* kAssignments = "--set";

// Syntax errors begin with file:line.
[[nodiscard]] Result<toml::table> parsedTable(std::string_view text, const std::string& path);
// `path` names the file in messages, and its folder is where relative paths begin.
[[nodiscard]] Result<RunDescription> buildDescription(const toml::table& root, const std::string& path);

} // namespace ondo
