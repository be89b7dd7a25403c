#include "engine/inversion/launch_parts.h"
#include "engine/propagator/wavelet_table.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace ondo {

LaunchSurvey::LaunchSurvey(const SimulationPlan& plan, int firstShot, int shots)
    : first(firstShot)
    , count(shots)
{
    for (int s = 0; s < shots; ++s) {
        const Shot& shot = plan.run.survey.shots[static_cast<std::size_t>(firstShot + s)];
        for (const auto& one : shot.sources) {
            sources.push_back({s, one.position, static_cast<int>(sources.size())});
            source.push_back(&one);
        }
        for (const auto& one : shot.receivers) {
            receivers.push_back({s, one.position, static_cast<int>(receivers.size())});
        }
    }
}

std::pair<int, int> LaunchSurvey::rowsOf(const std::vector<PlacedPoint>& points, int shot)
{
    const auto before = [](const PlacedPoint& p, int s) { return p.shot < s; };
    const auto from = std::lower_bound(points.begin(), points.end(), shot, before);
    const auto to = std::lower_bound(from, points.end(), shot + 1, before);
    return {static_cast<int>(from - points.begin()), static_cast<int>(to - points.begin())};
}

kernels::Layout compactLayout(const SimulationPlan& plan)
{
    return kernels::Layout::make(plan.model.grid().rank, plan.nz, plan.ny, plan.nx, 0);
}

KeptParts::KeptParts(const SimulationPlan& plan, std::size_t shots)
    : sum(static_cast<std::size_t>(compactLayout(plan).shotStride) * shots)
{
    if (plan.variableDensity()) {
        field = static_cast<std::size_t>(makeLayout(plan).shotStride) * shots;
        for (int a = 0; a < 3; ++a) {
            psi[a] = slabNumbers(plan, a) * shots;
        }
    }
}

template<class T>
ForwardWave<T>::ForwardWave(WaveDomain<T>& domain, const LaunchSurvey& survey, bool receiverSlopes)
    : m_domain(domain)
    , m_compact(compactLayout(domain.plan()))
    , m_shots(survey.count)
{
    const SimulationPlan& plan = domain.plan();
    makeFields(domain, m_shots, m_field, m_memory);
    m_injection.place(domain, injectionOf(plan, domain.layout(), survey.sources, PointRole::Source), domain.c2(),
                      "sources");
    // W is driven by the source itself, as a field is in a model that is 1 everywhere.
    m_one = uploaded<T>(domain.device(), domain.stream(), {T(1)}, "sources");
    InjectionTable kept = makeInjection(plan, m_compact, survey.sources);
    std::fill(kept.modelNode.begin(), kept.modelNode.end(), 0);
    m_keptInjection.place(domain, std::make_shared<const InjectionTable>(std::move(kept)), m_one.data(), "sources");
    uploadWavelets(survey);
    m_recording.place(domain, recordingOf(plan, domain.layout(), survey.receivers), "receivers", BlockSize::Kept);
    const auto samples = static_cast<std::size_t>(plan.time.count);
    m_traces = zeroed(domain, samples * survey.receivers.size(), "traces");
    if (receiverSlopes) {
        m_slopeRecording.place(domain, slopesOf(domain, survey.receivers, PointRole::Plain), "receivers",
                               BlockSize::Kept);
        m_slopeTraces = zeroed(domain, samples * static_cast<std::size_t>(m_slopeRecording.body().receivers), "traces");
    }
}

template<class T>
void ForwardWave<T>::uploadWavelets(const LaunchSurvey& survey)
{
    const auto& time = m_domain.plan().time;
    std::vector<TimedWavelet> timed;
    for (const Source* source : survey.source) {
        timed.push_back({{std::shared_ptr<const void>{}, &source->wavelet}, 0}); // the plan's own
    }
    m_waveletHost = makeWaveletTable<T>(timed, time.innerStep(), time.innerSteps());
    m_wavelets = uploaded(m_domain.device(), m_domain.stream(), m_waveletHost, "wavelets");
}

template<class T>
double ForwardWave<T>::wavelet(int source, int n) const
{
    return static_cast<double>(m_waveletHost[static_cast<std::size_t>(source) * static_cast<std::size_t>(steps()) +
                                             static_cast<std::size_t>(n)]);
}

template<class T>
std::size_t ForwardWave<T>::keptBytes() const
{
    return KeptParts(m_domain.plan(), static_cast<std::size_t>(m_shots)).numbers() * sizeof(T);
}

template<class T>
template<class Visit>
void ForwardWave<T>::forState(const Visit& visit) const
{
    visit(now(), m_field[0].bytes());
    visit(other(), m_field[0].bytes());
    for (const auto& m : m_memory) {
        for (const auto* b : {&m.psi, &m.zeta}) {
            if (b->size() > 0) {
                visit(b->data(), b->bytes());
            }
        }
    }
}

template<class T>
std::size_t ForwardWave<T>::stateBytes() const
{
    std::size_t sum = 0;
    forState([&sum](const T*, std::size_t bytes) { sum += bytes; });
    return sum;
}

template<class T>
void ForwardWave<T>::save(void* to)
{
    auto* at = static_cast<std::byte*>(to);
    forState([&](const T* part, std::size_t bytes) {
        m_domain.backend().copyOnDevice(at, part, bytes, m_domain.stream().handle());
        at += bytes;
    });
}

template<class T>
void ForwardWave<T>::restore(const void* from)
{
    const auto* at = static_cast<const std::byte*>(from);
    forState([&](T* part, std::size_t bytes) {
        m_domain.backend().copyOnDevice(part, at, bytes, m_domain.stream().handle());
        at += bytes;
    });
}

template<class T>
SplitWave* ForwardWave<T>::split()
{
    if (m_split == nullptr) {
        m_split = std::make_unique<SplitForward<T>>(*this);
    }
    return m_split.get();
}

template<class T>
kernels::ScalarStepArgs<T> ForwardWave<T>::stepArgs(const T* from, T* to, bool layersAlone) const
{
    const DomainBoxes& all = m_domain.boxes();
    kernels::ScalarStepArgs<T> args;
    args.state = m_domain.state(m_memory, from, to);
    args.order = m_domain.plan().run.spaceOrder;
    args.shots = m_shots;
    args.mirror = m_domain.mirror(const_cast<T*>(from)); // its halo is the step's to fill
    args.boxes = all.boxes.data() + (layersAlone ? all.interior : 0);
    args.interiorBoxes = layersAlone ? 0 : all.interior;
    args.layerBoxes = all.layers;
    args.mirrorBoxes = all.mirrors;
    args.compact = m_compact;
    return args;
}

template<class T>
void ForwardWave<T>::stepFields(T* from, T* to, int n, bool layersAlone, T* kept)
{
    auto args = stepArgs(from, to, layersAlone);
    args.kept = kept;
    m_domain.backend().step(args, m_domain.stream().handle());
    injectInto(to, n);
    if (kept != nullptr) {
        m_domain.plan().variableDensity() ? keepDensity(from, kept) : injectKept(kept, n);
    }
}

template<class T>
void ForwardWave<T>::advanceBy(int n, const KeptSpan& span, bool recorded)
{
    const int ratio = m_domain.plan().time.ratio;
    if (m_domain.plan().variableDensity()) { // more is kept than W, by copies of its own
        auto* to = static_cast<std::byte*>(span.first);
        for (int i = 0; i < span.steps; ++i) {
            const bool kept = to != nullptr && i >= span.until && (i - span.until) % span.every == 0;
            step(n + i, kept ? to : nullptr);
            to += kept ? span.stride : 0;
            if (recorded && (n + i + 1) % ratio == 0) {
                record((n + i + 1) / ratio);
            }
        }
        return;
    }
    kernels::ScalarAdvance<T> args;
    args.step = stepArgs(now(), other(), false);
    args.step.keptOfLayers = span.ofShell;
    args.count = span.steps;
    args.inject = sources(m_injection, n);
    args.injectNodes = m_injection.nodes();
    args.kept = {static_cast<T*>(span.first), span.stride / static_cast<std::ptrdiff_t>(sizeof(T)), span.every,
                 span.until};
    args.injectKept = sources(m_keptInjection, n);
    args.ratio = ratio;
    args.untilSample = ratio - n % ratio;
    if (recorded) {
        const int taken = n / ratio + 1; // with the one at t = 0
        args.samplesLeft = m_domain.plan().time.count - taken;
        const auto one = [taken](const DeviceRecording<T>& receivers, const Buffer<T>& to) {
            kernels::RecordReceivers<T> body = receivers.body();
            body.out = to.data() + std::int64_t{taken} * body.receivers;
            return body;
        };
        args.record[0] = one(m_recording, m_traces);
        args.recordNodes[0] = m_recording.nodes();
        args.record[1] = one(m_slopeRecording, m_slopeTraces);
        args.recordNodes[1] = m_slopeRecording.nodes();
    }
    m_domain.backend().advance(args, m_domain.stream().handle());
    m_parity ^= span.steps & 1;
}

template<class T>
kernels::InjectSources<T> ForwardWave<T>::sources(const DeviceInjection<T>& injection, int n) const
{
    kernels::InjectSources<T> body = injection.body();
    body.wavelets = m_wavelets.data();
    body.waveletStride = steps();
    body.step = n;
    return body;
}

template<class T>
void ForwardWave<T>::injectInto(T* field, int n)
{
    auto body = sources(m_injection, n);
    body.field = field;
    m_domain.backend().inject(body, m_domain.stream().handle());
}

template<class T>
void ForwardWave<T>::keepDensity(const T* from, T* to)
{
    const KeptParts parts(m_domain.plan(), static_cast<std::size_t>(m_shots));
    const auto copy = [this](T* there, const T* what, std::size_t numbers) {
        if (numbers > 0) {
            m_domain.backend().copyOnDevice(there, what, numbers * sizeof(T), m_domain.stream().handle());
        }
    };
    T* at = to + parts.sum;
    copy(at, from, parts.field);
    at += parts.field;
    for (int a = 0; a < 3; ++a) {
        copy(at, m_memory[a].psi.data(), parts.psi[a]);
        at += parts.psi[a];
    }
}

template<class T>
void ForwardWave<T>::injectKept(T* to, int n)
{
    auto body = sources(m_keptInjection, n);
    body.field = to;
    m_domain.backend().inject(body, m_domain.stream().handle());
}

template<class T>
void ForwardWave<T>::fillRewind(kernels::ScalarRewind<T>& args) const
{
    args.now = other();
    args.other = now();
    args.mirror = m_domain.mirror(other());
}

template<class T>
void ForwardWave<T>::rewound(int n)
{
    injectInto(now(), n);
    m_parity ^= 1;
}

template<class T>
void ForwardWave<T>::record(int sample)
{
    const auto one = [&](const DeviceRecording<T>& receivers, const Buffer<T>& to) {
        kernels::RecordReceivers<T> body = receivers.body();
        if (body.receivers > 0) {
            body.field = now();
            body.out = to.data() + std::int64_t{sample} * body.receivers;
            m_domain.backend().record(body, m_domain.stream().handle());
        }
    };
    one(m_recording, m_traces);
    one(m_slopeRecording, m_slopeTraces);
}

template<class T>
std::vector<T> ForwardWave<T>::traces() const
{
    return asComputed(m_domain, m_traces);
}

template<class T>
std::vector<double> ForwardWave<T>::rows(const Buffer<T>& from) const
{
    return from.size() > 0 ? readBack(m_domain, from) : std::vector<double>{};
}

double residualScale(double largest)
{
    return largest > 0.0 ? std::ldexp(1.0, -std::ilogb(largest)) : 1.0;
}

// In squares that fit the cache, or a long run's traces would take as long to turn as a small grid takes to step.
template<class T>
TraceTable tableOf(const std::vector<T>& rows, std::size_t width, int from, int receivers, const TimeAxis& time)
{
    constexpr int kSquare = 32;
    TraceTable table{receivers, time.count, time.dt, {}};
    const auto samples = static_cast<std::size_t>(time.count);
    table.values.resize(static_cast<std::size_t>(receivers) * samples);
    for (int k0 = 0; k0 < time.count; k0 += kSquare) {
        const auto last = static_cast<std::size_t>(std::min(time.count, k0 + kSquare));
        for (int r = 0; r < receivers; ++r) {
            double* const to = table.values.data() + static_cast<std::size_t>(r) * samples;
            for (auto k = static_cast<std::size_t>(k0); k < last; ++k) {
                to[k] = static_cast<double>(rows[k * width + static_cast<std::size_t>(from + r)]);
            }
        }
    }
    return table;
}

template TraceTable tableOf(const std::vector<float>&, std::size_t, int, int, const TimeAxis&);
template TraceTable tableOf(const std::vector<double>&, std::size_t, int, int, const TimeAxis&);

template class ForwardWave<float>;
template class ForwardWave<double>;

} // namespace ondo
