// See resident.h. A block is a tile; threads own strips of four columns and some rows.
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/resident_survey.cuh"

#include <string>

namespace ondo::kernels::cuda {

namespace {

template<int M>
class Tile : public ResidentSurvey<M> {
    using Base = ResidentSurvey<M>;
    using Base::endPlainColumn;
    using Base::endPlainRow;
    using Base::field;
    using Base::fillTables;
    using Base::firstPlainColumn;
    using Base::firstPlainRow;
    using Base::handOverEntries;
    using Base::hasLayer;
    using Base::inject;
    using Base::kAnywhere;
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
    using Base::stepMemories;
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
            const float amplitude = ahead;
            ahead = last ? 0.0F : waveletAt(i + 1);
            if (m_edgesFirst) {
                edgeNodes(now, other);
                __syncthreads();
                inject(other, i, amplitude, kInEdge);
                if (!last) {
                    handOverEdges(other, i & 1, tag);
                }
            } else if (hasLayer()) {
                stepMemories(now);
                __syncthreads();
                stepLayers(now, other);
            }
            if (pending >= 0) {
                takeEntries(pending, tag - 1);
            }
            plainNodes(now, other);
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
        Tile(m_b, m_shared, block).store(cur);
    }

private:
    static constexpr int kSide = residentPad(M); // columns of an edge along z, in whole fours

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
    __device__ void plainNodes(const float* now, float* other) const
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
                    Four after;
#pragma unroll
                    for (int lane = 0; lane < 4; ++lane) {
                        const auto tz = [&v, j, lane](int k) { return v[(j + M + k) % K].of[lane]; };
                        const auto tx = [&row, lane](int k) { return row.of[kPad + lane + k]; };
                        const float w = secondDerivativeOf<float, M>(tz, coefficientsZ, M) +
                                        secondDerivativeOf<float, M>(tx, coefficientsX, M);
                        after.of[lane] = leap(before.of[lane], v[(j + M) % K].of[lane], speed.of[lane], w);
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
    __device__ void edgeNodes(const float* now, float* other) const
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
            Four after;
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const auto tz = [&v, lane](int k) { return v[M + k].of[lane]; };
                const auto tx = [&across, lane](int k) { return across.of[kPad + lane + k]; };
                const float w = secondDerivativeOf<float, M>(tz, m_b.s.axis[kZ].second, M) +
                                secondDerivativeOf<float, M>(tx, m_b.s.axis[kX].second, M);
                after.of[lane] = leap(before.of[lane], v[M].of[lane], speed.of[lane], w);
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

template<int M>
__global__ void __launch_bounds__(residentThreads(M), 1) residentKernel(const __grid_constant__ ResidentBody body)
{
    extern __shared__ float4 shared[];
    Tile<M>(body, reinterpret_cast<float*>(shared), static_cast<int>(blockIdx.x)).run();
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
