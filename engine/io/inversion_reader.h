// What an inversion's file tells whoever looks at it, its writer at work or not: the file is replaced as a whole, so a reader
// sees one state or the next, and holds nothing that a writer waits for. Any thread (HDF5: one at a time).
#pragma once

#include "engine/inversion/inversion.h"

#include <optional>
#include <string>
#include <vector>

namespace ondo {

struct InversionOverview {
    std::string title, created, program; // when and by which version the file was begun
    std::string device, plan;            // in words
    std::string observed;                // file of the data, as it was given
    std::optional<RunDescription> run;   // none: what it names (a recorded wavelet) is not to be found here
    std::string runProblem;              // why
    Grid grid;                           // not valid before there is a record
    double low = 0.0, high = 0.0;        // m/s, the bounds
    // Settings and memory mode; without the last stage's iterations in files of format 1, which do not keep them.
    InversionSettings settings;
    bool settingsWhole = true;
    std::vector<InversionRecord> records; // all but what lies on the grid: speed, gradient and illumination are empty
};

// Is it an HDF5 file of an inversion? Looks at nothing but its name and one attribute.
[[nodiscard]] bool isInversionFile(const std::string& path);
// Refuses (BadInput, Io): files that are not there, not whole, none of this program's inversions, or of a later format.
[[nodiscard]] Result<InversionOverview> readInversion(const std::string& path);
// One record with all it has.
[[nodiscard]] Result<InversionRecord> readInversionRecord(const std::string& path, int index, const Grid& grid);
// The model of a record; -1: of the last.
[[nodiscard]] Result<Model> readInversionModel(const std::string& path, int index = -1);

} // namespace ondo
