// The commands of `ondo`. Each adds itself to the parser and sets `run` to what it does; the result is the exit code.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <functional>
#include <string>
#include <vector>

namespace ondo::cli {

using Command = std::function<int()>;

void addRunCommand(CLI::App& app, Command& run);
void addGradientCommand(CLI::App& app, Command& run);
void addInvertCommand(CLI::App& app, Command& run);
void addMigrateCommand(CLI::App& app, Command& run);
void addInfoCommand(CLI::App& app, Command& run);
void addCheckCommand(CLI::App& app, Command& run);
void addConvertCommand(CLI::App& app, Command& run);
void addSelftestCommand(CLI::App& app, Command& run);
void addBenchCommand(CLI::App& app, Command& run);
void addCalibrateCommand(CLI::App& app, Command& run);

// What `ondo check` prints of each file, or, not `whole`, what `ondo info FILE` does, from headers alone; the worst exit code.
[[nodiscard]] int describeFiles(const std::vector<std::string>& files, const std::vector<std::string>& assignments,
                                bool whole);

} // namespace ondo::cli
