// The step where density varies, in three dimensions, at the speed of memory: march_kernel.cuh's march with a second ring, of
// densities, and links (core/density_links.h) for derivatives.
// Links are shared where that costs little: along the march a link is worked out at its lower end, and what it brings to its
// upper end waits in registers, one sum for each of the M nodes ahead; along x the nodes of a thread's vector share theirs;
// along rows each end works out its own, with the same bits. Layers show their neighbours psi times the buoyancy of its half
// node, so that nobody works that out twice.
#pragma once

#include "kernels/cuda/links.cuh"
#include "kernels/cuda/march_plan.h"
#include "kernels/cuda/vec.cuh"
#include "kernels/equations/scalar.h"

#include <cuda_pipeline.h>

namespace ondo::kernels::cuda {

template<class T, int M, int Layers>
struct DensitySizes {
    using Shape = DensityShape<Layers>;
    static constexpr int kVector = Shape::kVectorBytes / static_cast<int>(sizeof(T));
    static constexpr int kBeside = (M + kVector - 1) / kVector; // vectors of halo on either side of a row
    static constexpr int kPad = kBeside * kVector;
    static constexpr bool kAlong = Layers == kAlongLayer || Layers == kAlongAny;
    static constexpr bool kFixed = Layers == kNoLayer || Layers == kAlongLayer;
    // Planes that the queue of the field is ahead of the one whose neighbours are looked at: links reach M nodes, psi along
    // the march runs M - 1 half nodes ahead and looks M nodes further.
    static constexpr int kHeld = kAlong ? 2 * M - 1 : M;
    static constexpr int kRing = kHeld + 1 + Shape::kAhead;
    // Two rings leave no room for rows longer than a tile's: of tiles as wide as those of one density one fits a multiprocessor.
    static constexpr int kMostLanes = Shape::kLanes;
    static constexpr int kPitch = kMostLanes * kVector + 2 * kPad;
    ONDO_HD static constexpr int haloVectors(int lanes, int rows) { return 2 * M * lanes + rows * 2 * kBeside; }
    // Copies of a thread for the halo of a plane, of each ring.
    static constexpr int kEach = kFixed ? (haloVectors(Shape::kLanes, Shape::kRows) - 1) / Shape::kThreads + 1 : 1;
    static constexpr int bytes(int lanes, int rows)
    {
        constexpr bool kX = Layers == kXLayer || Layers == kAnyLayer || Layers == kAlongAny;
        constexpr bool kRows = Layers == kRowLayer || Layers == kAnyLayer || Layers == kAlongAny;
        const int plane = (rows + 2 * M) * kPitch;
        const int xMemory = kX ? rows * kPitch + 4 * lanes * kVector : 0;
        return (2 * kRing * plane + (kRows ? plane : 0) + xMemory) * static_cast<int>(sizeof(T));
    }
};

template<class T, int M, int Layers>
__global__ void __launch_bounds__(DensityShape<Layers>::kThreads, DensityShape<Layers>::kMinBlocks)
    densityMarchKernel(const __grid_constant__ ScalarState<T> s, const __grid_constant__ MarchTable table)
{
    using Sizes = DensitySizes<T, M, Layers>;
    using Shape = typename Sizes::Shape;
    constexpr int V = Sizes::kVector;
    constexpr int kPad = Sizes::kPad;
    constexpr int kBeside = Sizes::kBeside;
    constexpr bool kAlong = Sizes::kAlong;
    // May a tile hold a layer along x, along its rows?
    constexpr bool kX = Layers == kXLayer || Layers == kAnyLayer || Layers == kAlongAny;
    constexpr bool kRows = Layers == kRowLayer || Layers == kAnyLayer || Layers == kAlongAny;
    constexpr int kCopies = 1 + Sizes::kEach;
    constexpr int kHeld = Sizes::kHeld;
    constexpr int kAhead = Shape::kAhead;
    constexpr int kAsked = Shape::kAsked;
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

    const int lanes = Sizes::kFixed ? Shape::kLanes : m.lanes;
    const int rows = Sizes::kFixed ? Shape::kRows : m.rows;
    constexpr int kPitch = Sizes::kPitch;
    const int planeSize = (rows + 2 * M) * kPitch;
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / lanes;
    const int lane = thread - row * lanes;

    // Rows of the tile from r on, planes from a on; nothing beyond lastRow and lastColumn is read.
    const int r = box.y0 + tileRow * rows;
    const int a = box.z0 + chunk * m.planes;
    const int steps = min(m.planes, box.z1 - a);
    const int xTile = m.x + tileX * lanes * V;
    const int x = xTile + lane * V;
    const int lastRow = box.y1 - 1 + M - r;
    const int lastColumn = (box.x1 - 1 + M) / V * V - xTile;
    const Layout& layout = s.layout;
    const std::int64_t strideRow = layout.strideY;
    const std::int64_t strideAlong = layout.strideZ;
    const bool active = x < box.x1 && x + V > box.x0 && row < rows && r + row < box.y1;

    const std::int64_t first = layout.at(a, r, xTile);
    const T* now = s.now + shot * layout.shotStride + first;

    // What this thread copies of each plane: its own vector, and its share of the halo.
    const int ownAt = (min(row, rows - 1) + M) * kPitch + kPad + lane * V;
    int copyTo[kCopies];
    int copyFrom[kCopies];
    copyTo[0] = row < rows ? ownAt : -1;
    copyFrom[0] = min(row, lastRow) * static_cast<int>(strideRow) + min(lane * V, lastColumn);
    T* other = s.other + shot * layout.shotStride + first + copyFrom[0];
    const T* c2 = s.c2 + first + copyFrom[0];
    const T* const density = s.density + first;
#pragma unroll
    for (int e = 1; e < kCopies; ++e) {
        int h = thread + (e - 1) * static_cast<int>(Sizes::kFixed ? Shape::kThreads : blockDim.x);
        copyTo[e] = -1;
        copyFrom[e] = 0;
        if (h < Sizes::haloVectors(lanes, rows)) {
            int copyRow = 0;
            int copyColumn = 0;
            if (h < 2 * M * lanes) { // above and below
                const int line = h / lanes;
                copyRow = line < M ? line - M : rows + line - M;
                copyColumn = (h - line * lanes) * V;
            } else { // left and right
                h -= 2 * M * lanes;
                copyRow = h / (2 * kBeside);
                const int k = h - copyRow * 2 * kBeside;
                copyColumn = k < kBeside ? k * V - kPad : (lanes + k - kBeside) * V;
            }
            copyTo[e] = (copyRow + M) * kPitch + kPad + copyColumn;
            copyFrom[e] = min(copyRow, lastRow) * static_cast<int>(strideRow) + min(copyColumn, lastColumn);
        }
    }

    T* const ring = reinterpret_cast<T*>(marchMemory);
    T* const ringEnd = ring + Sizes::kRing * planeSize;
    const int toDensity = Sizes::kRing * planeSize; // from a slot to that of the same plane's densities
    // The slot that is `planes` on from one.
    const auto slotAfter = [&](T* slot, int planes) {
        slot += planes * planeSize;
        return slot >= ringEnd ? slot - Sizes::kRing * planeSize : slot;
    };
    const T* source = now;
    const T* densitySource = density;
    const auto fetch = [&](int plane, T* in) {
        if (plane < steps + M) { // there is no more: of a layer at the end of the domain its halo
#pragma unroll
            for (int e = 0; e < kCopies; ++e) {
                if (copyTo[e] >= 0) {
                    __pipeline_memcpy_async(in + copyTo[e], source + copyFrom[e], sizeof(N));
                    __pipeline_memcpy_async(in + toDensity + copyTo[e], densitySource + copyFrom[e], sizeof(N));
                }
            }
        }
        __pipeline_commit();
        source += strideAlong;
        densitySource += strideAlong;
    };
#pragma unroll 1
    for (int plane = 0; plane < kHeld + kAhead; ++plane) {
        fetch(plane, ring + plane * planeSize);
    }
    const int rowSide = kRows ? box.side[kY] : kNone;
    const int xSide = kX ? box.side[Axis::kX] : kNone;
    const bool inRows = Layers == kRowLayer || (kRows && rowSide != kNone);
    const bool inX = Layers == kXLayer || Layers == kAnyLayer || (kX && xSide != kNone);
    const AxisCoefficients<T>& ofRow = s.axis[kY];
    const AxisLayer<T>& rowLayer = s.layer[kY];
    const AxisLayer<T>& xLayer = s.layer[Axis::kX];
    // What the layers keep: psi of the plane as the plane itself lies, with zeros where neighbours look beyond.
    T* const psiOfRows = ringEnd + toDensity;
    T* const psiOfX = psiOfRows + (kRows ? planeSize : 0);
    T* const profiles = psiOfX + (kX ? rows * kPitch : 0); // a, b, and both at halves: along x, of rows
    T* const psiOwnRow = psiOfRows + ownAt;
    T* const psiOwnX = psiOfX + ownAt - M * kPitch;
    std::int64_t rowAt = 0; // offsets of the memories
    std::int64_t xAt = 0;
    int rowStep = 0;
    int xStep = 0;
    // Where memories are not always zero: the layer without the nodes that only feel it.
    bool rowLives = false;
    bool xLives = false;
    T rowA = T(0); // profiles of this row, at nodes and at halves
    T rowB = T(0);
    T rowAHalf = T(0);
    T rowBHalf = T(0);
    if constexpr (kRows || kX) {
        const N zero = {};
        const int y = r + row;
        if (inRows) {
            for (int h = thread; h < 2 * M * lanes; h += static_cast<int>(blockDim.x)) {
                const int line = h / lanes;
                const int to = (line < M ? line : rows + line) * kPitch + kPad + (h - line * lanes) * V;
                *reinterpret_cast<N*>(psiOfRows + to) = zero;
            }
            if (active) {
                rowA = rowLayer.a[y];
                rowB = rowLayer.b[y];
                rowAHalf = rowLayer.aHalf[y];
                rowBHalf = rowLayer.bHalf[y];
                rowLives = rowSide == kLow ? y < box.y1 - M : row >= M - 1;
                rowAt = rowLayer.at(rowSide, shot, a, y, x);
                rowStep = static_cast<int>(rowLayer.z);
            }
        }
        if (inX) {
            for (int h = thread; h < rows * 2 * kBeside; h += static_cast<int>(blockDim.x)) {
                const int line = h / (2 * kBeside);
                const int k = h - line * 2 * kBeside;
                const int to = line * kPitch + (k < kBeside ? k : lanes + k) * V;
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
            if (active) {
                xLives = xSide == kLow ? x < box.x1 - M : x + V > box.x0 + M - 1;
                xAt = xLayer.at(xSide, shot, a, y, x);
                xStep = static_cast<int>(xLayer.z);
            }
        }
    }

    // One plane ahead; each is loaded again as soon as it has been used.
    N before = loadOnce<T, V>(other);
    N speed = loadOnce<T, V>(c2);
    N psiRow = {};
    N zetaRow = {};
    N psiX = {};
    N zetaX = {};
    const bool whole = x >= box.x0 && x + V <= box.x1;
    const auto load = [&](const T* p, bool vectors) { return loadPart<T, V>(p, x, box.x0, box.x1, whole && vectors); };
    const auto store = [&](T* p, const N& n, bool vectors) {
        storePart<T, V>(p, n, x, box.x0, box.x1, whole && vectors);
    };
    if (rowLives) {
        psiRow = load(rowLayer.psi + rowAt, m.rowVectors);
        zetaRow = load(rowLayer.zeta + rowAt, m.rowVectors);
    }
    if (xLives) {
        psiX = load(xLayer.psi + xAt, m.xVectors);
        zetaX = load(xLayer.zeta + xAt, m.xVectors);
    }
    // p(0) ... p(kHeld) along the march, and the links along it. A layer along the march is marched in one piece, so that its
    // psi, times its buoyancy, waits in registers too: that of the half nodes from M below to M - 1 above the plane.
    N queue[kHeld + 1];
    LinkMarch<N, T, M> alongLinks;
    N psis[kAlong ? 2 * M : 1];
    N psiAlong = {}; // of the half node that comes next
    N zetaAlong = {};
    const AxisLayer<T>& alongLayer = s.layer[kZ];
    const int alongSide = kAlong ? box.side[kZ] : kNone;
    const int alongStep = static_cast<int>(alongLayer.z);
    std::int64_t alongAt = 0;
    const auto livesAlong = [&](int plane) { // where memories are not always zero
        return plane < steps && (alongSide == kLow ? plane < steps - M : plane >= M - 1);
    };
    {
        N p[M + kHeld]; // from -M
        N rho[2 * M];
#pragma unroll
        for (int k = 0; k < M + kHeld; ++k) {
            p[k] = *reinterpret_cast<const N*>(now + copyFrom[0] + (k - M) * strideAlong);
        }
#pragma unroll
        for (int k = 0; k < 2 * M; ++k) {
            rho[k] = *reinterpret_cast<const N*>(density + copyFrom[0] + (k - M) * strideAlong);
        }
        alongLinks.begin([&](int k) { return p[M + k]; }, [&](int k) { return rho[M + k]; }, s.axis[kZ].linked);
#pragma unroll
        for (int k = 1; k <= kHeld; ++k) {
            queue[k] = p[M + k - 1];
        }
        if constexpr (kAlong) {
            alongAt = alongLayer.at(alongSide, shot, a, min(r + row, box.y1 - 1), x);
#pragma unroll
            for (int k = 1; k < 2 * M; ++k) {
                psis[k] = N{};
                const int plane = k - M - 1;
                if (plane >= 0 && plane < steps) {
                    N psi = {};
                    if (active && livesAlong(plane)) {
                        psi = load(alongLayer.psi + alongAt + plane * alongStep, m.alongVectors);
                    }
                    const auto tap = [&](int i) { return p[M + plane + i]; };
                    psi = nextMemory(alongLayer.aHalf[a + plane], psi, alongLayer.bHalf[a + plane],
                                     forwardDerivativeOf<N, M>(tap, s.axis[kZ].staggered, M));
                    if (active && livesAlong(plane)) {
                        store(alongLayer.psi + alongAt + plane * alongStep, psi, m.alongVectors);
                    }
                    psis[k] = buoyancyOf(alongLinks.step[plane + 1]) * psi;
                }
            }
            if (active && livesAlong(M - 1)) {
                psiAlong = load(alongLayer.psi + alongAt + (M - 1) * alongStep, m.alongVectors);
            }
            if (active && livesAlong(0)) {
                zetaAlong = load(alongLayer.zeta + alongAt, m.alongVectors);
            }
        }
    }
    const bool asks = active && asksForLine(lane, lanes, static_cast<int>(sizeof(N)));

    T* slot = ring;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        const bool goesOn = step + 1 < steps;
        const std::int64_t nextPlane = goesOn ? strideAlong : 0; // the last plane is loaded again
        __pipeline_wait_prior(kAhead - 1);
        __syncthreads();
        if (asks && step + kHeld + kAhead + kAsked < steps + M) {
            askForLine(source + copyFrom[0] + kAsked * strideAlong);
            askForLine(densitySource + copyFrom[0] + kAsked * strideAlong);
            askForLine(other + (1 + kAsked) * strideAlong);
            askForLine(c2 + (1 + kAsked) * strideAlong);
            if (kAlong && livesAlong(step + 1 + kAsked)) {
                askForLine(alongLayer.zeta + alongAt + (step + 1 + kAsked) * alongStep);
            }
            if (kAlong && livesAlong(step + M + kAsked)) {
                askForLine(alongLayer.psi + alongAt + (step + M + kAsked) * alongStep);
            }
            if (kRows && rowLives) {
                askForLine(rowLayer.psi + rowAt + (1 + kAsked) * rowStep);
                askForLine(rowLayer.zeta + rowAt + (1 + kAsked) * rowStep);
            }
            if (kX && xLives) {
                askForLine(xLayer.psi + xAt + (1 + kAsked) * xStep);
                askForLine(xLayer.zeta + xAt + (1 + kAsked) * xStep);
            }
        }
        fetch(step + kHeld + kAhead, slotAfter(slot, kHeld + kAhead));
#pragma unroll
        for (int k = 0; k < kHeld; ++k) {
            queue[k] = queue[k + 1];
        }
        queue[kHeld] = *reinterpret_cast<const N*>(slotAfter(slot, kHeld) + ownAt);
        alongLinks.enter(*reinterpret_cast<const N*>(slotAfter(slot, M) + toDensity + ownAt));
        const T* here = slot + ownAt;
        const T* rhoHere = here + toDensity;
        const N centre = queue[0];
        const int nextOfRow = goesOn ? rowStep : 0;
        const int nextOfX = goesOn ? xStep : 0;

        N line[2 * kBeside + 1]; // of x
        N rhoLine[2 * kBeside + 1];
        const auto tapX = [&](int k) { return across<N, V>(line, kPad + k); };
        const auto tapRow = [&](int k) { return k == 0 ? centre : *reinterpret_cast<const N*>(here + k * kPitch); };
        const auto stepOfRows = [&](int j) {
            return *reinterpret_cast<const N*>(rhoHere + j * kPitch) +
                   *reinterpret_cast<const N*>(rhoHere + (j + 1) * kPitch);
        };
        if (active) {
#pragma unroll
            for (int k = 0; k < 2 * kBeside + 1; ++k) {
                line[k] = k == kBeside ? centre : *reinterpret_cast<const N*>(here - kPad + k * V);
                rhoLine[k] = *reinterpret_cast<const N*>(rhoHere - kPad + k * V);
            }
            if (inRows) {
                psiRow = nextMemory(rowAHalf, psiRow, rowBHalf, forwardDerivativeOf<N, M>(tapRow, ofRow.staggered, M));
                *reinterpret_cast<N*>(psiOwnRow) = buoyancyOf(stepOfRows(0)) * psiRow;
                if (rowLives) {
                    store(rowLayer.psi + rowAt, psiRow, m.rowVectors);
                    psiRow = load(rowLayer.psi + rowAt + nextOfRow, m.rowVectors);
                }
            }
            if (inX) {
                const T* profile = profiles + 2 * lanes * V + lane * V;
                psiX = nextMemory(*reinterpret_cast<const N*>(profile), psiX,
                                  *reinterpret_cast<const N*>(profile + lanes * V),
                                  forwardDerivativeOf<N, M>(tapX, s.axis[Axis::kX].staggered, M));
                const N pairs = rhoLine[kBeside] + across<N, V>(rhoLine, kPad + 1);
                *reinterpret_cast<N*>(psiOwnX) = buoyancyOf(pairs) * psiX;
                if (xLives) {
                    store(xLayer.psi + xAt, psiX, m.xVectors);
                    psiX = load(xLayer.psi + xAt + nextOfX, m.xVectors);
                }
            }
        }
        if constexpr (kRows || kX) {
            __syncthreads();
        }
        if (active) {
            N w = linkedSecondDerivativeOf<N, M>(tapRow, stepOfRows, ofRow.linked, M);
            if (inRows) {
                const auto tapPsi = [&](int k) { return *reinterpret_cast<const N*>(psiOwnRow + k * kPitch); };
                w += backwardDerivativeOf<N, M>(tapPsi, ofRow.staggered, M);
                zetaRow = nextMemory(rowA, zetaRow, rowB, w);
                w += zetaRow;
                if (rowLives) {
                    store(rowLayer.zeta + rowAt, zetaRow, m.rowVectors);
                    zetaRow = load(rowLayer.zeta + rowAt + nextOfRow, m.rowVectors);
                }
            }
            N ofAlong = alongLinks.pass([&](int k) { return queue[k]; }, s.axis[kZ].linked);
            if constexpr (kAlong) {
#pragma unroll
                for (int k = 0; k < 2 * M - 1; ++k) {
                    psis[k] = psis[k + 1];
                }
                psis[2 * M - 1] = N{};
                const int plane = step + M - 1;
                if (plane < steps) {
                    const auto tapAhead = [&](int k) { return queue[M - 1 + k]; };
                    const N psi = nextMemory(alongLayer.aHalf[a + plane], psiAlong, alongLayer.bHalf[a + plane],
                                             forwardDerivativeOf<N, M>(tapAhead, s.axis[kZ].staggered, M));
                    psis[2 * M - 1] = buoyancyOf(alongLinks.step[M - 1]) * psi;
                    if (livesAlong(plane)) {
                        store(alongLayer.psi + alongAt + plane * alongStep, psi, m.alongVectors);
                    }
                    psiAlong = livesAlong(plane + 1)
                                   ? load(alongLayer.psi + alongAt + (plane + 1) * alongStep, m.alongVectors)
                                   : N{};
                }
                const auto tapPsi = [&](int k) { return psis[M + k]; };
                ofAlong += backwardDerivativeOf<N, M>(tapPsi, s.axis[kZ].staggered, M);
                zetaAlong = nextMemory(alongLayer.a[a + step], zetaAlong, alongLayer.b[a + step], ofAlong);
                ofAlong += zetaAlong;
                if (livesAlong(step)) {
                    store(alongLayer.zeta + alongAt + step * alongStep, zetaAlong, m.alongVectors);
                }
                zetaAlong = livesAlong(step + 1)
                                ? load(alongLayer.zeta + alongAt + (step + 1) * alongStep, m.alongVectors)
                                : N{};
            }
            w = ofAlong + w;
            N ofX = linksAcross<T, V, M>([&](int k) { return line[(kPad + k) / V][(kPad + k) % V]; },
                                         [&](int k) { return rhoLine[(kPad + k) / V][(kPad + k) % V]; },
                                         s.axis[Axis::kX].linked);
            if (inX) {
                N psi[2 * kBeside + 1];
#pragma unroll
                for (int k = 0; k < 2 * kBeside + 1; ++k) {
                    psi[k] = *reinterpret_cast<const N*>(psiOwnX - kPad + k * V);
                }
                const auto tapPsi = [&](int k) { return across<N, V>(psi, kPad + k); };
                ofX += backwardDerivativeOf<N, M>(tapPsi, s.axis[Axis::kX].staggered, M);
                const T* profile = profiles + lane * V;
                zetaX = nextMemory(*reinterpret_cast<const N*>(profile), zetaX,
                                   *reinterpret_cast<const N*>(profile + lanes * V), ofX);
                ofX += zetaX;
                if (xLives) {
                    store(xLayer.zeta + xAt, zetaX, m.xVectors);
                    zetaX = load(xLayer.zeta + xAt + nextOfX, m.xVectors);
                }
            }
            w += ofX;
            const N next = leap(before, centre, speed, w);
            if (whole) {
                storeOnce<T, V>(other, next);
            } else {
                storePart<T, V>(other, next, x, box.x0, box.x1, false);
            }
        }
        other += nextPlane;
        c2 += nextPlane;
        before = loadOnce<T, V>(other);
        speed = loadOnce<T, V>(c2);
        rowAt += rowStep;
        xAt += xStep;
        slot = slotAfter(slot, 1);
    }
}

} // namespace ondo::kernels::cuda
