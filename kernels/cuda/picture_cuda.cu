// The moving picture: painting, the histogram its clip is chosen from, and the last step into a texture.
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

#include <surface_indirect_functions.h>

namespace ondo::kernels::cuda {

namespace {

dim3 pixelGrid(int width, int height)
{
    return {static_cast<unsigned>((width + kPixelThreadsX - 1) / kPixelThreadsX),
            static_cast<unsigned>((height + kPixelThreadsY - 1) / kPixelThreadsY)};
}

} // namespace

template<class T>
__global__ void __launch_bounds__(kPixelThreadsX* kPixelThreadsY)
    paintKernel(const __grid_constant__ PaintField<T> body)
{
    const int px = static_cast<int>(blockIdx.x * kPixelThreadsX + threadIdx.x);
    const int py = static_cast<int>(blockIdx.y * kPixelThreadsY + threadIdx.y);
    if (px < body.window.width && py < body.window.height) {
        body(px, py);
    }
}

// Counts in shared memory, then adds to the bins. Integers: the result does not depend on the order.
template<class T>
__global__ void __launch_bounds__(kHistogramThreads) histogramKernel(const __grid_constant__ AmplitudeHistogram<T> body)
{
    __shared__ unsigned counts[kHistogramBins];
    for (int i = static_cast<int>(threadIdx.x); i < kHistogramBins; i += kHistogramThreads) {
        counts[i] = 0;
    }
    __syncthreads();
    for (int row = static_cast<int>(blockIdx.x); row < body.field.rows; row += static_cast<int>(gridDim.x)) {
        for (int column = static_cast<int>(threadIdx.x); column < body.field.columns; column += kHistogramThreads) {
            atomicAdd(&counts[body.bin(row, column)], 1U);
        }
    }
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kHistogramBins; i += kHistogramThreads) {
        if (counts[i] != 0) {
            atomicAdd(&body.bins[i], counts[i]);
        }
    }
}

__global__ void __launch_bounds__(kPixelThreadsX* kPixelThreadsY)
    surfaceKernel(cudaSurfaceObject_t surface, int width, int height, const std::uint32_t* pixels, int pitch)
{
    const int px = static_cast<int>(blockIdx.x * kPixelThreadsX + threadIdx.x);
    const int py = static_cast<int>(blockIdx.y * kPixelThreadsY + threadIdx.y);
    if (px < width && py < height) {
        surf2Dwrite(pixels[std::int64_t{py} * pitch + px], surface, px * static_cast<int>(sizeof(std::uint32_t)), py);
    }
}

template<class T>
void paintField(const PaintField<T>& body, cudaStream_t stream)
{
    if (body.window.width > 0 && body.window.height > 0) {
        const dim3 grid = pixelGrid(body.window.width, body.window.height);
        paintKernel<T><<<grid, dim3(kPixelThreadsX, kPixelThreadsY), 0, stream>>>(body);
        checkLaunch("paint");
    }
}

template<class T>
void amplitudeHistogram(const AmplitudeHistogram<T>& body, cudaStream_t stream)
{
    ONDO_CUDA(cudaMemsetAsync(body.bins, 0, kHistogramBins * sizeof(unsigned), stream));
    if (body.field.rows > 0 && body.field.columns > 0) {
        const int blocks = std::min(body.field.rows, kHistogramBlocks);
        histogramKernel<T><<<blocks, kHistogramThreads, 0, stream>>>(body);
        checkLaunch("histogram");
    }
}

void writeSurface(cudaSurfaceObject_t surface, int width, int height, const std::uint32_t* pixels, int pitch,
                  cudaStream_t stream)
{
    surfaceKernel<<<pixelGrid(width, height), dim3(kPixelThreadsX, kPixelThreadsY), 0, stream>>>(surface, width, height,
                                                                                                 pixels, pitch);
    checkLaunch("surface");
}

template void paintField(const PaintField<float>&, cudaStream_t);
template void paintField(const PaintField<double>&, cudaStream_t);
template void amplitudeHistogram(const AmplitudeHistogram<float>&, cudaStream_t);
template void amplitudeHistogram(const AmplitudeHistogram<double>&, cudaStream_t);

} // namespace ondo::kernels::cuda
