// The loops over nodes on a GPU, but for marching (march.cuh). A list of boxes and all shots go out in one launch:
// consecutive blocks take the tiles of the first box, then of the second, ...; a block finds its box in a table that travels
// as a kernel parameter.
// Bodies are parameters too (__grid_constant__: read where they lie, so that a run-time index into the coefficients makes
// no local copy).
#pragma once

#include "kernels/core/shape.h"
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/tuning.h"

#include <algorithm>
#include <string>

namespace ondo::kernels::cuda {

inline constexpr int kMaxBoxes = 32; // 26 layers of a 3-D grid and its interior; more make more launches
inline constexpr int kMaxGridY = 65535;

struct BoxTable {
    int count = 0, shots = 1;
    Box box[kMaxBoxes];
    unsigned end[kMaxBoxes] = {}; // tiles of this box and those before it
};

__device__ inline int boxOfTile(const BoxTable& table, unsigned tile)
{
    int b = 0;
    while (tile >= table.end[b]) {
        ++b;
    }
    return b;
}

// One thread a node, tiles of Shape.
template<class Body, class Shape>
__global__ void __launch_bounds__(Shape::kThreads, Shape::kMinBlocks)
    stepKernel(const __grid_constant__ Body body, const __grid_constant__ BoxTable table)
{
    const int b = boxOfTile(table, blockIdx.x);
    const Box box = table.box[b];
    const unsigned tile = blockIdx.x - (b > 0 ? table.end[b - 1] : 0U);
    const unsigned tilesX = static_cast<unsigned>(box.x1 - box.x0 + Shape::kX - 1) / Shape::kX;
    const unsigned tilesY = static_cast<unsigned>(box.y1 - box.y0 + Shape::kY - 1) / Shape::kY;
    const unsigned row = tile / tilesX;
    const int x = box.x0 + static_cast<int>((tile - row * tilesX) * Shape::kX + threadIdx.x);
    const int y = box.y0 + static_cast<int>((row % tilesY) * Shape::kY + threadIdx.y);
    const int z = box.z0 + static_cast<int>((row / tilesY) * Shape::kZ + threadIdx.z);
    if (x >= box.x1 || y >= box.y1 || z >= box.z1) {
        return;
    }
    for (int shot = static_cast<int>(blockIdx.y); shot < table.shots; shot += static_cast<int>(gridDim.y)) {
        body(box, shot, z, y, x);
    }
}

// One thread a node, in the order of memory: for faces, whose thin direction would leave tiles empty.
template<class Body>
__global__ void __launch_bounds__(kLinearThreads, 1)
    faceKernel(const __grid_constant__ Body body, const __grid_constant__ BoxTable table)
{
    const int b = boxOfTile(table, blockIdx.x);
    const Box& box = table.box[b]; // no copy: the body looks up an axis at run time
    const unsigned tile = blockIdx.x - (b > 0 ? table.end[b - 1] : 0U);
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
    for (int shot = static_cast<int>(blockIdx.y); shot < table.shots; shot += static_cast<int>(gridDim.y)) {
        body(box, shot, z, y, x);
    }
}

inline void checkLaunch(const char* kernel)
{
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        throwCudaError(error, std::string("launching the kernel ") + kernel);
    }
}

// Splits a list of boxes into tables and hands each to `launch(table, grid)`. tilesOf(box): how many blocks it takes.
template<class TilesOf, class Launch>
void forEachTable(const Box* boxes, int count, int shots, TilesOf tilesOf, Launch launch)
{
    constexpr std::int64_t kMaxGridX = 2147483647;
    for (int first = 0; first < count;) {
        BoxTable table;
        table.shots = shots;
        std::int64_t tiles = 0;
        while (first < count && table.count < kMaxBoxes) {
            const Box& box = boxes[first];
            const std::int64_t more = box.nodes() > 0 ? tilesOf(box) : 0;
            if (tiles + more > kMaxGridX) {
                if (more > kMaxGridX) {
                    throw BackendError(BackendFailure::Launch, "a box of " + std::to_string(box.nodes()) +
                                                                   " nodes is more than one launch holds; use a "
                                                                   "smaller grid");
                }
                break;
            }
            ++first;
            if (more > 0) {
                tiles += more;
                table.box[table.count] = box;
                table.end[table.count] = static_cast<unsigned>(tiles);
                ++table.count;
            }
        }
        if (tiles > 0 && shots > 0) {
            launch(table, dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(std::min(shots, kMaxGridY))));
        }
    }
}

template<class Body, class Shape>
void forEachNode(const Box* boxes, int count, int shots, const Body& body, cudaStream_t stream)
{
    const auto tilesOf = [](const Box& b) {
        const auto up = [](int n, int by) { return std::int64_t{(n + by - 1) / by}; };
        return up(b.x1 - b.x0, Shape::kX) * up(b.y1 - b.y0, Shape::kY) * up(b.z1 - b.z0, Shape::kZ);
    };
    forEachTable(boxes, count, shots, tilesOf, [&](const BoxTable& table, dim3 grid) {
        stepKernel<Body, Shape><<<grid, dim3(Shape::kX, Shape::kY, Shape::kZ), 0, stream>>>(body, table);
        checkLaunch("step");
    });
}

template<class Body>
void forEachFaceNode(const Box* boxes, int count, int shots, const Body& body, cudaStream_t stream)
{
    const auto tilesOf = [](const Box& b) { return (b.nodes() + kLinearThreads - 1) / kLinearThreads; };
    forEachTable(boxes, count, shots, tilesOf, [&](const BoxTable& table, dim3 grid) {
        faceKernel<Body><<<grid, kLinearThreads, 0, stream>>>(body, table);
        checkLaunch("faces");
    });
}

} // namespace ondo::kernels::cuda
