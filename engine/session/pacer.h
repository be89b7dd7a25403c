// Holds a run back to so many simulated seconds a second, so that an eye can follow a shot that a GPU would finish in a
// blink. The session's thread. Changes when steps are queued, never what they compute.
#pragma once

#include <chrono>
#include <cstdint>

namespace ondo {

class Pacer {
public:
    using Clock = std::chrono::steady_clock;

    // How many of `wanted` steps may be taken now. pace: simulated seconds a second, 0: as fast as it goes.
    [[nodiscard]] int allowed(double pace, double secondsPerStep, std::int64_t stepsDone, int wanted,
                              Clock::time_point now = Clock::now());

private:
    double m_pace = 0.0;
    Clock::time_point m_from; // when stepsDone was m_step
    std::int64_t m_step = -1;
};

} // namespace ondo
