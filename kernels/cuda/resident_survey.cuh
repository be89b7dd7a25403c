// Sources and receivers of a tile (resident.h).
#pragma once

#include "kernels/cuda/resident_back.cuh"
#include "kernels/cuda/resident_layers.cuh"

#include <type_traits>

namespace ondo::kernels::cuda {

inline constexpr int kInFlight = 4; // words a thread hands over or waits for at once

template<int M, ResidentWay W>
using ResidentSteppedLayers = std::conditional_t<W == ResidentWay::Back, ResidentBack<M>, ResidentLayers<M, W>>;

template<int M, ResidentWay W>
class ResidentSurvey : public ResidentSteppedLayers<M, W> {
    using Base = ResidentSteppedLayers<M, W>;

protected:
    using Base::field;
    using Base::kBack;
    using Base::kThreads;
    using Base::kWarps;
    using Base::m_b;
    using Base::m_count;
    using Base::m_fieldSize;
    using Base::m_shared;
    using Base::m_thread;
    using Base::table;
    using Base::words;

public:
    using Base::Base;

protected:
    enum Where { kAnywhere = 0, kInEdge, kInside };

    // The sample that sources inject after a step; below 0: none.
    __device__ std::int64_t sampleAfter(int step) const
    {
        if constexpr (kBack) {
            const int since = step + 1 - m_b.untilInject;
            return since >= 0 && since % m_b.injectRatio == 0 ? m_b.inject.step - since / m_b.injectRatio : -1;
        } else {
            const std::int64_t sample = m_b.inject.step + step;
            return sample < m_b.inject.waveletStride ? sample : -1;
        }
    }
    // The wavelet of this thread's source node: of its first source, where several share a node.
    __device__ float waveletAt(int step) const
    {
        const std::int64_t sample = sampleAfter(step);
        if (m_thread >= m_count[kSources] || sample < 0) {
            return 0.0F;
        }
        return m_b.inject.wavelets[rowOf(m_thread) + sample];
    }
    __device__ std::int64_t rowOf(int source) const
    {
        const int* const s = table(kSource) + kSourceWords * source;
        return std::int64_t{s[4]} << 32 | static_cast<std::uint32_t>(s[3]);
    }

    // At nodes that lie there. The caller's barrier lies before, one of its own behind.
    __device__ void inject(float* other, int step, float first, int where)
    {
        const std::int64_t sample = sampleAfter(step);
        if (m_count[kSources] == 0 || sample < 0) {
            return;
        }
#pragma unroll 1
        for (int i = m_thread; i < m_count[kSources]; i += kThreads) {
            const int* const s = table(kSource) + kSourceWords * i;
            if (where != kAnywhere && (s[7] != 0) != (where == kInEdge)) {
                continue;
            }
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

    // A warp a receiver, in the order of recordKernel; four at a time, to hide what each waits for.
    __device__ void record(int cur, int sample) const
    {
        constexpr int kTogether = 4;
        const int receivers = m_count[kReceivers];
        const int* const receiver = table(kReceiver);
        const int2* const entry = reinterpret_cast<const int2*>(words(kEntry));
        // Places in field(0) lie below those of the imports.
        const int fieldsEnd = kTileHead + m_fieldSize;
        const int shift = cur * m_fieldSize;
        const int lane = m_thread % 32;
#pragma unroll 1
        for (int k = m_thread / 32; k < receivers; k += kTogether * kWarps) {
            int first[kTogether];
            int n[kTogether];
            float sum[kTogether];
            int most = 0;
#pragma unroll
            for (int g = 0; g < kTogether; ++g) {
                const bool there = k + g * kWarps < receivers;
                const int* const r = receiver + kReceiverWords * (there ? k + g * kWarps : k);
                first[g] = r[2];
                n[g] = there ? r[3] : 0;
                sum[g] = 0.0F;
                most = max(most, n[g]);
            }
            // Nothing branches: the questions to shared memory are all on their way before an answer is needed.
#pragma unroll 1
            for (int e = lane; e < most; e += kLanes) {
#pragma unroll
                for (int g = 0; g < kTogether; ++g) {
                    const bool there = e < n[g];
                    const int2 of = entry[there ? first[g] + e : 0];
                    const float value = m_shared[of.x < fieldsEnd ? of.x + shift : of.x];
                    const float more = mulAdd(__int_as_float(of.y), value, sum[g]);
                    sum[g] = there ? more : sum[g];
                }
            }
            // Lane l adds what lane l + 16 has, and so on down to one. Of the other half of the lanes nobody needs the sum:
            // they make another receiver's meanwhile.
            const auto fold = [lane](float a, float b, int width) {
                const bool upper = (lane & width) != 0;
                return (upper ? b : a) + __shfl_xor_sync(0xFFFFFFFFU, upper ? a : b, width);
            };
            float all = fold(fold(sum[0], sum[1], 16), fold(sum[2], sum[3], 16), 8);
#pragma unroll
            for (int width = 4; width > 0; width /= 2) {
                all += __shfl_xor_sync(0xFFFFFFFFU, all, width);
            }
            // Lanes 0, 16, 8 and 24 have the four.
            const int mine = k + (lane / 16 + (lane & 8) / 4) * kWarps;
            if (lane % 8 == 0 && mine < receivers) {
                const int* const r = receiver + kReceiverWords * mine;
                float* const out = r[0] == 0 ? m_b.record[0].out : m_b.record[1].out;
                const int wide = r[0] == 0 ? m_b.record[0].receivers : m_b.record[1].receivers;
                out[std::int64_t{kBack ? -sample : sample} * wide + r[1]] = all;
            }
        }
    }

    // Eight samples in turn: one is taken a step after it was handed over, and a tile beside this one may be two steps ahead, one across a
    // corner three (resident_plan.h asks for tiles beside).
    __device__ std::uint64_t* crossing(int sample, int which) const
    {
        return m_b.ring + static_cast<std::int64_t>(sample & (kRing - 1)) * m_b.crossings + which;
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
        const int n = m_count[kImports];
        float* const imported = words(kImported);
#pragma unroll 1
        for (int i = m_thread; i < n; i += kInFlight * kThreads) {
            std::uint64_t word[kInFlight];
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                word[k] = i + k * kThreads < n ? look(crossing(sample, in[i + k * kThreads])) : 0;
            }
#pragma unroll
            for (int k = 0; k < kInFlight; ++k) {
                if (i + k * kThreads < n) {
                    while (!carries(word[k], tag)) {
                        word[k] = look(crossing(sample, in[i + k * kThreads]));
                    }
                    imported[i + k * kThreads] = valueOf(word[k]);
                }
            }
        }
    }
};

} // namespace ondo::kernels::cuda
