// Looks at a gradient on its way backwards, from the worker that computes it to the window: the newest one alone is kept.
// put() on the worker, take() on the UI thread, look from either.
#pragma once

#include "engine/inversion/gradient.h"

#include <atomic>
#include <mutex>
#include <optional>

namespace ondo {

class LiveGradient {
public:
    std::atomic<GradientLook> look{GradientLook::Nothing};

    struct Taken {
        GradientFrame frame;
        double clip = 0.0; // below which nearly all its values lie
    };
    void put(GradientFrame frame);
    [[nodiscard]] std::optional<Taken> take(); // none: nothing new

private:
    std::mutex m_mutex;
    std::optional<Taken> m_newest;
};

// Full colour rises at once and falls slowly, so that the eye can follow what fades. before: 0 for the first.
[[nodiscard]] double liveClip(double clip, double before);

} // namespace ondo
