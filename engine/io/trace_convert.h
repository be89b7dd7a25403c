// Traces from one file into another with their headers: SEG-Y and SU into SEG-Y, SU, .npy, RSF and raw binary. Streams;
// atomic. Any thread.
#pragma once

#include "engine/io/trace_file.h"

namespace ondo {

// Endings that traces are written to.
[[nodiscard]] Result<> checkTraceEnding(const std::string& path);

// Lines that say what was written and what it cost:
//   .segy .sgy  big-endian, samples as they were stored, so that nothing is rounded; headers word by word
//   .su         little-endian float32; SU has no header for the file, and words of its own from byte 181 of a trace's on
//   .npy        the type that holds every sample: the stored one where NumPy has it
//   .rsf .bin   float32, little-endian
// What float32 cannot hold is counted and said.
[[nodiscard]] Result<std::string> convertTraces(const ArrayFile& in, const std::string& out);

} // namespace ondo
