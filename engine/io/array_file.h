// Any file of numbers this project reads: what it is, what arrays it holds, whether it is good. Every reader looks at
// the bytes and scores the file; the name's ending decides nothing. Below a threshold the file is refused by name.
// HDF5 files are read on one thread at a time (the library is not thread-safe); the rest on any.
#pragma once

#include "engine/io/stored_array.h"
#include "engine/project/run_description.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ondo {

struct TraceFile; // trace_file.h

// An opened file. `arrays` are in file order; `main` is the one a person means (the largest of numbers).
struct ArrayFile {
    std::string path;
    std::string format;                   // "SEG-Y" "SU" "NumPy .npy" ...
    std::vector<std::string> description; // one fact a line
    std::vector<StoredArray> arrays;
    std::size_t main = 0;
    // Of the fastest axis, in `intervalUnit`: seconds for traces, metres for a depth axis.
    std::optional<double> sampleInterval;
    std::string intervalUnit;
    std::string textHeader;                  // SEG-Y: 40 lines of 80 characters
    std::string dataPath;                    // RSF: the file that holds the samples, if it is another
    std::shared_ptr<const TraceFile> traces; // of SEG-Y and SU: where each trace and its header lie; else null
    std::vector<std::string> warnings;
    std::vector<std::string> hints;

    [[nodiscard]] const StoredArray* mainArray() const { return arrays.empty() ? nullptr : &arrays[main]; }
};

// `hints` gives what the file does not say (raw binary) or says wrongly (sampleType, byteOrder).
[[nodiscard]] Result<ArrayFile> openArrayFile(const std::string& path, const ModelSource& hints = {});

struct ArrayReport {
    std::string name;
    std::string type;
    std::vector<std::int64_t> shape;
    std::optional<SampleStatistics> statistics; // none: not numbers, or not readable
    std::string problem;
};

struct FileReport {
    std::string path;
    std::string format;
    std::int64_t bytes = 0;
    std::vector<std::string> description;
    std::vector<std::int64_t> shape; // of the main array
    std::vector<std::string> axes;
    std::optional<double> sampleInterval;
    std::string intervalUnit;
    std::string sampleType;
    std::string byteOrder; // "little" "big"
    SampleStatistics statistics;
    bool whole = true;               // false: a preview, whose statistics are empty
    std::vector<ArrayReport> arrays; // containers: each array; otherwise one
    std::vector<std::string> warnings;
    std::vector<std::string> hints;

    [[nodiscard]] std::string text() const; // for a terminal
};

// Reads the whole file once. Refusals name the file and the reason.
[[nodiscard]] Result<FileReport> inspect(const std::string& path, const ModelSource& hints = {});
// The same from the headers alone: a moment, however large the file is.
[[nodiscard]] Result<FileReport> preview(const std::string& path, const ModelSource& hints = {});

} // namespace ondo
