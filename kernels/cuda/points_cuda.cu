// Faces, sources and receivers.
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

namespace ondo::kernels::cuda {

namespace {

constexpr unsigned kWarp = 32;
static_assert(kLanes == static_cast<int>(kWarp), "a lane of the recording tree is a thread of a warp");

} // namespace

template<class T>
__global__ void __launch_bounds__(kLinearThreads) injectKernel(const __grid_constant__ InjectSources<T> body)
{
    const int i = static_cast<int>(blockIdx.x * kLinearThreads + threadIdx.x);
    if (i < body.nodes) {
        body(i);
    }
}

// A warp a receiver. The tree is the host's: lane i takes lane i + width.
template<class T>
__global__ void __launch_bounds__(kReceiverThreads) recordKernel(const __grid_constant__ RecordReceivers<T> body)
{
    const int receiver = static_cast<int>((blockIdx.x * kReceiverThreads + threadIdx.x) / kWarp);
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    if (receiver >= body.receivers) {
        return;
    }
    T sum = body.laneSum(receiver, lane);
    for (unsigned width = kWarp / 2; width > 0; width /= 2) {
        sum += __shfl_down_sync(0xFFFFFFFFU, sum, width);
    }
    if (lane == 0) {
        body.out[receiver] = sum;
    }
}

template<class T>
void mirrorFaces(const MirrorFaces<T>& body, const Box* faces, int count, int shots, cudaStream_t stream)
{
    forEachFaceNode(faces, count, shots, body, stream);
}

template<class T>
void injectSources(const InjectSources<T>& body, cudaStream_t stream)
{
    if (body.nodes > 0) {
        const int blocks = (body.nodes + kLinearThreads - 1) / kLinearThreads;
        injectKernel<T><<<blocks, kLinearThreads, 0, stream>>>(body);
        checkLaunch("inject");
    }
}

template<class T>
void recordReceivers(const RecordReceivers<T>& body, cudaStream_t stream)
{
    constexpr int kPerBlock = kReceiverThreads / static_cast<int>(kWarp);
    if (body.receivers > 0) {
        const int blocks = (body.receivers + kPerBlock - 1) / kPerBlock;
        recordKernel<T><<<blocks, kReceiverThreads, 0, stream>>>(body);
        checkLaunch("record");
    }
}

template void mirrorFaces(const MirrorFaces<float>&, const Box*, int, int, cudaStream_t);
template void mirrorFaces(const MirrorFaces<double>&, const Box*, int, int, cudaStream_t);
template void injectSources(const InjectSources<float>&, cudaStream_t);
template void injectSources(const InjectSources<double>&, cudaStream_t);
template void recordReceivers(const RecordReceivers<float>&, cudaStream_t);
template void recordReceivers(const RecordReceivers<double>&, cudaStream_t);

} // namespace ondo::kernels::cuda
