#include "engine/inversion/tangent_wave.h"

#include <algorithm>
#include <cstddef>

namespace ondo {

namespace {

// The perturbed model radiates what the run radiates; the derivative has no sources of its own.
LaunchSurvey withoutSources(LaunchSurvey survey)
{
    survey.sources.clear();
    survey.source.clear();
    return survey;
}

template<class T>
kernels::AddCurvature<T> changeOf(const WaveDomain<T>& domain, const T* relative)
{
    kernels::AddCurvature<T> body;
    body.layout = domain.layout();
    body.relative = relative;
    return body;
}

template<class T>
std::size_t fieldNumbers(const WaveDomain<T>& domain, int shots)
{
    return static_cast<std::size_t>(domain.layout().shotStride * shots);
}

template<class T>
void copyField(const WaveDomain<T>& domain, int shots, T* to, const T* from)
{
    domain.backend().copyOnDevice(to, from, fieldNumbers(domain, shots) * sizeof(T), domain.stream().handle());
}

} // namespace

template<class T>
std::vector<T> relativeChange(const SimulationPlan& plan, const std::vector<double>& speed)
{
    const Grid& g = plan.model.grid();
    const float* const c = plan.model.velocity().samples().data();
    const kernels::Layout layout = makeLayout(plan);
    std::vector<T> out(static_cast<std::size_t>(layout.shotStride), T(0));
    for (int z = 0; z < plan.nz; ++z) {
        const int uz = std::clamp(z - plan.layerLow[0], 0, g.nz - 1);
        for (int y = 0; y < plan.ny; ++y) {
            const int uy = std::clamp(y - plan.layerLow[1], 0, g.ny - 1);
            const std::int64_t row = (std::int64_t{uz} * g.ny + uy) * g.nx;
            for (int x = 0; x < plan.nx; ++x) {
                const auto user = static_cast<std::size_t>(row + std::clamp(x - plan.layerLow[2], 0, g.nx - 1));
                out[static_cast<std::size_t>(layout.at(z, y, x))] =
                    static_cast<T>(2.0 * speed[user] / static_cast<double>(c[user]));
            }
        }
    }
    return out;
}

template std::vector<float> relativeChange(const SimulationPlan&, const std::vector<double>&);
template std::vector<double> relativeChange(const SimulationPlan&, const std::vector<double>&);

template<class T>
TangentWave<T>::TangentWave(WaveDomain<T>& domain, const LaunchSurvey& survey, const T* relative)
    : m_domain(domain)
    , m_shots(survey.count)
    , m_relative(relative)
    , m_run(domain, survey, false)
    , m_change(domain, withoutSources(survey), false)
    , m_behind(domain.field(static_cast<std::size_t>(survey.count), "field"))
{
}

template<class T>
void TangentWave<T>::step(int n, void* kept)
{
    copyField(m_domain, m_shots, m_behind.data(), m_run.before());
    m_run.step(n, kept);
    m_change.step(n, kept != nullptr ? static_cast<std::byte*>(kept) + m_run.keptBytes() : nullptr);
    auto body = changeOf(m_domain, m_relative);
    body.to = m_change.present();
    body.ahead = m_run.present();
    body.here = m_run.before();
    body.behind = m_behind.data();
    m_domain.backend().addCurvature(body, m_shots, m_domain.stream().handle());
}

template<class T>
void TangentWave<T>::save(void* to)
{
    m_run.save(to);
    m_change.save(static_cast<std::byte*>(to) + m_run.stateBytes());
}

template<class T>
void TangentWave<T>::restore(const void* from)
{
    m_run.restore(from);
    m_change.restore(static_cast<const std::byte*>(from) + m_run.stateBytes());
}

template<class T>
void TangentWave<T>::record(int sample)
{
    m_run.record(sample);
    m_change.record(sample);
}

template<class T>
TangentAdjoint<T>::TangentAdjoint(WaveDomain<T>& domain, const LaunchSurvey& survey, const T* relative)
    : m_domain(domain)
    , m_shots(survey.count)
    , m_relative(relative)
    , m_run(domain, survey, true, false)
    , m_change(domain, survey, true, false)
    , m_behind(domain.field(static_cast<std::size_t>(survey.count), "field"))
{
}

template<class T>
void TangentAdjoint<T>::setResiduals(const std::vector<double>& values, const std::vector<double>& changes,
                                     const std::vector<double>& scaleOfShot)
{
    m_run.setResiduals(values, scaleOfShot);
    m_change.setResiduals(changes, scaleOfShot);
}

template<class T>
void TangentAdjoint<T>::begin(int lastSample)
{
    m_run.inject(lastSample);
    m_change.inject(lastSample);
    addChange(m_run.after()); // nothing was there before
}

template<class T>
void TangentAdjoint<T>::stepBack(int n, const T* kept, std::size_t keptNumbers, const T* wavelets)
{
    copyField(m_domain, m_shots, m_behind.data(), m_run.after());
    m_run.stepBack(n, kept != nullptr ? kept + keptNumbers / 2 : nullptr, wavelets);
    m_change.stepBack(n, kept, wavelets);
    const int ratio = m_domain.plan().time.ratio;
    if (n % ratio == 0) {
        m_run.inject(n / ratio);
        m_change.inject(n / ratio);
    }
    addChange(m_behind.data());
}

template<class T>
void TangentAdjoint<T>::addChange(const T* behind)
{
    auto body = changeOf(m_domain, m_relative);
    body.to = m_change.present();
    body.ahead = m_run.present();
    body.here = m_run.after();
    body.behind = behind;
    m_domain.backend().addCurvature(body, m_shots, m_domain.stream().handle());
}

template<class T>
std::vector<LaunchImages<T>> TangentAdjoint<T>::images(int shot) const
{
    std::vector<LaunchImages<T>> both;
    both.push_back(m_run.images(shot));
    both.push_back(m_change.images(shot));
    return both;
}

template class TangentWave<float>;
template class TangentWave<double>;
template class TangentAdjoint<float>;
template class TangentAdjoint<double>;

} // namespace ondo
