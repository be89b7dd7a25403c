// See resident.h. A block is a tile; threads own strips of four columns and some rows.
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/resident.h"

#include <string>

namespace ondo::kernels::cuda {

namespace {

constexpr int kInFlight = 4; // words a thread hands over or waits for at once

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
        , m_pitch(residentPitch(M, m_w))
        , m_shared(shared)
        , m_thread(static_cast<int>(threadIdx.x))
    {
        m_depth[0] = m_tz == 0 ? body.depth[0] : 0;
        m_depth[1] = m_tz == body.tilesZ - 1 ? body.depth[1] : 0;
        m_depth[2] = m_tx == 0 ? body.depth[2] : 0;
        m_depth[3] = m_tx == body.tilesX - 1 ? body.depth[3] : 0;
        m_fieldSize = (m_h + 2 * M) * m_pitch;
        float* at = model() + m_h * modelPitch();
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            m_psi[p] = at;
            at += residentMemory(M, p < 2, m_depth[p], m_w, m_h);
        }
        m_tables = at;
        m_beside[0] = m_tz > 0;
        m_beside[1] = m_tz < body.tilesZ - 1;
        m_beside[2] = m_tx > 0;
        m_beside[3] = m_tx < body.tilesX - 1;
    }

    __device__ void run()
    {
        load();
        fillTables();
        __syncthreads();
        mirror(field(0));
        __syncthreads();
        int cur = 0;
        float ahead =
            waveletAt(0); // asked for a step early, so that the way through the cache is over when it is needed
        int untilSample = m_b.untilSample;
        int sample = 0;
        int pending = -1; // the sample that lies in the present field
        for (int i = 0; i < m_b.steps; ++i) {
            float* const now = field(cur);
            float* const other = field(cur ^ 1);
            const std::uint32_t tag = m_b.tag + static_cast<std::uint32_t>(i);
            const float amplitude = ahead;
            ahead = i + 1 < m_b.steps ? waveletAt(i + 1) : 0.0F;
            if (hasLayer()) {
                stepFirstMemories(now);
            }
            if (pending >= 0) {
                record(now, pending);
            }
            plainNodes(now, other);
            if (hasLayer()) {
                __syncthreads();
                layerNodes(now, other);
            }
            __syncthreads();
            inject(other, i, amplitude);
            pending = -1;
            if (--untilSample == 0) {
                untilSample = m_b.ratio;
                pending = sample < m_b.samplesLeft ? sample++ : -1;
            }
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
    static constexpr int kPad = residentPad(M);
    static constexpr int kRows = 2; // of a layer at once: they share what a stencil along z reads
    static constexpr int kThreads = residentThreads(M);
    static constexpr int kWarps = kThreads / 32;

    __device__ float* field(int which) const
    {
        return m_shared + kTileHead + which * m_fieldSize;
    }
    __device__ float* model() const
    {
        return m_shared + kTileHead + 2 * m_fieldSize;
    }
    __device__ int modelPitch() const
    {
        return m_pitch - 2 * kPad;
    }
    __device__ int place(int row, int column) const
    {
        return (row + M) * m_pitch + kPad + column;
    }
    __device__ bool hasLayer() const
    {
        return m_depth[0] + m_depth[1] + m_depth[2] + m_depth[3] > 0;
    }
    // Rows and columns that no layer stretches; columns to whole fours: beyond a layer its profiles are zero, and what is
    // stretched by nothing is what it was.
    __device__ int firstPlainRow() const
    {
        return m_depth[0];
    }
    __device__ int endPlainRow() const
    {
        return m_h - m_depth[1];
    }
    __device__ int firstPlainColumn() const
    {
        return (m_depth[2] + 3) / 4 * 4;
    }
    __device__ int endPlainColumn() const
    {
        return m_depth[3] > 0 ? (m_w - m_depth[3]) / 4 * 4 : m_w;
    }

    // A part of layer is a rectangle of the tile. Its memories, psi, zeta and the profiles, lie in shared memory one after
    // the other: along z [depth + 2 M][columns], [depth][columns], 4 [depth]; along x [rows][pitch], [rows][pitch],
    // 4 [pitch], with kPad columns of zeros on either side. residentMemory() counts them.
    template<int P>
    __device__ int partFrom() const // row or column
    {
        return P == 0 ? 0 : P == 1 ? m_h - m_depth[1] : P == 2 ? 0 : endPlainColumn();
    }
    template<int P>
    __device__ int partPitch() const
    {
        return P < 2 ? (m_w + 3) / 4 * 4 : residentPitch(M, P == 3 ? m_w - endPlainColumn() : m_depth[P]);
    }
    template<int P>
    __device__ int psiRows() const
    {
        return P < 2 ? m_depth[P] + 2 * M : m_h;
    }
    template<int P>
    __device__ float* psiAt(int row, int column) const
    {
        return P < 2 ? m_psi[P] + (row - partFrom<P>() + M) * partPitch<P>() + column
                     : m_psi[P] + row * partPitch<P>() + kPad + column - partFrom<P>();
    }
    template<int P>
    __device__ float* zetaAt(int row, int column) const
    {
        float* const zeta = m_psi[P] + psiRows<P>() * partPitch<P>();
        return P < 2 ? zeta + (row - partFrom<P>()) * partPitch<P>() + column
                     : zeta + row * partPitch<P>() + kPad + column - partFrom<P>();
    }
    enum Profile { kA, kB, kAHalf, kBHalf };
    template<int P>
    __device__ float* profileAt(Profile which, int rowOrColumn) const
    {
        float* const first = m_psi[P] + (psiRows<P>() + (P < 2 ? m_depth[P] : m_h)) * partPitch<P>();
        return P < 2 ? first + which * m_depth[P] + rowOrColumn - partFrom<P>()
                     : first + which * partPitch<P>() + kPad + rowOrColumn - partFrom<P>();
    }

    // Nodes of part P as its box has them: f(row, column).
    template<int P, class F>
    __device__ void ofBox(const F& f) const
    {
        const int depth = m_depth[P];
        const int wide = P < 2 ? m_w : depth;
        const int rowFrom = P == 1 ? m_h - depth : 0;
        const int columnFrom = P == 3 ? m_w - depth : 0;
        const int n = depth > 0 ? wide * (P < 2 ? depth : m_h) : 0;
#pragma unroll 1
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
        ofBox<P>([&](int row, int column) {
            const std::int64_t at = l.at(P % 2 == 0 ? kLow : kHigh, m_b.shot, m_z0 + row, 0, m_x0 + column);
            if constexpr (Out) {
                l.psi[at] = *psiAt<P>(row, column);
                l.zeta[at] = *zetaAt<P>(row, column);
            } else {
                *psiAt<P>(row, column) = l.psi[at];
                *zetaAt<P>(row, column) = l.zeta[at];
            }
        });
        if constexpr (!Out) {
            const int from = P == 1 ? m_h - m_depth[P] : P == 3 ? m_w - m_depth[P] : 0;
#pragma unroll 1
            for (int i = m_thread; i < m_depth[P]; i += kThreads) {
                const int n = (P < 2 ? m_z0 : m_x0) + from + i;
                *profileAt<P>(kA, from + i) = l.a[n];
                *profileAt<P>(kB, from + i) = l.b[n];
                *profileAt<P>(kAHalf, from + i) = l.aHalf[n];
                *profileAt<P>(kBHalf, from + i) = l.bHalf[n];
            }
        }
    }

    __device__ void load()
    {
        const int all = static_cast<int>(m_tables - m_shared);
#pragma unroll 1
        for (int i = m_thread; i < all; i += kThreads) {
            m_shared[i] = 0.0F;
        }
        __syncthreads();
        const int wide = m_w + 2 * M;
#pragma unroll 1
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
                model()[row * modelPitch() + column] = m_b.s.c2[m];
            }
        }
        moveMemories<0, false>();
        moveMemories<1, false>();
        moveMemories<2, false>();
        moveMemories<3, false>();
    }

    __device__ void store(int cur)
    {
        float* const a = m_b.steps % 2 == 0 ? const_cast<float*>(m_b.s.now) : m_b.s.other;
        float* const b = m_b.steps % 2 == 0 ? m_b.s.other : const_cast<float*>(m_b.s.now);
#pragma unroll 1
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

    // Four columns at a time. Along z of every column of the part, along x of every row.
    template<int P>
    __device__ void stepFirstMemory(const float* now)
    {
        if (m_depth[P] == 0) {
            return;
        }
        const float* const d = m_b.s.axis[P < 2 ? kZ : kX].staggered;
        const int units = P < 2 ? (m_w + 3) / 4 : (partPitch<P>() - 2 * kPad) / 4;
        const int n = units * (P < 2 ? (m_depth[P] + 1) / 2 : m_h);
#pragma unroll 1
        for (int i = m_thread; i < n; i += kThreads) {
            const int row = (P < 2 ? 2 : 1) * (i / units) + (P < 2 ? partFrom<P>() : 0);
            const int column = 4 * (i % units) + (P < 2 ? 0 : partFrom<P>());
            const float* const p = now + place(row, column);
            if constexpr (P < 2) {
                Four v[2 * M + 1];
#pragma unroll
                for (int k = 0; k <= 2 * M; ++k) {
                    v[k] = read(p + (k - M + 1) * m_pitch);
                }
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    if (row + r < partFrom<P>() + m_depth[P]) {
                        const float a = *profileAt<P>(kAHalf, row + r);
                        const float b = *profileAt<P>(kBHalf, row + r);
                        Four f = read(psiAt<P>(row + r, column));
#pragma unroll
                        for (int lane = 0; lane < 4; ++lane) {
                            const auto tap = [&v, r, lane](int k) { return v[r + k + M - 1].of[lane]; };
                            f.of[lane] = nextMemory(a, f.of[lane], b, forwardDerivativeOf<float, M>(tap, d, M));
                        }
                        write(psiAt<P>(row + r, column), f);
                    }
                }
            } else {
                Four f = read(psiAt<P>(row, column));
                const Four a = read(profileAt<P>(kAHalf, column));
                const Four b = read(profileAt<P>(kBHalf, column));
                const Row v(p);
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&v, lane](int k) { return v.of[kPad + lane + k]; };
                    f.of[lane] =
                        nextMemory(a.of[lane], f.of[lane], b.of[lane], forwardDerivativeOf<float, M>(tap, d, M));
                }
                write(psiAt<P>(row, column), f);
            }
        }
    }
    __device__ void stepFirstMemories(const float* now)
    {
        stepFirstMemory<0>(now);
        stepFirstMemory<1>(now);
        stepFirstMemory<2>(now);
        stepFirstMemory<3>(now);
    }

    struct Four {
        float of[4];
    };
    __device__ static Four read(const float* p)
    {
        const float4 v = *reinterpret_cast<const float4*>(p);
        return {{v.x, v.y, v.z, v.w}};
    }
    __device__ static void write(float* p, const Four& v)
    {
        *reinterpret_cast<float4*>(p) = make_float4(v.of[0], v.of[1], v.of[2], v.of[3]);
    }
    // Four columns and what their stencils reach to either side.
    struct Row {
        float of[4 + 2 * kPad];
        __device__ explicit Row(const float* p)
        {
#pragma unroll
            for (int e = 0; e < 4 + 2 * kPad; e += 4) {
                set(e, read(p + e - kPad));
            }
        }
        __device__ Row(const float* p, const Four& centre)
        {
#pragma unroll
            for (int e = 0; e < 4 + 2 * kPad; e += 4) {
                set(e, e == kPad ? centre : read(p + e - kPad));
            }
        }
        __device__ void set(int e, const Four& v)
        {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                of[e + k] = v.of[k];
            }
        }
    };

    // Outside every layer: this thread's strip, its values along z in registers in turn.
    __device__ void plainNodes(const float* now, float* other)
    {
        const int columnFrom = firstPlainColumn();
        const int columnEnd = endPlainColumn();
        const int rowFrom = firstPlainRow();
        const int rows = endPlainRow() - rowFrom;
        const int units = (columnEnd - columnFrom + 3) / 4;
        if (rows <= 0 || units <= 0) {
            return;
        }
        const int strips = kThreads / units;
        const int each = (rows + strips - 1) / strips;
        const int strip = m_thread / units;
        const int column = columnFrom + 4 * (m_thread - strip * units);
        const int first = strip * each;
        const int mine = min(each, rows - first);
        if (strip >= strips || mine <= 0) {
            return;
        }
        const float* const coefficientsZ = m_b.s.axis[kZ].second;
        const float* const coefficientsX = m_b.s.axis[kX].second;
        const bool whole = column + 4 <= columnEnd;
        const float* p = now + place(rowFrom + first, column);
        float* q = other + place(rowFrom + first, column);
        const float* c2 = model() + (rowFrom + first) * modelPitch() + column;
        constexpr int K = 2 * M + 1;
        Four v[K]; // v[(r + M + k) % K]: row r + k
#pragma unroll
        for (int k = 0; k < 2 * M; ++k) {
            v[k] = read(p + (k - M) * m_pitch);
        }
#pragma unroll 1
        for (int r = 0; r < mine; r += K) {
#pragma unroll
            for (int j = 0; j < K; ++j) {
                if (r + j < mine) {
                    v[(j + 2 * M) % K] = read(p + M * m_pitch);
                    const Row row(p, v[(j + M) % K]);
                    const Four before = read(q);
                    const Four speed = read(c2);
                    Four after;
#pragma unroll
                    for (int lane = 0; lane < 4; ++lane) {
                        const auto tz = [&v, j, lane](int k) { return v[(j + M + k) % K].of[lane]; };
                        const auto tx = [&row, lane](int k) { return row.of[kPad + lane + k]; };
                        const float w = secondDerivativeOf<float, M>(tz, coefficientsZ, M) +
                                        secondDerivativeOf<float, M>(tx, coefficientsX, M);
                        after.of[lane] = leap(before.of[lane], v[(j + M) % K].of[lane], speed.of[lane], w);
                    }
                    put(q, after, whole ? 4 : columnEnd - column);
                    p += m_pitch;
                    q += m_pitch;
                    c2 += modelPitch();
                }
            }
        }
    }

    __device__ static void put(float* q, const Four& v, int lanes)
    {
        if (lanes >= 4) {
            write(q, v);
            return;
        }
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            if (lane < lanes) {
                q[lane] = v.of[lane];
            }
        }
    }

    // The stretched second derivatives of four nodes, w on entry the plain ones; the second memory makes its step.
    __device__ static void stretch(Four& w, const Four& back, const Four& a, const Four& b, float* zeta)
    {
        Four z = read(zeta);
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            const float inner = w.of[lane] + back.of[lane];
            z.of[lane] = nextMemory(a.of[lane], z.of[lane], b.of[lane], inner);
            w.of[lane] = inner + z.of[lane];
        }
        write(zeta, z);
    }
    // Along z, of kRows rows below one another.
    template<int P>
    __device__ void stretchZ(Four (&w)[kRows], int row, int rows, int column) const
    {
        const float* const d = m_b.s.axis[kZ].staggered;
        Four v[2 * M + kRows - 1];
#pragma unroll
        for (int k = 0; k < 2 * M + kRows - 1; ++k) {
            v[k] = read(psiAt<P>(row + k - M, column));
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            if (r < rows) {
                const float a = *profileAt<P>(kA, row + r);
                const float b = *profileAt<P>(kB, row + r);
                Four back;
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&v, r, lane](int k) { return v[r + k + M].of[lane]; };
                    back.of[lane] = backwardDerivativeOf<float, M>(tap, d, M);
                }
                stretch(w[r], back, {{a, a, a, a}}, {{b, b, b, b}}, zetaAt<P>(row + r, column));
            }
        }
    }
    template<int P>
    __device__ void stretchX(Four& w, int row, int column) const
    {
        const float* const d = m_b.s.axis[kX].staggered;
        const Row v(psiAt<P>(row, column));
        Four back;
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            const auto tap = [&v, lane](int k) { return v.of[kPad + lane + k]; };
            back.of[lane] = backwardDerivativeOf<float, M>(tap, d, M);
        }
        stretch(w, back, read(profileAt<P>(kA, column)), read(profileAt<P>(kB, column)), zetaAt<P>(row, column));
    }

    // Four columns of kRows rows, of which `rows` are there; all in or all out of a layer along z.
    __device__ void layerUnit(const float* now, float* other, int row, int rows, int column) const
    {
        const float* const p = now + place(row, column);
        Four v[2 * M + kRows];
#pragma unroll
        for (int k = 0; k < 2 * M + kRows; ++k) {
            v[k] = read(p + (min(k, 2 * M + rows - 1) - M) * m_pitch);
        }
        Four wz[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const auto tz = [&v, r, lane](int k) { return v[M + r + k].of[lane]; };
                wz[r].of[lane] = secondDerivativeOf<float, M>(tz, m_b.s.axis[kZ].second, M);
            }
        }
        Four centre[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            centre[r] = v[M + r];
        }
        if (row < firstPlainRow()) {
            stretchZ<0>(wz, row, rows, column);
        } else if (row >= endPlainRow()) {
            stretchZ<1>(wz, row, rows, column);
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            if (r < rows) {
                const Row across(p + r * m_pitch, centre[r]);
                Four wx;
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tx = [&across, lane](int k) { return across.of[kPad + lane + k]; };
                    wx.of[lane] = secondDerivativeOf<float, M>(tx, m_b.s.axis[kX].second, M);
                }
                if (column < firstPlainColumn()) {
                    stretchX<2>(wx, row + r, column);
                } else if (column >= endPlainColumn()) {
                    stretchX<3>(wx, row + r, column);
                }
                float* const q = other + place(row + r, column);
                const Four before = read(q);
                const Four speed = read(model() + (row + r) * modelPitch() + column);
                Four after;
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    after.of[lane] =
                        leap(before.of[lane], centre[r].of[lane], speed.of[lane], wz[r].of[lane] + wx.of[lane]);
                }
                put(q, after, m_w - column);
            }
        }
    }

    __device__ void layerNodes(const float* now, float* other) const
    {
        const int plain = max(endPlainRow() - firstPlainRow(), 0);
        const int units = (m_w + 3) / 4;
        const int low = firstPlainColumn() / 4;
        const int wide = low + units - (endPlainColumn() + 3) / 4;
        // Groups of rows: the two z layers whole, between them what lies in an x layer.
        const int above = (m_depth[0] + kRows - 1) / kRows;
        const int below = (m_depth[1] + kRows - 1) / kRows;
        const int outside = (above + below) * units;
        const int inside = (plain + kRows - 1) / kRows * wide;
#pragma unroll 1
        for (int i = m_thread; i < outside + inside; i += kThreads) {
            int row = 0;
            int end = 0;
            int unit = 0;
            if (i < outside) {
                const int group = i / units;
                unit = i - group * units;
                row = group < above ? kRows * group : m_h - m_depth[1] + kRows * (group - above);
                end = group < above ? m_depth[0] : m_h;
            } else {
                const int group = (i - outside) / wide;
                unit = i - outside - group * wide;
                unit += unit < low ? 0 : units - wide;
                row = firstPlainRow() + kRows * group;
                end = endPlainRow();
            }
            layerUnit(now, other, row, min(kRows, end - row), 4 * unit);
        }
    }

    // The wavelet of this thread's source node: of its first source, where several share a node.
    __device__ float waveletAt(int step) const
    {
        const std::int64_t sample = m_b.inject.step + step;
        if (m_thread >= m_count[kSources] || sample >= m_b.inject.waveletStride) {
            return 0.0F;
        }
        return m_b.inject.wavelets[rowOf(m_thread) + sample];
    }
    __device__ std::int64_t rowOf(int source) const
    {
        const int* const s = table(kSource) + kSourceWords * source;
        return std::int64_t{s[4]} << 32 | static_cast<std::uint32_t>(s[3]);
    }

    // The caller's barrier lies before, one of its own behind.
    __device__ void inject(float* other, int step, float first)
    {
        const std::int64_t sample = m_b.inject.step + step;
        if (m_count[kSources] == 0 || sample >= m_b.inject.waveletStride) {
            return;
        }
#pragma unroll 1
        for (int i = m_thread; i < m_count[kSources]; i += kThreads) {
            const int* const s = table(kSource) + kSourceWords * i;
            const float wavelet = i == m_thread ? first : m_b.inject.wavelets[rowOf(i) + sample];
            float sum = __int_as_float(s[1]) * wavelet;
#pragma unroll 1
            for (int e = s[5] + 1; e < s[6]; ++e) {
                sum = mulAdd(m_b.inject.weight[e],
                             m_b.inject.wavelets[m_b.inject.source[e] * m_b.inject.waveletStride + sample], sum);
            }
            other[s[0]] = mulAdd(__int_as_float(s[2]), sum, other[s[0]]);
        }
        __syncthreads();
    }

    // A warp a receiver, in the order of recordKernel; a few at a time, to hide what each waits for.
    __device__ void record(const float* now, int sample) const
    {
        constexpr int kTogether = 4;
        const int* const receiver = table(kReceiver);
        const int* const entryPlace = table(kEntryPlace);
        const float* const entryWeight = words(kEntryWeight);
        const float* const imported = words(kImported);
        const int lane = m_thread % 32;
#pragma unroll 1
        for (int k = m_thread / 32; k < m_count[kReceivers]; k += kTogether * kWarps) {
            int first[kTogether];
            int n[kTogether];
            float sum[kTogether];
            int most = 0;
#pragma unroll
            for (int g = 0; g < kTogether; ++g) {
                const bool there = k + g * kWarps < m_count[kReceivers];
                const int* const r = receiver + kReceiverWords * (there ? k + g * kWarps : k);
                first[g] = r[2];
                n[g] = there ? r[3] : 0;
                sum[g] = 0.0F;
                most = max(most, n[g]);
            }
#pragma unroll 1
            for (int e = lane; e < most; e += kLanes) {
#pragma unroll
                for (int g = 0; g < kTogether; ++g) {
                    if (e < n[g]) {
                        const int at = entryPlace[first[g] + e];
                        sum[g] = mulAdd(entryWeight[first[g] + e], at >= 0 ? now[at] : imported[-1 - at], sum[g]);
                    }
                }
            }
#pragma unroll
            for (int width = 16; width > 0; width /= 2) {
#pragma unroll
                for (int g = 0; g < kTogether; ++g) {
                    sum[g] += __shfl_down_sync(0xFFFFFFFFU, sum[g], static_cast<unsigned>(width));
                }
            }
#pragma unroll
            for (int g = 0; g < kTogether; ++g) {
                if (lane == 0 && k + g * kWarps < m_count[kReceivers]) {
                    const int* const r = receiver + kReceiverWords * (k + g * kWarps);
                    float* const out = r[0] == 0 ? m_b.record[0].out : m_b.record[1].out;
                    const int wide = r[0] == 0 ? m_b.record[0].receivers : m_b.record[1].receivers;
                    out[std::int64_t{sample} * wide + r[1]] = sum[g];
                }
            }
        }
    }

    __device__ int* table(Table which) const
    {
        return reinterpret_cast<int*>(words(which));
    }
    __device__ float* words(Table which) const
    {
        return m_shared + reinterpret_cast<const int*>(m_shared)[which]; // the tile's head
    }

    __device__ void fillTables()
    {
        const int* const header = m_b.points + (static_cast<std::int64_t>(m_b.shot) * gridDim.x + blockIdx.x) * kHeader;
#pragma unroll
        for (int k = 0; k < kPointLists; ++k) {
            m_count[k] = header[2 * k + 1];
        }
        m_edgeWords = 0;
#pragma unroll
        for (int side = 0; side < 4; ++side) {
            m_edgeWords += m_beside[side] ? edgeLength(side) : 0;
        }
        if (m_thread == 0) {
            int at = static_cast<int>(m_tables - m_shared);
#pragma unroll
            for (int k = 0; k < kTables; ++k) {
                reinterpret_cast<int*>(m_shared)[k] = at;
                at += tableWords(k, m_count, m_edgeWords);
            }
        }
        __syncthreads();
        const auto list = [&](PointList which) { return m_b.points + header[2 * which]; };
        copy(table(kReceiver), list(kReceivers), kReceiverWords * m_count[kReceivers]);
        copy(table(kImport), list(kImports), m_count[kImports]);
        copy(table(kExport), list(kExports), 2 * m_count[kExports]);
        const int* const entry = list(kEntries);
#pragma unroll 1
        for (int i = m_thread; i < m_count[kEntries]; i += kThreads) {
            table(kEntryPlace)[i] = entry[3 * i];
            words(kEntryWeight)[i] = m_b.record[entry[3 * i + 2]].weight[entry[3 * i + 1]];
        }
        const int* const source = list(kSources);
#pragma unroll 1
        for (int i = m_thread; i < m_count[kSources]; i += kThreads) {
            int* const s = table(kSource) + kSourceWords * i;
            const int node = source[2 * i];
            const int first = m_b.inject.begin[node];
            const int last = m_b.inject.begin[node + 1];
            const std::int64_t row = last > first ? m_b.inject.source[first] * m_b.inject.waveletStride : 0;
            s[0] = source[2 * i + 1];
            s[1] = last > first ? __float_as_int(m_b.inject.weight[first]) : 0;
            s[2] = __float_as_int(m_b.inject.c2[m_b.inject.modelNode[node]]);
            s[3] = static_cast<int>(row);
            s[4] = static_cast<int>(row >> 32);
            s[5] = first;
            s[6] = last;
        }
        const int tile = static_cast<int>(blockIdx.x);
        int done = 0;
#pragma unroll
        for (int side = 0; side < 4; ++side) {
            const int n = m_beside[side] ? edgeLength(side) : 0;
            // The neighbour's side that faces this one.
            const int out = inboxAt(tileBeside(side), side ^ 1);
            const int in = inboxAt(tile, side);
#pragma unroll 1
            for (int i = m_thread; i < n; i += kThreads) {
                table(kEdgePlace)[done + i] = edgePlace(side, i, false) | edgePlace(side, i, true) << 16;
                table(kEdgeOut)[done + i] = out + i;
                table(kEdgeIn)[done + i] = in + i;
            }
            done += n;
        }
    }
    __device__ void copy(int* to, const int* from, int n) const
    {
#pragma unroll 1
        for (int i = m_thread; i < n; i += kThreads) {
            to[i] = from[i];
        }
    }

    // Four samples in turn: a tile beside this one may be two steps ahead (resident_plan.h asks for tiles beside).
    __device__ std::uint64_t* crossing(int sample, int which) const
    {
        return m_b.ring + static_cast<std::int64_t>(sample & 3) * m_b.crossings + which;
    }
    __device__ void handOverEntries(const float* other, int sample, std::uint32_t tag) const
    {
        const int* const out = table(kExport);
#pragma unroll 1
        for (int i = m_thread; i < m_count[kExports]; i += kThreads) {
            handOver(crossing(sample, out[2 * i + 1]), other[out[2 * i]], tag);
        }
    }
    __device__ void takeEntries(int sample, std::uint32_t tag)
    {
        const int* const in = table(kImport);
#pragma unroll 1
        for (int i = m_thread; i < m_count[kImports]; i += kThreads) {
            const std::uint64_t* const at = crossing(sample, in[i]);
            std::uint64_t word = look(at);
            while (!carries(word, tag)) {
                word = look(at);
            }
            words(kImported)[i] = valueOf(word);
        }
    }

    __device__ int edgeLength(int side) const
    {
        return M * (side < 2 ? m_w : m_h);
    }
    __device__ int inboxAt(int tile, int side) const
    {
        return (tile * 4 + side) * 2 * m_b.wordsASide;
    } // parity 0
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
    __device__ void handOverEdges(const float* other, int parity, std::uint32_t tag) const
    {
        std::uint64_t* const inbox = m_b.inbox + parity * m_b.wordsASide;
#pragma unroll 1
        for (int i = m_thread; i < m_edgeWords; i += kInFlight * kThreads) {
            float value[kInFlight];
            int to[kInFlight];
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                const int at = i + k * kThreads;
                to[k] = -1;
                if (at < m_edgeWords) {
                    to[k] = table(kEdgeOut)[at];
                    value[k] = other[table(kEdgePlace)[at] & 0xFFFF];
                }
            }
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                if (to[k] >= 0) {
                    handOver(inbox + to[k], value[k], tag);
                }
            }
        }
    }

    __device__ void takeEdges(float* other, int parity, std::uint32_t tag) const
    {
        const std::uint64_t* const inbox = m_b.inbox + parity * m_b.wordsASide;
#pragma unroll 1
        for (int i = m_thread; i < m_edgeWords; i += kInFlight * kThreads) {
            std::uint64_t word[kInFlight];
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                const int at = i + k * kThreads;
                if (at < m_edgeWords) {
                    word[k] = look(inbox + table(kEdgeIn)[at]);
                }
            }
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                const int at = i + k * kThreads;
                if (at < m_edgeWords) {
                    while (!carries(word[k], tag)) {
                        word[k] = look(inbox + table(kEdgeIn)[at]);
                    }
                    other[static_cast<unsigned>(table(kEdgePlace)[at]) >> 16] = valueOf(word[k]);
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
#pragma unroll 1
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
    int m_tz, m_tx, m_z0, m_x0, m_h, m_w, m_pitch, m_fieldSize;
    float* m_tables;
    float* m_shared;
    int m_thread;
    int m_depth[4];
    float* m_psi[4]; // and what follows, see psiAt
    int m_count[kPointLists];
    int m_edgeWords;
    bool m_beside[4];
};

template<int M>
__global__ void __launch_bounds__(residentThreads(M), 1) residentKernel(const __grid_constant__ ResidentBody body)
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
    ONDO_CUDA(
        cudaFuncSetAttribute(kKernels[radius], cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
    int device = 0;
    ONDO_CUDA(cudaGetDevice(&device));
    int multiprocessors = 0;
    ONDO_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    int each = 0;
    ONDO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kKernels[radius], residentThreads(radius), bytes));
    return each > 0 ? multiprocessors : 0; // one each: two would share what one can have
}

void launchResident(const ResidentBody& body, int radius, int blocks, std::size_t bytes, cudaStream_t stream)
{
    ResidentBody copy = body;
    void* arguments[] = {&copy};
    const cudaError_t error =
        cudaLaunchCooperativeKernel(kKernels[radius], dim3(static_cast<unsigned>(blocks)),
                                    dim3(static_cast<unsigned>(residentThreads(radius))), arguments, bytes, stream);
    if (error != cudaSuccess) {
        throwCudaError(error, "launching the resident steps");
    }
}

} // namespace ondo::kernels::cuda
