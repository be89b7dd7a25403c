// What must be set before and right after the application object: GL format and sharing, names, where settings lie.
#pragma once

namespace ondo {

// Before QApplication.
void prepareProgram();
// Right after it.
void nameProgram();

struct ProgramSettings {
    bool fresh = false; // settings of this run only: nothing is read, nothing is kept
};
void applySettings(const ProgramSettings& settings);

} // namespace ondo
