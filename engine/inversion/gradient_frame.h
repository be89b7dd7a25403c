// Looks at a gradient while it is computed: when one is due, and how it gets from the device's layout onto the model's grid.
// Internal to engine/inversion; the thread that computes.
#pragma once

#include "engine/inversion/gradient.h"
#include "engine/inversion/launch_waves.h"

#include <chrono>

namespace ondo {

class GradientPictures {
public:
    explicit GradientPictures(const GradientHooks& hooks)
        : m_hooks(hooks)
    {
    }

    struct Moment {
        int shot = 0, step = 0; // shot: the launch's first; step: q(n) has just been computed
        const GradientOptions& options;
    };

    // Costs a look at a pointer where nobody wants pictures, and one at the clock where somebody does.
    [[nodiscard]] bool due() const { return m_hooks.picture && Clock::now() >= m_next; }

    template<class T>
    void take(const SimulationPlan& plan, const kernels::Layout& layout, const AdjointWave<T>& adjoint,
              const Moment& moment);

private:
    using Clock = std::chrono::steady_clock;

    const GradientHooks& m_hooks;
    Clock::time_point m_next; // the first is due at once
};

extern template void GradientPictures::take(const SimulationPlan&, const kernels::Layout&, const AdjointWave<float>&,
                                            const Moment&);
extern template void GradientPictures::take(const SimulationPlan&, const kernels::Layout&, const AdjointWave<double>&,
                                            const Moment&);

} // namespace ondo
