// The step of the scalar equation at the speed of memory: each field is read once and written once.
// A block owns a tile in the plane of a row axis and x and marches along the third axis. The values along the march wait in
// registers; planes come ahead of their use into a ring in shared memory, with the halo that their neighbours need; p(n-1)
// and c2 come one plane ahead into registers. In two dimensions the planes are tiles, one below the other.
// Layers: a tile holds the whole layer (and the M nodes that feel it) along its axis, which is the row axis or x, so that
// psi is the block's own: it steps psi of a plane in place, shows it to its neighbours in shared memory, and goes on.
// Threads beyond the box copy what is there, no more than M nodes beyond, and write nothing.
#pragma once

#include "kernels/cuda/march_plan.h"
#include "kernels/cuda/vec.cuh"
#include "kernels/equations/scalar.h"

namespace ondo::kernels::cuda {

// Part of a vector that lies in [from, to); x: of its first node. Zeros elsewhere.
template<class T, int V>
__device__ inline Vec<T, V> loadPart(const T* p, int x, int from, int to, bool vectors)
{
    if (vectors && x >= from && x + V <= to) {
        return *reinterpret_cast<const Vec<T, V>*>(p);
    }
    Vec<T, V> n;
#pragma unroll
    for (int i = 0; i < V; ++i) {
        n[i] = x + i >= from && x + i < to ? p[i] : T(0);
    }
    return n;
}

template<class T, int V>
__device__ inline void storePart(T* p, const Vec<T, V>& n, int x, int from, int to, bool vectors)
{
    if (vectors && x >= from && x + V <= to) {
        *reinterpret_cast<Vec<T, V>*>(p) = n;
        return;
    }
#pragma unroll
    for (int i = 0; i < V; ++i) {
        if (x + i >= from && x + i < to) {
            p[i] = n[i];
        }
    }
}

// V values from the i-th on of several vectors in a row.
template<class N, int V>
__device__ inline N across(const N* line, int i)
{
    N n;
#pragma unroll
    for (int k = 0; k < V; ++k) {
        n[k] = line[(i + k) / V][(i + k) % V];
    }
    return n;
}

template<class T, int Rank, int M, int Layers>
__global__ void __launch_bounds__(MarchShape<Rank, Layers>::kThreads, MarchSizes<T, Rank, M, Layers>::kMinBlocks)
    marchKernel(const __grid_constant__ ScalarState<T> s, const __grid_constant__ MarchTable table)
{
    using Sizes = MarchSizes<T, Rank, M, Layers>;
    using Shape = typename Sizes::Shape;
    constexpr int V = Sizes::kVector;
    constexpr int kPad = Sizes::kPad;
    constexpr int kBeside = Sizes::kBeside;
    constexpr int kHeld = Sizes::kHeld;
    constexpr int kAhead = Shape::kAhead;
    constexpr int kCopies = 1 + Sizes::kEach;
    using N = Vec<T, V>;
    extern __shared__ __align__(16) unsigned char marchMemory[];

    int b = 0;
    while (blockIdx.x >= table.end[b]) {
        ++b;
    }
    const MarchBox& m = table.box[b];
    const Box& box = m.box;
    int tile = static_cast<int>(blockIdx.x - (b > 0 ? table.end[b - 1] : 0U));
    const int tileX = tile % m.tilesX;
    tile /= m.tilesX;
    const int tileRow = tile % m.tilesRow;
    const int chunk = tile / m.tilesRow;
    const int shot = table.firstShot + static_cast<int>(blockIdx.y);

    const int lanes = Layers ? m.lanes : Shape::kLanes;
    const int rows = Layers ? m.rows : Shape::kRows;
    const int pitch = Sizes::pitch(lanes);
    const int planeSize = (rows + 2 * M) * pitch;
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / lanes;
    const int lane = thread - row * lanes;

    // Rows of the tile from r on, planes from a on; nothing beyond lastRow and lastColumn is read.
    const bool rowIsZ = Rank == 2 || (Layers != kNoLayer && m.row == kZ);
    const int r1 = rowIsZ ? box.z1 : box.y1;
    const int r = (rowIsZ ? box.z0 : box.y0) + (Rank == 3 ? tileRow : chunk * m.planes) * rows;
    const int a = Rank == 3 ? (rowIsZ ? box.y0 : box.z0) + chunk * m.planes : 0;
    const int left = Rank == 3 ? (rowIsZ ? box.y1 : box.z1) - a : (r1 - r + rows - 1) / rows;
    const int steps = min(m.planes, left);
    const int xTile = m.x + tileX * lanes * V;
    const int x = xTile + lane * V;
    const int lastRow = r1 - 1 + M - r;
    const int lastColumn = (box.x1 - 1 + M) / V * V - xTile;
    const Layout& layout = s.layout;
    const std::int64_t strideRow = rowIsZ ? layout.strideZ : layout.strideY;
    const std::int64_t strideAlong = Rank == 2 ? rows * strideRow : rowIsZ ? layout.strideY : layout.strideZ;
    const bool inBox = x < box.x1 && x + V > box.x0 && row < rows;
    const auto isActive = [&](int step) { return inBox && r + row + (Rank == 2 ? step * rows : 0) < r1; };

    const std::int64_t first = layout.at(rowIsZ ? r : a, Rank == 2 ? 0 : rowIsZ ? a : r, xTile);
    const std::int64_t own = row * strideRow + lane * V;
    const T* now = s.now + shot * layout.shotStride + first;
    T* other = s.other + shot * layout.shotStride + first + own;
    const T* c2 = s.c2 + first + own;

    // What this thread copies of each plane: its own vector, and its share of the halo.
    int copyRow[kCopies];
    int copyColumn[kCopies];
    int copyTo[kCopies];
    const int ownAt = (row + M) * pitch + kPad + lane * V;
    copyRow[0] = row;
    copyColumn[0] = lane * V;
    copyTo[0] = row < rows ? ownAt : -1;
#pragma unroll
    for (int e = 1; e < kCopies; ++e) {
        int h = thread + (e - 1) * static_cast<int>(Layers ? blockDim.x : Shape::kThreads);
        copyTo[e] = -1;
        copyRow[e] = copyColumn[e] = 0;
        if (h < Sizes::haloVectors(lanes, rows)) {
            if (h < 2 * M * lanes) { // above and below
                const int line = h / lanes;
                copyRow[e] = line < M ? line - M : rows + line - M;
                copyColumn[e] = (h - line * lanes) * V;
            } else { // left and right
                h -= 2 * M * lanes;
                copyRow[e] = h / (2 * kBeside);
                const int k = h - copyRow[e] * 2 * kBeside;
                copyColumn[e] = k < kBeside ? k * V - kPad : (lanes + k - kBeside) * V;
            }
            copyTo[e] = (copyRow[e] + M) * pitch + kPad + copyColumn[e];
        }
    }
    int copyFrom[kCopies];
#pragma unroll
    for (int e = 0; e < kCopies; ++e) {
        copyColumn[e] = min(copyColumn[e], lastColumn);
        copyFrom[e] = min(copyRow[e], lastRow) * static_cast<int>(strideRow) + copyColumn[e];
    }

    T* const ring = reinterpret_cast<T*>(marchMemory);
    T* const ringEnd = ring + Sizes::kRing * planeSize;
    // The slot that is `planes` on from one.
    const auto slotAfter = [&](T* slot, int planes) {
        slot += planes * planeSize;
        return slot >= ringEnd ? slot - Sizes::kRing * planeSize : slot;
    };
    const T* source = now;
    const auto fetch = [&](int plane, T* in) {
        if (plane < steps + kHeld) {
#pragma unroll
            for (int e = 0; e < kCopies; ++e) {
                if (copyTo[e] >= 0) {
                    const T* from = source + copyFrom[e];
                    if constexpr (Rank == 2) {
                        from = now + min(copyRow[e] + plane * rows, lastRow) * strideRow + copyColumn[e];
                    }
                    __pipeline_memcpy_async(in + copyTo[e], from, sizeof(N));
                }
            }
        }
        __pipeline_commit();
        source += strideAlong;
    };
#pragma unroll 1
    for (int plane = 0; plane < kHeld + kAhead; ++plane) {
        fetch(plane, ring + plane * planeSize);
    }

    const int rowSide = Layers == kNoLayer ? kNone : box.side[rowIsZ ? kZ : kY];
    const int xSide = Layers == kAnyLayer ? box.side[kX] : kNone;
    const bool inRows = Layers == kRowLayer || rowSide != kNone;
    const bool inX = Layers == kAnyLayer && (Rank == 3 || xSide != kNone);
    const AxisCoefficients<T>& ofRow = s.axis[rowIsZ ? kZ : kY];
    const AxisLayer<T>& rowLayer = s.layer[rowIsZ ? kZ : kY];
    const AxisLayer<T>& xLayer = s.layer[kX];
    // What the layers keep: psi of the plane as the plane itself lies, with zeros where neighbours look beyond.
    T* const psiOfRows = ringEnd;
    T* const psiOfX = psiOfRows + planeSize;
    T* const profiles = psiOfX + (Layers == kAnyLayer ? rows * pitch : 0); // a, b, and both at halves: along x, of rows
    T* const rowProfiles = profiles + (Layers == kAnyLayer ? 4 * lanes * V : 0);
    T* const psiOwnRow = psiOfRows + ownAt;
    T* const psiOwnX = psiOfX + ownAt - M * pitch;
    std::int64_t rowAt = 0; // offsets of the memories
    std::int64_t xAt = 0;
    int rowStep = 0;
    int xStep = 0;
    // Where memories are not always zero: the layer without the nodes that only feel it.
    bool rowLives = false;
    bool xLives = false;
    if constexpr (Layers != kNoLayer) {
        const N zero = {};
        const int z = rowIsZ ? r + row : a;
        const int y = Rank == 2 ? 0 : rowIsZ ? a : r + row;
        if (inRows) {
            for (int h = thread; h < 2 * M * lanes; h += static_cast<int>(blockDim.x)) {
                const int line = h / lanes;
                const int to = (line < M ? line : rows + line) * pitch + kPad + (h - line * lanes) * V;
                *reinterpret_cast<N*>(psiOfRows + to) = zero;
            }
            for (int h = thread; h < rows; h += static_cast<int>(blockDim.x)) {
                const int n = r + h;
                rowProfiles[h] = rowLayer.a[n];
                rowProfiles[rows + h] = rowLayer.b[n];
                rowProfiles[2 * rows + h] = rowLayer.aHalf[n];
                rowProfiles[3 * rows + h] = rowLayer.bHalf[n];
            }
            if (inBox) {
                rowLives = rowSide == kLow ? r + row < r1 - M : row >= M - 1;
                rowAt = rowLayer.at(rowSide, shot, z, y, x);
                rowStep = static_cast<int>(rowIsZ ? rowLayer.y : rowLayer.z);
            }
        }
        if (inX) {
            for (int h = thread; h < rows * 2 * kBeside; h += static_cast<int>(blockDim.x)) {
                const int line = h / (2 * kBeside);
                const int k = h - line * 2 * kBeside;
                const int to = line * pitch + (k < kBeside ? k : lanes + k) * V;
                *reinterpret_cast<N*>(psiOfX + to) = zero;
            }
            for (int h = thread; h < lanes * V; h += static_cast<int>(blockDim.x)) {
                const int n = xTile + h;
                const bool inside = n >= box.x0 && n < box.x1;
                profiles[h] = inside ? xLayer.a[n] : T(0);
                profiles[lanes * V + h] = inside ? xLayer.b[n] : T(0);
                profiles[2 * lanes * V + h] = inside ? xLayer.aHalf[n] : T(0);
                profiles[3 * lanes * V + h] = inside ? xLayer.bHalf[n] : T(0);
            }
            if (inBox) {
                xLives = xSide == kLow ? x < box.x1 - M : x + V > box.x0 + M - 1;
                xAt = xLayer.at(xSide, shot, z, y, x);
                xStep = static_cast<int>(Rank == 2 ? rows * xLayer.z : rowIsZ ? xLayer.y : xLayer.z);
            }
        }
    }

    // One plane ahead; each is loaded again as soon as it has been used.
    N before = {};
    N speed = {};
    N psiRow = {};
    N zetaRow = {};
    N psiX = {};
    N zetaX = {};
    const auto loadNode = [&](std::int64_t ahead) {
        before = *reinterpret_cast<const N*>(other + ahead);
        speed = *reinterpret_cast<const N*>(c2 + ahead);
    };
    const auto loadOfRow = [&](const T* p) { return loadPart<T, V>(p, x, box.x0, box.x1, m.rowVectors); };
    const auto loadOfX = [&](const T* p) { return loadPart<T, V>(p, x, box.x0, box.x1, m.xVectors); };
    if (isActive(0)) {
        loadNode(0);
        if (rowLives) {
            psiRow = loadOfRow(rowLayer.psi + rowAt);
            zetaRow = loadOfRow(rowLayer.zeta + rowAt);
        }
        if (xLives) {
            psiX = loadOfX(xLayer.psi + xAt);
            zetaX = loadOfX(xLayer.zeta + xAt);
        }
    }

    N queue[2 * M + 1]; // p(-M) ... p(M) along the march
    if constexpr (Rank == 3) {
        if (isActive(0)) {
            const T* p = now + own - M * strideAlong;
#pragma unroll
            for (int k = 0; k < 2 * M; ++k) {
                queue[k + 1] = *reinterpret_cast<const N*>(p);
                p += strideAlong;
            }
        }
    }
    T* slot = ring;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        __pipeline_wait_prior(kAhead - 1);
        __syncthreads();
        fetch(step + kHeld + kAhead, slotAfter(slot, kHeld + kAhead));
        const T* here = slot + ownAt;
        const bool active = isActive(step);
        const bool more = step + 1 < steps && isActive(step + 1);

        N line[2 * kBeside + 1]; // of x
        const auto tapX = [&](int k) { return across<N, V>(line, kPad + k); };
        const auto tapRow = [&](int k) {
            return k == 0 ? line[kBeside] : *reinterpret_cast<const N*>(here + k * pitch);
        };
        if (active) {
            if constexpr (Rank == 3) {
#pragma unroll
                for (int k = 0; k < 2 * M; ++k) {
                    queue[k] = queue[k + 1];
                }
                queue[2 * M] = *reinterpret_cast<const N*>(slotAfter(slot, kHeld) + ownAt);
            }
#pragma unroll
            for (int k = 0; k < 2 * kBeside + 1; ++k) {
                line[k] = Rank == 3 && k == kBeside ? queue[M] : *reinterpret_cast<const N*>(here - kPad + k * V);
            }
            if (inRows) {
                psiRow = nextMemory(rowProfiles[2 * rows + row], psiRow, rowProfiles[3 * rows + row],
                                    forwardDerivativeOf<N, M>(tapRow, ofRow.staggered, M));
                *reinterpret_cast<N*>(psiOwnRow) = psiRow;
                if (rowLives) {
                    storePart<T, V>(rowLayer.psi + rowAt, psiRow, x, box.x0, box.x1, m.rowVectors);
                    if (more) {
                        psiRow = loadOfRow(rowLayer.psi + rowAt + rowStep);
                    }
                }
            }
            if (inX) {
                const T* profile = profiles + 2 * lanes * V + lane * V;
                psiX = nextMemory(*reinterpret_cast<const N*>(profile), psiX,
                                  *reinterpret_cast<const N*>(profile + lanes * V),
                                  forwardDerivativeOf<N, M>(tapX, s.axis[kX].staggered, M));
                *reinterpret_cast<N*>(psiOwnX) = psiX;
                if (xLives) {
                    storePart<T, V>(xLayer.psi + xAt, psiX, x, box.x0, box.x1, m.xVectors);
                    if (more) {
                        psiX = loadOfX(xLayer.psi + xAt + xStep);
                    }
                }
            }
        }
        if constexpr (Layers != kNoLayer) {
            __syncthreads();
        }
        if (active) {
            N w = secondDerivativeOf<N, M>(tapRow, ofRow.second, M);
            if (inRows) {
                const auto tapPsi = [&](int k) { return *reinterpret_cast<const N*>(psiOwnRow + k * pitch); };
                w += backwardDerivativeOf<N, M>(tapPsi, ofRow.staggered, M);
                zetaRow = nextMemory(rowProfiles[row], zetaRow, rowProfiles[rows + row], w);
                w += zetaRow;
                if (rowLives) {
                    storePart<T, V>(rowLayer.zeta + rowAt, zetaRow, x, box.x0, box.x1, m.rowVectors);
                    if (more) {
                        zetaRow = loadOfRow(rowLayer.zeta + rowAt + rowStep);
                    }
                }
            }
            if constexpr (Rank == 3) {
                const auto tapAlong = [&](int k) { return queue[M + k]; };
                w = secondDerivativeOf<N, M>(tapAlong, s.axis[rowIsZ ? kY : kZ].second, M) + w;
            }
            N ofX = secondDerivativeOf<N, M>(tapX, s.axis[kX].second, M);
            if (inX) {
                N psi[2 * kBeside + 1];
#pragma unroll
                for (int k = 0; k < 2 * kBeside + 1; ++k) {
                    psi[k] = *reinterpret_cast<const N*>(psiOwnX - kPad + k * V);
                }
                const auto tapPsi = [&](int k) { return across<N, V>(psi, kPad + k); };
                ofX += backwardDerivativeOf<N, M>(tapPsi, s.axis[kX].staggered, M);
                const T* profile = profiles + lane * V;
                zetaX = nextMemory(*reinterpret_cast<const N*>(profile), zetaX,
                                   *reinterpret_cast<const N*>(profile + lanes * V), ofX);
                ofX += zetaX;
                if (xLives) {
                    storePart<T, V>(xLayer.zeta + xAt, zetaX, x, box.x0, box.x1, m.xVectors);
                    if (more) {
                        zetaX = loadOfX(xLayer.zeta + xAt + xStep);
                    }
                }
            }
            w += ofX;
            storePart<T, V>(other, leap(before, line[kBeside], speed, w), x, box.x0, box.x1, true);
            if (more) {
                loadNode(strideAlong);
            }
        }
        other += strideAlong;
        c2 += strideAlong;
        rowAt += rowStep;
        xAt += xStep;
        slot = slotAfter(slot, 1);
    }
}

} // namespace ondo::kernels::cuda
