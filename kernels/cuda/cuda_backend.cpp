#include "kernels/cuda/cuda_backend.h"

#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/launches.h"
#include "kernels/cuda/presenter.h"
#include "kernels/cuda/resident.h"
#include "kernels/cuda/staging.h"
#include "kernels/cuda/step_graph.h"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <string>
#include <type_traits>

namespace ondo::kernels::cuda {

namespace {

cudaStream_t asStream(StreamHandle handle)
{
    return static_cast<cudaStream_t>(handle);
}

cudaEvent_t asEvent(EventHandle handle)
{
    return static_cast<cudaEvent_t>(handle);
}

bool turnedOff(const char* variable)
{
    const char* const value = std::getenv(variable);
    return value != nullptr && std::strcmp(value, "0") == 0;
}

class CudaBackend final : public Backend {
public:
    explicit CudaBackend(int ordinal);
    ~CudaBackend() override;
    CudaBackend(const CudaBackend&) = delete;
    CudaBackend& operator=(const CudaBackend&) = delete;

    [[nodiscard]] DeviceFacts facts() const override;
    [[nodiscard]] bool isHost() const override { return false; }

    void* allocate(std::size_t bytes, StreamHandle stream) override;
    void release(void* memory, StreamHandle stream) noexcept override;
    void trim() noexcept override;
    void* allocatePinned(std::size_t bytes) override;
    void releasePinned(void* memory) noexcept override;

    StreamHandle createStream(StreamPriority priority) override;
    void destroyStream(StreamHandle stream) noexcept override;
    void synchronize(StreamHandle stream) override;
    EventHandle createEvent(bool timed) override;
    void destroyEvent(EventHandle event) noexcept override;
    void record(EventHandle event, StreamHandle stream) override;
    bool isDone(EventHandle event) override;
    void wait(EventHandle event) override;
    void waitOn(StreamHandle stream, EventHandle event) override;
    double milliseconds(EventHandle from, EventHandle to) override;

    void copyToDevice(void* to, const void* from, std::size_t bytes, StreamHandle stream, CopyPurpose purpose) override;
    void copyToHost(void* to, const void* from, std::size_t bytes, StreamHandle stream, CopyPurpose purpose) override;
    void copyOnDevice(void* to, const void* from, std::size_t bytes, StreamHandle stream) override;
    void fillZero(void* to, std::size_t bytes, StreamHandle stream) override;
    [[nodiscard]] CopyCounters copies() const override;

    void step(const ScalarStepArgs<float>& args, StreamHandle stream) override { stepAny(args, stream); }
    void step(const ScalarStepArgs<double>& args, StreamHandle stream) override { stepAny(args, stream); }
    Advanced advance(const ScalarAdvance<float>& args, StreamHandle stream) override
    {
        return advanceAny(args, stream);
    }
    Advanced advance(const ScalarAdvance<double>& args, StreamHandle stream) override
    {
        return advanceAny(args, stream);
    }
    void retreat(const ScalarRetreat<float>& args, StreamHandle stream) override
    {
        if (!retreatResident(args, on(stream))) {
            oneByOne(args, stream);
        }
    }
    void retreat(const ScalarRetreat<double>& args, StreamHandle stream) override { oneByOne(args, stream); }
    using Backend::rewind;
    void pad(const PadModel<float>& body, StreamHandle stream) override { padModel(body, on(stream)); }
    void pad(const PadModel<double>& body, StreamHandle stream) override { padModel(body, on(stream)); }
    void pad(const PadDensity<float>& body, StreamHandle stream) override { padDensity(body, on(stream)); }
    void pad(const PadDensity<double>& body, StreamHandle stream) override { padDensity(body, on(stream)); }
    void keep(const ScalarKeepArgs<float>& args, StreamHandle stream) override { keepAny(args, stream); }
    void keep(const ScalarKeepArgs<double>& args, StreamHandle stream) override { keepAny(args, stream); }
    void stepBack(const ScalarAdjointArgs<float>& args, StreamHandle stream) override { stepBackAny(args, stream); }
    void stepBack(const ScalarAdjointArgs<double>& args, StreamHandle stream) override { stepBackAny(args, stream); }
    [[nodiscard]] bool rewindsWithin(const Layout& layout, int order, std::size_t numberBytes) const override
    {
        return numberBytes == sizeof(float) && cuda::rewindsWithin(layout, order, m_launch);
    }
    void rewind(const ScalarRewind<float>& args, StreamHandle stream) override;
    void addCurvature(const AddCurvature<float>& body, int shots, StreamHandle stream) override
    {
        cuda::addCurvature(body, shots, on(stream));
    }
    void addCurvature(const AddCurvature<double>& body, int shots, StreamHandle stream) override
    {
        cuda::addCurvature(body, shots, on(stream));
    }
    void addDensityChange(const ScalarTangentArgs<float>& args, StreamHandle stream) override
    {
        cuda::addDensityChange(args, on(stream));
    }
    void addDensityChange(const ScalarTangentArgs<double>& args, StreamHandle stream) override
    {
        cuda::addDensityChange(args, on(stream));
    }
    void copyBoxes(const BoxCopy<float>& args, StreamHandle stream) override { cuda::copyBoxes(args, on(stream)); }
    void copyBoxes(const BoxCopy<double>& args, StreamHandle stream) override { cuda::copyBoxes(args, on(stream)); }
    void pack(const PackedValues<float>& body, StreamHandle stream) override { packValues(body, on(stream)); }
    void pack(const PackedValues<double>& body, StreamHandle stream) override { packValues(body, on(stream)); }
    void unpack(const PackedValues<float>& body, StreamHandle stream) override { unpackValues(body, on(stream)); }
    void unpack(const PackedValues<double>& body, StreamHandle stream) override { unpackValues(body, on(stream)); }
    void inject(const InjectSources<float>& body, StreamHandle stream) override { injectSources(body, on(stream)); }
    void inject(const InjectSources<double>& body, StreamHandle stream) override { injectSources(body, on(stream)); }
    void record(const RecordReceivers<float>& body, StreamHandle stream) override { recordReceivers(body, on(stream)); }
    void record(const RecordReceivers<double>& body, StreamHandle stream) override
    {
        recordReceivers(body, on(stream));
    }
    void paint(const PaintField<float>& body, StreamHandle stream) override { paintField(body, on(stream)); }
    void paint(const PaintField<double>& body, StreamHandle stream) override { paintField(body, on(stream)); }
    void histogram(const AmplitudeHistogram<float>& body, StreamHandle stream) override
    {
        amplitudeHistogram(body, on(stream));
    }
    void histogram(const AmplitudeHistogram<double>& body, StreamHandle stream) override
    {
        amplitudeHistogram(body, on(stream));
    }

    [[nodiscard]] Overheads overheads(StreamHandle stream) override { return measureOverheads(on(stream)); }
    [[nodiscard]] TexturePresenter* presenter() override;

private:
    void use() const { ONDO_CUDA(cudaSetDevice(m_ordinal)); }
    // The device is current in the calling thread afterwards. A null handle is the default stream: one of our own, which
    // waits for nobody, not CUDA's.
    cudaStream_t on(StreamHandle stream) const
    {
        use();
        return stream == nullptr ? m_defaultStream : asStream(stream);
    }
    template<class T>
    void stepAny(const ScalarStepArgs<T>& args, StreamHandle stream);
    template<class T>
    void keepAny(const ScalarKeepArgs<T>& args, StreamHandle stream);
    template<class T>
    void stepBackAny(const ScalarAdjointArgs<T>& args, StreamHandle stream);
    template<class T>
    void enqueueStep(const ScalarStepArgs<T>& args, cudaStream_t stream);
    template<class T>
    Advanced advanceAny(ScalarAdvance<T> args, StreamHandle stream);
    bool advanceResident(const ScalarAdvance<float>& args, cudaStream_t stream);
    bool retreatResident(const ScalarRetreat<float>& args, cudaStream_t stream);
    template<class Steps>
    void launchResident(const Steps& args, int shots, cudaStream_t stream);
    // Plans and graphs have memory of their own on the device (mailboxes, a clock) and outlive the runs that they were made
    // for: what is launched of them waits for what was, on whatever stream. With m_graphMutex held.
    void takeTurn(cudaStream_t stream) const { ONDO_CUDA(cudaStreamWaitEvent(stream, m_turn, 0)); }
    void endTurn(cudaStream_t stream) const { ONDO_CUDA(cudaEventRecord(m_turn, stream)); }

    int m_ordinal = 0;
    cudaMemPool_t m_pool = nullptr;
    cudaStream_t m_defaultStream = nullptr;
    int m_solverPriority = 0, m_viewPriority = 0;
    // ONDO_GRAPHS=0, ONDO_RESIDENT=0 in the environment: the plain launches that faster ways are checked against.
    bool m_useGraphs = true, m_useResident = true;
    StepLaunch m_launch;
    std::mutex m_graphMutex; // of both, and of m_launch's branches
    StepGraphs m_graphs;
    ResidentSteps m_resident;
    cudaEvent_t m_turn = nullptr;
    Staging m_staging;
    std::mutex m_presenterMutex;
    std::unique_ptr<TexturePresenter> m_presenter;
    std::atomic<std::uint64_t> m_toDevice[kCopyPurposes] = {};
    std::atomic<std::uint64_t> m_toHost[kCopyPurposes] = {};
};

CudaBackend::CudaBackend(int ordinal)
    : m_ordinal(ordinal)
    , m_resident(ordinal)
{
    m_useGraphs = !turnedOff("ONDO_GRAPHS");
    m_useResident = !turnedOff("ONDO_RESIDENT");
    use();
    int pools = 0;
    ONDO_CUDA(cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, m_ordinal));
    if (pools == 0) {
        throw BackendError(BackendFailure::Launch, describeDevice(ordinal).name +
                                                       " has no stream-ordered memory pools (a virtual GPU without "
                                                       "unified memory?); run on another device or with --device cpu");
    }
    ONDO_CUDA(cudaDeviceGetStreamPriorityRange(&m_viewPriority, &m_solverPriority));
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    props.location.id = m_ordinal;
    ONDO_CUDA(cudaMemPoolCreate(&m_pool, &props));
    // The threshold's default is 0: the pool would give its memory back at each synchronisation.
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    ONDO_CUDA(cudaMemPoolSetAttribute(m_pool, cudaMemPoolAttrReleaseThreshold, &keep));
    ONDO_CUDA(cudaStreamCreateWithPriority(&m_defaultStream, cudaStreamNonBlocking, m_solverPriority));
    ONDO_CUDA(cudaEventCreateWithFlags(&m_turn, cudaEventDisableTiming));
    m_launch = makeStepLaunch(m_ordinal);
}

CudaBackend::~CudaBackend()
{
    ONDO_CUDA_NOTHROW(cudaSetDevice(m_ordinal));
    m_presenter.reset();
    ONDO_CUDA_NOTHROW(cudaDeviceSynchronize());
    m_graphs.forget();
    m_resident.forget();
    m_staging.forget();
    for (int i = 0; i < StepLaunch::kBranches; ++i) {
        ONDO_CUDA_NOTHROW(cudaStreamDestroy(m_launch.branch[i]));
        ONDO_CUDA_NOTHROW(cudaEventDestroy(m_launch.joined[i]));
    }
    ONDO_CUDA_NOTHROW(cudaEventDestroy(m_launch.fork));
    ONDO_CUDA_NOTHROW(cudaEventDestroy(m_turn));
    ONDO_CUDA_NOTHROW(cudaStreamDestroy(m_defaultStream));
    ONDO_CUDA_NOTHROW(cudaMemPoolDestroy(m_pool));
}

DeviceFacts CudaBackend::facts() const
{
    use();
    DeviceFacts f = describeDevice(m_ordinal);
    ONDO_CUDA(cudaMemGetInfo(&f.memoryFree, &f.memoryTotal));
    return f;
}

void* CudaBackend::allocate(std::size_t bytes, StreamHandle stream)
{
    const cudaStream_t s = on(stream);
    void* memory = nullptr;
    const cudaError_t error = cudaMallocFromPoolAsync(&memory, bytes > 0 ? bytes : 1, m_pool, s);
    if (error == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        std::size_t free = 0;
        std::size_t total = 0;
        ONDO_CUDA(cudaMemGetInfo(&free, &total));
        throw BackendError(BackendFailure::OutOfMemory,
                           "cuda:" + std::to_string(m_ordinal) + " has no " + std::to_string(bytes) + " bytes left, " +
                               std::to_string(free) + " of " + std::to_string(total) + " are free");
    }
    if (error != cudaSuccess) {
        throwCudaError(error, "allocating " + std::to_string(bytes) + " bytes on cuda:" + std::to_string(m_ordinal));
    }
    return memory;
}

void CudaBackend::release(void* memory, StreamHandle stream) noexcept
{
    if (memory != nullptr) {
        ONDO_CUDA_NOTHROW(cudaSetDevice(m_ordinal));
        ONDO_CUDA_NOTHROW(cudaFreeAsync(memory, stream == nullptr ? m_defaultStream : asStream(stream)));
    }
}

void CudaBackend::trim() noexcept
{
    // A freed block can only go back to the driver once its stream got there.
    ONDO_CUDA_NOTHROW(cudaSetDevice(m_ordinal));
    ONDO_CUDA_NOTHROW(cudaStreamSynchronize(m_defaultStream));
    ONDO_CUDA_NOTHROW(cudaMemPoolTrimTo(m_pool, 0));
}

void* CudaBackend::allocatePinned(std::size_t bytes)
{
    use();
    void* memory = nullptr;
    const cudaError_t error = cudaHostAlloc(&memory, bytes > 0 ? bytes : 1, cudaHostAllocDefault);
    if (error != cudaSuccess) {
        throwCudaError(error, "pinning " + std::to_string(bytes) + " bytes of host memory");
    }
    return memory;
}

void CudaBackend::releasePinned(void* memory) noexcept
{
    if (memory != nullptr) {
        ONDO_CUDA_NOTHROW(cudaSetDevice(m_ordinal));
        ONDO_CUDA_NOTHROW(cudaFreeHost(memory));
    }
}

StreamHandle CudaBackend::createStream(StreamPriority priority)
{
    use();
    cudaStream_t stream = nullptr;
    ONDO_CUDA(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking,
                                           priority == StreamPriority::Solver ? m_solverPriority : m_viewPriority));
    return stream;
}

void CudaBackend::destroyStream(StreamHandle stream) noexcept
{
    if (stream != nullptr) {
        ONDO_CUDA_NOTHROW(cudaSetDevice(m_ordinal));
        ONDO_CUDA_NOTHROW(cudaStreamDestroy(asStream(stream)));
    }
}

void CudaBackend::synchronize(StreamHandle stream)
{
    ONDO_CUDA(cudaStreamSynchronize(on(stream)));
}

EventHandle CudaBackend::createEvent(bool timed)
{
    use();
    cudaEvent_t event = nullptr;
    // Waiting sleeps: the display and the session wait often and must not burn a core each.
    ONDO_CUDA(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | (timed ? 0U : cudaEventDisableTiming)));
    return event;
}

void CudaBackend::destroyEvent(EventHandle event) noexcept
{
    if (event != nullptr) {
        ONDO_CUDA_NOTHROW(cudaSetDevice(m_ordinal));
        ONDO_CUDA_NOTHROW(cudaEventDestroy(asEvent(event)));
    }
}

void CudaBackend::record(EventHandle event, StreamHandle stream)
{
    ONDO_CUDA(cudaEventRecord(asEvent(event), on(stream)));
}

bool CudaBackend::isDone(EventHandle event)
{
    use();
    const cudaError_t error = cudaEventQuery(asEvent(event));
    if (error == cudaErrorNotReady) {
        (void)cudaGetLastError();
        return false;
    }
    ONDO_CUDA(error);
    return true;
}

void CudaBackend::wait(EventHandle event)
{
    use();
    ONDO_CUDA(cudaEventSynchronize(asEvent(event)));
}

void CudaBackend::waitOn(StreamHandle stream, EventHandle event)
{
    ONDO_CUDA(cudaStreamWaitEvent(on(stream), asEvent(event), 0));
}

double CudaBackend::milliseconds(EventHandle from, EventHandle to)
{
    use();
    float ms = 0.0F;
    ONDO_CUDA(cudaEventElapsedTime(&ms, asEvent(from), asEvent(to)));
    return static_cast<double>(ms);
}

void CudaBackend::copyToDevice(void* to, const void* from, std::size_t bytes, StreamHandle stream, CopyPurpose purpose)
{
    m_staging.toDevice(to, from, bytes, on(stream));
    m_toDevice[static_cast<std::size_t>(purpose)] += bytes;
}

void CudaBackend::copyToHost(void* to, const void* from, std::size_t bytes, StreamHandle stream, CopyPurpose purpose)
{
    m_staging.toHost(to, from, bytes, on(stream));
    m_toHost[static_cast<std::size_t>(purpose)] += bytes;
}

void CudaBackend::copyOnDevice(void* to, const void* from, std::size_t bytes, StreamHandle stream)
{
    ONDO_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, on(stream)));
}

void CudaBackend::fillZero(void* to, std::size_t bytes, StreamHandle stream)
{
    ONDO_CUDA(cudaMemsetAsync(to, 0, bytes, on(stream)));
}

CopyCounters CudaBackend::copies() const
{
    CopyCounters c;
    for (std::size_t i = 0; i < kCopyPurposes; ++i) {
        c.toDevice[i] = m_toDevice[i];
        c.toHost[i] = m_toHost[i];
    }
    return c;
}

void checkOrder(int order, const Layout& layout)
{
    if (order < 2 || order % 2 != 0 || order / 2 != layout.radius || layout.radius > kMaxRadius) {
        throw BackendError(BackendFailure::Launch,
                           "order " + std::to_string(order) + " with a halo of " + std::to_string(layout.radius) +
                               " nodes: an even order from 2 to " + std::to_string(2 * kMaxRadius) +
                               " with half as many nodes is needed");
    }
}

template<class T>
void CudaBackend::stepAny(const ScalarStepArgs<T>& args, StreamHandle stream)
{
    checkOrder(args.order, args.state.layout);
    const std::lock_guard lock(m_graphMutex);
    enqueueStep(args, on(stream));
}

template<class T>
void CudaBackend::keepAny(const ScalarKeepArgs<T>& args, StreamHandle stream)
{
    checkOrder(args.order, args.state.s.layout);
    checkKeep(args);
    const std::lock_guard lock(m_graphMutex);
    mirrorFaces(args.mirror, args.boxes + args.interiorBoxes + args.layerBoxes, args.mirrorBoxes, args.shots,
                on(stream));
    const bool volume = args.state.s.layout.rank == 3;
    if (args.state.s.density != nullptr) {
        volume ? densityKeep<T, 3>(args, on(stream)) : densityKeep<T, 2>(args, on(stream));
    } else {
        volume ? scalarKeep<T, 3>(args, m_launch, on(stream)) : scalarKeep<T, 2>(args, m_launch, on(stream));
    }
}

template<class T>
void CudaBackend::stepBackAny(const ScalarAdjointArgs<T>& args, StreamHandle stream)
{
    checkOrder(args.order, args.state.s.layout);
    const std::lock_guard lock(m_graphMutex);
    mirrorFaces(args.mirror, args.boxes + args.interiorBoxes + args.layerBoxes, args.mirrorBoxes, args.shots,
                on(stream));
    const bool volume = args.state.s.layout.rank == 3;
    if (args.state.s.density != nullptr) {
        volume ? densityAdjoint<T, 3>(args, on(stream)) : densityAdjoint<T, 2>(args, on(stream));
    } else {
        volume ? scalarAdjoint<T, 3>(args, m_launch, on(stream)) : scalarAdjoint<T, 2>(args, m_launch, on(stream));
    }
}

void CudaBackend::rewind(const ScalarRewind<float>& args, StreamHandle stream)
{
    const ScalarAdjointArgs<float>& back = args.adjoint;
    checkOrder(back.order, back.state.s.layout);
    const std::lock_guard lock(m_graphMutex);
    const Box* const faces = back.boxes + back.interiorBoxes + back.layerBoxes;
    mirrorFaces(back.mirror, faces, back.mirrorBoxes, back.shots, on(stream));
    mirrorFaces(args.mirror, faces, back.mirrorBoxes, back.shots, on(stream));
    scalarRewind(args, m_launch, on(stream));
}

template<class T>
void CudaBackend::enqueueStep(const ScalarStepArgs<T>& args, cudaStream_t stream)
{
    mirrorFaces(args.mirror, args.boxes + args.interiorBoxes + args.layerBoxes, args.mirrorBoxes, args.shots, stream);
    const bool volume = args.state.layout.rank == 3;
    if (args.state.density != nullptr) {
        volume ? densityStep<T, 3>(args, m_launch, stream) : densityStep<T, 2>(args, m_launch, stream);
        if (args.kept != nullptr) {
            volume ? densityKeep<T, 3>(keepingOf(args), stream) : densityKeep<T, 2>(keepingOf(args), stream);
        }
        return;
    }
    const auto launch = args.kept != nullptr ? (volume ? scalarStepKept<T, 3> : scalarStepKept<T, 2>)
                                             : (volume ? scalarStep<T, 3> : scalarStep<T, 2>);
    launch(args, m_launch, stream);
}

// On chip, shot after shot, each for many steps: its tiles are loaded and stored once a launch.
bool CudaBackend::advanceResident(const ScalarAdvance<float>& args, cudaStream_t stream)
{
    if (!m_useResident || args.count < ResidentSteps::kLeastSteps || args.step.state.density != nullptr) {
        return false;
    }
    const std::lock_guard lock(m_graphMutex);
    if (!m_resident.takes(args, stream)) {
        return false;
    }
    launchResident(args, args.step.shots, stream);
    if (args.kept.first != nullptr && args.inject.nodes > 0) {
        injectKept(args, stream);
    }
    return true;
}

bool CudaBackend::retreatResident(const ScalarRetreat<float>& args, cudaStream_t stream)
{
    if (!m_useResident || args.count < ResidentSteps::kLeastSteps || args.step.state.s.density != nullptr) {
        return false;
    }
    const std::lock_guard lock(m_graphMutex);
    if (!m_resident.takes(args, stream)) {
        return false;
    }
    launchResident(args, args.step.shots, stream);
    return true;
}

template<class Steps>
void CudaBackend::launchResident(const Steps& args, int shots, cudaStream_t stream)
{
    takeTurn(stream);
    const int launches = (args.count + ResidentSteps::kMostSteps - 1) / ResidentSteps::kMostSteps;
    for (int shot = 0; shot < shots; ++shot) {
        Steps part = args;
        for (int i = 0; i < launches; ++i) {
            const auto stepsTo = [&args, launches](int n) {
                return static_cast<int>(std::int64_t{args.count} * n / launches);
            };
            part.count = stepsTo(i + 1) - stepsTo(i);
            m_resident.launch(part, shot, stream);
            moveOn(part, part.count);
        }
    }
    endTurn(stream);
}

// On chip if it fits; else whole graphs of steps, and what does not fill one by itself.
template<class T>
Advanced CudaBackend::advanceAny(ScalarAdvance<T> args, StreamHandle stream)
{
    const int count = args.count;
    if constexpr (std::is_same_v<T, float>) {
        if (advanceResident(args, on(stream))) {
            return {count, false};
        }
    }
    const int lead = args.untilSample == args.ratio ? 0 : args.untilSample;
    const int most = m_useGraphs ? StepGraphs::stepsFor(args.ratio) : 0;
    if (most == 0 || count - lead < StepGraphs::kLeastPaying || args.kept.first != nullptr) {
        return oneByOne(args, stream);
    }
    args.count = lead;
    oneByOne(args, stream);
    moveOn(args, lead);
    int left = count - lead;
    for (int steps = most; steps > 0; steps = StepGraphs::shorterThan(steps, args.ratio)) {
        const int times = left / steps;
        if (times > 0) {
            const std::lock_guard lock(m_graphMutex);
            const cudaStream_t s = on(stream);
            takeTurn(s);
            m_graphs.run<T>(args, steps, times, s,
                            [this](const ScalarStepArgs<T>& step, cudaStream_t to) { enqueueStep(step, to); });
            endTurn(s);
            moveOn(args, times * steps);
            left -= times * steps;
        }
    }
    args.count = left;
    oneByOne(args, stream);
    return {count, false};
}

TexturePresenter* CudaBackend::presenter()
{
    const std::lock_guard lock(m_presenterMutex);
    if (m_presenter == nullptr) {
        m_presenter = makePresenter(m_ordinal);
    }
    return m_presenter.get();
}

} // namespace

std::unique_ptr<Backend> makeCudaBackend(int ordinal)
{
    return std::make_unique<CudaBackend>(ordinal);
}

} // namespace ondo::kernels::cuda
