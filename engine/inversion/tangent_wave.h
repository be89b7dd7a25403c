// A forward run and its derivative along a direction of the model, step by step. Internal to engine/inversion.
#pragma once

#include "engine/inversion/launch_waves.h"
#include "engine/inversion/tangent.h"

#include <vector>

namespace ondo {

// A direction of speed and density on the device, continued into layers and halos as the model is, laid out as fields.
template<class T>
class DirectionFields {
public:
    // along: of no impedance (tangent_parts.h inSpeedAndDensity).
    DirectionFields(const WaveDomain<T>& domain, const ModelDirection& along);

    // 2 dc / c + drho / rho of each node of the domain: what c2, or kappa dt^2, changes by, of itself.
    [[nodiscard]] const T* relative() const { return m_relative.data(); }
    // drho, kg/m^3, with its halo; null: the direction has none.
    [[nodiscard]] const T* density() const { return m_density.size() > 0 ? m_density.data() : nullptr; }
    // What the sources of a launch change by: their weights times -drho / rho.
    [[nodiscard]] InjectionTable sources(const LaunchSurvey& survey) const;

private:
    const SimulationPlan& m_plan;
    kernels::Layout m_layout;
    ModelDirection m_along;
    Buffer<T> m_relative, m_density;
};

// What a tape keeps of a step: W of the run, then W of its derivative.
template<class T>
class TangentWave final : public TapedWave {
public:
    // along: must outlive it.
    TangentWave(WaveDomain<T>& domain, const LaunchSurvey& survey, const DirectionFields<T>& along);

    [[nodiscard]] int steps() const override { return m_run.steps(); }
    [[nodiscard]] std::size_t numberBytes() const override { return sizeof(T); }
    [[nodiscard]] std::size_t keptBytes() const override { return 2 * m_run.keptBytes(); }
    [[nodiscard]] std::size_t stateBytes() const override { return 2 * m_run.stateBytes(); }
    void step(int n, void* kept) override;
    void save(void* to) override;
    void restore(const void* from) override;
    [[nodiscard]] const std::shared_ptr<Device>& device() const override { return m_domain.device(); }
    [[nodiscard]] const Stream& stream() const override { return m_domain.stream(); }

    void record(int sample);
    [[nodiscard]] const ForwardWave<T>& run() const { return m_run; }
    [[nodiscard]] const ForwardWave<T>& change() const { return m_change; }

private:
    void addDensityChange(int n, T* kept);

    WaveDomain<T>& m_domain;
    int m_shots;
    const DirectionFields<T>& m_along;
    ForwardWave<T> m_run, m_change;
    Buffer<T> m_behind;           // p(n - 1), which the step overwrites
    DeviceInjection<T> m_sources; // that a density's change makes weaker; of a direction of it alone
};

// q and its derivative, backwards.
template<class T>
class TangentAdjoint {
public:
    TangentAdjoint(WaveDomain<T>& domain, const LaunchSurvey& survey, const DirectionFields<T>& along);

    // Of the misfit, and what they change by; scaled alike.
    void setResiduals(const std::vector<double>& values, const std::vector<double>& changes,
                      const std::vector<double>& scaleOfShot);
    void begin(int lastSample);
    // kept: as TangentWave's, or null. With the residual that falls due after it.
    void stepBack(int n, const T* kept, std::size_t keptNumbers, const T* wavelets);
    // sum of q dW and of dq W; where density varies the first's source image is that of the gradient, and its density image has
    // what the weights of links change by.
    [[nodiscard]] std::vector<LaunchImages<T>> images(int shot) const;
    [[nodiscard]] double scale(int shot) const { return m_run.scale(shot); }

private:
    void addChange(const T* behind);
    void addDensityChange(const T* kept);

    WaveDomain<T>& m_domain;
    int m_shots;
    const DirectionFields<T>& m_along;
    AdjointWave<T> m_run, m_change;
    Buffer<T> m_behind;
};

extern template class TangentWave<float>;
extern template class TangentWave<double>;
extern template class TangentAdjoint<float>;
extern template class TangentAdjoint<double>;

} // namespace ondo
