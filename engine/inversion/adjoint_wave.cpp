#include "engine/inversion/launch_parts.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace ondo {

using kernels::CopyPurpose;

template<class T>
AdjointWave<T>::AdjointWave(WaveDomain<T>& domain, const LaunchSurvey& survey, bool image, bool sourceSlopes)
    : m_domain(domain)
    , m_compact(compactLayout(domain.plan()))
    , m_shots(survey.count)
    , m_sources(survey.sources)
    , m_scale(static_cast<std::size_t>(survey.count), 1.0)
{
    const SimulationPlan& plan = domain.plan();
    makeFields(domain, m_shots, m_field, m_memory);
    if (image) {
        m_image = zeroed(domain, static_cast<std::size_t>(m_compact.shotStride * m_shots), "image");
        if (plan.variableDensity()) {
            makeDensityImage(survey);
        }
    }
    m_injection.place(domain, injectionOf(plan, domain.layout(), survey.receivers), domain.c2(), "residuals");
    m_recording.place(domain, recordingOf(plan, domain.layout(), survey.sources, PointRole::Source), "sources",
                      BlockSize::Kept);
    const auto steps = static_cast<std::size_t>(plan.time.innerSteps());
    m_waveletSamples = zeroed(domain, steps * survey.sources.size(), "traces");
    if (sourceSlopes) {
        m_slopeRecording.place(domain, slopesOf(domain, survey.sources, PointRole::Source), "sources", BlockSize::Kept);
        m_slopeSamples = zeroed(domain, steps * static_cast<std::size_t>(m_slopeRecording.body().receivers), "traces");
    }
    for (const auto& s : survey.sources) {
        m_shotOfSource.push_back(s.shot);
    }
    for (const auto& r : survey.receivers) {
        m_shotOfReceiver.push_back(r.shot);
    }
}

// Products at the nodes of sources: InjectSources, with q for its c2 and a list of the nodes for its field.
template<class T>
void AdjointWave<T>::makeDensityImage(const LaunchSurvey& survey)
{
    const SimulationPlan& plan = m_domain.plan();
    m_densityImage = zeroed(m_domain, static_cast<std::size_t>(m_compact.shotStride * m_shots), "image");
    m_imagedNodes = makeInjection(plan, m_compact, survey.sources).node; // in the order of the other layout's
    InjectionTable table = makeInjection(plan, m_domain.layout(), survey.sources);
    table.modelNode = std::move(table.node);
    table.node.resize(table.modelNode.size());
    std::iota(table.node.begin(), table.node.end(), std::int64_t{0});
    m_sourceImage = zeroed(m_domain, table.node.size(), "image");
    m_sourceImaging.place(m_domain, std::make_shared<const InjectionTable>(std::move(table)), nullptr, "sources");
}

template<class T>
void AdjointWave<T>::imageSources(int n, const T* wavelets)
{
    kernels::InjectSources<T> body = m_sourceImaging.body();
    body.field = m_sourceImage.data();
    body.c2 = now();
    body.wavelets = wavelets;
    body.waveletStride = m_domain.plan().time.innerSteps();
    body.step = n;
    m_domain.backend().inject(body, m_domain.stream().handle());
}

// The same onto the image of one density, for which W is known without the sources' part: at the nodes of the interior, for W of
// the layers is kept with it.
template<class T>
InjectionTable rewoundSources(const WaveDomain<T>& domain, const kernels::Layout& compact,
                              const std::vector<PlacedPoint>& sources)
{
    const InjectionTable whole = makeInjection(domain.plan(), compact, sources);
    const std::vector<std::int64_t> inField = makeInjection(domain.plan(), domain.layout(), sources).node;
    const kernels::Box& inside = domain.boxes().boxes.front();
    InjectionTable table;
    table.id = whole.id;
    table.begin.push_back(0);
    for (std::size_t i = 0; i < whole.node.size(); ++i) {
        const std::int64_t at = whole.node[i] % compact.shotStride - compact.at(0, 0, 0);
        const auto z = at / compact.strideZ;
        const auto y = compact.rank == 3 ? at % compact.strideZ / compact.strideY : 0;
        const auto x = at - z * compact.strideZ - y * compact.strideY;
        if (z < inside.z0 || z >= inside.z1 || y < inside.y0 || y >= inside.y1 || x < inside.x0 || x >= inside.x1) {
            continue;
        }
        table.node.push_back(whole.node[i]);
        table.modelNode.push_back(inField[i]);
        for (int e = whole.begin[i]; e < whole.begin[i + 1]; ++e) {
            table.source.push_back(whole.source[static_cast<std::size_t>(e)]);
            table.weight.push_back(whole.weight[static_cast<std::size_t>(e)]);
        }
        table.begin.push_back(static_cast<int>(table.source.size()));
    }
    return table;
}

template<class T>
void AdjointWave<T>::retreatRewinding(int n, const T* kept, ForwardWave<T>& run)
{
    if (!m_rewoundSources) {
        m_rewoundSources.emplace();
        m_rewoundSources->place(m_domain,
                                std::make_shared<const InjectionTable>(rewoundSources(m_domain, m_compact, m_sources)),
                                nullptr, "sources");
    }
    recordSources(n);
    kernels::ScalarRewind<T> args;
    args.adjoint = backArgs();
    args.adjoint.state.kept = kept;
    run.fillRewind(args);
    m_domain.backend().rewind(args, m_domain.stream().handle());
    kernels::InjectSources<T> body = m_rewoundSources->body();
    if (body.nodes > 0) {
        body.field = m_image.data();
        body.c2 = now();
        body.wavelets = run.wavelets();
        body.waveletStride = m_domain.plan().time.innerSteps();
        body.step = n;
        m_domain.backend().inject(body, m_domain.stream().handle());
    }
    run.rewound(n);
    m_parity ^= 1;
    const int ratio = m_domain.plan().time.ratio;
    if (n % ratio == 0) {
        inject(n / ratio);
    }
}

template<class T>
void AdjointWave<T>::setResiduals(const std::vector<double>& values, const std::vector<double>& scaleOfShot)
{
    m_scale = scaleOfShot;
    const auto samples = static_cast<std::size_t>(m_domain.plan().time.count);
    std::vector<T> scaled(values.size());
    for (std::size_t r = 0; r * samples < values.size(); ++r) {
        const double factor = scale(m_shotOfReceiver[r]);
        for (std::size_t i = r * samples; i < (r + 1) * samples; ++i) {
            scaled[i] = static_cast<T>(values[i] * factor);
        }
    }
    m_residuals = uploaded(m_domain.device(), m_domain.stream(), scaled, "residuals");
}

template<class T>
kernels::InjectSources<T> AdjointWave<T>::residuals(int sample) const
{
    kernels::InjectSources<T> body = m_injection.body();
    body.wavelets = m_residuals.data();
    body.waveletStride = m_domain.plan().time.count;
    body.step = sample;
    return body;
}

template<class T>
void AdjointWave<T>::inject(int sample)
{
    auto body = residuals(sample);
    body.field = now();
    if (body.nodes > 0) {
        m_domain.backend().inject(body, m_domain.stream().handle());
    }
}

template<class T>
void AdjointWave<T>::recordSources(int n)
{
    const auto one = [&](const DeviceRecording<T>& points, const Buffer<T>& to) {
        kernels::RecordReceivers<T> body = points.body();
        if (body.receivers > 0) {
            body.field = now();
            body.out = to.data() + std::int64_t{n} * body.receivers;
            m_domain.backend().record(body, m_domain.stream().handle());
        }
    };
    one(m_recording, m_waveletSamples);
    one(m_slopeRecording, m_slopeSamples);
    m_recorded = n;
}

template<class T>
kernels::ScalarAdjointArgs<T> AdjointWave<T>::backArgs() const
{
    kernels::ScalarAdjointArgs<T> args;
    args.state.s = m_domain.state(m_memory, now(), other());
    args.state.compact = m_compact;
    args.state.image = m_image.data();
    args.order = m_domain.plan().run.spaceOrder;
    args.shots = m_shots;
    args.mirror = m_domain.mirror(now());
    args.boxes = m_domain.boxes().boxes.data();
    args.interiorBoxes = m_domain.boxes().interior;
    args.layerBoxes = m_domain.boxes().layers;
    args.mirrorBoxes = m_domain.boxes().mirrors;
    return args;
}

template<class T>
kernels::KeptDensity<T> AdjointWave<T>::keptDensity(const T* kept) const
{
    kernels::KeptDensity<T> density;
    if (kept == nullptr || m_densityImage.size() == 0) {
        return density;
    }
    const KeptParts parts(m_domain.plan(), static_cast<std::size_t>(m_shots));
    density.image = m_densityImage.data();
    density.field = kept + parts.sum;
    const T* at = kept + parts.sum + parts.field;
    for (int a = 0; a < 3; ++a) {
        density.psi[a] = at;
        at += parts.psi[a];
    }
    return density;
}

template<class T>
void AdjointWave<T>::stepBack(int n, const T* kept, const T* wavelets)
{
    recordSources(n);
    auto args = backArgs();
    args.state.kept = m_image.size() > 0 ? kept : nullptr;
    if (args.state.kept != nullptr && m_densityImage.size() > 0) {
        args.state.density = keptDensity(kept);
        imageSources(n, wavelets);
    }
    m_domain.backend().stepBack(args, m_domain.stream().handle());
    m_parity ^= 1;
}

template<class T>
void AdjointWave<T>::retreat(int n, const KeptSpan& span, ForwardWave<T>& run)
{
    if (span.ofShell) {
        retreatRewinding(n, static_cast<const T*>(span.first), run);
        return;
    }
    const int ratio = m_domain.plan().time.ratio;
    const auto stride = span.stride / static_cast<std::ptrdiff_t>(sizeof(T));
    const kernels::KeptRun<const T*> kept{static_cast<const T*>(span.first), stride, span.every, span.until};
    if (m_domain.plan().variableDensity()) { // images more than W
        for (int i = 0; i < span.steps; ++i) {
            stepBack(n - i, kept.at(i), run.wavelets());
            if ((n - i) % ratio == 0) {
                inject((n - i) / ratio);
            }
        }
        return;
    }
    if (m_recorded != n) {
        recordSources(n);
    }
    kernels::ScalarRetreat<T> args;
    args.step = backArgs();
    args.count = span.steps;
    args.kept = m_image.size() > 0 ? kept : kernels::KeptRun<const T*>{};
    args.inject = residuals(n / ratio);
    args.injectNodes = m_injection.nodes();
    args.ratio = ratio;
    args.untilSample = n % ratio + 1;
    args.samplesLeft = n; // rows n - 1, ..., 0
    const auto one = [n](const DeviceRecording<T>& points, const Buffer<T>& to) {
        kernels::RecordReceivers<T> body = points.body();
        body.out = n > 0 ? to.data() + std::int64_t{n - 1} * body.receivers : nullptr;
        return body;
    };
    args.record[0] = one(m_recording, m_waveletSamples);
    args.recordNodes[0] = m_recording.nodes();
    args.record[1] = one(m_slopeRecording, m_slopeSamples);
    args.recordNodes[1] = m_slopeRecording.nodes();
    m_domain.backend().retreat(args, m_domain.stream().handle());
    m_recorded = n - span.steps;
    m_parity ^= span.steps & 1;
}

template<class T>
std::vector<double> AdjointWave<T>::unscaled(const Buffer<T>& from, int rowsPerSource) const
{
    if (from.size() == 0) {
        return {};
    }
    auto values = readBack(m_domain, from);
    const auto perSource = static_cast<std::size_t>(rowsPerSource);
    const auto width = m_shotOfSource.size() * perSource;
    for (std::size_t i = 0; i < values.size() && width > 0; ++i) {
        values[i] /= scale(m_shotOfSource[i % width / perSource]);
    }
    return values;
}

template<class T>
std::vector<double> AdjointWave<T>::wavelets() const
{
    return unscaled(m_waveletSamples, 1);
}

template<class T>
std::vector<double> AdjointWave<T>::slopes() const
{
    return unscaled(m_slopeSamples, m_domain.plan().model.grid().rank);
}

template<class T>
std::vector<T> AdjointWave<T>::field(int shot) const
{
    const auto stride = m_domain.layout().shotStride;
    std::vector<T> raw(static_cast<std::size_t>(stride));
    m_domain.backend().copyToHost(raw.data(), now() + shot * stride, raw.size() * sizeof(T), m_domain.stream().handle(),
                                  CopyPurpose::Field);
    m_domain.backend().synchronize(m_domain.stream().handle());
    return raw;
}

template<class T>
LaunchImages<T> AdjointWave<T>::images(int shot) const
{
    LaunchImages<T> out;
    out.sum = imageOf(m_image, shot);
    if (m_densityImage.size() > 0) {
        out.density = imageOf(m_densityImage, shot);
        out.source.assign(out.sum.size(), T(0));
        std::vector<T> raw(m_sourceImage.size());
        m_domain.backend().copyToHost(raw.data(), m_sourceImage.data(), m_sourceImage.bytes(),
                                      m_domain.stream().handle(), CopyPurpose::Field);
        m_domain.backend().synchronize(m_domain.stream().handle());
        for (std::size_t i = 0; i < m_imagedNodes.size(); ++i) {
            if (m_imagedNodes[i] / m_compact.shotStride == shot) {
                out.source[static_cast<std::size_t>(m_imagedNodes[i] % m_compact.shotStride)] = raw[i];
            }
        }
    }
    return out;
}

template<class T>
std::vector<T> AdjointWave<T>::imageOf(const Buffer<T>& from, int shot) const
{
    std::vector<T> raw(static_cast<std::size_t>(m_compact.shotStride));
    m_domain.backend().copyToHost(raw.data(), from.data() + shot * m_compact.shotStride, raw.size() * sizeof(T),
                                  m_domain.stream().handle(), CopyPurpose::Field);
    m_domain.backend().synchronize(m_domain.stream().handle());
    return raw;
}

template class AdjointWave<float>;
template class AdjointWave<double>;

} // namespace ondo
