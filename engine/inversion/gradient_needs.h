// What the memory modes of one gradient ask for, before anything is allocated: sizes, bytes, seconds. Pure arithmetic on a
// plan. Internal to engine/inversion.
#pragma once

#include "engine/inversion/gradient.h"
#include "engine/tape/tape.h"

#include <optional>
#include <string>

namespace ondo {

struct LaunchBytes {
    std::size_t field = 0, memories = 0, image = 0, kept = 0; // of one shot
    std::size_t sourceSamples = 0;                            // of one source: steps
    std::size_t element = 4;

    explicit LaunchBytes(const SimulationPlan& plan);
};

// Points of the launch that has most of them.
struct LaunchPoints {
    std::size_t sources = 0, receivers = 0, sourceNodes = 0, receiverNodes = 0;

    explicit LaunchPoints(const SimulationPlan& plan);
};

// Shots of the largest launch.
[[nodiscard]] std::size_t shotsTogether(const SimulationPlan& plan);
// Of a launch of so many shots.
[[nodiscard]] TapeNeeds gradientNeeds(const SimulationPlan& plan, const TapeOptions& options, std::size_t shots);
// Of options whose mode is `kind`'s.
[[nodiscard]] GradientMemory gradientMemory(const SimulationPlan& plan, const GradientOptions& options,
                                            const TapeKind& kind);
// All of the gradient, by what calibration measured of the device; 0: it has measured nothing. What is staged step by step
// goes on beside the steps where the device or a file thread does it: the longer of the two counts.
[[nodiscard]] double gradientSeconds(const SimulationPlan& plan, const GradientOptions& options, const TapeKind& kind,
                                     const GradientMemory& memory);

// Of these: the first touch of the tape's and the adjoint run's memory.
[[nodiscard]] double touchSeconds(const SimulationPlan& plan, const GradientMemory& memory);

// What is free for a gradient.
struct FreeMemory {
    std::size_t device = 0; // 0: not told
    std::size_t host = 0;
    Result<std::size_t> disk = std::size_t{0};
    bool onHost = false; // the device's memory is the host's

    [[nodiscard]] static FreeMemory of(const SimulationPlan& plan, const std::string& folder);
    // Of the device's; the CPU's is the host's.
    [[nodiscard]] std::size_t needed(const GradientMemory& memory) const
    {
        return memory.total() + (onHost ? memory.host : 0);
    }
    // What there is too little of, if no more than `share` of what is free is taken.
    [[nodiscard]] std::optional<Error> lacks(const SimulationPlan& plan, const GradientMemory& memory,
                                             double share) const;
};

[[nodiscard]] std::string bytesOf(std::size_t bytes); // "1.2 GB"
[[nodiscard]] std::string timeOf(double seconds);     // "4.1 s" "7.8 min"

} // namespace ondo
