// SEG-Y revision 1, IEEE samples, big-endian. Everything not stated below is zero, so that two files of the same
// content are the same bytes. Any thread; atomic.
#pragma once

#include "engine/core/position.h"
#include "engine/core/result.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ondo {

struct SegyTrace {
    std::span<const float> samples;
    Position source;   // m, z down
    Position receiver; // m, z down
    int shot = 1;      // field record, from 1
    int channel = 1;   // within the record, from 1
    int crossline = 1; // CDP number, from 1
};

struct SegyDocument {
    std::vector<std::string> text;     // at most 37 lines of 76 characters, put in as C 1 ...
    double intervalMicroseconds = 0.0; // of a depth section: a length, as the text says
    std::vector<SegyTrace> traces;     // all of one length, at most 32767 samples
};

// What the 16-bit words of SEG-Y hold: refuses, under the name of `what`, more or longer than that.
[[nodiscard]] Result<> checkSegyTraces(const std::string& what, std::size_t samples, double intervalMicroseconds);

// Refuses more samples or a longer interval than the 16-bit words hold, traces of different lengths, and none at all.
[[nodiscard]] Result<> writeSegy(const std::string& path, const SegyDocument& document);

} // namespace ondo
