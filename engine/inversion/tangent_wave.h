// A forward run and its derivative along a direction of the model, step by step. Internal to engine/inversion.
#pragma once

#include "engine/inversion/launch_waves.h"

#include <vector>

namespace ondo {

// 2 dc / c of each node of the domain, layers and all, laid out as a field: what c2 changes by, of itself.
template<class T>
[[nodiscard]] std::vector<T> relativeChange(const SimulationPlan& plan, const std::vector<double>& speed);

// What a tape keeps of a step: W of the run, then W of its derivative.
template<class T>
class TangentWave final : public TapedWave {
public:
    // relative: as above, on the device; must outlive it.
    TangentWave(WaveDomain<T>& domain, const LaunchSurvey& survey, const T* relative);

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
    WaveDomain<T>& m_domain;
    int m_shots;
    const T* m_relative;
    ForwardWave<T> m_run, m_change;
    Buffer<T> m_behind; // p(n - 1), which the step overwrites
};

// q and its derivative, backwards.
template<class T>
class TangentAdjoint {
public:
    TangentAdjoint(WaveDomain<T>& domain, const LaunchSurvey& survey, const T* relative);

    // Of the misfit, and what they change by; scaled alike.
    void setResiduals(const std::vector<double>& values, const std::vector<double>& changes,
                      const std::vector<double>& scaleOfShot);
    void begin(int lastSample);
    // kept: as TangentWave's, or null. With the residual that falls due after it.
    void stepBack(int n, const T* kept, std::size_t keptNumbers, const T* wavelets);
    // sum of q dW and of dq W.
    [[nodiscard]] std::vector<LaunchImages<T>> images(int shot) const;
    [[nodiscard]] double scale(int shot) const { return m_run.scale(shot); }

private:
    void addChange(const T* behind);

    WaveDomain<T>& m_domain;
    int m_shots;
    const T* m_relative;
    AdjointWave<T> m_run, m_change;
    Buffer<T> m_behind;
};

extern template class TangentWave<float>;
extern template class TangentWave<double>;
extern template class TangentAdjoint<float>;
extern template class TangentAdjoint<double>;

} // namespace ondo
