// Layers in two dimensions, at the speed of memory: each field is read once and written once.
// A block owns tiles of a row axis z and x, and goes down the rows tile by tile. A tile holds the whole layer (and the M nodes
// that feel it) along its axis, z or x or both, so that psi is the block's own: it steps psi of a tile in place, shows it to
// its neighbours in shared memory, and goes on. Tiles come ahead of their use into a ring in shared memory, with the halo that
// their neighbours need; p(n-1) and c2 come one tile ahead into registers.
// Threads beyond the box copy what is there, no more than M nodes beyond, and write nothing.
#pragma once

#include "kernels/cuda/march_plan.h"
#include "kernels/cuda/march_tape.cuh"
#include "kernels/cuda/vec.cuh"
#include "kernels/equations/scalar.h"

#include <cuda_pipeline.h>

namespace ondo::kernels::cuda {

template<class T, int M, class Tape>
__global__ void __launch_bounds__(MarchShape<2, kAnyLayer>::kThreads, MarchSizes<T, 2, M, kAnyLayer>::kMinBlocks)
    rowsKernel(const __grid_constant__ ScalarState<T> s, const __grid_constant__ MarchTable table,
               const __grid_constant__ Tape tape)
{
    constexpr bool kBack = kIsBack<Tape>;
    using Sizes = MarchSizes<T, 2, M, kAnyLayer>;
    using Shape = typename Sizes::Shape;
    constexpr int V = Sizes::kVector;
    constexpr int kPad = Sizes::kPad;
    constexpr int kBeside = Sizes::kBeside;
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
    const int tile = static_cast<int>(blockIdx.x - (b > 0 ? table.end[b - 1] : 0U));
    const int tileX = tile % m.tilesX;
    const int chunk = tile / m.tilesX;
    const int shot = table.firstShot + static_cast<int>(blockIdx.y);

    const int lanes = m.lanes;
    const int rows = m.rows;
    const int pitch = Sizes::pitch(lanes);
    const int planeSize = (rows + 2 * M) * pitch;
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / lanes;
    const int lane = thread - row * lanes;

    // Rows of the first tile from r on; nothing beyond lastRow and lastColumn is read.
    const int r = box.z0 + chunk * m.planes * rows;
    const int steps = min(m.planes, (box.z1 - r + rows - 1) / rows);
    const int xTile = m.x + tileX * lanes * V;
    const int x = xTile + lane * V;
    const int lastRow = box.z1 - 1 + M - r;
    const int lastColumn = (box.x1 - 1 + M) / V * V - xTile;
    const Layout& layout = s.layout;
    const std::int64_t strideRow = layout.strideZ;
    const std::int64_t strideAlong = rows * strideRow;
    const bool inBox = x < box.x1 && x + V > box.x0 && row < rows;
    const auto isActive = [&](int step) { return inBox && r + row + step * rows < box.z1; };

    const std::int64_t first = layout.at(r, 0, xTile);
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
        int h = thread + (e - 1) * static_cast<int>(blockDim.x);
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
#pragma unroll
    for (int e = 0; e < kCopies; ++e) {
        copyColumn[e] = min(copyColumn[e], lastColumn);
    }

    T* const ring = reinterpret_cast<T*>(marchMemory);
    T* const ringEnd = ring + Sizes::kRing * planeSize;
    // The slot that is `planes` on from one.
    const auto slotAfter = [&](T* slot, int planes) {
        slot += planes * planeSize;
        return slot >= ringEnd ? slot - Sizes::kRing * planeSize : slot;
    };
    const auto fetch = [&](int tileOn, T* in) {
        if (tileOn < steps) {
#pragma unroll
            for (int e = 0; e < kCopies; ++e) {
                if (copyTo[e] >= 0) {
                    __pipeline_memcpy_async(in + copyTo[e],
                                            now + min(copyRow[e] + tileOn * rows, lastRow) * strideRow + copyColumn[e],
                                            sizeof(N));
                }
            }
        }
        __pipeline_commit();
    };
#pragma unroll 1
    for (int i = 0; i < kAhead; ++i) {
        fetch(i, ring + i * planeSize);
    }

    const int rowSide = box.side[kZ];
    const int xSide = box.side[kX];
    const bool inRows = rowSide != kNone;
    const bool inX = xSide != kNone;
    const AxisCoefficients<T>& ofRow = s.axis[kZ];
    const AxisLayer<T>& rowLayer = s.layer[kZ];
    const AxisLayer<T>& xLayer = s.layer[kX];
    // What the layers keep: psi of the plane as the plane itself lies, with zeros where neighbours look beyond.
    T* const psiOfRows = ringEnd;
    T* const psiOfX = psiOfRows + planeSize;
    T* const profiles = psiOfX + rows * pitch; // a, b, and both at halves: along x, of rows
    T* const rowProfiles = profiles + 4 * lanes * V;
    T* const psiOwnRow = psiOfRows + ownAt;
    T* const psiOwnX = psiOfX + ownAt - M * pitch;
    // Backwards neighbours look at the second memories too.
    T* const zetaOfRows = rowProfiles + 4 * rows;
    T* const zetaOfX = zetaOfRows + planeSize;
    T* const zetaOwnRow = zetaOfRows + ownAt;
    T* const zetaOwnX = zetaOfX + ownAt - M * pitch;
    std::int64_t rowAt = 0; // offsets of the memories
    std::int64_t xAt = 0;
    int rowStep = 0;
    int xStep = 0;
    // Where memories are not always zero: the layer without the nodes that only feel it.
    bool rowLives = false;
    bool xLives = false;
    const N zero = {};
    const int z = r + row;
    if (inRows) {
        for (int h = thread; h < 2 * M * lanes; h += static_cast<int>(blockDim.x)) {
            const int line = h / lanes;
            const int to = (line < M ? line : rows + line) * pitch + kPad + (h - line * lanes) * V;
            *reinterpret_cast<N*>(psiOfRows + to) = zero;
            if constexpr (kBack) {
                *reinterpret_cast<N*>(zetaOfRows + to) = zero;
            }
        }
        for (int h = thread; h < rows; h += static_cast<int>(blockDim.x)) {
            const int n = r + h;
            rowProfiles[h] = rowLayer.a[n];
            rowProfiles[rows + h] = rowLayer.b[n];
            rowProfiles[2 * rows + h] = rowLayer.aHalf[n];
            rowProfiles[3 * rows + h] = rowLayer.bHalf[n];
        }
        if (inBox) {
            rowLives = rowSide == kLow ? r + row < box.z1 - M : row >= M - 1;
            rowAt = rowLayer.at(rowSide, shot, z, 0, x);
            rowStep = static_cast<int>(rows * rowLayer.z);
        }
    }
    if (inX) {
        for (int h = thread; h < rows * 2 * kBeside; h += static_cast<int>(blockDim.x)) {
            const int line = h / (2 * kBeside);
            const int k = h - line * 2 * kBeside;
            const int to = line * pitch + (k < kBeside ? k : lanes + k) * V;
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
        if (inBox) {
            xLives = xSide == kLow ? x < box.x1 - M : x + V > box.x0 + M - 1;
            xAt = xLayer.at(xSide, shot, z, 0, x);
            xStep = static_cast<int>(rows * xLayer.z);
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

    [[maybe_unused]] TapedVector<T, V, false> taped;
    [[maybe_unused]] std::int64_t tapedAt = 0;
    if constexpr (kIsTaped<Tape>) {
        tapedAt = tape.compact.at(shot, z, 0, x);
    }

    T* slot = ring;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        __pipeline_wait_prior(kAhead - 1);
        __syncthreads();
        fetch(step + kAhead, slotAfter(slot, kAhead));
        const T* here = slot + ownAt;
        const bool active = isActive(step);
        const bool more = step + 1 < steps && isActive(step + 1);
        if constexpr (kIsTaped<Tape>) {
            if (active) {
                taped.load(tape, tapedAt, x, box.x0, box.x1);
            }
        }

        N centre = {};
        if (active) {
            centre = *reinterpret_cast<const N*>(here);
        }
        if constexpr (kBack) {
            if (active && inRows) {
                zetaRow = nextMemory(rowProfiles[row], zetaRow, rowProfiles[rows + row], centre);
                *reinterpret_cast<N*>(zetaOwnRow) = zetaRow;
                if (rowLives) {
                    storePart<T, V>(rowLayer.zeta + rowAt, zetaRow, x, box.x0, box.x1, m.rowVectors);
                    if (more) {
                        zetaRow = loadOfRow(rowLayer.zeta + rowAt + rowStep);
                    }
                }
            }
            if (active && inX) {
                const T* profile = profiles + lane * V;
                zetaX = nextMemory(*reinterpret_cast<const N*>(profile), zetaX,
                                   *reinterpret_cast<const N*>(profile + lanes * V), centre);
                *reinterpret_cast<N*>(zetaOwnX) = zetaX;
                if (xLives) {
                    storePart<T, V>(xLayer.zeta + xAt, zetaX, x, box.x0, box.x1, m.xVectors);
                    if (more) {
                        zetaX = loadOfX(xLayer.zeta + xAt + xStep);
                    }
                }
            }
            __syncthreads();
        }
        N line[2 * kBeside + 1]; // of x
        const auto tapX = [&](int k) { return across<N, V>(line, kPad + k); };
        const auto tapRow = [&](int k) {
            N n = k == 0 ? centre : *reinterpret_cast<const N*>(here + k * pitch);
            if constexpr (kBack) {
                if (inRows) {
                    n += *reinterpret_cast<const N*>(zetaOwnRow + k * pitch);
                }
            }
            return n;
        };
        if (active) {
#pragma unroll
            for (int k = 0; k < 2 * kBeside + 1; ++k) {
                line[k] = k == kBeside ? centre : *reinterpret_cast<const N*>(here - kPad + k * V);
            }
            if constexpr (kBack) {
                if (inX) {
#pragma unroll
                    for (int k = 0; k < 2 * kBeside + 1; ++k) {
                        line[k] += *reinterpret_cast<const N*>(zetaOwnX - kPad + k * V);
                    }
                }
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
        __syncthreads();
        if (active) {
            N w = secondDerivativeOf<N, M>(tapRow, ofRow.second, M);
            if (inRows) {
                const auto tapPsi = [&](int k) { return *reinterpret_cast<const N*>(psiOwnRow + k * pitch); };
                w += backwardDerivativeOf<N, M>(tapPsi, ofRow.staggered, M);
                if constexpr (!kBack) {
                    zetaRow = nextMemory(rowProfiles[row], zetaRow, rowProfiles[rows + row], w);
                    w += zetaRow;
                    if (rowLives) {
                        storePart<T, V>(rowLayer.zeta + rowAt, zetaRow, x, box.x0, box.x1, m.rowVectors);
                        if (more) {
                            zetaRow = loadOfRow(rowLayer.zeta + rowAt + rowStep);
                        }
                    }
                }
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
                if constexpr (!kBack) {
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
            }
            w += ofX;
            if constexpr (kIsTaped<Tape>) {
                taped.store(tape, tapedAt, x, box.x0, box.x1, centre, w);
            }
            storePart<T, V>(other, leap(before, centre, speed, w), x, box.x0, box.x1, true);
            if (more) {
                loadNode(strideAlong);
            }
        }
        other += strideAlong;
        c2 += strideAlong;
        rowAt += rowStep;
        xAt += xStep;
        if constexpr (kIsTaped<Tape>) {
            tapedAt += rows * tape.compact.strideZ;
        }
        slot = slotAfter(slot, 1);
    }
}

} // namespace ondo::kernels::cuda
