// A run cut into chunks of equal length, the last one shorter. Pure arithmetic.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ondo {

struct Chunks {
    int steps = 0, length = 1, every = 1;

    // Bytes (N / c) S + (c / k) F are least at c = sqrt(N k S / F). asked: 0 for that.
    static Chunks of(int steps, int every, int asked, std::size_t state, std::size_t kept)
    {
        if (asked > 0) {
            return {steps, std::min(asked, steps), every};
        }
        const double best = kept == 0 ? steps
                                      : std::sqrt(static_cast<double>(steps) * every * static_cast<double>(state) /
                                                  static_cast<double>(kept));
        return {steps, static_cast<int>(std::clamp(std::round(best), 1.0, static_cast<double>(steps))), every};
    }

    [[nodiscard]] int of(int n) const { return n / length; }
    [[nodiscard]] int begin(int chunk) const { return chunk * length; }
    [[nodiscard]] int end(int chunk) const { return std::min(steps, (chunk + 1) * length); }
    [[nodiscard]] int last() const { return (steps - 1) / length; }
    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(last()) + 1; }
    // Kept steps that a chunk can hold, wherever it begins; where the one of step n lies.
    [[nodiscard]] std::size_t slots() const { return static_cast<std::size_t>((length + every - 1) / every); }
    [[nodiscard]] std::size_t slot(int n) const
    {
        return static_cast<std::size_t>(n / every - (begin(of(n)) + every - 1) / every);
    }
    // Steps of a run that are done once more, as a share of it.
    [[nodiscard]] double again() const { return static_cast<double>(begin(last())) / steps; }
};

} // namespace ondo
