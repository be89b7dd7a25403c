#include "engine/inversion/gradient_frame.h"

#include "engine/inversion/model_gradient.h"

#include <algorithm>
#include <utility>

namespace ondo {

namespace {

constexpr std::chrono::milliseconds kApart(100); // pictures, at least
constexpr int kShare = 9;                        // work before the next, in costs of one picture

template<class T>
void fillField(const SimulationPlan& plan, const kernels::Layout& layout, const std::vector<T>& raw, double factor,
               std::vector<float>& out)
{
    const Grid& g = plan.model.grid();
    std::size_t i = 0;
    for (int z = 0; z < g.nz; ++z) {
        for (int y = 0; y < g.ny; ++y) {
            const auto row = layout.at(z + plan.layerLow[0], y + plan.layerLow[1], plan.layerLow[2]);
            for (int x = 0; x < g.nx; ++x) {
                out[i++] = static_cast<float>(static_cast<double>(raw[static_cast<std::size_t>(row + x)]) * factor);
            }
        }
    }
}

} // namespace

template<class T>
void GradientPictures::take(const SimulationPlan& plan, const kernels::Layout& layout, const AdjointWave<T>& adjoint,
                            const Moment& moment)
{
    const auto begun = Clock::now();
    const auto look = m_hooks.look != nullptr ? m_hooks.look->load(std::memory_order_relaxed) : GradientLook::Nothing;
    const bool possible =
        look == GradientLook::AdjointField || (look == GradientLook::SpeedGradient && moment.options.speed);
    if (!possible) {
        m_next = begun + kApart;
        return;
    }
    const Grid& g = plan.model.grid();
    GradientFrame frame;
    frame.look = look;
    frame.shot = moment.shot;
    frame.field.nz = g.nz;
    frame.field.ny = g.ny;
    frame.field.nx = g.nx;
    frame.field.step = moment.step;
    frame.field.time = moment.step * plan.time.innerStep();
    frame.field.values.resize(static_cast<std::size_t>(g.nodes()));
    if (look == GradientLook::AdjointField) {
        fillField(plan, layout, adjoint.field(0), 1.0 / adjoint.scale(0), frame.field.values);
    } else {
        ModelGradient gradient(plan);
        addModelGradient(plan, adjoint.images(0), moment.options.tape.every / adjoint.scale(0), gradient);
        std::transform(gradient.speed.begin(), gradient.speed.end(), frame.field.values.begin(),
                       [](double v) { return static_cast<float>(v); });
    }
    m_hooks.picture(std::move(frame));
    const auto now = Clock::now();
    m_next = now + std::max<Clock::duration>(kApart, kShare * (now - begun));
}

template void GradientPictures::take(const SimulationPlan&, const kernels::Layout&, const AdjointWave<float>&,
                                     const Moment&);
template void GradientPictures::take(const SimulationPlan&, const kernels::Layout&, const AdjointWave<double>&,
                                     const Moment&);

} // namespace ondo
