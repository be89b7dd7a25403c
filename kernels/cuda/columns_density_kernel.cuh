// The interior in two dimensions where density varies: columns_kernel.cuh's march with links for derivatives. Those along z are
// worked out at their lower ends, those along x shared by the nodes of a vector.
#pragma once

#include "kernels/cuda/links.cuh"
#include "kernels/cuda/march_plan.h"
#include "kernels/cuda/vec.cuh"
#include "kernels/equations/scalar.h"

namespace ondo::kernels::cuda {

template<class T, int M>
__global__ void __launch_bounds__(DensityColumns::kThreads, DensityColumns::kMinBlocks)
    densityColumnsKernel(const __grid_constant__ ScalarState<T> s, const __grid_constant__ MarchTable table)
{
    using Shape = DensityColumns;
    constexpr int V = Shape::kVectorBytes / static_cast<int>(sizeof(T));
    constexpr int kBeside = (M + V - 1) / V; // vectors of halo on either side of a row
    constexpr int kPad = kBeside * V;
    constexpr int kLanes = Shape::kLanes;
    constexpr int kAhead = Shape::kAhead;
    using N = Vec<T, V>;
    __shared__ __align__(16) T memory[Shape::kWarps][2][2][kLanes * V + 2 * kPad];

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
    const T* density = s.density + first;

    // The halo: its left and right vectors, each a lane's.
    const bool copies = lane < 2 * kBeside;
    const int edge = lane < kBeside ? lane * V - kPad : min((kLanes + lane - kBeside) * V, lastColumn);
    const int edgeAt = lane < kBeside ? lane * V : kPad + (kLanes + lane - kBeside) * V;

    N queue[M + 1]; // p(0) ... p(M) along z
    N front;        // p(M+1)
    N rhoFront;
    N rhoOwn; // of the next row
    N beside = {};
    N rhoBeside = {};
    LinkMarch<N, T, M> down;
    // One and two rows ahead. Of the last rows the last is loaded again rather than asking whether there is a next.
    N before[2];
    N speed[2];
    const std::int64_t second = steps > 1 ? stride : 0;
    before[0] = loadOnce<T, V>(other);
    speed[0] = loadOnce<T, V>(c2);
    before[1] = loadOnce<T, V>(other + second);
    speed[1] = loadOnce<T, V>(c2 + second);
    const T* source = now + own + M * stride;
    const T* rhoSource = density + own + M * stride;
    {
        N p[2 * M]; // from -M
        N rho[2 * M];
#pragma unroll
        for (int k = 0; k < 2 * M; ++k) {
            p[k] = *reinterpret_cast<const N*>(source + (k - 2 * M) * stride);
            rho[k] = *reinterpret_cast<const N*>(rhoSource + (k - 2 * M) * stride);
        }
        down.begin([&](int k) { return p[M + k]; }, [&](int k) { return rho[M + k]; }, s.axis[kZ].linked);
#pragma unroll
        for (int k = 0; k < M; ++k) {
            queue[k + 1] = p[M + k];
        }
        rhoOwn = rho[M];
    }
    front = *reinterpret_cast<const N*>(source);
    rhoFront = *reinterpret_cast<const N*>(rhoSource);
    if (copies) {
        beside = *reinterpret_cast<const N*>(now + edge);
        rhoBeside = *reinterpret_cast<const N*>(density + edge);
    }
    const bool asks = active && asksForLine(lane, kLanes, static_cast<int>(sizeof(N)));
    T* rowNow = memory[warp][0][0];
    T* rowNext = memory[warp][1][0];
    constexpr int kToRho = kLanes * V + 2 * kPad;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        const std::int64_t nextRow = step + 1 < steps ? stride : 0;
        const std::int64_t afterNext = step + 2 < steps ? 2 * stride : nextRow;
        now += nextRow;
        density += nextRow;
        source += nextRow;
        rhoSource += nextRow;
#pragma unroll
        for (int k = 0; k < M; ++k) {
            queue[k] = queue[k + 1];
        }
        queue[M] = front;
        front = *reinterpret_cast<const N*>(source);
        down.enter(rhoFront);
        rhoFront = *reinterpret_cast<const N*>(rhoSource);
        const N rhoCentre = rhoOwn;
        rhoOwn = *reinterpret_cast<const N*>(density + own);
        *reinterpret_cast<N*>(rowNow + kPad + lane * V) = queue[0];
        *reinterpret_cast<N*>(rowNow + kToRho + kPad + lane * V) = rhoCentre;
        if (copies) {
            *reinterpret_cast<N*>(rowNow + edgeAt) = beside;
            *reinterpret_cast<N*>(rowNow + kToRho + edgeAt) = rhoBeside;
            beside = *reinterpret_cast<const N*>(now + edge);
            rhoBeside = *reinterpret_cast<const N*>(density + edge);
        }
        if (asks && step + 2 + kAhead < steps) {
            askForLine(source + (1 + kAhead) * stride);
            askForLine(rhoSource + (1 + kAhead) * stride);
            askForLine(other + (2 + kAhead) * stride);
            askForLine(c2 + (2 + kAhead) * stride);
        }
        __syncwarp();
        N line[2 * kBeside + 1]; // of x
        N rhoLine[2 * kBeside + 1];
#pragma unroll
        for (int k = 0; k < 2 * kBeside + 1; ++k) {
            line[k] = k == kBeside ? queue[0] : *reinterpret_cast<const N*>(rowNow + (lane + k) * V);
            rhoLine[k] = k == kBeside ? rhoCentre : *reinterpret_cast<const N*>(rowNow + kToRho + (lane + k) * V);
        }
        N w = down.pass([&](int k) { return queue[k]; }, s.axis[kZ].linked);
        w += linksAcross<T, V, M>([&](int k) { return line[(kPad + k) / V][(kPad + k) % V]; },
                                  [&](int k) { return rhoLine[(kPad + k) / V][(kPad + k) % V]; }, s.axis[kX].linked);
        const N next = leap(before[0], queue[0], speed[0], w);
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
        T* const t = rowNow;
        rowNow = rowNext;
        rowNext = t;
    }
}

} // namespace ondo::kernels::cuda
