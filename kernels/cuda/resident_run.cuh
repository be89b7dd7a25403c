// The steps of a tile (resident.h). A block is a tile; threads own strips of four columns and some rows.
#pragma once

#include "kernels/cuda/resident_survey.cuh"

namespace ondo::kernels::cuda {

template<int M, ResidentWay W>
class ResidentRun : public ResidentSurvey<M, W> {
    using Base = ResidentSurvey<M, W>;
    using Base::endPlainColumn;
    using Base::endPlainRow;
    using Base::field;
    using Base::fillTables;
    using Base::firstPlainColumn;
    using Base::firstPlainRow;
    using Base::handOverEntries;
    using Base::hasLayer;
    using Base::image;
    using Base::inject;
    using Base::kAnywhere;
    using Base::kBack;
    using Base::keep;
    using Base::kInEdge;
    using Base::kInside;
    using Base::kPad;
    using Base::kThreads;
    using Base::load;
    using Base::m_b;
    using Base::m_beside;
    using Base::m_edges;
    using Base::m_edgeWords;
    using Base::m_h;
    using Base::m_inverseWidth;
    using Base::m_pitch;
    using Base::m_shared;
    using Base::m_thread;
    using Base::m_w;
    using Base::m_x0;
    using Base::m_z0;
    using Base::mirror;
    using Base::model;
    using Base::modelPitch;
    using Base::place;
    using Base::planLayers;
    using Base::put;
    using Base::quotient;
    using Base::read;
    using Base::record;
    using Base::stepLayers;
    using Base::takeEntries;
    using Base::waveletAt;
    using typename Base::Four;
    using typename Base::Row;

public:
    using Base::Base;

    // A step of the others waits for this tile's edges and this one for theirs: a tile without layers computes its edges
    // first, hands them over, and has the rest of its nodes to do while the neighbours' are on their way.
    __device__ void run()
    {
        load();
        fillTables();
        planNodes();
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
            const bool last = i + 1 == m_b.steps;
            float* const kept = keptOf(i);
            const float amplitude = ahead;
            ahead = last ? 0.0F : waveletAt(i + 1);
            if (m_edgesFirst) {
                edgeNodes(now, other, kept);
                __syncthreads();
                inject(other, i, amplitude, kInEdge);
                if (!last) {
                    handOverEdges(other, i & 1, tag);
                }
            } else if (hasLayer()) {
                layers(now, other, kept);
            }
            if (pending >= 0) {
                takeEntries(pending, tag - 1);
            }
            plainNodes(now, other, kept);
            __syncthreads();
            inject(other, i, amplitude, m_edgesFirst ? kInside : kAnywhere);
            if (!m_edgesFirst && !last) {
                handOverEdges(other, i & 1, tag);
            }
            int due = -1;
            if (--untilSample == 0) {
                untilSample = m_b.ratio;
                due = sample < m_b.samplesLeft ? sample++ : -1;
            }
            if (due >= 0) {
                handOverEntries(other, due, tag);
            }
            if (pending >= 0) {
                record(cur, pending);
            }
            pending = due;
            if constexpr (kBack) {
                imageNodes(now, i); // while the neighbours' edges are on their way
            }
            if (!last) {
                mirror(other);
                takeEdges(other, i & 1, tag);
            }
            __syncthreads();
            cur ^= 1;
        }
        if (pending >= 0) {
            takeEntries(pending, m_b.tag + static_cast<std::uint32_t>(m_b.steps - 1));
            __syncthreads();
            record(cur, pending);
        }
        // By a tile made anew, of a number that the compiler does not know to be the same: what only this needs would take
        // registers through all steps.
        int block = static_cast<int>(blockIdx.x);
        asm volatile("" : "+r"(block));
        ResidentRun(m_b, m_shared, block).store(cur);
    }

private:
    static constexpr int kSide = residentPad(M); // columns of an edge along z, in whole fours

    // Where W of step i goes; null: nowhere.
    __device__ float* keptOf(int i) const
    {
        if constexpr (W == ResidentWay::Kept) {
            float* const kept = m_b.kept.at(i);
            return kept != nullptr ? kept + m_b.compact.at(m_b.shot, 0, 0, 0) : nullptr;
        } else {
            return nullptr;
        }
    }

    __device__ void layers(const float* now, float* other, [[maybe_unused]] float* kept) const
    {
        if constexpr (kBack) {
            this->stepSecondMemories(now);
            __syncthreads();
            this->stepFirstMemories(now);
            __syncthreads();
            stepLayers(now, other);
        } else {
            this->stepMemories(now);
            __syncthreads();
            stepLayers(now, other, kept);
        }
    }

    // image += q(n+1) W(n) of the tile's own nodes, by fours; the next W is asked into the L2 cache.
    __device__ void imageNodes(const float* now, int step) const
    {
        const float* const in = m_b.imaged.at(step);
        if (in == nullptr) {
            return;
        }
        constexpr int kTogether = 4;
        const float* const next = in + m_b.imaged.stride;
        const bool asks = step + m_b.imaged.every < m_b.steps;
        const int units = (m_w + 3) / 4;
        const int all = m_h * units;
        const std::int64_t first = m_b.compact.at(m_b.shot, m_z0, 0, m_x0);
#pragma unroll 1
        for (int i = m_thread; i < all; i += kTogether * kThreads) {
            Four w[kTogether];
            int from[kTogether];
#pragma unroll
            for (int k = 0; k < kTogether; ++k) {
                const int unit = i + k * kThreads;
                from[k] = -1;
                if (unit < all) {
                    const int row = quotient(unit, m_inverseWidth);
                    const int column = 4 * (unit - row * units);
                    const std::int64_t at = first + row * m_b.compact.strideZ + column;
                    from[k] = place(row, column);
                    w[k] = readOnce(in + at, m_w - column);
                    if (asks && column % 32 == 0) {
                        asm volatile("prefetch.global.L2 [%0];" ::"l"(next + at));
                    }
                }
            }
#pragma unroll
            for (int k = 0; k < kTogether; ++k) {
                if (from[k] >= 0) {
                    float* const to = image() + 4 * (i + k * kThreads); // rows are whole fours there
                    const Four q = read(now + from[k]);
                    Four sum = read(to);
#pragma unroll
                    for (int lane = 0; lane < 4; ++lane) {
                        sum.of[lane] = mulAdd(q.of[lane], w[k].of[lane], sum.of[lane]);
                    }
                    Base::write(to, sum);
                }
            }
        }
    }
    __device__ static Four readOnce(const float* p, int lanes)
    {
        Four v = {};
        if (lanes >= 4) {
            const float4 n = __ldcs(reinterpret_cast<const float4*>(p));
            return {{n.x, n.y, n.z, n.w}};
        }
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            if (lane < lanes) {
                v.of[lane] = __ldcs(p + lane);
            }
        }
        return v;
    }

    // What does not change from step to step: this thread's strip of plain nodes, and how items are told apart.
    __device__ void planNodes()
    {
        const int side[4] = {m_beside[0] ? M : 0, m_beside[1] ? M : 0, m_beside[2] ? kSide : 0,
                             m_beside[3] ? kSide : 0};
        m_edgesFirst = !hasLayer() && m_h > side[0] + side[1] && m_w >= side[2] + side[3] + 4;
        const int rowFrom = m_edgesFirst ? side[0] : firstPlainRow();
        const int rowEnd = m_edgesFirst ? m_h - side[1] : endPlainRow();
        const int columnFrom = m_edgesFirst ? side[2] : firstPlainColumn();
        m_plainEnd = m_edgesFirst ? m_w - side[3] : endPlainColumn();
        planLayers(m_edgesFirst);
        m_edgeRows = side[0] + side[1];
        m_shortEdges = (side[2] + side[3]) / 4;
        const int units = (m_plainEnd - columnFrom + 3) / 4;
        const int rows = rowEnd - rowFrom;
        m_plainRows = 0;
        if (rows > 0 && units > 0) {
            const int strips = kThreads / units;
            const int each = (rows + strips - 1) / strips;
            const int strip = m_thread / units;
            m_plainColumn = columnFrom + 4 * (m_thread - strip * units);
            m_plainFirst = rowFrom + strip * each;
            m_plainRows = strip < strips ? max(min(each, rows - strip * each), 0) : 0;
        }
    }

    // Outside every layer, and inside the edges if those come first: this thread's strip, its values along z in registers
    // in turn.
    __device__ void plainNodes(const float* now, float* other, [[maybe_unused]] float* kept) const
    {
        if (m_plainRows <= 0) {
            return;
        }
        const float* const coefficientsZ = m_b.s.axis[kZ].second;
        const float* const coefficientsX = m_b.s.axis[kX].second;
        const bool whole = m_plainColumn + 4 <= m_plainEnd;
        const float* p = now + place(m_plainFirst, m_plainColumn);
        float* q = other + place(m_plainFirst, m_plainColumn);
        const float* c2 = model() + m_plainFirst * modelPitch() + m_plainColumn;
        constexpr int K = 2 * M + 1;
        Four v[K]; // v[(r + M + k) % K]: row r + k
#pragma unroll
        for (int k = 0; k < 2 * M; ++k) {
            v[k] = read(p + (k - M) * m_pitch);
        }
#pragma unroll 1
        for (int r = 0; r < m_plainRows; r += K) {
#pragma unroll
            for (int j = 0; j < K; ++j) {
                if (r + j < m_plainRows) {
                    v[(j + 2 * M) % K] = read(p + M * m_pitch);
                    const Row row(p, v[(j + M) % K]);
                    const Four before = read(q);
                    const Four speed = read(c2);
                    Four w;
                    Four after;
#pragma unroll
                    for (int lane = 0; lane < 4; ++lane) {
                        const auto tz = [&v, j, lane](int k) { return v[(j + M + k) % K].of[lane]; };
                        const auto tx = [&row, lane](int k) { return row.of[kPad + lane + k]; };
                        w.of[lane] = secondDerivativeOf<float, M>(tz, coefficientsZ, M) +
                                     secondDerivativeOf<float, M>(tx, coefficientsX, M);
                        after.of[lane] = leap(before.of[lane], v[(j + M) % K].of[lane], speed.of[lane], w.of[lane]);
                    }
                    if constexpr (W == ResidentWay::Kept) {
                        if (kept != nullptr) {
                            keep(kept, m_plainFirst + r + j, m_plainColumn, w, whole ? 4 : m_plainEnd - m_plainColumn);
                        }
                    }
                    put(q, after, whole ? 4 : m_plainEnd - m_plainColumn);
                    p += m_pitch;
                    q += m_pitch;
                    c2 += modelPitch();
                }
            }
        }
    }

    // What the neighbours wait for, of a tile without layers: four columns of a row at a time.
    __device__ void edgeNodes(const float* now, float* other, [[maybe_unused]] float* kept) const
    {
        const int units = (m_w + 3) / 4;
        const int first = m_beside[0] ? M : 0;
        const int longOnes = m_edgeRows * units;
        const int all = longOnes + (m_h - m_edgeRows) * m_shortEdges;
        const int shift = m_shortEdges > 2 ? 2 : m_shortEdges - 1; // of one, two or four
#pragma unroll 1
        for (int i = m_thread; i < all; i += kThreads) {
            int row;
            int unit;
            if (i < longOnes) {
                row = quotient(i, m_inverseWidth);
                unit = i - row * units;
                row += row < first ? 0 : m_h - m_edgeRows;
            } else {
                row = (i - longOnes) >> shift;
                unit = i - longOnes - (row << shift);
                row += first;
                unit += m_beside[2] && unit < kSide / 4 ? 0 : units - m_shortEdges;
            }
            const int column = 4 * unit;
            const float* const p = now + place(row, column);
            Four v[2 * M + 1];
#pragma unroll
            for (int k = 0; k <= 2 * M; ++k) {
                v[k] = read(p + (k - M) * m_pitch);
            }
            const Row across(p, v[M]);
            float* const q = other + place(row, column);
            const Four before = read(q);
            const Four speed = read(model() + row * modelPitch() + column);
            Four w;
            Four after;
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const auto tz = [&v, lane](int k) { return v[M + k].of[lane]; };
                const auto tx = [&across, lane](int k) { return across.of[kPad + lane + k]; };
                w.of[lane] = secondDerivativeOf<float, M>(tz, m_b.s.axis[kZ].second, M) +
                             secondDerivativeOf<float, M>(tx, m_b.s.axis[kX].second, M);
                after.of[lane] = leap(before.of[lane], v[M].of[lane], speed.of[lane], w.of[lane]);
            }
            if constexpr (W == ResidentWay::Kept) {
                if (kept != nullptr) {
                    keep(kept, row, column, w, m_w - column);
                }
            }
            put(q, after, m_w - column);
        }
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
                    to[k] = m_edges[m_edgeWords + at];
                    value[k] = other[m_edges[at] & 0xFFFF];
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
                    word[k] = look(inbox + m_edges[2 * m_edgeWords + at]);
                }
            }
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                const int at = i + k * kThreads;
                if (at < m_edgeWords) {
                    while (!carries(word[k], tag)) {
                        word[k] = look(inbox + m_edges[2 * m_edgeWords + at]);
                    }
                    other[static_cast<unsigned>(m_edges[at]) >> 16] = valueOf(word[k]);
                }
            }
        }
    }

    bool m_edgesFirst = false;
    int m_plainRows = 0, m_plainFirst = 0, m_plainColumn = 0, m_plainEnd = 0;
    int m_edgeRows = 0, m_shortEdges = 0; // rows of the edges along x, fours of those along z
};

template<int M, ResidentWay W>
__global__ void __launch_bounds__(residentThreads(M), 1) residentKernel(const __grid_constant__ ResidentBody body)
{
    extern __shared__ float4 shared[];
    ResidentRun<M, W>(body, reinterpret_cast<float*>(shared), static_cast<int>(blockIdx.x)).run();
}

} // namespace ondo::kernels::cuda
