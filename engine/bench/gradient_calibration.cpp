#include "engine/bench/gradient_calibration.h"

#include "engine/bench/trial.h"
#include "engine/inversion/gradient.h"
#include "engine/inversion/launch_waves.h"
#include "engine/tape/tape_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;
using Part = GradientSpeed::Part;

constexpr int kLayerCells = 20, kOrder = 8, kOtherOrder = 4;
constexpr double kLongCall = 0.010;    // s: measured twice and no more
constexpr double kShortBatch = 0.0015; // s: calls between two looks at the clock take about this long
constexpr std::size_t kMandatory = 2;  // sizes that are measured whatever they take
constexpr int kStagingEdge = 1040;     // nodes: beyond most caches
constexpr std::size_t kStaged = std::size_t{16} << 20, kFiled = std::size_t{32} << 20; // bytes

double secondsSince(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

// One launch, forwards and backwards, with the blocks that a tape would keep.
template<class T>
class GradientTrial {
public:
    GradientTrial(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device)
        : m_device(device)
        , m_stream(device, kernels::StreamPriority::Solver)
        , m_domain(plan, device, m_stream)
        , m_survey(uploaded(), 0, 1)
        , m_many(manyOf(m_domain))
        , m_forward(m_domain, m_survey, false)
        , m_adjoint(m_domain, m_survey, true, false)
        , m_split(*m_forward.split())
        , m_kept(block(m_forward.keptBytes()))
        , m_state(block(std::max(m_forward.stateBytes(), m_split.sizes().shellState * sizeof(T))))
        , m_rim(block(m_split.sizes().rim * sizeof(T)))
        , m_shell(block(m_split.sizes().shell * sizeof(T)))
        , m_edge(block(m_split.sizes().edge * sizeof(T)))
    {
        const std::size_t samples = m_survey.receivers.size() * static_cast<std::size_t>(plan->time.count);
        m_adjoint.setResiduals(std::vector<double>(samples, 0.0), {1.0});
    }

    [[nodiscard]] double part(Part part)
    {
        switch (part) {
        case Part::Step: return seconds([this](int n) { m_forward.step(n, nullptr); });
        case Part::Keep: { // what it adds to a step
            const double bare = seconds([this](int n) { m_forward.step(n, nullptr); });
            return std::max(0.0, seconds([this](int n) { m_forward.step(n, m_kept.data()); }) - bare);
        }
        case Part::Back: return seconds([this](int n) { m_adjoint.stepBack(n, nullptr, m_forward.wavelets()); });
        case Part::Image: return seconds([this](int n) { m_adjoint.stepBack(n, kept(), m_forward.wavelets()); });
        case Part::Rewind: return rewind();
        case Part::StepOfMany: return forwards({m_many}) / m_many;
        case Part::KeepOfMany: return std::max(0.0, forwards({m_many, m_kept.data()}) - forwards({m_many})) / m_many;
        case Part::BackOfMany: return backwards({m_many}) / m_many;
        case Part::ImageOfMany: return backwards({m_many, m_kept.data()}) / m_many;
        default: break;
        }
        m_split.restoreShell(m_state.data());
        const double all = seconds([this](int n) {
            m_split.stepShell(n, m_rim.data(), m_kept.data());
            m_split.keepShell(true, m_kept.data(), m_shell.data(), m_edge.data());
        });
        return all / static_cast<double>(std::max<std::size_t>(m_split.sizes().shell, 1));
    }

    void staging(StagingCost& cost)
    {
        auto& backend = m_device->backend();
        cost.copied =
            seconds([this](int) { m_forward.save(m_state.data()); }) / static_cast<double>(m_forward.stateBytes());
        cost.gathered = seconds([this](int) { m_split.saveRim(m_rim.data()); }) /
                        static_cast<double>(std::max<std::size_t>(m_split.sizes().rim, 1));
        const auto count = static_cast<std::int64_t>(m_forward.keptBytes() / sizeof(T));
        const auto packed = [&](Storage storage) {
            const kernels::PackedValues<T> values{reinterpret_cast<T*>(m_kept.data()), m_state.data(), count, storage};
            return 0.5 * seconds([&](int) {
                       backend.pack(values, m_stream.handle());
                       backend.unpack(values, m_stream.handle());
                   }) /
                   static_cast<double>(count);
        };
        cost.packed = packed(Storage::BFloat16);
        cost.packedScaled = packed(Storage::Int8);
        auto* const pinned = static_cast<std::byte*>(backend.allocatePinned(kStaged));
        const Buffer<std::byte> there(m_device, kStaged, "staging", BlockSize::Exact, BlockContent::Zeroed, m_stream);
        cost.staged =
            0.5 * seconds([&](int) {
                backend.copyToHost(pinned, there.data(), kStaged, m_stream.handle(), kernels::CopyPurpose::Field);
                backend.copyToDevice(there.data(), pinned, kStaged, m_stream.handle(), kernels::CopyPurpose::Field);
            }) /
            static_cast<double>(kStaged);
        m_stream.synchronize();
        backend.releasePinned(pinned);
    }

private:
    // With the adjoint's step where it takes the run's back under itself, and then that less an imaged step.
    [[nodiscard]] double rewind()
    {
        if (!m_split.rewindsWithin()) {
            return seconds([this](int n) { m_split.rewind(n, m_edge.data(), m_shell.data(), m_kept.data()); });
        }
        const KeptSpan one{1, m_kept.data(), 0, 1, 0, true};
        return std::max(0.0, seconds([this, &one](int n) {
                                 m_split.layForRewind(m_edge.data(), m_shell.data(), m_kept.data());
                                 m_adjoint.retreat(n, one, m_forward);
                             }) - part(Part::Image));
    }
    // A call of many steps, kept all over each other.
    [[nodiscard]] double forwards(const KeptSpan& span)
    {
        return seconds([&](int n) { m_forward.advance(n * m_many % m_forward.steps(), span); });
    }
    [[nodiscard]] double backwards(const KeptSpan& span)
    {
        return seconds(
            [&](int n) { m_adjoint.retreat(m_forward.steps() - 1 - n * m_many % m_forward.steps(), span, m_forward); });
    }
    // As many steps as a gradient gives a device at once: beyond what a chip holds it makes no difference.
    [[nodiscard]] static int manyOf(const WaveDomain<T>& domain)
    {
        const auto nodes = static_cast<double>(domain.layout().nodes());
        return domain.device()->isHost()
                   ? static_cast<int>(std::exp2(std::clamp(std::floor(std::log2(1e7 / nodes)), 0.0, 6.0)))
               : nodes < 4e6 ? (domain.layout().rank == 2 ? 256 : 32) // nothing of 3-D stays on chip
                             : 4;
    }

    // The waves want the model to be there.
    const SimulationPlan& uploaded()
    {
        auto field = m_domain.field(1, "field");
        m_domain.upload(field);
        return m_domain.plan();
    }
    [[nodiscard]] Buffer<std::byte> block(std::size_t bytes) const
    {
        return {m_device, std::max<std::size_t>(bytes, 1), "tape", BlockSize::Exact, BlockContent::Zeroed, m_stream};
    }
    [[nodiscard]] const T* kept() const { return reinterpret_cast<const T*>(m_kept.data()); }

    // A call, among as many as are queued together; the least of some rounds.
    template<class Call>
    [[nodiscard]] double seconds(const Call& call)
    {
        const auto batch = [&](int calls) {
            m_stream.synchronize();
            const auto from = Clock::now();
            for (int i = 0; i < calls; ++i) {
                call(m_n);
                m_n = (m_n + 1) % m_forward.steps();
            }
            m_stream.synchronize();
            return secondsSince(from) / calls;
        };
        double least = batch(1);
        if (least > kLongCall) {
            return std::min(least, batch(1));
        }
        int calls = 1;
        do {
            calls = std::clamp(static_cast<int>(kShortBatch / std::max(least, 1e-7)), 1, 512);
            least = std::min(least, batch(calls));
        } while (least * calls < 0.3 * kShortBatch && calls < 512);
        return std::min({least, batch(calls), batch(calls)});
    }

    std::shared_ptr<Device> m_device;
    Stream m_stream;
    WaveDomain<T> m_domain;
    LaunchSurvey m_survey;
    int m_many; // divides the steps of a run
    ForwardWave<T> m_forward;
    AdjointWave<T> m_adjoint;
    SplitWave& m_split;
    Buffer<std::byte> m_kept, m_state, m_rim, m_shell, m_edge;
    int m_n = 0;
};

TrialShape shapeOf(int rank, int edge, int order, bool wide)
{
    return {.rank = rank,
            .edge = edge,
            .order = order,
            .layerCells = kLayerCells,
            .wide = wide,
            .receivers = 1,
            .sources = 1,
            .steps = 512};
}

std::shared_ptr<const SimulationPlan> planOf(const std::shared_ptr<Device>& device, const TrialShape& shape)
{
    auto plan = planTrial(shape, device->facts());
    if (!plan) {
        throw kernels::BackendError(kernels::BackendFailure::OutOfMemory, plan.error().text());
    }
    return *plan;
}

template<class T>
std::vector<double> partsOf(const std::shared_ptr<Device>& device, const TrialShape& shape)
{
    GradientTrial<T> trial(planOf(device, shape), device);
    std::vector<double> parts;
    for (int part = 0; part < GradientSpeed::Parts; ++part) {
        parts.push_back(trial.part(static_cast<Part>(part)));
    }
    parts[Part::Image] = std::max(0.0, parts[Part::Image] - parts[Part::Back]);
    parts[Part::ImageOfMany] = std::max(0.0, parts[Part::ImageOfMany] - parts[Part::BackOfMany]);
    return parts;
}

void measureRank(const std::shared_ptr<Device>& device, int rank, double seconds, const std::function<void()>& pause,
                 DeviceSpeed& speed)
{
    GradientSpeed& gradient = speed.rank[rank - 2].gradient;
    const auto begun = Clock::now();
    const auto edges = rank == 2 ? std::vector<int>{120, 400, 1040, 2088, 4136} : std::vector<int>{64, 104, 168, 296};
    const int reference = edges[kMandatory - 1]; // where other orders and precisions are measured
    double cost = 0.0;                           // s a node of measuring the size before
    std::size_t measured = 0;
    for (const int edge : edges) {
        const double points = std::pow(static_cast<double>(edge), rank);
        const double most = 0.3 * static_cast<double>(device->facts().memoryFree);
        const bool fits = most <= 0.0 || points * 60.0 < most; // bytes: five fields, their state and image, W, blocks
        if (measured >= kMandatory && (!fits || secondsSince(begun) + cost * points > seconds)) {
            break;
        }
        pause();
        const auto from = Clock::now();
        const auto parts = partsOf<float>(device, shapeOf(rank, edge, kOrder, false));
        for (std::size_t part = 0; part < parts.size(); ++part) {
            gradient.at[part].push_back({points, parts[part]});
        }
        cost = secondsSince(from) / points;
        ++measured;
        if (edge == reference) {
            pause();
            const auto four = partsOf<float>(device, shapeOf(rank, edge, kOtherOrder, false));
            pause();
            const auto wide = partsOf<double>(device, shapeOf(rank, edge, kOrder, true));
            for (std::size_t part = 0; part < parts.size(); ++part) {
                gradient.orderFour[part] = parts[part] > 0.0 ? std::clamp(four[part] / parts[part], 0.25, 1.0) : 1.0;
                gradient.wide[part] = parts[part] > 0.0 ? std::clamp(wide[part] / parts[part], 1.0, 4.0) : 2.0;
            }
        }
    }
}

// There and back through the page cache, and with the way to the disk itself. Where no file can be made: no speed, no error.
void measureDisk(StagingCost& cost)
{
    auto file = TapeFile::make({}, kFiled);
    if (!file) {
        return;
    }
    std::vector<std::byte> bytes(kFiled, std::byte{1});
    double cached = 1e9;
    for (int i = 0; i < 2; ++i) {
        const auto from = Clock::now();
        if (!file->write(0, bytes.data(), bytes.size()) || !file->read(0, bytes.data(), bytes.size())) {
            return;
        }
        cached = std::min(cached, 0.5 * secondsSince(from));
    }
    const auto from = Clock::now();
    (void)file->write(0, bytes.data(), bytes.size());
    file->settle();
    const auto size = static_cast<double>(kFiled);
    cost.filedCached = cached / size;
    cost.filed = std::max(cost.filedCached, secondsSince(from) / size);
}

// What a short gradient takes beside its steps and what any run takes.
void measureCall(const std::shared_ptr<Device>& device, DeviceSpeed& speed)
{
    constexpr int kEdge = 1040;
    TrialShape shape = shapeOf(2, kEdge, kOrder, false);
    shape.steps = 8;
    const auto plan = planOf(device, shape);
    const MisfitFunction itself = [](int, const TraceTable& trace) -> Result<Residual> {
        return Residual{1.0, trace.values};
    };
    GradientOptions options;
    options.sourcePositions = options.receiverPositions = false;
    double least = 1e9;
    for (int i = 0; i < 2; ++i) {
        const auto gradient = computeGradient(plan, device, itself, options);
        least = gradient ? std::min(least, gradient->seconds) : least;
    }
    const LaunchWork launch = workOf(*plan).launches.front();
    const GradientSpeed& parts = speed.rank[0].gradient;
    double steps = 0.0;
    for (const Part part : {Part::StepOfMany, Part::KeepOfMany, Part::BackOfMany, Part::ImageOfMany}) {
        steps += parts.seconds(part, launch) * plan->time.innerSteps();
    }
    speed.staging.gradientPoint =
        least < 1e9 ? std::max(0.0, least - steps - speed.callSeconds(workOf(*plan))) / launch.points : 0.0;
}

} // namespace

void calibrateGradients(const std::shared_ptr<Device>& device, double seconds, const std::function<void()>& pause,
                        DeviceSpeed& speed)
{
    for (const int rank : {2, 3}) {
        measureRank(device, rank, 0.4 * seconds, pause, speed);
    }
    pause();
    GradientTrial<float>(planOf(device, shapeOf(2, kStagingEdge, kOrder, false)), device).staging(speed.staging);
    pause();
    measureDisk(speed.staging);
    measureCall(device, speed);
    device->arena().trim();
}

} // namespace ondo
