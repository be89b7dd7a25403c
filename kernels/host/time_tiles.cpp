#include "kernels/host/time_tiles.h"

#include "kernels/host/flush_to_zero.h"
#include "kernels/host/launcher.h"
#include "kernels/host/receiver_sum.h"
#include "kernels/host/tile_step.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace ondo::kernels {

namespace {

// Below this many nodes a step is over before another thread has woken up.
constexpr std::int64_t kWorthThreads = 16'384;
constexpr std::int64_t kMostUpdates = 50'000'000; // of a run: tens of milliseconds
constexpr std::int64_t kMostStaged = 4'000'000;   // numbers
constexpr int kMostSweeps = 8;                    // of a thread in a run; the first and the last wait for others
constexpr int kFinished = std::numeric_limits<int>::max();

// What steps of one sweep touch may fill so much of a cache: the rest is for what passes through.
constexpr std::size_t partOf(std::size_t cache)
{
    return cache / 10 * 6;
}

void relax()
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

} // namespace

bool timeTilesWanted()
{
    static const bool wanted = [] {
        const char* text = std::getenv("ONDO_TIMETILE");
        return text == nullptr || std::string_view(text) != "0";
    }();
    return wanted;
}

template<class T>
int TimeTiles<T>::prepare(const ScalarAdvance<T>& args)
{
    const ScalarStepArgs<T>& step = args.step;
    const Layout& l = step.state.layout;
    if (step.state.density != nullptr) {
        return 0; // rows are those of one density
    }
    if (step.shots < 1 || !findReach(step.boxes, step.interiorBoxes + step.layerBoxes, l, m_reach) ||
        l.nz <= 2 * l.radius) {
        return 0;
    }
    const bool volume = l.rank == 3;
    const int team = l.nodes() < kWorthThreads ? 1 : m_team.size();
    m_blocks = blocksOf(m_reach[kZ], l.radius);
    m_slabs = slabsOf(m_reach[kY], l.radius, volume ? team : 1);
    const auto planeBytes = static_cast<std::size_t>(volume ? l.strideZ : l.strideY) * sizeof(T);
    m_together = stepsTogether(planeBytes, l.radius, partOf(volume ? sharedCacheBytes() : coreCacheBytes()));
    if (volume) {
        m_threads = slabs();
        m_alone = 0;
        if (m_threads < team || m_together < 2) {
            return 0;
        }
    } else {
        // Steps under way at once spread over so many rows; half of the grid is enough.
        const int lag = 2 * kPlanesTogether + l.radius;
        m_threads = std::clamp(l.nz / (2 * lag), 1, team);
        m_together = std::clamp(l.nz / (2 * lag * m_threads), 1, m_together);
        m_alone = step.shots / team * team;
        if (m_threads < team || (args.count < team && m_alone < step.shots)) {
            return 0;
        }
    }
    m_sources.make(l, step.shots, args.inject.node, args.inject.nodes, args.injectNodes.id);
    std::int64_t staged = 1;
    for (int i = 0; i < 2; ++i) {
        const RecordReceivers<T>& r = args.record[i];
        m_read[i].make(l, step.shots, r.node, r.receivers > 0 ? r.begin[r.receivers] : 0, args.recordNodes[i].id);
        staged = std::max(staged, m_read[i].size());
    }
    const int round = m_together * (volume ? 1 : m_threads);
    const auto rounds =
        std::min(kMostUpdates / (l.nodes() * step.shots * round), kMostStaged * args.ratio / (staged * round));
    return round * static_cast<int>(std::clamp<std::int64_t>(rounds, 1, kMostSweeps));
}

template<class T>
int TimeTiles<T>::samplesWithin(const ScalarAdvance<T>& args, int steps) const
{
    const int due = steps < args.untilSample ? 0 : 1 + (steps - args.untilSample) / args.ratio;
    return std::min(due, args.samplesLeft);
}

template<class T>
bool TimeTiles<T>::run(const ScalarAdvance<T>& args, int steps)
{
    m_steps = steps;
    m_abandoned.store(false, std::memory_order_relaxed);
    const auto size = static_cast<std::size_t>(args.step.shots) * static_cast<std::size_t>(steps * slabs());
    if (m_progress.size() < size) {
        m_progress = std::vector<Progress>(size);
    }
    for (std::size_t i = 0; i < size; ++i) {
        m_progress[i].planes.store(0, std::memory_order_relaxed);
    }
    const int samples = samplesWithin(args, steps);
    for (int i = 0; i < 2; ++i) {
        const auto numbers = static_cast<std::size_t>(m_read[i].size() * samples);
        if (m_staged[i].size() < numbers) {
            m_staged[i].resize(numbers);
        }
    }
    const auto part = [&](Share share) {
        const FlushToZero quick;
        if (share.index < m_threads) {
            work(args, steps, share.index);
        }
    };
    const Box* faces = args.step.boxes + args.step.interiorBoxes + args.step.layerBoxes;
    {
        const FlushToZero quick;
        for (int i = 0; i < args.step.mirrorBoxes; ++i) {
            forEachNode(faces[i], args.step.shots, Share{}, args.step.mirror);
        }
    }
    if (m_threads == 1) {
        part(Share{});
    } else {
        m_team.run(part);
    }
    if (m_abandoned.load(std::memory_order_relaxed)) {
        return false;
    }
    sumReceivers(args, steps);
    return true;
}

template<class T>
void TimeTiles<T>::work(const ScalarAdvance<T>& args, int steps, int thread)
{
    const bool volume = args.step.state.layout.rank == 3;
    const auto sweeps = [&](int shot, int slab, int first, int each) {
        // As many sweeps for each thread, as long as each other.
        const int rounds = (steps + each * m_together - 1) / (each * m_together);
        const int count = std::min(steps, rounds * each);
        for (int i = first; i < count; i += each) {
            if (!sweep(args, {shot, slab, steps * i / count, steps * (i + 1) / count})) {
                return false;
            }
        }
        return true;
    };
    for (int shot = 0; shot < args.step.shots; ++shot) {
        const bool alone = shot < m_alone;
        if (alone && shot % m_threads != thread) {
            continue;
        }
        if (!(volume  ? sweeps(shot, thread, 0, 1)
              : alone ? sweeps(shot, 0, 0, 1)
                      : sweeps(shot, 0, thread, m_threads))) {
            m_abandoned.store(true, std::memory_order_relaxed);
            // Nobody is to wait for what will not come.
            for (Progress& p : m_progress) {
                p.planes.store(kFinished, std::memory_order_release);
                p.planes.notify_all();
            }
            return;
        }
    }
}

template<class T>
bool TimeTiles<T>::sweep(const ScalarAdvance<T>& args, const Sweep& s)
{
    const int steps = s.to - s.from;
    const int count = static_cast<int>(m_blocks.size());
    std::vector<int> next(static_cast<std::size_t>(steps), 0); // block of each step
    const auto planes = [&](int done) { return done == 0 ? 0 : m_blocks[static_cast<std::size_t>(done) - 1].z1; };
    while (next.back() < count) {
        for (int k = 0; k < steps; ++k) {
            int& at = next[static_cast<std::size_t>(k)];
            while (at < count) {
                const TileBlock& block = m_blocks[static_cast<std::size_t>(at)];
                if (k > 0 && planes(next[static_cast<std::size_t>(k) - 1]) < block.need) {
                    break;
                }
                if (!tile(args, s, s.from + k, block)) {
                    return false;
                }
                ++at;
                if (k == 0) {
                    break;
                }
            }
        }
    }
    return true;
}

template<class T>
bool TimeTiles<T>::tile(const ScalarAdvance<T>& args, const Sweep& s, int n, const TileBlock& block)
{
    if (m_abandoned.load(std::memory_order_relaxed) ||
        (args.step.abandon != nullptr && args.step.abandon->load(std::memory_order_relaxed))) {
        return false;
    }
    if (n > 0 &&
        !(await(s.shot, n - 1, s.slab, block.need) && (s.slab == 0 || await(s.shot, n - 1, s.slab - 1, block.z1)) &&
          (s.slab + 1 == slabs() || await(s.shot, n - 1, s.slab + 1, block.z1)))) {
        return false;
    }
    TileStep<T> t;
    t.state = args.step.state;
    if (n % 2 != 0) {
        t.state.now = args.step.state.other;
        t.state.other = args.step.mirror.field;
    }
    std::copy_n(m_reach, 3, t.reach);
    t.order = args.step.order;
    t.shot = s.shot;
    t.z0 = block.z0;
    t.z1 = block.z1;
    t.y0 = m_slabs[static_cast<std::size_t>(s.slab)];
    t.y1 = m_slabs[static_cast<std::size_t>(s.slab) + 1];
    t.first0 = block.first0;
    t.first1 = block.first1;
    t.kept = {args.kept.at(n), args.step.compact};
    if (args.step.state.layout.rank == 3) {
        tileStepHost<T, 3>(t);
    } else {
        tileStepHost<T, 2>(t);
    }
    points(args, s, n, block, t.state.other);
    images(args, s, block, t.state.other);
    Progress& p = progress(s.shot, n, s.slab);
    p.planes.store(block.z1, std::memory_order_release);
    p.planes.notify_all();
    return true;
}

template<class T>
void TimeTiles<T>::points(const ScalarAdvance<T>& args, const Sweep& s, int n, const TileBlock& block, T* field)
{
    const int y0 = m_slabs[static_cast<std::size_t>(s.slab)];
    const int y1 = m_slabs[static_cast<std::size_t>(s.slab) + 1];
    if (args.inject.nodes > 0 && args.inject.step + n < args.inject.waveletStride) {
        InjectSources<T> inject = args.inject;
        inject.field = field;
        m_sources.each(s.shot, block.z0, block.z1, y0, y1, [&](int i) { inject.at(i, args.inject.step + n); });
        if (T* const kept = args.kept.at(n)) { // the same nodes in the same order
            InjectSources<T> into = args.injectKept;
            into.field = kept;
            m_sources.each(s.shot, block.z0, block.z1, y0, y1, [&](int i) { into.at(i, args.injectKept.step + n); });
        }
    }
    const int sample = samplesWithin(args, n + 1);
    if (sample == samplesWithin(args, n)) {
        return;
    }
    for (int i = 0; i < 2; ++i) {
        m_read[i].copy(s.shot, block.z0, block.z1, y0, y1, field, m_staged[i].data() + m_read[i].size() * (sample - 1));
    }
}

template<class T>
void TimeTiles<T>::images(const ScalarAdvance<T>& args, const Sweep& s, const TileBlock& block, T* field) const
{
    MirrorFaces<T> mirror = args.step.mirror;
    mirror.field = field;
    const Layout& l = args.step.state.layout;
    const Box* faces = args.step.boxes + args.step.interiorBoxes + args.step.layerBoxes;
    const int y0 = m_slabs[static_cast<std::size_t>(s.slab)];
    const int y1 = m_slabs[static_cast<std::size_t>(s.slab) + 1];
    for (int i = 0; i < args.step.mirrorBoxes; ++i) {
        Box face = faces[i];
        face.y0 = std::max(face.y0, y0);
        face.y1 = std::min(face.y1, y1);
        if (face.side[kZ] != kNone) {
            // The last plane that an image is made of.
            const int last = face.side[kZ] == kLow ? l.radius : l.nz - 1;
            if (last < block.z0 || last >= block.z1) {
                continue;
            }
        } else {
            face.z0 = std::max(face.z0, block.z0);
            face.z1 = std::min(face.z1, block.z1);
        }
        for (int z = face.z0; z < face.z1; ++z) {
            for (int y = face.y0; y < face.y1; ++y) {
                forRow(face, s.shot, z, y, mirror);
            }
        }
    }
}

// False: abandoned.
template<class T>
bool TimeTiles<T>::await(int shot, int n, int slab, int planes)
{
    constexpr int kSpins = 400; // about 5 us: shorter than a sleep and a wake-up
    const std::atomic<int>& done = progress(shot, n, slab).planes;
    for (int i = 0;; ++i) {
        const int now = done.load(std::memory_order_acquire);
        if (now >= planes) {
            return now != kFinished;
        }
        if (i < kSpins) {
            relax();
        } else {
            done.wait(now, std::memory_order_acquire);
        }
    }
}

template<class T>
void TimeTiles<T>::sumReceivers(const ScalarAdvance<T>& args, int steps)
{
    const int samples = samplesWithin(args, steps);
    for (int i = 0; i < 2; ++i) {
        const int receivers = args.record[i].receivers;
        const std::int64_t sums = std::int64_t{receivers} * samples;
        const auto part = [&, i](Share share) {
            RecordReceivers<T> body = args.record[i];
            body.node = m_read[i].place();
            const std::int64_t last = sums * (share.index + 1) / share.count;
            for (std::int64_t k = sums * share.index / share.count; k < last; ++k) {
                body.field = m_staged[i].data() + m_read[i].size() * (k / receivers);
                args.record[i].out[k] = receiverSum(body, static_cast<int>(k % receivers));
            }
        };
        if (sums < 512) {
            part(Share{});
        } else {
            m_team.run(part);
        }
    }
}

template<class T>
typename TimeTiles<T>::Progress& TimeTiles<T>::progress(int shot, int n, int slab)
{
    const auto i = (static_cast<std::size_t>(shot) * static_cast<std::size_t>(m_steps) + static_cast<std::size_t>(n)) *
                       static_cast<std::size_t>(slabs()) +
                   static_cast<std::size_t>(slab);
    return m_progress[i];
}

template class TimeTiles<float>;
template class TimeTiles<double>;

} // namespace ondo::kernels
