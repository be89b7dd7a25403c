// What a tape asks of a GPU: boxes copied, values packed and unpacked. Bodies: kernels/common/tape_ops.h.
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

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

// A tape copies boxes at each step, up to 26 of them: all in one launch, each at its place in the block.
struct BoxesOfBlock {
    BoxTable table;
    std::int64_t at[kMaxBoxes] = {}; // of a box's first node, of the first shot
};

template<class T, bool ToBlock>
__global__ void __launch_bounds__(kLinearThreads)
    copyBoxesKernel(const __grid_constant__ CopyBox<T, ToBlock> body, const __grid_constant__ BoxesOfBlock boxes)
{
    const int b = boxOfTile(boxes.table, blockIdx.x);
    const Box& box = boxes.table.box[b];
    const unsigned tile = blockIdx.x - (b > 0 ? boxes.table.end[b - 1] : 0U);
    const unsigned node = tile * kLinearThreads + threadIdx.x;
    const auto nx = static_cast<unsigned>(box.x1 - box.x0);
    const auto ny = static_cast<unsigned>(box.y1 - box.y0);
    const unsigned row = node / nx;
    const int z = box.z0 + static_cast<int>(row / ny);
    if (z >= box.z1) {
        return;
    }
    const int y = box.y0 + static_cast<int>(row % ny);
    const int x = box.x0 + static_cast<int>(node - row * nx);
    CopyBox<T, ToBlock> one = body;
    one.block += boxes.at[b];
    for (int shot = static_cast<int>(blockIdx.y); shot < boxes.table.shots; shot += static_cast<int>(gridDim.y)) {
        one(box, shot, z, y, x);
    }
}

template<class T, bool ToBlock>
void copyBoxesOneWay(const BoxCopy<T>& args, cudaStream_t stream)
{
    const CopyBox<T, ToBlock> body{args.layout, args.field, args.block, args.perShot()};
    const auto tilesOf = [](const Box& b) { return (b.nodes() + kLinearThreads - 1) / kLinearThreads; };
    const Box* next = args.boxes; // tables hold them in their order, without the empty ones
    std::int64_t at = 0;
    forEachTable(args.boxes, args.count, args.shots, tilesOf, [&](const BoxTable& table, dim3 grid) {
        BoxesOfBlock boxes;
        boxes.table = table;
        for (int i = 0; i < table.count; ++i, ++next) {
            while (next->nodes() == 0) {
                ++next;
            }
            boxes.at[i] = at;
            at += next->nodes();
        }
        copyBoxesKernel<T, ToBlock><<<grid, kLinearThreads, 0, stream>>>(body, boxes);
        checkLaunch("boxes");
    });
}

template<class T>
void copyBoxes(const BoxCopy<T>& args, cudaStream_t stream)
{
    args.toBlock ? copyBoxesOneWay<T, true>(args, stream) : copyBoxesOneWay<T, false>(args, stream);
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
