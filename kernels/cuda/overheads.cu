// What an empty step costs on this device, in the three ways a step can be started (performance.md 2.1).
#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/launches.h"

#include <cooperative_groups.h>

#include <algorithm>
#include <chrono>
#include <functional>

namespace ondo::kernels::cuda {

namespace {

constexpr int kTimes = 5;            // of which the least counts: the rest was disturbed
constexpr int kGraphNodes = 200;     // in one graph, each waiting for the one before
constexpr int kBarrierThreads = 256; // a block; one block a multiprocessor, as the resident steps have it

__global__ void emptyKernel() {}

__global__ void barrierKernel(int barriers)
{
    const auto grid = cooperative_groups::this_grid();
    for (int i = 0; i < barriers; ++i) {
        grid.sync();
    }
}

// Seconds of one more of what `queue(n)` queues n of: the long run less the short one, so that what comes once does not count.
double marginalSeconds(int few, int many, cudaStream_t stream, const std::function<void(int)>& queue)
{
    const auto seconds = [&](int n) {
        ONDO_CUDA(cudaStreamSynchronize(stream));
        const auto from = std::chrono::steady_clock::now();
        queue(n);
        ONDO_CUDA(cudaStreamSynchronize(stream));
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
    };
    seconds(few); // the first launch loads the code
    double least[2] = {seconds(few), seconds(many)};
    for (int i = 1; i < kTimes; ++i) {
        least[0] = std::min(least[0], seconds(few));
        least[1] = std::min(least[1], seconds(many));
    }
    return std::max(0.0, (least[1] - least[0]) / (many - few));
}

double launchSeconds(cudaStream_t stream)
{
    return marginalSeconds(500, 4500, stream, [stream](int n) {
        for (int i = 0; i < n; ++i) {
            emptyKernel<<<1, 32, 0, stream>>>();
        }
        ONDO_CUDA(cudaGetLastError());
    });
}

double graphNodeSeconds(cudaStream_t stream)
{
    cudaGraph_t graph = nullptr;
    ONDO_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < kGraphNodes; ++i) {
        emptyKernel<<<1, 32, 0, stream>>>();
    }
    const cudaError_t launched = cudaGetLastError();
    const cudaError_t captured = cudaStreamEndCapture(stream, &graph); // whatever came before: the capture must end
    ONDO_CUDA(launched);
    ONDO_CUDA(captured);
    cudaGraphExec_t whole = nullptr;
    const cudaError_t made = cudaGraphInstantiateWithFlags(&whole, graph, 0);
    ONDO_CUDA_NOTHROW(cudaGraphDestroy(graph));
    ONDO_CUDA(made);
    try {
        const double seconds = marginalSeconds(2, 22, stream, [stream, whole](int n) {
            for (int i = 0; i < n; ++i) {
                ONDO_CUDA(cudaGraphLaunch(whole, stream));
            }
        });
        ONDO_CUDA_NOTHROW(cudaGraphExecDestroy(whole));
        return seconds / kGraphNodes;
    } catch (...) {
        ONDO_CUDA_NOTHROW(cudaGraphExecDestroy(whole));
        throw;
    }
}

// 0: no launch of this device can wait for all its blocks.
double barrierSeconds(cudaStream_t stream)
{
    int device = 0;
    int cooperative = 0;
    int multiprocessors = 0;
    int each = 0;
    ONDO_CUDA(cudaGetDevice(&device));
    ONDO_CUDA(cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device));
    ONDO_CUDA(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
    ONDO_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, barrierKernel, kBarrierThreads, 0));
    if (cooperative == 0 || each < 1) {
        return 0.0;
    }
    return marginalSeconds(200, 4200, stream, [stream, multiprocessors](int n) {
        void* arguments[] = {&n};
        ONDO_CUDA(cudaLaunchCooperativeKernel(barrierKernel, dim3(static_cast<unsigned>(multiprocessors)),
                                              dim3(kBarrierThreads), arguments, 0, stream));
    });
}

} // namespace

Overheads measureOverheads(cudaStream_t stream)
{
    return {launchSeconds(stream), graphNodeSeconds(stream), barrierSeconds(stream)};
}

} // namespace ondo::kernels::cuda
