// One case of the bench on one device. Internal to engine/bench.
#pragma once

#include "engine/bench/bench.h"

#include <chrono>

namespace ondo {

[[nodiscard]] inline double secondsSince(std::chrono::steady_clock::time_point t)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

// All there is to say about a case; `freeBefore`: the device's free memory when the bench began.
[[nodiscard]] BenchFigure measureCase(const BenchCase& which, const std::shared_ptr<Device>& device,
                                      const BenchOptions& options, std::size_t freeBefore);
// The marginal step alone.
[[nodiscard]] BenchFigure measureSteps(const BenchCase& which, const std::shared_ptr<Device>& device,
                                       const BenchOptions& options);

} // namespace ondo
