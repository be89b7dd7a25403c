// Launches a step by marching: the interior, the layers by what a tile holds of them, and by one thread a node what is
// left. None of these waits for another.
#pragma once

#include "kernels/cuda/cuda_check.h"
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

#include "kernels/cuda/columns_kernel.cuh"
#include "kernels/cuda/march_kernel.cuh"
#include "kernels/cuda/march_tape.cuh"
#include "kernels/cuda/rows_kernel.cuh"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <vector>

namespace ondo::kernels::cuda {

template<class T, int Rank, int M, int Layers, class Tape = NoTape>
constexpr auto marchKernelOf()
{
    if constexpr (Rank == 3) {
        return marchKernel<T, M, Layers, Tape>;
    } else if constexpr (Layers == kNoLayer) {
        return columnsKernel<T, M, Tape>;
    } else {
        return rowsKernel<T, M, Tape>;
    }
}

// Blocks of these measures that the device holds at once. Asked for once, then known.
template<auto Kernel>
int blocksAtOnce(const StepLaunch& on, int threads, int bytes)
{
    static std::atomic<std::uint64_t> known{0};
    const std::uint64_t key = (static_cast<std::uint64_t>(on.device) << 40 | static_cast<std::uint64_t>(threads) << 24 |
                               static_cast<std::uint64_t>(bytes))
                              << 8;
    std::uint64_t found = known.load(std::memory_order_relaxed);
    if ((found & ~std::uint64_t{255}) != key) {
        if (bytes > 0) {
            ONDO_CUDA(cudaFuncSetAttribute(Kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, on.sharedBytes));
        }
        int blocks = 0;
        ONDO_CUDA(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, Kernel, threads, static_cast<std::size_t>(bytes)));
        found = key | static_cast<std::uint64_t>(std::max(blocks, 1));
        known.store(found, std::memory_order_relaxed);
    }
    return static_cast<int>(found & 255) * on.multiprocessors;
}

template<class T, int Rank, int M, int Layers, class Tape = NoTape>
void march(const ScalarState<T>& state, int shots, MarchPlan& plan, const StepLaunch& on, cudaStream_t stream,
           const Tape& tape = {})
{
    if (plan.boxes.empty() || shots <= 0) {
        return;
    }
    using Inner = MarchShape<3, kNoLayer>;
    const double atOnce =
        static_cast<double>(on.multiprocessors) * Inner::kMinBlocks * Inner::kThreads * Inner::kVectorBytes / sizeof(T);
    cutMarch<Rank, M, Layers>(
        plan, shots, blocksAtOnce<marchKernelOf<T, Rank, M, Layers, Tape>()>(on, plan.threads, plan.bytes),
        static_cast<double>(state.layout.nodes()) * shots / atOnce, on.planes[Layers == kNoLayer ? 0 : 1]);
    forEachMarchTable(plan, [&](MarchTable& table, unsigned blocks) {
        for (; table.firstShot < shots; table.firstShot += kMaxGridY) {
            const dim3 grid(blocks, static_cast<unsigned>(std::min(shots - table.firstShot, kMaxGridY)));
            const auto threads = static_cast<unsigned>(plan.threads);
            const auto bytes = static_cast<std::size_t>(plan.bytes);
            marchKernelOf<T, Rank, M, Layers, Tape>()<<<grid, threads, bytes, stream>>>(state, table, tape);
            checkLaunch("march");
        }
    });
}

// The interior alone, with what a gradient asks of it beside; false if its tiles do not fit the device.
template<class T, int Rank, int M>
bool marchInterior(const ScalarState<T>& state, const Box* boxes, int count, int shots, MarchTape<T> tape,
                   const StepLaunch& on, cudaStream_t stream)
{
    MarchPlan interior = MarchPlanner<T, Rank, M>(state, on.sharedBytes).interior(boxes, count);
    if (interior.boxes.empty()) {
        return false;
    }
    tape.template align<16 / static_cast<int>(sizeof(T))>();
    march<T, Rank, M, kNoLayer>(state, shots, interior, on, stream, tape);
    return true;
}

// Launches that need not wait for each other: branches while a graph is being made, and where a step is long enough to pay for
// the events (256^3: 400 us one after the other, 270 in branches); else one after the other. The caller holds what guards `on`.
class Branches {
public:
    Branches(const StepLaunch& on, cudaStream_t stream, std::int64_t nodes)
        : m_on(on)
        , m_stream(stream)
    {
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
        ONDO_CUDA(cudaStreamIsCapturing(stream, &status));
        constexpr std::int64_t kWorthEvents = 4'000'000;
        m_forked = on.branches && (status == cudaStreamCaptureStatusActive || nodes >= kWorthEvents);
        if (m_forked) {
            ONDO_CUDA(cudaEventRecord(on.fork, stream));
        }
    }
    template<class Launch>
    void branch(int i, Launch launch)
    {
        if (!m_forked) {
            launch(m_stream);
            return;
        }
        ONDO_CUDA(cudaStreamWaitEvent(m_on.branch[i], m_on.fork, 0));
        launch(m_on.branch[i]);
        ONDO_CUDA(cudaEventRecord(m_on.joined[i], m_on.branch[i]));
        m_used[i] = true;
    }
    void join()
    {
        for (int i = 0; i < StepLaunch::kBranches; ++i) {
            if (m_used[i]) {
                ONDO_CUDA(cudaStreamWaitEvent(m_stream, m_on.joined[i], 0));
            }
        }
    }

private:
    const StepLaunch& m_on;
    cudaStream_t m_stream;
    bool m_forked = false;
    bool m_used[StepLaunch::kBranches] = {};
};

// Boxes of a step: interior, then layers.
struct MarchBoxes {
    const Box* boxes = nullptr;
    int interior = 0, layers = 0, shots = 1;
    bool keepsInterior = true; // or what a tape keeps is wanted of the layers alone
};

// The layers by marching with an aligned tape, each kernel in a branch of its own; launchRest(boxes, count, stream): what of them does not fit.
template<class T, int Rank, int M, class Tape, class Rest>
void marchLayers(Branches& branches, const ScalarState<T>& state, const MarchBoxes& on, Tape tape,
                 const StepLaunch& launch, Rest launchRest)
{
    const MarchPlanner<T, Rank, M> planner(state, launch.sharedBytes, kIsBack<Tape>);
    const Box* boxes = on.boxes + on.interior;
    std::vector<Box> rest;
    int branch = 0;
    const auto marchOf = [&]<int Layers>() {
        MarchPlan plan = planner.template layers<Layers>(boxes, on.layers, rest);
        if (!plan.boxes.empty()) {
            branches.branch(branch,
                            [&](cudaStream_t s) { march<T, Rank, M, Layers>(state, on.shots, plan, launch, s, tape); });
        }
        ++branch;
    };
    // In double precision, which is for checking, layers by marching are not worth their size in the module.
    if constexpr (sizeof(T) == sizeof(double)) {
        rest.assign(boxes, boxes + on.layers);
    } else if constexpr (Rank == 3) { // the longest first
        if constexpr (M <= 4) {
            marchOf.template operator()<kAlongAny>();
        } else { // no registers left
            std::copy_if(boxes, boxes + on.layers, std::back_inserter(rest),
                         [&](const Box& b) { return planner.kindOf(b) == kAlongAny; });
        }
        marchOf.template operator()<kAnyLayer>();
        marchOf.template operator()<kXLayer>();
        marchOf.template operator()<kRowLayer>();
        marchOf.template operator()<kAlongLayer>();
    } else {
        marchOf.template operator()<kAnyLayer>();
    }
    if (!rest.empty()) {
        branches.branch(branch, [&](cudaStream_t s) { launchRest(rest.data(), static_cast<int>(rest.size()), s); });
    }
}

// Interior and layers by marching, none of which waits for another. False, and nothing launched, if the interior's tiles do not
// fit the device.
template<class T, int Rank, int M, class Tape, class Rest>
bool marchAll(const ScalarState<T>& state, const MarchBoxes& on, Tape tape, const StepLaunch& launch,
              cudaStream_t stream, Rest launchRest)
{
    MarchPlan interior = MarchPlanner<T, Rank, M>(state, launch.sharedBytes).interior(on.boxes, on.interior);
    if (on.interior > 0 && interior.boxes.empty()) {
        return false;
    }
    if constexpr (kIsTaped<Tape>) {
        tape.template align<16 / static_cast<int>(sizeof(T))>();
    }
    Branches branches(launch, stream, state.layout.nodes() * on.shots);
    marchLayers<T, Rank, M>(branches, state, on, tape, launch, launchRest);
    if constexpr (kIsTaped<Tape>) { // the interior has no memories, so that backwards is forwards there
        MarchTape<T> inside = tape;
        inside.keep = on.keepsInterior ? tape.keep : nullptr;
        march<T, Rank, M, kNoLayer>(state, on.shots, interior, launch, stream, inside);
    } else {
        march<T, Rank, M, kNoLayer>(state, on.shots, interior, launch, stream);
    }
    branches.join();
    return true;
}

template<class T, int Rank, int M>
bool marchStep(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    using Shape = typename StepTile<Rank, M>::Layer;
    const MarchBoxes boxes{args.boxes, args.interiorBoxes, args.layerBoxes, args.shots};
    return marchAll<T, Rank, M>(
        args.state, boxes, NoTape{}, on, stream, [&](const Box* rest, int count, cudaStream_t s) {
            forEachNode<ScalarMemoryStep<T, Rank, M, kAnyMask>, Shape>(rest, count, args.shots, {args.state}, s);
            forEachNode<ScalarLayerStep<T, Rank, M, kAnyMask>, Shape>(rest, count, args.shots, {args.state}, s);
        });
}

} // namespace ondo::kernels::cuda
