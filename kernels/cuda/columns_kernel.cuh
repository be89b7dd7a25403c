// The interior in two dimensions at the speed of memory: each field is read once and written once.
// A warp owns a strip of vectors side by side and goes down the rows. The values along z wait in registers; the row whose
// neighbours are looked at lies in shared memory of the warp's own, so that no warp waits for another. What comes next is
// asked into the L2 cache some rows before, or the loads, one and two rows ahead, would wait for memory.
#pragma once

#include "kernels/cuda/march_plan.h"
#include "kernels/cuda/march_tape.cuh"
#include "kernels/cuda/vec.cuh"
#include "kernels/equations/scalar.h"

namespace ondo::kernels::cuda {

template<class T, int M, class Tape>
__global__ void __launch_bounds__(ColumnShape<T, M>::kThreads, ColumnShape<T, M>::kMinBlocks)
    columnsKernel(const __grid_constant__ ScalarState<T> s, const __grid_constant__ MarchTable table,
                  const __grid_constant__ Tape tape)
{
    using Shape = ColumnShape<T, M>;
    constexpr int V = Shape::kVector;
    constexpr int kBeside = (M + V - 1) / V; // vectors of halo on either side of a row
    constexpr int kPad = kBeside * V;
    constexpr int kLanes = Shape::kLanes;
    constexpr int kAhead = Shape::kAhead;
    using N = Vec<T, V>;
    __shared__ __align__(16) T memory[Shape::kWarps][2][kLanes * V + 2 * kPad];

    int b = 0;
    while (blockIdx.x >= table.end[b]) {
        ++b;
    }
    const MarchBox& m = table.box[b];
    const Box& box = m.box;
    const int warp = static_cast<int>(threadIdx.x) / kLanes;
    const int lane = static_cast<int>(threadIdx.x) % kLanes;
    const int strip = static_cast<int>(blockIdx.x - (b > 0 ? table.end[b - 1] : 0U)) * Shape::kWarps + warp;
    const int chunk = strip / m.tilesX;
    if (chunk >= m.chunks) {
        return;
    }
    const int shot = table.firstShot + static_cast<int>(blockIdx.y);
    const int z = box.z0 + chunk * m.planes;
    const int steps = min(m.planes, box.z1 - z);
    const int xTile = m.x + strip % m.tilesX * kLanes * V;
    const int x = xTile + lane * V;
    const bool active = x < box.x1 && x + V > box.x0;
    const bool whole = x >= box.x0 && x + V <= box.x1;
    // Nothing beyond is read.
    const int lastColumn = (box.x1 - 1 + M) / V * V - xTile;
    const int own = min(lane * V, lastColumn);

    const Layout& layout = s.layout;
    const std::int64_t stride = layout.strideZ;
    const std::int64_t first = layout.at(z, 0, xTile);
    const T* now = s.now + shot * layout.shotStride + first;
    T* other = s.other + shot * layout.shotStride + first + own;
    const T* c2 = s.c2 + first + own;

    // The halo: its left and right vectors, each a lane's.
    const bool copies = lane < 2 * kBeside;
    const int edge = lane < kBeside ? lane * V - kPad : min((kLanes + lane - kBeside) * V, lastColumn);
    const int edgeAt = lane < kBeside ? lane * V : kPad + (kLanes + lane - kBeside) * V;

    N queue[2 * M + 1]; // p(-M) ... p(M) along z
    N front;            // p(M+1)
    N beside = {};
    // One and two rows ahead. Of the last rows the last is loaded again rather than asking whether there is a next.
    N before[2];
    N speed[2];
    const std::int64_t second = steps > 1 ? stride : 0;
    const bool leaps = leapsWith(tape);
    if (leaps) {
        before[0] = loadOnce<T, V>(other);
        speed[0] = loadOnce<T, V>(c2);
        before[1] = loadOnce<T, V>(other + second);
        speed[1] = loadOnce<T, V>(c2 + second);
    }
    const T* source = now + own + M * stride;
#pragma unroll
    for (int k = 0; k < 2 * M; ++k) {
        queue[k + 1] = *reinterpret_cast<const N*>(source + (k - 2 * M) * stride);
    }
    front = *reinterpret_cast<const N*>(source);
    if (copies) {
        beside = *reinterpret_cast<const N*>(now + edge);
    }
    const bool asks = active && asksForLine(lane, kLanes, static_cast<int>(sizeof(N)));
    [[maybe_unused]] TapedVector<T, V, false> taped;
    [[maybe_unused]] std::int64_t tapedAt = 0;
    if constexpr (kIsTaped<Tape>) {
        tapedAt = tape.compact.at(shot, z, 0, x);
    }
    T* rowNow = memory[warp][0];
    T* rowNext = memory[warp][1];
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        const std::int64_t nextRow = step + 1 < steps ? stride : 0;
        const std::int64_t afterNext = step + 2 < steps ? 2 * stride : nextRow;
        now += nextRow;
        source += nextRow;
#pragma unroll
        for (int k = 0; k < 2 * M; ++k) {
            queue[k] = queue[k + 1];
        }
        queue[2 * M] = front;
        front = *reinterpret_cast<const N*>(source);
        *reinterpret_cast<N*>(rowNow + kPad + lane * V) = queue[M];
        if (copies) {
            *reinterpret_cast<N*>(rowNow + edgeAt) = beside;
            beside = *reinterpret_cast<const N*>(now + edge);
        }
        if (asks && step + 2 + kAhead < steps) {
            askForLine(source + (1 + kAhead) * stride);
            if (leaps) {
                askForLine(other + (2 + kAhead) * stride);
                askForLine(c2 + (2 + kAhead) * stride);
            }
        }
        if constexpr (kIsTaped<Tape>) {
            if (active) {
                taped.load(tape, tapedAt, x, box.x0, box.x1);
            }
        }
        __syncwarp();
        N line[2 * kBeside + 1]; // of x
#pragma unroll
        for (int k = 0; k < 2 * kBeside + 1; ++k) {
            line[k] = k == kBeside ? queue[M] : *reinterpret_cast<const N*>(rowNow + (lane + k) * V);
        }
        const auto tapX = [&](int k) { return across<N, V>(line, kPad + k); };
        const auto tapZ = [&](int k) { return queue[M + k]; };
        N w = secondDerivativeOf<N, M>(tapZ, s.axis[kZ].second, M);
        w += secondDerivativeOf<N, M>(tapX, s.axis[kX].second, M);
        if constexpr (kIsTaped<Tape>) {
            if (active) {
                taped.store(tape, tapedAt, x, box.x0, box.x1, queue[M], w);
            }
            tapedAt += tape.compact.strideZ;
        }
        if (leaps) {
            const N next = leap(before[0], queue[M], speed[0], w);
            if (whole) {
                storeOnce<T, V>(other, next);
            } else if (active) {
                storePart<T, V>(other, next, x, box.x0, box.x1, false);
            }
            before[0] = before[1];
            speed[0] = speed[1];
            before[1] = loadOnce<T, V>(other + afterNext);
            speed[1] = loadOnce<T, V>(c2 + afterNext);
            other += nextRow;
            c2 += nextRow;
        }
        T* const t = rowNow;
        rowNow = rowNext;
        rowNext = t;
    }
}

} // namespace ondo::kernels::cuda
