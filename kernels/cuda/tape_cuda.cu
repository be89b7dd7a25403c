// What a tape asks of a GPU: boxes copied, values packed and unpacked. Bodies: kernels/common/tape_ops.h.
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"
#include "kernels/cuda/vec.cuh"

namespace ondo::kernels::cuda {

namespace {

constexpr unsigned kWarp = 32;
static_assert(kScaled % kWarp == 0);

unsigned blocksFor(std::int64_t groups)
{
    constexpr std::int64_t kMost = 1 << 20; // the others in turns
    return static_cast<unsigned>(std::min(groups, kMost));
}

} // namespace

// A block a group. The largest of some numbers is the same in whatever order they are looked at.
template<class T>
__global__ void __launch_bounds__(kScaled) packKernel(const __grid_constant__ PackedValues<T> body)
{
    __shared__ float peaks[kScaled / kWarp];
    for (std::int64_t group = blockIdx.x; group < body.groups(); group += gridDim.x) {
        const std::int64_t i = group * kScaled + threadIdx.x;
        const bool there = i < body.count;
        float inverse = 0.0F;
        if (isScaled(body.storage)) {
            float peak = there ? body.sizeOf(i) : 0.0F;
            for (unsigned width = kWarp / 2; width > 0; width /= 2) {
                peak = fmaxf(peak, __shfl_xor_sync(0xFFFFFFFFU, peak, width));
            }
            if (threadIdx.x % kWarp == 0) {
                peaks[threadIdx.x / kWarp] = peak;
            }
            __syncthreads();
            for (const float other : peaks) {
                peak = fmaxf(peak, other);
            }
            __syncthreads();
            const float scale = body.scaleFor(peak);
            if (threadIdx.x == 0) {
                body.scales()[group] = scale;
            }
            inverse = scale > 0.0F ? 1.0F / scale : 0.0F;
        }
        if (there) {
            body.put(i, inverse);
        }
    }
}

template<class T>
__global__ void __launch_bounds__(kScaled) unpackKernel(const __grid_constant__ PackedValues<T> body)
{
    for (std::int64_t group = blockIdx.x; group < body.groups(); group += gridDim.x) {
        const std::int64_t i = group * kScaled + threadIdx.x;
        if (i < body.count) {
            body.get(i);
        }
    }
}

// A tape copies boxes at each step, up to 26 of them, which share no node (or which value stays would be chance): all in one
// launch, each at its place in the block. A thread takes some
// vectors, each a block of threads beyond the one before, so that what it takes to find its box is not the most of its work.
struct BoxesOfBlock {
    BoxTable table;
    std::int64_t at[kMaxBoxes] = {}; // of a box's first node, of the first shot
};
constexpr int kVectorsEach = 4;

template<class T, int V, bool ToBlock>
__global__ void __launch_bounds__(kLinearThreads)
    copyBoxesKernel(const __grid_constant__ CopyBox<T, ToBlock> body, const __grid_constant__ BoxesOfBlock boxes)
{
    const int b = boxOfTile(boxes.table, blockIdx.x);
    const Box& box = boxes.table.box[b];
    const unsigned tile = blockIdx.x - (b > 0 ? boxes.table.end[b - 1] : 0U);
    const auto vectors = static_cast<unsigned>(box.x1 - box.x0) / V; // of a row
    const auto ny = static_cast<unsigned>(box.y1 - box.y0);
    const unsigned all = vectors * ny * static_cast<unsigned>(box.z1 - box.z0);
    const int shot = static_cast<int>(blockIdx.y);
    T* const block = body.block + boxes.at[b] + shot * body.perShot;
    T* const field = body.field + body.layout.at(shot, box.z0, box.y0, box.x0);
    using N = Vec<T, V>;
    N values[kVectorsEach];
    std::int64_t inField[kVectorsEach];
    const unsigned first = tile * kLinearThreads * kVectorsEach + threadIdx.x;
#pragma unroll
    for (int i = 0; i < kVectorsEach; ++i) {
        const unsigned at = first + i * kLinearThreads;
        if (at < all) {
            const unsigned row = at / vectors;
            inField[i] = row / ny * body.layout.strideZ + row % ny * body.layout.strideY + (at - row * vectors) * V;
            values[i] = *reinterpret_cast<const N*>(ToBlock ? field + inField[i] : block + std::int64_t{at} * V);
        }
    }
#pragma unroll
    for (int i = 0; i < kVectorsEach; ++i) {
        const unsigned at = first + i * kLinearThreads;
        if (at < all) {
            *reinterpret_cast<N*>(ToBlock ? block + std::int64_t{at} * V : field + inField[i]) = values[i];
        }
    }
}

template<class T, int V, bool ToBlock>
void copyBoxesBy(const BoxCopy<T>& args, cudaStream_t stream)
{
    const CopyBox<T, ToBlock> body{args.layout, args.field, args.block, args.perShot()};
    const auto tilesOf = [](const Box& b) {
        constexpr std::int64_t kTile = std::int64_t{kLinearThreads} * kVectorsEach * V;
        return (b.nodes() + kTile - 1) / kTile;
    };
    const Box* next = args.boxes; // tables hold them in their order, without the empty ones
    std::int64_t at = 0;
    forEachTable(args.boxes, args.count, args.shots, tilesOf, [&](const BoxTable& table, dim3 grid) {
        BoxesOfBlock boxes;
        boxes.table = table;
        for (int i = 0; i < table.count; ++i, ++next) {
            while (next->nodes() <= 0) {
                ++next;
            }
            boxes.at[i] = at;
            at += next->nodes();
        }
        CopyBox<T, ToBlock> part = body;
        for (int shot = 0; shot < args.shots; shot += kMaxGridY) {
            part.field = body.field + shot * body.layout.shotStride;
            part.block = body.block + shot * body.perShot;
            grid.y = static_cast<unsigned>(std::min(args.shots - shot, kMaxGridY));
            copyBoxesKernel<T, V, ToBlock><<<grid, kLinearThreads, 0, stream>>>(part, boxes);
            checkLaunch("boxes");
        }
    });
}

// Do all rows of the boxes and of the block begin and end on whole vectors?
template<class T>
bool onVectors(const BoxCopy<T>& args, int vector)
{
    const Layout& l = args.layout;
    const auto whole = [vector](std::int64_t n) { return n % vector == 0; };
    bool all = whole(l.strideY) && whole(l.strideZ) && whole(l.shotStride) && whole(args.perShot()) &&
               reinterpret_cast<std::uintptr_t>(args.field) % (sizeof(T) * vector) == 0 &&
               reinterpret_cast<std::uintptr_t>(args.block) % (sizeof(T) * vector) == 0;
    for (int i = 0; i < args.count; ++i) {
        const Box& b = args.boxes[i];
        all = all && (b.nodes() <= 0 || (whole(b.x1 - b.x0) && whole(l.lead + b.x0)));
    }
    return all;
}

template<class T>
void copyBoxes(const BoxCopy<T>& args, cudaStream_t stream)
{
    constexpr int kVector = 16 / static_cast<int>(sizeof(T));
    if (onVectors(args, kVector)) {
        args.toBlock ? copyBoxesBy<T, kVector, true>(args, stream) : copyBoxesBy<T, kVector, false>(args, stream);
    } else {
        args.toBlock ? copyBoxesBy<T, 1, true>(args, stream) : copyBoxesBy<T, 1, false>(args, stream);
    }
}

template<class T>
void addCurvature(const AddCurvature<T>& body, int shots, cudaStream_t stream)
{
    const Layout& l = body.layout;
    const Box all{0, l.nz, 0, l.ny, 0, l.nx, {}};
    forEachFaceNode(&all, 1, shots, body, stream);
}

template<class T>
void packValues(const PackedValues<T>& body, cudaStream_t stream)
{
    if (body.count > 0) {
        packKernel<T><<<blocksFor(body.groups()), kScaled, 0, stream>>>(body);
        checkLaunch("pack");
    }
}

template<class T>
void unpackValues(const PackedValues<T>& body, cudaStream_t stream)
{
    if (body.count > 0) {
        unpackKernel<T><<<blocksFor(body.groups()), kScaled, 0, stream>>>(body);
        checkLaunch("unpack");
    }
}

template void copyBoxes(const BoxCopy<float>&, cudaStream_t);
template void copyBoxes(const BoxCopy<double>&, cudaStream_t);
template void addCurvature(const AddCurvature<float>&, int, cudaStream_t);
template void addCurvature(const AddCurvature<double>&, int, cudaStream_t);
template void packValues(const PackedValues<float>&, cudaStream_t);
template void packValues(const PackedValues<double>&, cudaStream_t);
template void unpackValues(const PackedValues<float>&, cudaStream_t);
template void unpackValues(const PackedValues<double>&, cudaStream_t);

} // namespace ondo::kernels::cuda
