// See resident.h. A block is a tile; threads own strips of four columns and some rows.
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/resident.h"

#include <string>

namespace ondo::kernels::cuda {

namespace {

constexpr int kThreads = kResidentThreads;
constexpr int kWarps = kThreads / 32;
constexpr int kInFlight = 4; // words a thread waits for at once

__device__ inline void handOver(std::uint64_t* at, float value, std::uint32_t tag)
{
    const std::uint64_t word = std::uint64_t{tag} << 32 | __float_as_uint(value);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(word) : "memory");
}

__device__ inline std::uint64_t look(const std::uint64_t* at)
{
    std::uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
    return word;
}

__device__ inline bool carries(std::uint64_t word, std::uint32_t tag)
{
    return static_cast<std::uint32_t>(word >> 32) == tag;
}

__device__ inline float valueOf(std::uint64_t word)
{
    return __uint_as_float(static_cast<std::uint32_t>(word));
}

// Sides: 0 z low, 1 z high, 2 x low, 3 x high.
template<int M>
class Tile {
public:
    __device__ Tile(const ResidentBody& body, float* shared)
        : m_b(body)
        , m_tz(static_cast<int>(blockIdx.x) / body.tilesX)
        , m_tx(static_cast<int>(blockIdx.x) % body.tilesX)
        , m_z0(body.zCut[m_tz])
        , m_x0(body.xCut[m_tx])
        , m_h(body.zCut[m_tz + 1] - m_z0)
        , m_w(body.xCut[m_tx + 1] - m_x0)
        , m_pitch(body.pitch)
        , m_shared(shared)
        , m_thread(static_cast<int>(threadIdx.x))
    {
        m_depth[0] = m_tz == 0 ? body.depth[0] : 0;
        m_depth[1] = m_tz == body.tilesZ - 1 ? body.depth[1] : 0;
        m_depth[2] = m_tx == 0 ? body.depth[2] : 0;
        m_depth[3] = m_tx == body.tilesX - 1 ? body.depth[3] : 0;
        float* at = model() + body.modelSize;
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            const int size = m_depth[p] > 0 ? (m_depth[p] + 2 * M) * across(p) : 0;
            m_psi[p] = at;
            m_zeta[p] = at + size;
            at += 2 * size;
        }
        m_beside[0] = m_tz > 0;
        m_beside[1] = m_tz < body.tilesZ - 1;
        m_beside[2] = m_tx > 0;
        m_beside[3] = m_tx < body.tilesX - 1;
        m_entryPlace = reinterpret_cast<int*>(model() + body.modelSize + body.layerSize);
        m_entryWeight = reinterpret_cast<float*>(m_entryPlace + body.mostEntries);
        m_imported = m_entryWeight + body.mostEntries;
    }

    __device__ void run()
    {
        load();
        __syncthreads();
        mirror(field(0));
        __syncthreads();
        int cur = 0;
        int pending = -1; // the sample that lies in the present field
        for (int i = 0; i < m_b.steps; ++i) {
            float* const now = field(cur);
            float* const other = field(cur ^ 1);
            const std::uint32_t tag = m_b.tag + static_cast<std::uint32_t>(i);
            stepFirstMemories(now);
            if (pending >= 0) {
                record(now, pending);
            }
            plainNodes(now, other);
            if (hasLayer()) {
                __syncthreads();
                layerNodes(now, other);
            }
            __syncthreads();
            inject(other, i);
            const int after = i + 1 - m_b.untilSample;
            pending = after >= 0 && after % m_b.ratio == 0 ? after / m_b.ratio : -1;
            pending = pending < m_b.samplesLeft ? pending : -1;
            if (pending >= 0) {
                handOverEntries(other, pending, tag);
            }
            if (i + 1 < m_b.steps) {
                handOverEdges(other, i & 1, tag);
                mirror(other);
                takeEdges(other, i & 1, tag);
            }
            if (pending >= 0) {
                takeEntries(pending, tag);
            }
            __syncthreads();
            cur ^= 1;
        }
        if (pending >= 0) {
            record(field(cur), pending);
        }
        store(cur);
    }

private:
    static constexpr int kPad = (M + 3) / 4 * 4;

    __device__ float* field(int which) const { return m_shared + which * m_b.fieldSize; }
    __device__ float* model() const { return m_shared + 2 * m_b.fieldSize; }
    __device__ int place(int row, int column) const { return (row + M) * m_pitch + kPad + column; }
    __device__ int across(int part) const { return part < 2 ? m_w : m_h; }
    __device__ bool hasLayer() const { return m_depth[0] + m_depth[1] + m_depth[2] + m_depth[3] > 0; }
    __device__ int firstPlainRow() const { return m_depth[0]; }
    __device__ int endPlainRow() const { return m_h - m_depth[1]; }
    __device__ int firstPlainColumn() const { return m_depth[2]; }
    __device__ int endPlainColumn() const { return m_w - m_depth[3]; }

    // Of the memories of part P, [depth + 2 M][w] along z and [h][depth + 2 M] along x: the margins stay zero.
    template<int P>
    __device__ int memoryPlace(int row, int column) const
    {
        if constexpr (P < 2) {
            const int from = P == 0 ? 0 : m_h - m_depth[P];
            return (row - from + M) * m_w + column;
        } else {
            const int from = P == 2 ? 0 : m_w - m_depth[P];
            return row * (m_depth[P] + 2 * M) + column - from + M;
        }
    }

    // f(row, column) for this thread's nodes of part P.
    template<int P, class F>
    __device__ void ofPart(const F& f) const
    {
        const int depth = m_depth[P];
        if (depth == 0) {
            return;
        }
        const int wide = P < 2 ? m_w : depth;
        const int rowFrom = P == 1 ? m_h - depth : 0;
        const int columnFrom = P == 3 ? m_w - depth : 0;
        const int n = depth * across(P);
        for (int i = m_thread; i < n; i += kThreads) {
            const int row = i / wide;
            f(rowFrom + row, columnFrom + i - row * wide);
        }
    }

    template<int P, bool Out>
    __device__ void moveMemories()
    {
        constexpr int A = P < 2 ? kZ : kX;
        const AxisLayer<float>& l = m_b.s.layer[A];
        ofPart<P>([&](int row, int column) {
            const std::int64_t at = l.at(P % 2 == 0 ? kLow : kHigh, m_b.shot, m_z0 + row, 0, m_x0 + column);
            const int mine = memoryPlace<P>(row, column);
            if constexpr (Out) {
                l.psi[at] = m_psi[P][mine];
                l.zeta[at] = m_zeta[P][mine];
            } else {
                m_psi[P][mine] = l.psi[at];
                m_zeta[P][mine] = l.zeta[at];
            }
        });
    }

    __device__ void load()
    {
        const int all = 2 * m_b.fieldSize + m_b.modelSize + m_b.layerSize;
        for (int i = m_thread; i < all; i += kThreads) {
            m_shared[i] = 0.0F;
        }
        __syncthreads();
        const int wide = m_w + 2 * M;
        for (int i = m_thread; i < (m_h + 2 * M) * wide; i += kThreads) {
            const int row = i / wide - M;
            const int column = i % wide - M;
            const bool rowInside = row >= 0 && row < m_h;
            const bool columnInside = column >= 0 && column < m_w;
            if (!rowInside && !columnInside) {
                continue; // a star stencil has no corners
            }
            const std::int64_t m = m_b.s.layout.at(m_z0 + row, 0, m_x0 + column);
            field(0)[place(row, column)] = m_b.s.now[m];
            if (rowInside && columnInside) {
                field(1)[place(row, column)] = m_b.s.other[m];
                model()[row * m_b.modelPitch + column] = m_b.s.c2[m];
            }
        }
        moveMemories<0, false>();
        moveMemories<1, false>();
        moveMemories<2, false>();
        moveMemories<3, false>();
        const int* const entry = list(kEntries);
        for (int i = m_thread; i < count(kEntries); i += kThreads) {
            m_entryPlace[i] = entry[3 * i];
            m_entryWeight[i] = m_b.record[entry[3 * i + 2]].weight[entry[3 * i + 1]];
        }
    }

    __device__ void store(int cur)
    {
        float* const a = m_b.steps % 2 == 0 ? const_cast<float*>(m_b.s.now) : m_b.s.other;
        float* const b = m_b.steps % 2 == 0 ? m_b.s.other : const_cast<float*>(m_b.s.now);
        for (int i = m_thread; i < m_h * m_w; i += kThreads) {
            const int row = i / m_w;
            const int column = i - row * m_w;
            const std::int64_t m = m_b.s.layout.at(m_z0 + row, 0, m_x0 + column);
            a[m] = field(cur)[place(row, column)];
            b[m] = field(cur ^ 1)[place(row, column)];
        }
        moveMemories<0, true>();
        moveMemories<1, true>();
        moveMemories<2, true>();
        moveMemories<3, true>();
    }

    template<int P>
    __device__ void stepFirstMemory(const float* now)
    {
        constexpr int A = P < 2 ? kZ : kX;
        const AxisLayer<float>& l = m_b.s.layer[A];
        ofPart<P>([&](int row, int column) {
            const int n = P < 2 ? m_z0 + row : m_x0 + column;
            float& psi = m_psi[P][memoryPlace<P>(row, column)];
            psi = mulAdd(l.bHalf[n],
                         forwardDerivative<float, M>(now + place(row, column), P < 2 ? m_pitch : 1,
                                                     m_b.s.axis[A].staggered, M),
                         l.aHalf[n] * psi);
        });
    }
    __device__ void stepFirstMemories(const float* now)
    {
        stepFirstMemory<0>(now);
        stepFirstMemory<1>(now);
        stepFirstMemory<2>(now);
        stepFirstMemory<3>(now);
    }

    // Outside every layer: this thread's strip, its values along z in registers in turn.
    __device__ void plainNodes(const float* now, float* other)
    {
        const int columnFrom = firstPlainColumn();
        const int columnEnd = endPlainColumn();
        const int rowFrom = firstPlainRow();
        const int rows = endPlainRow() - rowFrom;
        const int unit0 = columnFrom / 4;
        const int units = (columnEnd + 3) / 4 - unit0;
        if (rows <= 0 || units <= 0) {
            return;
        }
        const int strips = kThreads / units;
        const int each = (rows + strips - 1) / strips;
        const int strip = m_thread / units;
        const int column = 4 * (unit0 + m_thread - strip * units);
        const int first = strip * each;
        const int mine = min(each, rows - first);
        if (strip >= strips || mine <= 0) {
            return;
        }
        const ScalarInteriorStep<float, 2, M> body{m_b.s};
        const bool whole = column >= columnFrom && column + 4 <= columnEnd;
        const float* p = now + place(rowFrom + first, column);
        float* q = other + place(rowFrom + first, column);
        const float* c2 = model() + (rowFrom + first) * m_b.modelPitch + column;
        constexpr int K = 2 * M + 1;
        float4 v[K]; // v[(r + M + k) % K]: row r + k
#pragma unroll
        for (int k = 0; k < 2 * M; ++k) {
            v[k] = *reinterpret_cast<const float4*>(p + (k - M) * m_pitch);
        }
        for (int r = 0; r < mine; r += K) {
#pragma unroll
            for (int j = 0; j < K; ++j) {
                if (r + j < mine) {
                    v[(j + 2 * M) % K] = *reinterpret_cast<const float4*>(p + M * m_pitch);
                    float row[4 + 2 * kPad];
#pragma unroll
                    for (int e = 0; e < 4 + 2 * kPad; e += 4) {
                        const float4 four = e == kPad ? v[(j + M) % K] : *reinterpret_cast<const float4*>(p + e - kPad);
                        row[e] = four.x;
                        row[e + 1] = four.y;
                        row[e + 2] = four.z;
                        row[e + 3] = four.w;
                    }
                    const float4 before = *reinterpret_cast<const float4*>(q);
                    const float4 speed = *reinterpret_cast<const float4*>(c2);
                    float4 after;
#pragma unroll
                    for (int lane = 0; lane < 4; ++lane) {
                        const auto tz = [&v, j, lane](int k) { return component(v[(j + M + k) % K], lane); };
                        const auto tx = [&row, lane](int k) { return row[kPad + lane + k]; };
                        component(after, lane) =
                            body.next(component(before, lane), component(speed, lane), tz, tx, tx);
                    }
                    if (whole) {
                        *reinterpret_cast<float4*>(q) = after;
                    } else {
#pragma unroll
                        for (int lane = 0; lane < 4; ++lane) {
                            if (column + lane >= columnFrom && column + lane < columnEnd) {
                                q[lane] = component(after, lane);
                            }
                        }
                    }
                    p += m_pitch;
                    q += m_pitch;
                    c2 += m_b.modelPitch;
                }
            }
        }
    }

    __device__ static float& component(float4& v, int lane)
    {
        return lane == 0 ? v.x : lane == 1 ? v.y : lane == 2 ? v.z : v.w;
    }
    __device__ static float component(const float4& v, int lane)
    {
        return lane == 0 ? v.x : lane == 1 ? v.y : lane == 2 ? v.z : v.w;
    }

    template<int P>
    __device__ float stretched(const float* p, int row, int column) const
    {
        constexpr int A = P < 2 ? kZ : kX;
        AxisLayer<float> l = m_b.s.layer[A];
        l.psi = m_psi[P];
        l.zeta = m_zeta[P];
        l.step = P < 2 ? m_w : 1;
        return stretchedSecondDerivative<float, M>(l, m_b.s.axis[A], p, P < 2 ? m_pitch : 1,
                                                   P < 2 ? m_z0 + row : m_x0 + column, memoryPlace<P>(row, column), M);
    }

    __device__ void layerNode(const float* now, float* other, int row, int column) const
    {
        const int m = place(row, column);
        const float* p = now + m;
        float w = row < firstPlainRow()  ? stretched<0>(p, row, column)
                  : row >= endPlainRow() ? stretched<1>(p, row, column)
                                         : secondDerivative<float, M>(p, m_pitch, m_b.s.axis[kZ].second, M);
        w += column < firstPlainColumn()  ? stretched<2>(p, row, column)
             : column >= endPlainColumn() ? stretched<3>(p, row, column)
                                          : secondDerivative<float, M>(p, 1, m_b.s.axis[kX].second, M);
        other[m] = p[0] + mulAdd(model()[row * m_b.modelPitch + column], w, p[0] - other[m]);
    }

    __device__ void layerNodes(const float* now, float* other) const
    {
        const int rows = endPlainRow() - firstPlainRow();
        const int outside = (m_h - rows) * m_w; // rows of the z layers
        const int wide = m_w - (endPlainColumn() - firstPlainColumn());
        for (int i = m_thread; i < outside + rows * wide; i += kThreads) {
            int row = 0;
            int column = 0;
            if (i < outside) {
                row = i / m_w;
                column = i - row * m_w;
                row += row < firstPlainRow() ? 0 : rows;
            } else {
                row = (i - outside) / wide;
                column = i - outside - row * wide;
                row += firstPlainRow();
                column += column < firstPlainColumn() ? 0 : m_w - wide;
            }
            layerNode(now, other, row, column);
        }
    }

    // The caller's barrier lies before, one of its own behind.
    __device__ void inject(float* other, int step)
    {
        const int n = count(kSources);
        const std::int64_t sample = m_b.inject.step + step;
        if (n == 0 || sample >= m_b.inject.waveletStride) {
            return;
        }
        const int* const source = list(kSources);
        for (int i = m_thread; i < n; i += kThreads) {
            const int node = source[2 * i];
            const int at = source[2 * i + 1];
            float sum = 0.0F;
            for (int e = m_b.inject.begin[node]; e < m_b.inject.begin[node + 1]; ++e) {
                sum = mulAdd(m_b.inject.weight[e],
                             m_b.inject.wavelets[m_b.inject.source[e] * m_b.inject.waveletStride + sample], sum);
            }
            other[at] = mulAdd(m_b.inject.c2[m_b.inject.modelNode[node]], sum, other[at]);
        }
        __syncthreads();
    }

    // A warp a receiver, in the order of recordKernel.
    __device__ void record(const float* now, int sample) const
    {
        const int* const receiver = list(kReceivers);
        const int lane = m_thread % 32;
        for (int k = m_thread / 32; k < count(kReceivers); k += kWarps) {
            const int first = receiver[4 * k + 2];
            const int n = receiver[4 * k + 3];
            float sum = 0.0F;
            for (int e = first + lane; e < first + n; e += kLanes) {
                const int at = m_entryPlace[e];
                sum = mulAdd(m_entryWeight[e], at >= 0 ? now[at] : m_imported[-1 - at], sum);
            }
            for (int width = 16; width > 0; width /= 2) {
                sum += __shfl_down_sync(0xFFFFFFFFU, sum, static_cast<unsigned>(width));
            }
            if (lane == 0) {
                const RecordReceivers<float>& r = m_b.record[receiver[4 * k]];
                r.out[std::int64_t{sample} * r.receivers + receiver[4 * k + 1]] = sum;
            }
        }
    }

    __device__ int count(PointList which) const
    {
        return __ldg(header() + 2 * which + 1);
    }
    __device__ const int* list(PointList which) const { return m_b.points + __ldg(header() + 2 * which); }
    __device__ const int* header() const
    {
        return m_b.points + (static_cast<std::int64_t>(m_b.shot) * gridDim.x + blockIdx.x) * kHeader;
    }

    // Four samples in turn: a tile beside this one may be two steps ahead (resident_plan.h asks for tiles beside).
    __device__ std::uint64_t* crossing(int sample, int which) const
    {
        return m_b.ring + static_cast<std::int64_t>(sample & 3) * m_b.crossings + which;
    }
    __device__ void handOverEntries(const float* other, int sample, std::uint32_t tag) const
    {
        const int* const out = list(kExports);
        for (int i = m_thread; i < count(kExports); i += kThreads) {
            handOver(crossing(sample, out[2 * i + 1]), other[out[2 * i]], tag);
        }
    }
    __device__ void takeEntries(int sample, std::uint32_t tag)
    {
        const int* const in = list(kImports);
        for (int i = m_thread; i < count(kImports); i += kThreads) {
            const std::uint64_t* const at = crossing(sample, in[i]);
            std::uint64_t word = look(at);
            while (!carries(word, tag)) {
                word = look(at);
            }
            m_imported[i] = valueOf(word);
        }
    }

    __device__ int edgeLength(int side) const { return M * (side < 2 ? m_w : m_h); }
    __device__ std::uint64_t* inboxOf(int tile, int side, int parity) const
    {
        return m_b.inbox + ((std::int64_t{tile} * 4 + side) * 2 + parity) * m_b.wordsASide;
    }
    __device__ int tileBeside(int side) const
    {
        const int tile = static_cast<int>(blockIdx.x);
        return side == 0 ? tile - m_b.tilesX : side == 1 ? tile + m_b.tilesX : side == 2 ? tile - 1 : tile + 1;
    }
    // Where word i of a side lies in the tile: the edge that goes out, or the halo that comes in.
    __device__ int edgePlace(int side, int i, bool halo) const
    {
        if (side < 2) {
            const int k = i / m_w;
            const int row = side == 0 ? (halo ? k - M : k) : (halo ? m_h + k : m_h - M + k);
            return place(row, i - k * m_w);
        }
        const int row = i / M;
        const int k = i - row * M;
        return place(row, side == 2 ? (halo ? k - M : k) : (halo ? m_w + k : m_w - M + k));
    }
    // The side of word i of all sides with a neighbour, and its number there.
    __device__ int sideOf(int& i) const
    {
        int side = 0;
#pragma unroll
        for (int s = 0; s < 3; ++s) {
            const int length = m_beside[s] ? edgeLength(s) : 0;
            if (side == s && i >= length) {
                i -= length;
                side = s + 1;
            }
        }
        return side;
    }
    __device__ int edgeWords() const
    {
        int n = 0;
#pragma unroll
        for (int s = 0; s < 4; ++s) {
            n += m_beside[s] ? edgeLength(s) : 0;
        }
        return n;
    }

    __device__ void handOverEdges(const float* other, int parity, std::uint32_t tag) const
    {
        const int n = edgeWords();
        for (int i = m_thread; i < n; i += kThreads) {
            int word = i;
            const int side = sideOf(word);
            // The neighbour's side that faces this one.
            handOver(inboxOf(tileBeside(side), side ^ 1, parity) + word, other[edgePlace(side, word, false)], tag);
        }
    }

    __device__ void takeEdges(float* other, int parity, std::uint32_t tag) const
    {
        const int n = edgeWords();
        const int tile = static_cast<int>(blockIdx.x);
        for (int i = m_thread; i < n; i += kInFlight * kThreads) {
            const std::uint64_t* from[kInFlight];
            int to[kInFlight];
            std::uint64_t word[kInFlight];
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                int at = i + k * kThreads;
                to[k] = -1;
                if (at < n) {
                    const int side = sideOf(at);
                    from[k] = inboxOf(tile, side, parity) + at;
                    to[k] = edgePlace(side, at, true);
                    word[k] = look(from[k]);
                }
            }
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                if (to[k] >= 0) {
                    while (!carries(word[k], tag)) {
                        word[k] = look(from[k]);
                    }
                    other[to[k]] = valueOf(word[k]);
                }
            }
        }
    }

    // Halos at the domain's faces, from the tile itself.
    __device__ void mirror(float* p) const
    {
#pragma unroll
        for (int side = 0; side < 4; ++side) {
            if (m_beside[side] || m_b.beyond[side] == kZeros) {
                continue;
            }
            const float sign = m_b.beyond[side] == kOdd ? -1.0F : 1.0F;
            const int n = edgeLength(side);
            for (int i = m_thread; i < n; i += kThreads) {
                const int k = side < 2 ? i / m_w : i % M;
                const int along = side < 2 ? i % m_w : i / M;
                const int face = side % 2 == 0 ? 0 : (side < 2 ? m_h : m_w) - 1;
                const int out = side % 2 == 0 ? -1 - k : face + 1 + k;
                const int in = side % 2 == 0 ? 1 + k : face - 1 - k;
                p[side < 2 ? place(out, along) : place(along, out)] =
                    sign * p[side < 2 ? place(in, along) : place(along, in)];
            }
        }
    }

    const ResidentBody& m_b;
    int m_tz, m_tx, m_z0, m_x0, m_h, m_w, m_pitch;
    float* m_shared;
    int m_thread;
    int m_depth[4];
    float* m_psi[4];
    float* m_zeta[4];
    bool m_beside[4];
    int* m_entryPlace;
    float* m_entryWeight;
    float* m_imported;
};

template<int M>
__global__ void __launch_bounds__(kThreads, 1) residentKernel(const __grid_constant__ ResidentBody body)
{
    extern __shared__ float4 shared[];
    Tile<M>(body, reinterpret_cast<float*>(shared)).run();
}

using Kernel = void (*)(ResidentBody);
constexpr Kernel kKernels[] = {nullptr,           residentKernel<1>, residentKernel<2>,
                               residentKernel<3>, residentKernel<4>, residentKernel<5>};

} // namespace

std::size_t residentSharedLimit(int device)
{
    int bytes = 0;
    ONDO_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    int cooperative = 0;
    ONDO_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    return cooperative != 0 ? static_cast<std::size_t>(bytes) : 0;
}

int residentBlocks(int radius, std::size_t bytes)
{
    ONDO_CUDA(cudaFuncSetAttribute(kKernels[radius], cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(bytes)));
    int device = 0;
    ONDO_CUDA(cudaGetDevice(&device));
    int multiprocessors = 0;
    ONDO_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    int each = 0;
    ONDO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kKernels[radius], kThreads, bytes));
    return each > 0 ? multiprocessors : 0; // one each: two would share what one can have
}

void launchResident(const ResidentBody& body, int radius, int blocks, std::size_t bytes, cudaStream_t stream)
{
    ResidentBody copy = body;
    void* arguments[] = {&copy};
    const cudaError_t error =
        cudaLaunchCooperativeKernel(kKernels[radius], dim3(static_cast<unsigned>(blocks)), dim3(kThreads), arguments,
                                    bytes, stream);
    if (error != cudaSuccess) {
        throwCudaError(error, "launching the resident steps");
    }
}

} // namespace ondo::kernels::cuda
