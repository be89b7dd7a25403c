#include "engine/session/pacer.h"

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kMostBehind = 0.25; // s: time lost (a pause, a slow device) is not made up for by a leap

} // namespace

int Pacer::allowed(double pace, double secondsPerStep, std::int64_t stepsDone, int wanted, Clock::time_point now)
{
    if (pace <= 0.0) {
        m_pace = 0.0;
        return wanted;
    }
    if (pace != m_pace || stepsDone < m_step) {
        m_pace = pace;
        m_from = now;
        m_step = stepsDone;
    }
    const double elapsed = std::chrono::duration<double>(now - m_from).count();
    const auto due = m_step + static_cast<std::int64_t>(std::floor(elapsed * pace / secondsPerStep));
    const std::int64_t budget = due - stepsDone;
    if (static_cast<double>(budget) * secondsPerStep > kMostBehind * pace && budget > wanted) {
        m_from = now;
        m_step = stepsDone;
        return wanted;
    }
    return static_cast<int>(std::clamp<std::int64_t>(budget, 0, wanted));
}

} // namespace ondo
