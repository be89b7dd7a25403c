// See resident.h. A block is a tile; threads own strips of four columns and some rows.
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/resident_tile.cuh"

#include <string>

namespace ondo::kernels::cuda {

namespace {

constexpr int kInFlight = 4; // words a thread hands over or waits for at once

template<int M>
class Tile : public ResidentTile<M> {
    using Base = ResidentTile<M>;
    using Base::edgeLength;
    using Base::endPlainColumn;
    using Base::endPlainRow;
    using Base::field;
    using Base::fillTables;
    using Base::firstPlainColumn;
    using Base::firstPlainRow;
    using Base::hasLayer;
    using Base::kA;
    using Base::kAHalf;
    using Base::kB;
    using Base::kBHalf;
    using Base::kPad;
    using Base::kRows;
    using Base::kThreads;
    using Base::kWarps;
    using Base::load;
    using Base::m_b;
    using Base::m_beside;
    using Base::m_count;
    using Base::m_depth;
    using Base::m_edgeWords;
    using Base::m_h;
    using Base::m_pitch;
    using Base::m_thread;
    using Base::m_w;
    using Base::mirror;
    using Base::model;
    using Base::modelPitch;
    using Base::place;
    using Base::put;
    using Base::read;
    using Base::store;
    using Base::table;
    using Base::words;
    using Base::write;
    using typename Base::Four;
    using typename Base::Row;

public:
    using Base::Base;

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
    // Four columns at a time. Along z of every column of the part, along x of every row.
    template<int P>
    __device__ void stepFirstMemory(const float* now)
    {
        if (m_depth[P] == 0) {
            return;
        }
        const float* const d = m_b.s.axis[P < 2 ? kZ : kX].staggered;
        const int units = P < 2 ? (m_w + 3) / 4 : (this->template partPitch<P>() - 2 * kPad) / 4;
        const int n = units * (P < 2 ? (m_depth[P] + 1) / 2 : m_h);
#pragma unroll 1
        for (int i = m_thread; i < n; i += kThreads) {
            const int row = (P < 2 ? 2 : 1) * (i / units) + (P < 2 ? this->template partFrom<P>() : 0);
            const int column = 4 * (i % units) + (P < 2 ? 0 : this->template partFrom<P>());
            const float* const p = now + place(row, column);
            if constexpr (P < 2) {
                Four v[2 * M + 1];
#pragma unroll
                for (int k = 0; k <= 2 * M; ++k) {
                    v[k] = read(p + (k - M + 1) * m_pitch);
                }
#pragma unroll
                for (int r = 0; r < 2; ++r) {
                    if (row + r < this->template partFrom<P>() + m_depth[P]) {
                        const float a = *this->template profileAt<P>(kAHalf, row + r);
                        const float b = *this->template profileAt<P>(kBHalf, row + r);
                        Four f = read(this->template psiAt<P>(row + r, column));
#pragma unroll
                        for (int lane = 0; lane < 4; ++lane) {
                            const auto tap = [&v, r, lane](int k) { return v[r + k + M - 1].of[lane]; };
                            f.of[lane] = nextMemory(a, f.of[lane], b, forwardDerivativeOf<float, M>(tap, d, M));
                        }
                        write(this->template psiAt<P>(row + r, column), f);
                    }
                }
            } else {
                Four f = read(this->template psiAt<P>(row, column));
                const Four a = read(this->template profileAt<P>(kAHalf, column));
                const Four b = read(this->template profileAt<P>(kBHalf, column));
                const Row v(p);
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&v, lane](int k) { return v.of[kPad + lane + k]; };
                    f.of[lane] =
                        nextMemory(a.of[lane], f.of[lane], b.of[lane], forwardDerivativeOf<float, M>(tap, d, M));
                }
                write(this->template psiAt<P>(row, column), f);
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
            v[k] = read(this->template psiAt<P>(row + k - M, column));
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            if (r < rows) {
                const float a = *this->template profileAt<P>(kA, row + r);
                const float b = *this->template profileAt<P>(kB, row + r);
                Four back;
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&v, r, lane](int k) { return v[r + k + M].of[lane]; };
                    back.of[lane] = backwardDerivativeOf<float, M>(tap, d, M);
                }
                stretch(w[r], back, {{a, a, a, a}}, {{b, b, b, b}}, this->template zetaAt<P>(row + r, column));
            }
        }
    }
    template<int P>
    __device__ void stretchX(Four& w, int row, int column) const
    {
        const float* const d = m_b.s.axis[kX].staggered;
        const Row v(this->template psiAt<P>(row, column));
        Four back;
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            const auto tap = [&v, lane](int k) { return v.of[kPad + lane + k]; };
            back.of[lane] = backwardDerivativeOf<float, M>(tap, d, M);
        }
        stretch(w, back, read(this->template profileAt<P>(kA, column)), read(this->template profileAt<P>(kB, column)),
                this->template zetaAt<P>(row, column));
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
