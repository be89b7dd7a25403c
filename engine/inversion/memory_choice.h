// Which memory mode a gradient takes when nobody named one (kAutomaticTape): the fastest that fits the memory that is free on
// the device, in the host and on the disk, by the bytes and seconds that each is predicted to need. Numbers are kept exactly:
// the least of the exact modes needs two states beside the run itself, so that fewer bits are never needed to make one fit,
// and they are taken where a person asks for them. Pure arithmetic on a plan; any thread.
#pragma once

#include "engine/inversion/gradient.h"

#include <string>
#include <vector>

namespace ondo {

// One mode at one place.
struct MemoryWay {
    TapeOptions tape;
    GradientMemory memory;
    TapeError error;
    std::string lacks; // why it does not fit; empty: it does

    [[nodiscard]] std::string name() const; // "boundary on disk"
};

struct MemoryChoice {
    GradientOptions options; // the tape's mode is one of tapeKinds()
    GradientMemory memory;
    TapeError error;
    std::string why; // empty: the mode was named
};

// All that an automatic choice looks at, in the order of tapeKinds(): each mode on the device, in the host's memory (of a GPU)
// and on disk, and a binomial one with as few states as can be. Of the options' storage, every, tail and folder.
[[nodiscard]] std::vector<MemoryWay> memoryWays(const SimulationPlan& plan, const GradientOptions& options);

// A mode that was named is judged (checkGradient) and left as it is. An automatic one becomes the fastest that fits; without a
// measured speed the one that computes least. `instead` of its options holds where it goes when memory runs out in the
// middle: each needs less than the one before.
// Refuses what checkGradient does; with "auto" also numbers that are of one mode alone; (OutOfMemory) if nothing fits.
[[nodiscard]] Result<MemoryChoice> chooseMemory(const SimulationPlan& plan, const GradientOptions& options);

// The ways in a table, for a person; `chosen` is marked.
[[nodiscard]] std::string describeWays(const std::vector<MemoryWay>& ways, const TapeOptions& chosen);

// The fastest way that needs less of the device than `memory` and fits; null: none.
[[nodiscard]] const MemoryWay* lesserWay(const std::vector<MemoryWay>& ways, const SimulationPlan& plan,
                                         const GradientMemory& memory);

} // namespace ondo
