// The only loops over nodes on a GPU. A list of boxes and all shots go out in one launch: consecutive blocks take the
// tiles of the first box, then of the second, ...; a block finds its box in a table that travels as a kernel parameter.
// Bodies are parameters too (__grid_constant__: read where they lie, so that a run-time index into the coefficients makes
// no local copy).
#pragma once

#include "kernels/core/shape.h"
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/tuning.h"

#include <algorithm>
#include <string>
#include <type_traits>

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

// Interior of three dimensions: a block owns a tile of columns and marches along z. The values along z wait in registers,
// the plane lies in shared memory with its halo, so that a node is read from beyond the multiprocessor once and not 2 M + 1
// times for z. Two planes in turn: one barrier a plane. Threads beyond the box read what is there (inside the allocation:
// rows and planes have a halo, and the tile is cut to the box) and write nothing.
template<class Body, class Shape>
__global__ void __launch_bounds__(Shape::kThreads)
    marchKernel(const __grid_constant__ Body body, const __grid_constant__ Box box, int chunks)
{
    constexpr int M = Body::kRadius;
    constexpr int kWide = Shape::kX + 2 * M;
    constexpr int kHigh = Shape::kY + 2 * M;
    using T = std::remove_cvref_t<decltype(*body.s.now)>;
    __shared__ T plane[2][kHigh][kWide];
    const int shot = static_cast<int>(blockIdx.z) / chunks;
    const int chunk = static_cast<int>(blockIdx.z) % chunks;
    const int z0 = box.z0 + chunk * Shape::kPlanes;
    const int z1 = min(z0 + Shape::kPlanes, box.z1);
    const int tx = static_cast<int>(threadIdx.x);
    const int ty = static_cast<int>(threadIdx.y);
    const int xTile = box.x0 + static_cast<int>(blockIdx.x) * Shape::kX;
    const int yTile = box.y0 + static_cast<int>(blockIdx.y) * Shape::kY;
    const bool mine = xTile + tx < box.x1 && yTile + ty < box.y1;
    const int x = min(xTile + tx, box.x1 - 1);
    const int y = min(yTile + ty, box.y1 - 1);
    const std::int64_t strideZ = body.s.layout.strideZ;
    const std::int64_t strideY = body.s.layout.strideY;
    std::int64_t m = body.s.layout.at(z0, y, x);
    const std::int64_t ofShot = shot * body.s.layout.shotStride;
    const T* now = body.s.now + ofShot;
    T* other = body.s.other + ofShot;

    // The halo of a plane: where this thread's share of it comes from and goes to. The tile's own columns come from the
    // registers of their threads.
    constexpr int kHalo = kHigh * kWide - Shape::kThreads;
    constexpr int kEach = (kHalo + Shape::kThreads - 1) / Shape::kThreads;
    const int thread = ty * Shape::kX + tx;
    std::int64_t from[kEach];
    int to[kEach];
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        int h = thread + e * Shape::kThreads;
        to[e] = -1;
        if (h < kHalo) {
            int row = 0;
            int column = 0;
            if (h < 2 * M * kWide) { // rows above and below, corners with them
                row = h / kWide;
                column = h % kWide;
                row += row < M ? 0 : Shape::kY;
            } else {
                h -= 2 * M * kWide;
                row = M + h / (2 * M);
                column = h % (2 * M);
                column += column < M ? 0 : Shape::kX;
            }
            const int hx = min(xTile + column - M, box.x1 - 1 + M);
            const int hy = min(yTile + row - M, box.y1 - 1 + M);
            from[e] = body.s.layout.at(z0, hy, hx);
            to[e] = row * kWide + column;
        }
    }

    T column[2 * M + 1]; // p(z - M) ... p(z + M)
#pragma unroll
    for (int k = 0; k < 2 * M; ++k) {
        column[k + 1] = now[m + (k - M) * strideZ];
    }
    for (int z = z0; z < z1; ++z) {
#pragma unroll
        for (int k = 0; k < 2 * M; ++k) {
            column[k] = column[k + 1];
        }
        column[2 * M] = now[m + M * strideZ];
        T(&here)[kHigh][kWide] = plane[(z - z0) & 1];
        here[ty + M][tx + M] = column[M];
#pragma unroll
        for (int e = 0; e < kEach; ++e) {
            if (to[e] >= 0) {
                (&here[0][0])[to[e]] = now[from[e]];
                from[e] += strideZ;
            }
        }
        __syncthreads();
        if (mine) {
            const auto tapZ = [&column](int k) { return column[M + k]; };
            const auto tapY = [&here, ty, tx](int k) { return here[ty + M + k][tx + M]; };
            const auto tapX = [&here, ty, tx](int k) { return here[ty + M][tx + M + k]; };
            other[m] = body.next(other[m], body.s.c2[m], tapZ, tapY, tapX);
        }
        m += strideZ;
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

template<class Body, class Shape>
void marchNodes(const Box& box, int shots, const Body& body, cudaStream_t stream)
{
    const auto up = [](int n, int by) { return static_cast<unsigned>((n + by - 1) / by); };
    const unsigned chunks = up(box.z1 - box.z0, Shape::kPlanes);
    for (int first = 0; first < shots;) { // blockIdx.z ends at 65535
        const int some = std::min(shots - first, std::max(1, kMaxGridY / static_cast<int>(chunks)));
        Body part = body;
        part.s.now += first * body.s.layout.shotStride;
        part.s.other += first * body.s.layout.shotStride;
        const dim3 grid(up(box.x1 - box.x0, Shape::kX), up(box.y1 - box.y0, Shape::kY),
                        chunks * static_cast<unsigned>(some));
        marchKernel<Body, Shape><<<grid, dim3(Shape::kX, Shape::kY), 0, stream>>>(part, box, static_cast<int>(chunks));
        checkLaunch("march");
        first += some;
    }
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
