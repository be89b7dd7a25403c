#include "ui/live_gradient.h"

#include "ui/shown_kernel.h"

#include <algorithm>
#include <utility>

namespace ondo {

namespace {

constexpr double kLivePercentile = 99.5;
constexpr double kFading = 0.9; // of the clip, from one live picture to the next

} // namespace

void LiveGradient::put(GradientFrame frame)
{
    const double clip = clipAt(clipsOf(frame.field.values), kLivePercentile);
    const std::lock_guard lock(m_mutex);
    m_newest = Taken{std::move(frame), clip};
}

std::optional<LiveGradient::Taken> LiveGradient::take()
{
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_newest, std::nullopt);
}

double liveClip(double clip, double before)
{
    return std::max(clip, kFading * before);
}

} // namespace ondo
