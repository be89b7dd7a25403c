// The tile of a block in shared memory (resident.h): where its fields, memories and tables lie, how they come and go, and
// four columns at a time.
#pragma once

#include "kernels/cuda/resident.h"

namespace ondo::kernels::cuda {

// A word that is handed over, and the number of its step.
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
template<int M, ResidentWay W>
class ResidentTile {
public:
    // block: this one's number.
    __device__ ResidentTile(const ResidentBody& body, float* shared, int block)
        : m_b(body)
        , m_tz(block / body.tilesX)
        , m_tx(block % body.tilesX)
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
        int at = kTileHead + 2 * m_fieldSize + (kBack ? 2 : 1) * m_h * modelPitch();
#pragma unroll
        for (int p = 0; p < 4; ++p) {
            m_psi[p] = at;
            at += residentMemory(M, p < 2, m_depth[p], m_w, m_h, kBack);
        }
        m_tables = at;
        m_beside[0] = m_tz > 0;
        m_beside[1] = m_tz < body.tilesZ - 1;
        m_beside[2] = m_tx > 0;
        m_beside[3] = m_tx < body.tilesX - 1;
    }

protected:
    static constexpr bool kBack = W == ResidentWay::Back;
    static constexpr int kZetaHalo = kBack ? M : 0; // rows of zeros above and below zeta along z
    static constexpr int kPad = residentPad(M);
    static constexpr int kThreads = residentThreads(M);
    static constexpr int kWarps = kThreads / 32;

    __device__ float* field(int which) const { return m_shared + kTileHead + which * m_fieldSize; }
    __device__ float* model() const { return m_shared + kTileHead + 2 * m_fieldSize; }
    __device__ int modelPitch() const { return m_pitch - 2 * kPad; }
    __device__ float* image() const { return model() + m_h * modelPitch(); } // laid out as the model; backwards
    __device__ int place(int row, int column) const { return (row + M) * m_pitch + kPad + column; }
    __device__ bool hasLayer() const { return m_depth[0] + m_depth[1] + m_depth[2] + m_depth[3] > 0; }
    // Rows and columns that no layer stretches; columns to whole fours: beyond a layer its profiles are zero, and what is
    // stretched by nothing is what it was.
    __device__ int firstPlainRow() const { return m_depth[0]; }
    __device__ int endPlainRow() const { return m_h - m_depth[1]; }
    __device__ int firstPlainColumn() const { return (m_depth[2] + 3) / 4 * 4; }
    __device__ int endPlainColumn() const { return m_depth[3] > 0 ? (m_w - m_depth[3]) / 4 * 4 : m_w; }

    // A part of layer is a rectangle of the tile. Its memories, psi, zeta and the profiles, lie in shared memory one after
    // the other: along z [depth + 2 M][columns], [depth][columns] (backwards with M rows of zeros on either side, too),
    // 4 [depth]; along x [rows][pitch], [rows][pitch], 4 [pitch], with kPad columns of zeros on either side.
    // residentMemory() counts them.
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
        return P < 2 ? m_shared + m_psi[P] + (row - partFrom<P>() + M) * partPitch<P>() + column
                     : m_shared + m_psi[P] + row * partPitch<P>() + kPad + column - partFrom<P>();
    }
    template<int P>
    __device__ float* zetaAt(int row, int column) const
    {
        float* const zeta = m_shared + m_psi[P] + psiRows<P>() * partPitch<P>();
        return P < 2 ? zeta + (row - partFrom<P>() + kZetaHalo) * partPitch<P>() + column
                     : zeta + row * partPitch<P>() + kPad + column - partFrom<P>();
    }
    enum Profile { kA, kB, kAHalf, kBHalf };
    template<int P>
    __device__ float* profileAt(Profile which, int rowOrColumn) const
    {
        float* const first =
            m_shared + m_psi[P] + (psiRows<P>() + (P < 2 ? m_depth[P] + 2 * kZetaHalo : m_h)) * partPitch<P>();
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
        const int all = m_tables;
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
                if constexpr (kBack) {
                    image()[row * modelPitch() + column] =
                        m_b.image[m_b.compact.at(m_b.shot, m_z0 + row, 0, m_x0 + column)];
                }
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
            if constexpr (kBack) {
                m_b.image[m_b.compact.at(m_b.shot, m_z0 + row, 0, m_x0 + column)] =
                    image()[row * modelPitch() + column];
            }
        }
        moveMemories<0, true>();
        moveMemories<1, true>();
        moveMemories<2, true>();
        moveMemories<3, true>();
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

    // W of so many of four columns of a row, past the caches: it comes back a whole run later.
    __device__ void keep(float* kept, int row, int column, const Four& w, int lanes) const
    {
        // Offsets within a shot that fits on chip are ints, which spares the registers that sm_80 has not.
        float* const q = kept + (static_cast<int>(m_b.compact.strideZ) * (m_z0 + row) + m_x0 + column);
        if (lanes >= 4) {
            __stcs(reinterpret_cast<float4*>(q), make_float4(w.of[0], w.of[1], w.of[2], w.of[3]));
            return;
        }
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            if (lane < lanes) {
                __stcs(q + lane, w.of[lane]);
            }
        }
    }

    __device__ int* table(Table which) const { return reinterpret_cast<int*>(words(which)); }
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
            int at = m_tables;
#pragma unroll
            for (int k = 0; k < kTables; ++k) {
                reinterpret_cast<int*>(m_shared)[k] = at;
                at += tableWords(k, m_count, m_edgeWords);
            }
        }
        __syncthreads();
        m_edges = table(kEdgePlace);
        const auto list = [&](PointList which) { return m_b.points + header[2 * which]; };
        copy(table(kReceiver), list(kReceivers), kReceiverWords * m_count[kReceivers]);
        copy(table(kImport), list(kImports), m_count[kImports]);
        copy(table(kExport), list(kExports), 2 * m_count[kExports]);
        const int* const entry = list(kEntries);
#pragma unroll 1
        for (int i = m_thread; i < m_count[kEntries]; i += kThreads) {
            const int at = entry[3 * i];
            const auto imports = static_cast<int>(words(kImported) - m_shared);
            table(kEntry)[2 * i] = at >= 0 ? kTileHead + at : imports - 1 - at;
            words(kEntry)[2 * i + 1] = m_b.record[entry[3 * i + 2]].weight[entry[3 * i + 1]];
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
            const int down = s[0] / m_pitch - M;
            const int across = s[0] % m_pitch - kPad;
            s[7] = (m_beside[0] && down < M) || (m_beside[1] && down >= m_h - M) || (m_beside[2] && across < kPad) ||
                   (m_beside[3] && across >= (m_w + 3) / 4 * 4 - kPad);
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

    __device__ int edgeLength(int side) const { return M * (side < 2 ? m_w : m_h); }
    __device__ int inboxAt(int tile, int side) const { return (tile * 4 + side) * 2 * m_b.wordsASide; } // parity 0
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
    int m_tables; // in shared memory, as the next
    float* m_shared;
    int m_thread;
    int m_depth[4];
    int m_psi[4]; // and what follows, see psiAt
    int m_count[kPointLists];
    int m_edgeWords;
    const int* m_edges; // kEdgePlace, and the two tables behind it
    bool m_beside[4];
};

} // namespace ondo::kernels::cuda
