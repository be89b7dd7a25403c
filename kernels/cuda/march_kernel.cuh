// The step of the scalar equation in three dimensions at the speed of memory: each field is read once and written once.
// A block owns a tile in the plane of y and x and marches along z. The values along z wait in registers; planes come ahead of
// their use into a ring in shared memory, with the halo that their neighbours need; p(n-1) and c2 come one plane ahead into
// registers. What comes next is asked into the L2 cache before, or these would wait for memory. A halo is copied when its
// neighbours copy the same plane: five planes later the L2 cache has forgotten a part.
// Layers of y and x: a tile holds the whole layer (and the M nodes that feel it), so that psi is the block's own: it steps psi
// of a plane in place, shows it to its neighbours in shared memory, and goes on. Layers of z are marched through, with psi in
// registers. (Tiles of z and x that march along y were slower by half at 512^3: each plane is another page of memory.)
// Threads beyond the box copy what is there, no more than M nodes beyond, and write nothing.
#pragma once

#include "kernels/cuda/march_plan.h"
#include "kernels/cuda/march_tape.cuh"
#include "kernels/cuda/vec.cuh"
#include "kernels/equations/scalar.h"

#include <cuda_pipeline.h>

namespace ondo::kernels::cuda {

template<class T, int M, int Layers, class Tape>
__global__ void __launch_bounds__(MarchShape<3, Layers>::kThreads,
                                  tapedBlocks(MarchSizes<T, 3, M, Layers>::kMinBlocks, kIsBack<Tape>, Layers))
    marchKernel(const __grid_constant__ ScalarState<T> s, const __grid_constant__ MarchTable table,
                const __grid_constant__ Tape tape)
{
    constexpr bool kBack = kIsBack<Tape>;
    using Sizes = MarchSizes<T, 3, M, Layers>;
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
    // The slot that is `planes` on from one.
    const auto slotAfter = [&](T* slot, int planes) {
        slot += planes * planeSize;
        return slot >= ringEnd ? slot - Sizes::kRing * planeSize : slot;
    };
    const T* source = now;
    const auto fetch = [&](int plane, T* in) {
        if (plane < steps + M) { // there is no more: of a layer at the end of the domain its halo
#pragma unroll
            for (int e = 0; e < kCopies; ++e) {
                if (copyTo[e] >= 0) {
                    __pipeline_memcpy_async(in + copyTo[e], source + copyFrom[e], sizeof(N));
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
    const int rowSide = kRows ? box.side[kY] : kNone;
    const int xSide = kX ? box.side[Axis::kX] : kNone;
    const bool inRows = Layers == kRowLayer || (kRows && rowSide != kNone);
    const bool inX = Layers == kXLayer || Layers == kAnyLayer || (kX && xSide != kNone);
    const AxisCoefficients<T>& ofRow = s.axis[kY];
    const AxisLayer<T>& rowLayer = s.layer[kY];
    const AxisLayer<T>& xLayer = s.layer[Axis::kX];
    // What the layers keep: psi of the plane as the plane itself lies, with zeros where neighbours look beyond.
    T* const psiOfRows = ringEnd;
    T* const psiOfX = psiOfRows + (kRows ? planeSize : 0);
    T* const profiles = psiOfX + (kX ? rows * kPitch : 0); // a, b, and both at halves: along x, of rows
    T* const psiOwnRow = psiOfRows + ownAt;
    T* const psiOwnX = psiOfX + ownAt - M * kPitch;
    // Backwards neighbours look at the second memories too, which lie beyond the profiles as psi does.
    T* const zetaOfRows = profiles + (kX ? 4 * lanes * V : 0);
    T* const zetaOfX = zetaOfRows + (kRows ? planeSize : 0);
    T* const zetaOwnRow = zetaOfRows + ownAt;
    T* const zetaOwnX = zetaOfX + ownAt - M * kPitch;
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
                if constexpr (kBack) {
                    *reinterpret_cast<N*>(zetaOfRows + to) = zero;
                }
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
                if constexpr (kBack) {
                    *reinterpret_cast<N*>(zetaOfX + to) = zero;
                }
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
    const bool leaps = leapsWith(tape);
    N before = leaps ? loadOnce<T, V>(other) : N{};
    N speed = leaps ? loadOnce<T, V>(c2) : N{};
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
    constexpr int kQueue = kHeld + M + 1;
    N queue[kQueue]; // p(-M) ... p(kHeld) along the march
    {
        const T* p = now + copyFrom[0] - M * strideAlong;
#pragma unroll
        for (int k = 1; k < kQueue; ++k) {
            queue[k] = *reinterpret_cast<const N*>(p);
            p += strideAlong;
        }
    }
    // A layer along the march is marched in one piece, so that its psi waits in registers as p does: that of the half nodes
    // from M below to M - 1 above the plane.
    N psis[kAlong ? 2 * M : 1];
    N psiAlong = {}; // of the half node that comes next
    N zetaAlong = {};
    const AxisLayer<T>& alongLayer = s.layer[kZ];
    const int alongSide = kAlong ? box.side[kZ] : kNone;
    const int alongStep = static_cast<int>(alongLayer.z);
    std::int64_t alongAt = 0;
    // Backwards e of the plane that enters the queue is stepped, forwards zeta of the plane itself.
    constexpr int kZetaAhead = kBack ? kHeld : 0;
    const auto livesAlong = [&](int plane) { // where memories are not always zero
        return plane < steps && (alongSide == kLow ? plane < steps - M : plane >= M - 1);
    };
    if constexpr (kAlong) {
        alongAt = alongLayer.at(alongSide, shot, a, min(r + row, box.y1 - 1), x);
        const auto stepPsi = [&](int plane, const auto& tap) {
            N psi = {};
            if (active && livesAlong(plane)) {
                psi = load(alongLayer.psi + alongAt + plane * alongStep, m.alongVectors);
            }
            psi = nextMemory(alongLayer.aHalf[a + plane], psi, alongLayer.bHalf[a + plane],
                             forwardDerivativeOf<N, M>(tap, s.axis[kZ].staggered, M));
            if (active && livesAlong(plane)) {
                store(alongLayer.psi + alongAt + plane * alongStep, psi, m.alongVectors);
            }
            return psi;
        };
        const N zero = {};
        if constexpr (kBack) { // the queue is of q + e
#pragma unroll
            for (int k = M + 1; k < kQueue; ++k) {
                const int plane = k - M - 1;
                if (plane < steps) {
                    if (active && livesAlong(plane)) {
                        zetaAlong = load(alongLayer.zeta + alongAt + plane * alongStep, m.alongVectors);
                        zetaAlong = nextMemory(alongLayer.a[a + plane], zetaAlong, alongLayer.b[a + plane], queue[k]);
                        store(alongLayer.zeta + alongAt + plane * alongStep, zetaAlong, m.alongVectors);
                        queue[k] += zetaAlong;
                    }
                }
            }
        }
#pragma unroll
        for (int k = 1; k < 2 * M; ++k) {
            psis[k] = zero;
            if (k > M && k - M - 1 < steps) {
                psis[k] = stepPsi(k - M - 1, [&](int i) { return queue[k + i]; });
            }
        }
        if (active && livesAlong(M - 1)) {
            psiAlong = load(alongLayer.psi + alongAt + (M - 1) * alongStep, m.alongVectors);
        }
        if (active && livesAlong(kZetaAhead)) {
            zetaAlong = load(alongLayer.zeta + alongAt + kZetaAhead * alongStep, m.alongVectors);
        }
    }
    const bool asks = active && asksForLine(lane, lanes, static_cast<int>(sizeof(N)));

    [[maybe_unused]] TapedVector<T, V, true> taped;
    [[maybe_unused]] std::int64_t tapedAt = 0;
    if constexpr (kIsTaped<Tape>) {
        tapedAt = tape.compact.at(shot, a, r + row, x);
    }

    T* slot = ring;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        const bool goesOn = step + 1 < steps;
        const std::int64_t nextPlane = goesOn ? strideAlong : 0; // the last plane is loaded again
        __pipeline_wait_prior(kAhead - 1);
        __syncthreads();
        if (asks && step + kHeld + kAhead + kAsked < steps + M) {
            askForLine(source + copyFrom[0] + kAsked * strideAlong);
            if (leaps) {
                askForLine(other + (1 + kAsked) * strideAlong);
                askForLine(c2 + (1 + kAsked) * strideAlong);
            }
            if (kAlong && livesAlong(step + kZetaAhead + 1 + kAsked)) {
                askForLine(alongLayer.zeta + alongAt + (step + kZetaAhead + 1 + kAsked) * alongStep);
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
        if constexpr (kIsTaped<Tape>) {
            if (asks && step + 1 + kAsked < steps) {
                TapedVector<T, V, true>::ask(tape, tapedAt + (1 + kAsked) * tape.compact.strideZ);
            }
            if (active) {
                taped.load(tape, tapedAt, x, box.x0, box.x1);
            }
        }
#pragma unroll
        for (int k = 0; k < kQueue - 1; ++k) {
            queue[k] = queue[k + 1];
        }
        queue[kQueue - 1] = *reinterpret_cast<const N*>(slotAfter(slot, kHeld) + ownAt);
        const T* here = slot + ownAt;
        const N centre = kBack && kAlong ? *reinterpret_cast<const N*>(here) : queue[M];
        if constexpr (kBack && kAlong) {
            const int plane = step + kHeld;
            if (active && livesAlong(plane)) {
                const N e = nextMemory(alongLayer.a[a + plane], zetaAlong, alongLayer.b[a + plane], queue[kQueue - 1]);
                store(alongLayer.zeta + alongAt + plane * alongStep, e, m.alongVectors);
                queue[kQueue - 1] += e;
            }
            zetaAlong = active && livesAlong(plane + 1)
                            ? load(alongLayer.zeta + alongAt + (plane + 1) * alongStep, m.alongVectors)
                            : N{};
        }
        const int nextOfRow = goesOn ? rowStep : 0;
        const int nextOfX = goesOn ? xStep : 0;

        if constexpr (kBack && (kRows || kX)) {
            if (active && inRows) {
                zetaRow = nextMemory(rowA, zetaRow, rowB, centre);
                *reinterpret_cast<N*>(zetaOwnRow) = zetaRow;
                if (rowLives) {
                    store(rowLayer.zeta + rowAt, zetaRow, m.rowVectors);
                    zetaRow = load(rowLayer.zeta + rowAt + nextOfRow, m.rowVectors);
                }
            }
            if (active && inX) {
                const T* profile = profiles + lane * V;
                zetaX = nextMemory(*reinterpret_cast<const N*>(profile), zetaX,
                                   *reinterpret_cast<const N*>(profile + lanes * V), centre);
                *reinterpret_cast<N*>(zetaOwnX) = zetaX;
                if (xLives) {
                    store(xLayer.zeta + xAt, zetaX, m.xVectors);
                    zetaX = load(xLayer.zeta + xAt + nextOfX, m.xVectors);
                }
            }
            __syncthreads();
        }
        N line[2 * kBeside + 1]; // of x
        const auto tapX = [&](int k) { return across<N, V>(line, kPad + k); };
        const auto tapRow = [&](int k) {
            N n = k == 0 ? centre : *reinterpret_cast<const N*>(here + k * kPitch);
            if constexpr (kBack && kRows) {
                if (inRows) {
                    n += *reinterpret_cast<const N*>(zetaOwnRow + k * kPitch);
                }
            }
            return n;
        };
        if (active) {
#pragma unroll
            for (int k = 0; k < 2 * kBeside + 1; ++k) {
                line[k] = k == kBeside ? centre : *reinterpret_cast<const N*>(here - kPad + k * V);
            }
            if constexpr (kBack && kX) {
                if (inX) {
#pragma unroll
                    for (int k = 0; k < 2 * kBeside + 1; ++k) {
                        line[k] += *reinterpret_cast<const N*>(zetaOwnX - kPad + k * V);
                    }
                }
            }
            if (inRows) {
                psiRow = nextMemory(rowAHalf, psiRow, rowBHalf, forwardDerivativeOf<N, M>(tapRow, ofRow.staggered, M));
                *reinterpret_cast<N*>(psiOwnRow) = psiRow;
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
                *reinterpret_cast<N*>(psiOwnX) = psiX;
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
            N w = secondDerivativeOf<N, M>(tapRow, ofRow.second, M);
            if (inRows) {
                const auto tapPsi = [&](int k) { return *reinterpret_cast<const N*>(psiOwnRow + k * kPitch); };
                w += backwardDerivativeOf<N, M>(tapPsi, ofRow.staggered, M);
                if constexpr (!kBack) {
                    zetaRow = nextMemory(rowA, zetaRow, rowB, w);
                    w += zetaRow;
                    if (rowLives) {
                        store(rowLayer.zeta + rowAt, zetaRow, m.rowVectors);
                        zetaRow = load(rowLayer.zeta + rowAt + nextOfRow, m.rowVectors);
                    }
                }
            }
            const auto tapAlong = [&](int k) { return queue[M + k]; };
            N ofAlong = secondDerivativeOf<N, M>(tapAlong, s.axis[kZ].second, M);
            if constexpr (kAlong) {
#pragma unroll
                for (int k = 0; k < 2 * M - 1; ++k) {
                    psis[k] = psis[k + 1];
                }
                psis[2 * M - 1] = N{};
                const int plane = step + M - 1;
                if (plane < steps) {
                    const auto tapAhead = [&](int k) { return queue[2 * M - 1 + k]; };
                    const N psi = nextMemory(alongLayer.aHalf[a + plane], psiAlong, alongLayer.bHalf[a + plane],
                                             forwardDerivativeOf<N, M>(tapAhead, s.axis[kZ].staggered, M));
                    psis[2 * M - 1] = psi;
                    if (livesAlong(plane)) {
                        store(alongLayer.psi + alongAt + plane * alongStep, psi, m.alongVectors);
                    }
                    psiAlong = livesAlong(plane + 1)
                                   ? load(alongLayer.psi + alongAt + (plane + 1) * alongStep, m.alongVectors)
                                   : N{};
                }
                const auto tapPsi = [&](int k) { return psis[M + k]; };
                ofAlong += backwardDerivativeOf<N, M>(tapPsi, s.axis[kZ].staggered, M);
                if constexpr (!kBack) {
                    zetaAlong = nextMemory(alongLayer.a[a + step], zetaAlong, alongLayer.b[a + step], ofAlong);
                    ofAlong += zetaAlong;
                    if (livesAlong(step)) {
                        store(alongLayer.zeta + alongAt + step * alongStep, zetaAlong, m.alongVectors);
                    }
                    zetaAlong = livesAlong(step + 1)
                                    ? load(alongLayer.zeta + alongAt + (step + 1) * alongStep, m.alongVectors)
                                    : N{};
                }
            }
            w = ofAlong + w;
            N ofX = secondDerivativeOf<N, M>(tapX, s.axis[Axis::kX].second, M);
            if (inX) {
                N psi[2 * kBeside + 1];
#pragma unroll
                for (int k = 0; k < 2 * kBeside + 1; ++k) {
                    psi[k] = *reinterpret_cast<const N*>(psiOwnX - kPad + k * V);
                }
                const auto tapPsi = [&](int k) { return across<N, V>(psi, kPad + k); };
                ofX += backwardDerivativeOf<N, M>(tapPsi, s.axis[Axis::kX].staggered, M);
                if constexpr (!kBack) {
                    const T* profile = profiles + lane * V;
                    zetaX = nextMemory(*reinterpret_cast<const N*>(profile), zetaX,
                                       *reinterpret_cast<const N*>(profile + lanes * V), ofX);
                    ofX += zetaX;
                    if (xLives) {
                        store(xLayer.zeta + xAt, zetaX, m.xVectors);
                        zetaX = load(xLayer.zeta + xAt + nextOfX, m.xVectors);
                    }
                }
            }
            w += ofX;
            if constexpr (kIsTaped<Tape>) {
                taped.store(tape, tapedAt, x, box.x0, box.x1, centre, w);
            }
            if (leaps) {
                const N next = leap(before, centre, speed, w);
                if (whole) {
                    storeOnce<T, V>(other, next);
                } else {
                    storePart<T, V>(other, next, x, box.x0, box.x1, false);
                }
            }
        }
        if (leaps) {
            other += nextPlane;
            c2 += nextPlane;
            before = loadOnce<T, V>(other);
            speed = loadOnce<T, V>(c2);
        }
        if constexpr (kIsTaped<Tape>) {
            tapedAt += tape.compact.strideZ;
        }
        rowAt += rowStep;
        xAt += xStep;
        slot = slotAfter(slot, 1);
    }
}

} // namespace ondo::kernels::cuda
