// The window's program, started from the command line, which links no Qt. Main thread.
#pragma once

#include "engine/core/result.h"

#include <string>
#include <vector>

namespace ondo::cli {

// Where ondoscope is: beside this program, as installed or as built, or on the PATH. NotFound tells where it was looked for.
[[nodiscard]] Result<std::string> findDesktopProgram();

// Is there a display to open a window on? Otherwise (NoDevice) what to do about it.
[[nodiscard]] Result<> checkDisplay();

struct ProgramOutcome {
    int code = 0;
    std::string out, err;
};

// Runs it to its end and reads what it says; ends it after `mostSeconds` (Internal) and when the user interrupts
// (Cancelled).
[[nodiscard]] Result<ProgramOutcome> runProgram(const std::string& path, const std::vector<std::string>& arguments,
                                                double mostSeconds);

} // namespace ondo::cli
