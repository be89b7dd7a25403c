// Faces, sources and receivers.
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

namespace ondo::kernels::cuda {

namespace {

constexpr unsigned kWarp = 32;
static_assert(kLanes == static_cast<int>(kWarp), "a lane of the recording tree is a thread of a warp");

} // namespace

// clock: null, or what a graph of steps counts with; body.step counts from it then.
template<class T>
__global__ void __launch_bounds__(kLinearThreads)
    injectKernel(const __grid_constant__ InjectSources<T> body, const GraphClock* clock)
{
    const int i = static_cast<int>(blockIdx.x * kLinearThreads + threadIdx.x);
    const std::int64_t step = clock != nullptr ? clock->step + body.step : body.step;
    if (i < body.nodes && step < body.waveletStride) {
        body.at(i, step);
    }
}

// A warp a receiver. The tree is the host's: lane i takes lane i + width. With a clock this is its sample `sample`, of
// record `which`.
template<class T>
__global__ void __launch_bounds__(kReceiverThreads)
    recordKernel(const __grid_constant__ RecordReceivers<T> body, const GraphClock* clock, int which, int sample)
{
    if (clock != nullptr && sample >= clock->samplesLeft) {
        return;
    }
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
        T* row =
            clock != nullptr ? static_cast<T*>(clock->out[which]) + std::int64_t{sample} * body.receivers : body.out;
        row[receiver] = sum;
    }
}

// Row y of blocks: what is kept of the y-th of them.
__global__ void __launch_bounds__(kLinearThreads)
    injectKeptKernel(const __grid_constant__ InjectSources<float> body, const __grid_constant__ KeptRun<float*> kept)
{
    const int i = static_cast<int>(blockIdx.x * kLinearThreads + threadIdx.x);
    const std::int64_t step = body.step + kept.until + static_cast<std::int64_t>(blockIdx.y) * kept.every;
    if (i < body.nodes && step < body.waveletStride) {
        InjectSources<float> one = body;
        one.field = kept.first + blockIdx.y * kept.stride;
        one.at(i, step);
    }
}

__global__ void setClockKernel(GraphClock* clock, GraphClock value)
{
    *clock = value;
}

// rowBytes: of one sample of each record.
__global__ void moveClockKernel(GraphClock* clock, int steps, int samples, std::int64_t rowBytes0,
                                std::int64_t rowBytes1)
{
    clock->step += steps;
    const int kept = samples < clock->samplesLeft ? samples : clock->samplesLeft;
    clock->samplesLeft -= kept;
    clock->out[0] = static_cast<char*>(clock->out[0]) + kept * rowBytes0;
    clock->out[1] = static_cast<char*>(clock->out[1]) + kept * rowBytes1;
}

template<class T>
void mirrorFaces(const MirrorFaces<T>& body, const Box* faces, int count, int shots, cudaStream_t stream)
{
    forEachFaceNode(faces, count, shots, body, stream);
}

template<class T>
void injectSources(const InjectSources<T>& body, cudaStream_t stream, const GraphClock* clock)
{
    if (body.nodes > 0) {
        const int blocks = (body.nodes + kLinearThreads - 1) / kLinearThreads;
        injectKernel<T><<<blocks, kLinearThreads, 0, stream>>>(body, clock);
        checkLaunch("inject");
    }
}

void injectKept(const ScalarAdvance<float>& args, cudaStream_t stream)
{
    const int nodes = args.injectKept.nodes;
    const auto blocks = static_cast<unsigned>((nodes + kLinearThreads - 1) / kLinearThreads);
    KeptRun<float*> kept = args.kept;
    InjectSources<float> body = args.injectKept;
    for (int left = kept.count(args.count); left > 0 && nodes > 0; left -= kMaxGridY) {
        const auto rows = static_cast<unsigned>(left < kMaxGridY ? left : kMaxGridY);
        injectKeptKernel<<<dim3(blocks, rows), kLinearThreads, 0, stream>>>(body, kept);
        checkLaunch("inject");
        kept.first += kMaxGridY * kept.stride;
        body.step += std::int64_t{kMaxGridY} * kept.every;
    }
}

template<class T>
void recordReceivers(const RecordReceivers<T>& body, cudaStream_t stream, const GraphClock* clock, int which,
                     int sample)
{
    constexpr int kPerBlock = kReceiverThreads / static_cast<int>(kWarp);
    if (body.receivers > 0) {
        const int blocks = (body.receivers + kPerBlock - 1) / kPerBlock;
        recordKernel<T><<<blocks, kReceiverThreads, 0, stream>>>(body, clock, which, sample);
        checkLaunch("record");
    }
}

void setClock(GraphClock* clock, const GraphClock& value, cudaStream_t stream)
{
    setClockKernel<<<1, 1, 0, stream>>>(clock, value);
    checkLaunch("clock");
}

void moveClock(GraphClock* clock, int steps, int samples, std::int64_t rowBytes0, std::int64_t rowBytes1,
               cudaStream_t stream)
{
    moveClockKernel<<<1, 1, 0, stream>>>(clock, steps, samples, rowBytes0, rowBytes1);
    checkLaunch("clock");
}

template void mirrorFaces(const MirrorFaces<float>&, const Box*, int, int, cudaStream_t);
template void mirrorFaces(const MirrorFaces<double>&, const Box*, int, int, cudaStream_t);
template void injectSources(const InjectSources<float>&, cudaStream_t, const GraphClock*);
template void injectSources(const InjectSources<double>&, cudaStream_t, const GraphClock*);
template void recordReceivers(const RecordReceivers<float>&, cudaStream_t, const GraphClock*, int, int);
template void recordReceivers(const RecordReceivers<double>&, cudaStream_t, const GraphClock*, int, int);

} // namespace ondo::kernels::cuda
