#include "kernels/backend.h"
#include "kernels/host/adjoint_host.h"
#include "kernels/host/density_host.h"
#include "kernels/host/flush_to_zero.h"
#include "kernels/host/instruction_set.h"
#include "kernels/host/launcher.h"
#include "kernels/host/receiver_sum.h"
#include "kernels/host/scalar_host.h"
#include "kernels/host/tangent_host.h"
#include "kernels/host/tape_host.h"
#include "kernels/host/thread_team.h"
#include "kernels/host/time_tiles.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ondo::kernels {

namespace {

using Clock = std::chrono::steady_clock;

// Below this many nodes a launch is over before another thread has woken up.
constexpr std::int64_t kWorthThreads = 16'384;

std::string processorName()
{
    std::ifstream in("/proc/cpuinfo");
    std::string line;
    while (std::getline(in, line)) {
        if (line.rfind("model name", 0) == 0) {
            const auto at = line.find(": ");
            if (at != std::string::npos) {
                return line.substr(at + 2);
            }
        }
    }
    return "CPU";
}

std::size_t memoryBytes(const char* key)
{
    std::ifstream in("/proc/meminfo");
    std::string word;
    while (in >> word) {
        if (word == key) {
            std::size_t kib = 0;
            in >> kib;
            return kib * 1024;
        }
    }
    return 0;
}

// A row of PadModel's nodes at once: the same values, without asking of each node where it lies.
template<class T>
struct PadRow {
    PadModel<T> body;

    void operator()(int /*shot*/, int z, int y) const
    {
        const Layout& l = body.layout;
        const Box rows = body.rows();
        T* const row = body.c2 + l.at(z, y, 0);
        if (!body.hasValue(kZ, z, l.nz) || !body.hasValue(kY, y, l.ny)) {
            std::fill(row + rows.x0, row + rows.x1, T(0));
            return;
        }
        const float* const speed = body.userRow(z, y);
        const int low = body.low[kX];
        const int n = body.user[kX];
        T* const to = row + low;
#pragma omp simd
        for (int x = 0; x < n; ++x) {
            to[x] = body.squared(speed[x]);
        }
        std::fill(row + rows.x0, row, T(0));
        std::fill(row, to, to[0]);
        std::fill(to + n, row + l.nx, to[n - 1]);
        std::fill(row + l.nx, row + rows.x1, T(0));
        for (const int x : {0, l.nx - 1}) {
            row[x] = body.hasValue(kX, x, l.nx) ? row[x] : T(0);
        }
    }
};

class HostBackend final : public Backend {
public:
    explicit HostBackend(int threads)
        : m_team(threads > 0 ? threads : static_cast<int>(std::max(1U, std::thread::hardware_concurrency())))
    {
    }

    [[nodiscard]] DeviceFacts facts() const override
    {
        DeviceFacts f;
        f.id = "cpu";
        f.name = processorName() + ", " + std::to_string(m_team.size()) +
                 (m_team.size() == 1 ? " thread, " : " threads, ") + hostInstructionText();
        f.backend = "host";
        f.memoryTotal = memoryBytes("MemTotal:");
        f.memoryFree = memoryBytes("MemAvailable:");
        f.threads = m_team.size();
        return f;
    }
    [[nodiscard]] bool isHost() const override { return true; }

    void* allocate(std::size_t bytes, StreamHandle /*stream*/) override { return plain(bytes); }
    void release(void* memory, StreamHandle /*stream*/) noexcept override { giveBack(memory); }
    void trim() noexcept override {}
    void* allocatePinned(std::size_t bytes) override { return plain(bytes); }
    void releasePinned(void* memory) noexcept override { giveBack(memory); }

    StreamHandle createStream(StreamPriority /*priority*/) override { return nullptr; }
    void destroyStream(StreamHandle /*stream*/) noexcept override {}
    void synchronize(StreamHandle /*stream*/) override {}
    EventHandle createEvent(bool /*timed*/) override { return new Clock::time_point(Clock::now()); }
    void destroyEvent(EventHandle event) noexcept override { delete static_cast<Clock::time_point*>(event); }
    void record(EventHandle event, StreamHandle /*stream*/) override
    {
        *static_cast<Clock::time_point*>(event) = Clock::now();
    }
    bool isDone(EventHandle /*event*/) override { return true; }
    void wait(EventHandle /*event*/) override {}
    void waitOn(StreamHandle /*stream*/, EventHandle /*event*/) override {}
    double milliseconds(EventHandle from, EventHandle to) override
    {
        return std::chrono::duration<double, std::milli>(*static_cast<Clock::time_point*>(to) -
                                                         *static_cast<Clock::time_point*>(from))
            .count();
    }

    // On the host a "copy" between device and host is a copy within memory; it is counted all the same, by purpose.
    void copyToDevice(void* to, const void* from, std::size_t bytes, StreamHandle /*stream*/,
                      CopyPurpose purpose) override
    {
        copy(to, from, bytes);
        m_toDevice[static_cast<std::size_t>(purpose)] += bytes;
    }
    void copyToHost(void* to, const void* from, std::size_t bytes, StreamHandle /*stream*/,
                    CopyPurpose purpose) override
    {
        copy(to, from, bytes);
        m_toHost[static_cast<std::size_t>(purpose)] += bytes;
    }
    void copyOnDevice(void* to, const void* from, std::size_t bytes, StreamHandle /*stream*/) override
    {
        copy(to, from, bytes);
    }
    void fillZero(void* to, std::size_t bytes, StreamHandle /*stream*/) override
    {
        inParts(bytes,
                [to](std::size_t first, std::size_t size) { std::memset(static_cast<char*>(to) + first, 0, size); });
    }
    [[nodiscard]] CopyCounters copies() const override
    {
        CopyCounters c;
        for (std::size_t i = 0; i < kCopyPurposes; ++i) {
            c.toDevice[i] = m_toDevice[i];
            c.toHost[i] = m_toHost[i];
        }
        return c;
    }

    void step(const ScalarStepArgs<float>& args, StreamHandle /*stream*/) override { stepAny(args); }
    void step(const ScalarStepArgs<double>& args, StreamHandle /*stream*/) override { stepAny(args); }
    Advanced advance(const ScalarAdvance<float>& args, StreamHandle stream) override
    {
        return advanceAny(args, m_tiles32, stream);
    }
    Advanced advance(const ScalarAdvance<double>& args, StreamHandle stream) override
    {
        return advanceAny(args, m_tiles64, stream);
    }
    void pad(const PadModel<float>& body, StreamHandle /*stream*/) override { padAny(body); }
    void pad(const PadModel<double>& body, StreamHandle /*stream*/) override { padAny(body); }
    void pad(const PadDensity<float>& body, StreamHandle /*stream*/) override { padDensity(body); }
    void pad(const PadDensity<double>& body, StreamHandle /*stream*/) override { padDensity(body); }
    void keep(const ScalarKeepArgs<float>& args, StreamHandle /*stream*/) override { keepAny(args); }
    void keep(const ScalarKeepArgs<double>& args, StreamHandle /*stream*/) override { keepAny(args); }
    void stepBack(const ScalarAdjointArgs<float>& args, StreamHandle /*stream*/) override { stepBackAny(args); }
    void stepBack(const ScalarAdjointArgs<double>& args, StreamHandle /*stream*/) override { stepBackAny(args); }
    void addCurvature(const AddCurvature<float>& body, int shots, StreamHandle /*stream*/) override
    {
        addCurvatureAny(body, shots);
    }
    void addCurvature(const AddCurvature<double>& body, int shots, StreamHandle /*stream*/) override
    {
        addCurvatureAny(body, shots);
    }
    void addDensityChange(const ScalarTangentArgs<float>& args, StreamHandle /*stream*/) override
    {
        addDensityChangeAny(args);
    }
    void addDensityChange(const ScalarTangentArgs<double>& args, StreamHandle /*stream*/) override
    {
        addDensityChangeAny(args);
    }
    void copyBoxes(const BoxCopy<float>& args, StreamHandle /*stream*/) override { copyBoxesAny(args); }
    void copyBoxes(const BoxCopy<double>& args, StreamHandle /*stream*/) override { copyBoxesAny(args); }
    void pack(const PackedValues<float>& body, StreamHandle /*stream*/) override { packAny(body); }
    void pack(const PackedValues<double>& body, StreamHandle /*stream*/) override { packAny(body); }
    void unpack(const PackedValues<float>& body, StreamHandle /*stream*/) override { unpackAny(body); }
    void unpack(const PackedValues<double>& body, StreamHandle /*stream*/) override { unpackAny(body); }
    void inject(const InjectSources<float>& body, StreamHandle /*stream*/) override { injectAny(body); }
    void inject(const InjectSources<double>& body, StreamHandle /*stream*/) override { injectAny(body); }
    void record(const RecordReceivers<float>& body, StreamHandle /*stream*/) override { recordAny(body); }
    void record(const RecordReceivers<double>& body, StreamHandle /*stream*/) override { recordAny(body); }
    void paint(const PaintField<float>& body, StreamHandle /*stream*/) override { paintAny(body); }
    void paint(const PaintField<double>& body, StreamHandle /*stream*/) override { paintAny(body); }
    void histogram(const AmplitudeHistogram<float>& body, StreamHandle /*stream*/) override { histogramAny(body); }
    void histogram(const AmplitudeHistogram<double>& body, StreamHandle /*stream*/) override { histogramAny(body); }

private:
    // Large blocks lie in large pages (a stencil in 3-D touches more small ones at a time than the processor remembers),
    // each at another place within 4 kB: a load that follows a store to the same place waits for it, whatever the block.
    void* plain(std::size_t bytes)
    {
        constexpr std::size_t kHugePage = std::size_t{2} << 20, kSmallPage = 4096, kAlign = 256;
        const bool large = bytes >= 2 * kHugePage;
        const std::size_t align = large ? kHugePage : kAlign;
        const std::size_t wanted = std::max<std::size_t>(bytes, 1) + (large ? kSmallPage : 0);
        const std::size_t rounded = (wanted + align - 1) / align * align;
        auto* p = static_cast<char*>(wanted < bytes ? nullptr : std::aligned_alloc(align, rounded));
        if (p == nullptr) {
            throw BackendError(BackendFailure::OutOfMemory,
                               "the system has no " + std::to_string(bytes) + " bytes left");
        }
        if (!large) {
            return p;
        }
#if defined(__linux__)
        (void)madvise(p, rounded, MADV_HUGEPAGE); // a wish: without it everything works, a little slower
#endif
        const std::lock_guard lock(m_blocksMutex);
        m_place = (m_place + 3 * kAlign) % kSmallPage;
        m_blocks.emplace(p + m_place, p);
        return p + m_place;
    }

    void giveBack(void* memory) noexcept
    {
        {
            const std::lock_guard lock(m_blocksMutex);
            if (const auto block = m_blocks.find(memory); block != m_blocks.end()) {
                memory = block->second;
                m_blocks.erase(block);
            }
        }
        std::free(memory);
    }

    // Much memory is the whole team's: what was never touched comes from the system page by page.
    void inParts(std::size_t bytes, const std::function<void(std::size_t, std::size_t)>& part)
    {
        constexpr std::size_t kWorth = std::size_t{1} << 20, kPage = 4096;
        if (bytes < kWorth) {
            part(0, bytes);
            return;
        }
        m_team.run([bytes, &part](Share share) {
            const auto at = [bytes, &share](int index) {
                const auto pages =
                    bytes / kPage * static_cast<std::size_t>(index) / static_cast<std::size_t>(share.count);
                return index == share.count ? bytes : pages * kPage;
            };
            part(at(share.index), at(share.index + 1) - at(share.index));
        });
    }

    void copy(void* to, const void* from, std::size_t bytes)
    {
        inParts(bytes, [to, from](std::size_t first, std::size_t size) {
            std::memcpy(static_cast<char*>(to) + first, static_cast<const char*>(from) + first, size);
        });
    }

    // The images beyond faces, of any kind of step.
    template<class Args>
    static void fillHalos(const Args& args)
    {
        const FlushToZero quick;
        const Box* faces = args.boxes + args.interiorBoxes + args.layerBoxes;
        for (int i = 0; i < args.mirrorBoxes; ++i) {
            forEachNode(faces[i], args.shots, Share{}, args.mirror);
        }
    }

    template<class T>
    void stepAny(const ScalarStepArgs<T>& args)
    {
        fillHalos(args);
        LayerReach reach[3];
        if (!findReach(args.boxes, args.interiorBoxes + args.layerBoxes, args.state.layout, reach,
                       args.interiorBoxes == 0)) {
            throw BackendError(BackendFailure::Launch, "the boxes of a step are not layers round one interior");
        }
        const bool volume = args.state.layout.rank == 3;
        if (args.state.density != nullptr) {
            stepDensity(args);
            if (args.kept != nullptr) {
                keepAny(keepingOf(args));
            }
        } else {
            if (args.layerBoxes > 0) {
                shared(args, reach, volume ? scalarMemoryHost<T, 3> : scalarMemoryHost<T, 2>);
            }
            shared(args, reach, volume ? scalarStepHost<T, 3> : scalarStepHost<T, 2>);
        }
    }

    template<class T>
    void stepDensity(const ScalarStepArgs<T>& args)
    {
        const bool volume = args.state.layout.rank == 3;
        for (const auto pass : {volume ? densityMemoryHost<T, 3> : densityMemoryHost<T, 2>,
                                volume ? densityStepHost<T, 3> : densityStepHost<T, 2>}) {
            together(args.state.layout.nodes() * args.shots, [&args, pass](Share share) {
                share.abandon = args.abandon;
                pass(args, share);
            });
        }
    }

    template<class T>
    void keepAny(const ScalarKeepArgs<T>& args)
    {
        checkKeep(args);
        fillHalos(args);
        const bool volume = args.state.s.layout.rank == 3;
        auto* pass = volume ? scalarKeepHost<T, 3> : scalarKeepHost<T, 2>;
        if (args.state.s.density != nullptr) {
            pass =
                volume ? scalarKeepHost<T, 3, Medium::VariableDensity> : scalarKeepHost<T, 2, Medium::VariableDensity>;
        }
        together(args.state.s.layout.nodes() * args.shots, [&args, pass](Share share) { pass(args, share); });
    }

    template<class T>
    void stepBackAny(const ScalarAdjointArgs<T>& args)
    {
        fillHalos(args);
        const bool volume = args.state.s.layout.rank == 3;
        auto* pass = volume ? scalarAdjointHost<T, 3> : scalarAdjointHost<T, 2>;
        if (args.state.s.density != nullptr) {
            pass = volume ? scalarAdjointHost<T, 3, Medium::VariableDensity>
                          : scalarAdjointHost<T, 2, Medium::VariableDensity>;
        }
        for (const AdjointPass which : {AdjointPass::Second, AdjointPass::First, AdjointPass::Step}) {
            if (which == AdjointPass::Step || args.layerBoxes > 0) {
                together(args.state.s.layout.nodes() * args.shots,
                         [&args, pass, which](Share share) { pass(args, which, share); });
            }
        }
    }

    template<class T>
    void addCurvatureAny(const AddCurvature<T>& body, int shots)
    {
        together(body.layout.nodes() * shots, [&body, shots](Share share) { addCurvatureHost(body, shots, share); });
    }

    template<class T>
    void addDensityChangeAny(const ScalarTangentArgs<T>& args)
    {
        fillHalos(args);
        together(args.state.s.layout.nodes() * args.shots, [&args](Share share) { densityTangentHost(args, share); });
    }

    template<class T>
    void copyBoxesAny(const BoxCopy<T>& args)
    {
        together(args.perShot() * args.shots, [&args](Share share) { copyBoxesHost(args, share); });
    }

    template<class T>
    void packAny(const PackedValues<T>& body)
    {
        together(body.count, [&body](Share share) { packHost(body, share); });
    }

    template<class T>
    void unpackAny(const PackedValues<T>& body)
    {
        together(body.count, [&body](Share share) { unpackHost(body, share); });
    }

    // Work shared by the team where it is worth waking it.
    template<class Work>
    void together(std::int64_t nodes, const Work& work)
    {
        const auto part = [&work](Share share) {
            const FlushToZero quick;
            work(share);
        };
        if (nodes < kWorthThreads) {
            part(Share{});
        } else {
            m_team.run(part);
        }
    }

    template<class T>
    Advanced advanceAny(ScalarAdvance<T> args, TimeTiles<T>& tiles, StreamHandle stream)
    {
        const std::lock_guard lock(m_tilesMutex);
        const int most = timeTilesWanted() ? tiles.prepare(args) : 0;
        if (most == 0) {
            return oneByOne(args, stream);
        }
        const int count = args.count;
        for (int done = 0; done < count;) {
            if (args.stop != nullptr && args.stop->load(std::memory_order_relaxed)) {
                return {done, false};
            }
            const int steps = std::min(most, count - done);
            if (!tiles.run(args, steps)) {
                return {done, true};
            }
            moveOn(args, steps);
            done += steps;
        }
        return {count, false};
    }

    template<class T>
    void shared(const ScalarStepArgs<T>& args, const LayerReach (&reach)[3],
                void (*pass)(const ScalarStepArgs<T>&, const LayerReach (&)[3], Share))
    {
        together(args.state.layout.nodes() * args.shots, [&args, &reach, pass](Share share) {
            share.abandon = args.abandon;
            pass(args, reach, share);
        });
    }

    template<class T>
    void padAny(const PadModel<T>& body)
    {
        m_team.run([&body](Share share) { forEachRow(body.rows(), 1, share, PadRow<T>{body}); });
        std::fill(body.c2, body.c2 + body.begin(), T(0));
        std::fill(body.c2 + body.end(), body.c2 + body.layout.shotStride, T(0));
    }

    template<class T>
    void padDensity(const PadDensity<T>& body)
    {
        m_team.run([&body](Share share) { forEachNode(body.model.rows(), 1, share, body); });
    }

    template<class T>
    void injectAny(const InjectSources<T>& body) const
    {
        const FlushToZero quick;
        for (int i = 0; i < body.nodes; ++i) {
            body(i);
        }
    }

    template<class T>
    void recordAny(const RecordReceivers<T>& body)
    {
        const auto part = [&body](Share share) {
            const int last = body.receivers * (share.index + 1) / share.count;
            for (int r = body.receivers * share.index / share.count; r < last; ++r) {
                body.out[r] = receiverSum(body, r);
            }
        };
        if (body.receivers < 512) {
            part(Share{});
        } else {
            m_team.run(part);
        }
    }

    template<class T>
    void paintAny(const PaintField<T>& body)
    {
        m_team.run([&body](Share share) {
            const int last = body.window.height * (share.index + 1) / share.count;
            for (int py = body.window.height * share.index / share.count; py < last; ++py) {
                for (int px = 0; px < body.window.width; ++px) {
                    body(px, py);
                }
            }
        });
    }

    template<class T>
    void histogramAny(const AmplitudeHistogram<T>& body) const
    {
        std::fill_n(body.bins, kHistogramBins, 0U);
        for (int row = 0; row < body.field.rows; ++row) {
            for (int column = 0; column < body.field.columns; ++column) {
                ++body.bins[body.bin(row, column)];
            }
        }
    }

    ThreadTeam m_team;
    std::mutex m_tilesMutex; // one launch at a time: all threads are its
    TimeTiles<float> m_tiles32{m_team};
    TimeTiles<double> m_tiles64{m_team};
    std::mutex m_blocksMutex;
    std::unordered_map<void*, void*> m_blocks; // large blocks: what was given out, what the system gave
    std::size_t m_place = 0;                   // of the last large block, within 4 kB
    std::atomic<std::uint64_t> m_toDevice[kCopyPurposes] = {};
    std::atomic<std::uint64_t> m_toHost[kCopyPurposes] = {};
};

} // namespace

std::unique_ptr<Backend> makeHostBackend(int threads)
{
    return std::make_unique<HostBackend>(threads);
}

} // namespace ondo::kernels
