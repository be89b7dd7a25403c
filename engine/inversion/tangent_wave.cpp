#include "engine/inversion/tangent_wave.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

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

// The model's node whose values a node of the domain has.
std::size_t userNode(const SimulationPlan& plan, int z, int y, int x)
{
    const Grid& g = plan.model.grid();
    const std::int64_t uz = std::clamp(z - plan.layerLow[0], 0, g.nz - 1);
    const std::int64_t uy = std::clamp(y - plan.layerLow[1], 0, g.ny - 1);
    return static_cast<std::size_t>((uz * g.ny + uy) * g.nx + std::clamp(x - plan.layerLow[2], 0, g.nx - 1));
}

// As PadDensity lays a density out, in double all the way.
template<class T>
std::vector<T> paddedAsDensity(const SimulationPlan& plan, const kernels::Layout& layout,
                               const std::vector<double>& values)
{
    const auto body = makePadDensity<T>(plan, layout);
    const Grid& g = plan.model.grid();
    const kernels::Box rows = body.model.rows();
    std::vector<T> out(static_cast<std::size_t>(layout.shotStride), T(0));
    for (int z = rows.z0; z < rows.z1; ++z) {
        for (int y = rows.y0; y < rows.y1; ++y) {
            const std::int64_t uz = body.userIndex(kernels::kZ, z, layout.nz);
            const std::int64_t uy = layout.rank == 3 ? body.userIndex(kernels::kY, y, layout.ny) : 0;
            for (int x = rows.x0; x < rows.x1; ++x) {
                const std::int64_t user = (uz * g.ny + uy) * g.nx + body.userIndex(kernels::kX, x, layout.nx);
                out[static_cast<std::size_t>(layout.at(z, y, x))] =
                    static_cast<T>(values[static_cast<std::size_t>(user)]);
            }
        }
    }
    return out;
}

// What both ways have of a pass over the domain; `now` is what its memories' step was from.
template<class T>
kernels::ScalarTangentArgs<T> densityArgs(const WaveDomain<T>& domain, int shots, const DirectionFields<T>& along,
                                          const LayerMemory<T> (&memory)[3], T* now)
{
    const DomainBoxes& all = domain.boxes();
    kernels::ScalarTangentArgs<T> args;
    args.state.s = domain.state(memory, now, nullptr);
    args.state.change = along.density();
    args.state.compact = compactLayout(domain.plan());
    args.order = domain.plan().run.spaceOrder;
    args.shots = shots;
    args.mirror = domain.mirror(now);
    args.boxes = all.boxes.data();
    args.interiorBoxes = all.interior;
    args.layerBoxes = all.layers;
    args.mirrorBoxes = all.mirrors;
    return args;
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
DirectionFields<T>::DirectionFields(const WaveDomain<T>& domain, const ModelDirection& along)
    : m_plan(domain.plan())
    , m_layout(domain.layout())
    , m_along(along)
{
    const auto& model = m_plan.model;
    const float* const c = model.velocity().samples().data();
    const bool two = !along.density.empty();
    std::vector<T> relative(static_cast<std::size_t>(m_layout.shotStride), T(0));
    for (int z = 0; z < m_plan.nz; ++z) {
        for (int y = 0; y < m_plan.ny; ++y) {
            for (int x = 0; x < m_plan.nx; ++x) {
                const auto user = userNode(m_plan, z, y, x);
                double change = 2.0 * along.speed[user] / static_cast<double>(c[user]);
                if (two) {
                    change += along.density[user] / static_cast<double>(model.density().samples()[user]);
                }
                relative[static_cast<std::size_t>(m_layout.at(z, y, x))] = static_cast<T>(change);
            }
        }
    }
    m_relative = uploaded(domain.device(), domain.stream(), relative, "direction", BlockSize::Kept);
    if (two) {
        m_density = uploaded(domain.device(), domain.stream(), paddedAsDensity<T>(m_plan, m_layout, along.density),
                             "direction", BlockSize::Kept);
    }
}

template<class T>
InjectionTable DirectionFields<T>::sources(const LaunchSurvey& survey) const
{
    InjectionTable table = makeInjection(m_plan, m_layout, survey.sources, PointRole::Source);
    const float* const rho = m_plan.model.density().samples().data();
    for (std::size_t i = 0; i < table.modelNode.size(); ++i) {
        const std::int64_t at = table.modelNode[i] - m_layout.lead;
        const auto z = static_cast<int>(at / m_layout.strideZ);
        const auto y = static_cast<int>(at % m_layout.strideZ / m_layout.strideY);
        const auto user = userNode(m_plan, z, m_layout.rank == 3 ? y : 0, static_cast<int>(at % m_layout.strideY));
        for (int e = table.begin[i]; e < table.begin[i + 1]; ++e) {
            table.weight[static_cast<std::size_t>(e)] *= -m_along.density[user] / static_cast<double>(rho[user]);
        }
    }
    return table;
}

template class DirectionFields<float>;
template class DirectionFields<double>;

template<class T>
TangentWave<T>::TangentWave(WaveDomain<T>& domain, const LaunchSurvey& survey, const DirectionFields<T>& along)
    : m_domain(domain)
    , m_shots(survey.count)
    , m_along(along)
    , m_run(domain, survey, false)
    , m_change(domain, withoutSources(survey), false)
    , m_behind(domain.field(static_cast<std::size_t>(survey.count), "field"))
{
    if (along.density() != nullptr) {
        m_sources.place(domain, std::make_shared<const InjectionTable>(along.sources(survey)), domain.c2(), "sources");
    }
}

template<class T>
void TangentWave<T>::step(int n, void* kept)
{
    copyField(m_domain, m_shots, m_behind.data(), m_run.before());
    m_run.step(n, kept);
    m_change.step(n, kept != nullptr ? static_cast<std::byte*>(kept) + m_run.keptBytes() : nullptr);
    auto body = changeOf(m_domain, m_along.relative());
    body.to = m_change.present();
    body.ahead = m_run.present();
    body.here = m_run.before();
    body.behind = m_behind.data();
    m_domain.backend().addCurvature(body, m_shots, m_domain.stream().handle());
    if (m_along.density() != nullptr) {
        addDensityChange(n, kept != nullptr ? reinterpret_cast<T*>(static_cast<std::byte*>(kept) + m_run.keptBytes())
                                            : nullptr);
    }
}

template<class T>
void TangentWave<T>::addDensityChange(int n, T* kept)
{
    auto args = densityArgs(m_domain, m_shots, m_along, m_run.memory(), m_run.before());
    args.state.to = m_change.present();
    args.state.kept = kept;
    for (int a = 0; a < 3; ++a) {
        args.state.zeta[a] = m_change.memory()[a].zeta.data();
    }
    m_domain.backend().addDensityChange(args, m_domain.stream().handle());
    auto body = m_sources.body();
    body.field = m_change.present();
    body.wavelets = m_run.wavelets();
    body.waveletStride = steps();
    body.step = n;
    m_domain.backend().inject(body, m_domain.stream().handle());
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
TangentAdjoint<T>::TangentAdjoint(WaveDomain<T>& domain, const LaunchSurvey& survey, const DirectionFields<T>& along)
    : m_domain(domain)
    , m_shots(survey.count)
    , m_along(along)
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
    if (m_along.density() != nullptr) {
        addDensityChange(kept);
    }
}

template<class T>
void TangentAdjoint<T>::addDensityChange(const T* kept)
{
    auto args = densityArgs(m_domain, m_shots, m_along, m_run.memory(), m_run.after());
    args.backwards = true;
    args.state.to = m_change.present();
    args.state.density = m_run.keptDensity(kept);
    m_domain.backend().addDensityChange(args, m_domain.stream().handle());
}

template<class T>
void TangentAdjoint<T>::addChange(const T* behind)
{
    auto body = changeOf(m_domain, m_along.relative());
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
