// A step of the adjoint in the interior together with the forward step that is taken back under it, in three dimensions and in
// one pass (boundary mode, engine/tape/boundary_tape.cpp): p(n-1) from p(n) and p(n+1), q(n) from q(n+1) and q(n+2), and the
// image's q(n+1) W(n), whose W(n) is the sum that takes p back and never leaves its registers. Nine numbers a node are read or
// written; one step after the other they are twelve.
// march_kernel.cuh's march without layers, with a ring for each field.
#pragma once

#include "kernels/cuda/march_plan.h"
#include "kernels/cuda/vec.cuh"
#include "kernels/equations/scalar.h"

#include <cuda_pipeline.h>

namespace ondo::kernels::cuda {

template<class T, int M, class Shape = RewindShape>
struct RewindSizes {
    static constexpr int kVector = Shape::kVectorBytes / static_cast<int>(sizeof(T));
    static constexpr int kBeside = (M + kVector - 1) / kVector; // vectors of halo on either side of a row
    static constexpr int kPad = kBeside * kVector;
    static constexpr int kPitch = Shape::kLanes * kVector + 2 * kPad;
    static constexpr int kPlane = (Shape::kRows + 2 * M) * kPitch;
    static constexpr int kRing = M + 1 + Shape::kAhead; // planes of a field in shared memory
    static constexpr int kHalo = 2 * M * Shape::kLanes + Shape::kRows * 2 * kBeside;
    static constexpr int kCopies =
        1 + (kHalo - 1) / Shape::kThreads + 1; // of a thread: its own vector, its share of the halo
    static constexpr int kBytes = 2 * kRing * kPlane * static_cast<int>(sizeof(T));
};

// Both fields have one layout, c2 and coefficients.
template<class T>
struct RewindState {
    ScalarState<T> adjoint; // now: q(n+1), other: q(n+2) in, q(n) out
    const T* now = nullptr; // p(n)
    T* other = nullptr;     // p(n+1) in, p(n-1) out
    Layout compact;
    T* image = nullptr;
    bool vectors = false; // does the image lie on whole vectors?
};

// A field on its march: the queue of its planes and what is loaded ahead of use.
template<class T, int V, int M>
struct Marched {
    using N = Vec<T, V>;
    const T* source;
    T* other;
    N before;
    N queue[2 * M + 1]; // p(-M) ... p(M) along the march
};

// Blocks that must fit a multiprocessor: before Hopper one less, or a few numbers spilled.
constexpr int rewindBlocks(int blocks)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    return blocks - 1;
#else
    return blocks;
#endif
}

template<class T, int M, class Shape = RewindShape>
__global__ void __launch_bounds__(Shape::kThreads, rewindBlocks(Shape::kMinBlocks))
    rewindKernel(const __grid_constant__ RewindState<T> s, const __grid_constant__ MarchTable table)
{
    using Sizes = RewindSizes<T, M, Shape>;
    constexpr int V = Sizes::kVector;
    constexpr int kPad = Sizes::kPad;
    constexpr int kBeside = Sizes::kBeside;
    constexpr int kCopies = Sizes::kCopies;
    constexpr int kPitch = Sizes::kPitch;
    constexpr int kPlane = Sizes::kPlane;
    constexpr int kRing = Sizes::kRing;
    constexpr int kAhead = Shape::kAhead;
    constexpr int kAsked = Shape::kAsked;
    constexpr int kLanes = Shape::kLanes;
    constexpr int kRows = Shape::kRows;
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
    const int thread = static_cast<int>(threadIdx.x);
    const int row = thread / kLanes;
    const int lane = thread % kLanes;

    // Rows of the tile from r on, planes from a on; nothing beyond lastRow and lastColumn is read.
    const int r = box.y0 + tileRow * kRows;
    const int a = box.z0 + chunk * m.planes;
    const int steps = min(m.planes, box.z1 - a);
    const int xTile = m.x + tileX * kLanes * V;
    const int x = xTile + lane * V;
    const int lastRow = box.y1 - 1 + M - r;
    const int lastColumn = (box.x1 - 1 + M) / V * V - xTile;
    const Layout& layout = s.adjoint.layout;
    const std::int64_t strideRow = layout.strideY;
    const std::int64_t strideAlong = layout.strideZ;
    const bool active = x < box.x1 && x + V > box.x0 && r + row < box.y1;
    const bool whole = x >= box.x0 && x + V <= box.x1;

    const int ownAt = (row + M) * kPitch + kPad + lane * V;
    int copyTo[kCopies];
    int copyFrom[kCopies];
    copyTo[0] = ownAt;
    copyFrom[0] = min(row, lastRow) * static_cast<int>(strideRow) + min(lane * V, lastColumn);
#pragma unroll
    for (int e = 1; e < kCopies; ++e) {
        int h = thread + (e - 1) * Shape::kThreads;
        copyTo[e] = -1;
        copyFrom[e] = 0;
        if (h < Sizes::kHalo) {
            int copyRow = 0;
            int copyColumn = 0;
            if (h < 2 * M * kLanes) { // above and below
                const int line = h / kLanes;
                copyRow = line < M ? line - M : kRows + line - M;
                copyColumn = (h - line * kLanes) * V;
            } else { // left and right
                h -= 2 * M * kLanes;
                copyRow = h / (2 * kBeside);
                const int k = h - copyRow * 2 * kBeside;
                copyColumn = k < kBeside ? k * V - kPad : (kLanes + k - kBeside) * V;
            }
            copyTo[e] = (copyRow + M) * kPitch + kPad + copyColumn;
            copyFrom[e] = min(copyRow, lastRow) * static_cast<int>(strideRow) + min(copyColumn, lastColumn);
        }
    }

    const std::int64_t first = layout.at(a, r, xTile);
    const std::int64_t ofShot = shot * layout.shotStride + first;
    const T* c2 = s.adjoint.c2 + first + copyFrom[0];
    Marched<T, V, M> p;
    Marched<T, V, M> q;
    p.source = s.now + ofShot;
    p.other = s.other + ofShot + copyFrom[0];
    q.source = s.adjoint.now + ofShot;
    q.other = s.adjoint.other + ofShot + copyFrom[0];

    T* const ring = reinterpret_cast<T*>(marchMemory);
    T* const ringEnd = ring + kRing * kPlane;
    constexpr int kToAdjoint = kRing * kPlane; // from a slot to that of the adjoint's same plane
    const auto slotAfter = [&](T* slot, int planes) {
        slot += planes * kPlane;
        return slot >= ringEnd ? slot - kRing * kPlane : slot;
    };
    const auto fetch = [&](int plane, T* in) {
        if (plane < steps + M) {
#pragma unroll
            for (int e = 0; e < kCopies; ++e) {
                if (copyTo[e] >= 0) {
                    __pipeline_memcpy_async(in + copyTo[e], p.source + copyFrom[e], sizeof(N));
                    __pipeline_memcpy_async(in + kToAdjoint + copyTo[e], q.source + copyFrom[e], sizeof(N));
                }
            }
        }
        __pipeline_commit();
        p.source += strideAlong;
        q.source += strideAlong;
    };
    const auto fillQueue = [&](Marched<T, V, M>& f) {
        const T* from = f.source + copyFrom[0] - M * strideAlong;
#pragma unroll
        for (int k = 1; k < 2 * M + 1; ++k) {
            f.queue[k] = *reinterpret_cast<const N*>(from);
            from += strideAlong;
        }
        f.before = loadOnce<T, V>(f.other);
    };
    fillQueue(p);
    fillQueue(q);
    N speed = loadOnce<T, V>(c2);
#pragma unroll 1
    for (int plane = 0; plane < M + kAhead; ++plane) {
        fetch(plane, ring + plane * kPlane);
    }
    const bool asks = active && asksForLine(lane, kLanes, static_cast<int>(sizeof(N)));
    T* image = s.image + s.compact.at(shot, a, r + row, x);
    const std::int64_t imageStep = s.compact.strideZ;

    // The sum of the axes at the plane in hand, in the order of march_kernel.cuh; moves the queue on.
    const auto sumOf = [&](Marched<T, V, M>& f, const T* plane, const T* ahead) {
#pragma unroll
        for (int k = 0; k < 2 * M; ++k) {
            f.queue[k] = f.queue[k + 1];
        }
        f.queue[2 * M] = *reinterpret_cast<const N*>(ahead + ownAt);
        const T* here = plane + ownAt;
        N line[2 * kBeside + 1];
#pragma unroll
        for (int k = 0; k < 2 * kBeside + 1; ++k) {
            line[k] = k == kBeside ? f.queue[M] : *reinterpret_cast<const N*>(here - kPad + k * V);
        }
        const auto tapX = [&](int k) { return across<N, V>(line, kPad + k); };
        const auto tapRow = [&](int k) { return k == 0 ? f.queue[M] : *reinterpret_cast<const N*>(here + k * kPitch); };
        const auto tapAlong = [&](int k) { return f.queue[M + k]; };
        const ScalarState<T>& c = s.adjoint;
        N w = secondDerivativeOf<N, M>(tapRow, c.axis[kY].second, M);
        w = secondDerivativeOf<N, M>(tapAlong, c.axis[kZ].second, M) + w;
        w += secondDerivativeOf<N, M>(tapX, c.axis[Axis::kX].second, M);
        return w;
    };
    const auto leapAndStore = [&](Marched<T, V, M>& f, const N& w) {
        const N next = leap(f.before, f.queue[M], speed, w);
        if (whole) {
            storeOnce<T, V>(f.other, next);
        } else {
            storePart<T, V>(f.other, next, x, box.x0, box.x1, false);
        }
    };

    T* slot = ring;
#pragma unroll 1
    for (int step = 0; step < steps; ++step) {
        const std::int64_t nextPlane = step + 1 < steps ? strideAlong : 0; // the last plane is loaded again
        __pipeline_wait_prior(kAhead - 1);
        __syncthreads();
        if (asks && step + M + kAhead + kAsked < steps + M) {
            askForLine(p.source + copyFrom[0] + kAsked * strideAlong);
            askForLine(q.source + copyFrom[0] + kAsked * strideAlong);
            askForLine(p.other + (1 + kAsked) * strideAlong);
            askForLine(q.other + (1 + kAsked) * strideAlong);
            askForLine(c2 + (1 + kAsked) * strideAlong);
            askForLine(image + kAsked * imageStep);
        }
        fetch(step + M + kAhead, slotAfter(slot, M + kAhead));
        N summed = {};
        if (active) {
            summed = whole && s.vectors ? loadOnce<T, V>(image) : loadPart<T, V>(image, x, box.x0, box.x1, s.vectors);
        }
        const T* const ahead = slotAfter(slot, M);
        const N w = sumOf(p, slot, ahead);
        if (active) {
            leapAndStore(p, w);
        }
        p.other += nextPlane;
        p.before = loadOnce<T, V>(p.other);
        const N wq = sumOf(q, slot + kToAdjoint, ahead + kToAdjoint);
        if (active) {
            summed = mulAdd(q.queue[M], w, summed);
            if (whole && s.vectors) {
                storeOnce<T, V>(image, summed);
            } else {
                storePart<T, V>(image, summed, x, box.x0, box.x1, s.vectors);
            }
            leapAndStore(q, wq);
        }
        q.other += nextPlane;
        c2 += nextPlane;
        q.before = loadOnce<T, V>(q.other);
        speed = loadOnce<T, V>(c2);
        image += imageStep;
        slot = slotAfter(slot, 1);
    }
}

} // namespace ondo::kernels::cuda
