// The files that a run leaves. checkOutputs() says before the run what would fail after it. One thread at a time (HDF5).
#pragma once

#include "engine/grid/time_axis.h"
#include "engine/io/result_writer.h"
#include "engine/project/run_description.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ondo {

struct WrittenFile {
    std::string path;
    std::uintmax_t bytes = 0;
    std::string what; // "results: 1 shot, 301 traces of 1024 samples"
};

// Refuses (BadInput) endings that no writer has, two outputs of one name, folders that are missing or not writable, and
// names of what the run reads: its model, its wavelets, `runFile`, `otherInputs`.
[[nodiscard]] Result<> checkOutputs(const RunDescription& run, const std::string& runFile = {},
                                    const std::vector<std::string>& otherInputs = {});
// Refuses (BadInput) traces that the gather's format cannot hold.
[[nodiscard]] Result<> checkGatherFits(const RunDescription& run, const TimeAxis& time);

// Writes what is asked for: results and gather here, the picture by `drawPicture`, which returns what it drew.
using DrawPicture = std::function<Result<std::string>(const std::string& path)>;
struct OutputReport {
    std::vector<WrittenFile> files;
    std::vector<Error> errors; // one a file that could not be written; the others are there all the same
};
[[nodiscard]] OutputReport writeOutputs(const OutputSettings& outputs, const RunResult& result,
                                        const DrawPicture& drawPicture);

} // namespace ondo
