// Included only by the four instantiation files.
#pragma once

#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"
#include "kernels/cuda/march.cuh"

#include <type_traits>

namespace ondo::kernels::cuda {

namespace detail {

// Layers have kernels of their own for orders 4 and 8 alone; others use the run-time radius there. Whether a step is imaged
// or taken back is asked in the kernel. One of each for every order would double the module.
inline constexpr int layerRadius(int radius)
{
    return radius == 2 || radius == 4 ? radius : 0;
}

// In single precision, which is what runs are made in, and for the same two orders, the interior goes at the speed of memory.
template<class T, int M>
inline constexpr bool kMarches = sizeof(T) == sizeof(float) && M > 0 && layerRadius(M) == M;

template<class T, int Rank, int M>
bool keepInterior(const ScalarKeepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    if constexpr (kMarches<T, M>) {
        MarchTape<T> tape;
        tape.compact = args.state.compact;
        tape.keep = args.state.kept;
        tape.leaps = args.state.back != nullptr;
        ScalarState<T> s = args.state.s;
        s.other = args.state.back;
        return on.march && marchInterior<T, Rank, M>(s, args.boxes, args.interiorBoxes, args.shots, tape, on, stream);
    }
    return false;
}

template<class T, int Rank, int M>
bool adjointInterior(const ScalarAdjointArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    if constexpr (kMarches<T, M>) {
        MarchTape<T> tape;
        tape.compact = args.state.compact;
        tape.imaged = args.state.kept;
        tape.image = args.state.kept != nullptr ? args.state.image : nullptr;
        return on.march &&
               marchInterior<T, Rank, M>(args.state.s, args.boxes, args.interiorBoxes, args.shots, tape, on, stream);
    }
    return false;
}

template<class T, int Rank, int M>
void keepOfRadius(const ScalarKeepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    using Interior = ScalarKeep<T, Rank, M, 0, Given::Asked>;
    using Layer = ScalarKeep<T, Rank, layerRadius(M), kAnyMask, Given::Never>;
    // Of a run-time radius one of them spilled without as many registers as it wants.
    using Shape = std::conditional_t<M == 0, AdjointLayerTile<Rank>, typename StepTile<Rank, M>::Interior>;
    Branches branches(on, stream, args.state.s.layout.nodes() * args.shots);
    branches.branch(0, [&](cudaStream_t s) {
        forEachNode<Layer, AdjointLayerTile<Rank>>(args.boxes + args.interiorBoxes, args.layerBoxes, args.shots,
                                                   {args.state}, s);
    });
    if (!keepInterior<T, Rank, M>(args, on, stream)) {
        forEachNode<Interior, Shape>(args.boxes, args.interiorBoxes, args.shots, {args.state}, stream);
    }
    branches.join();
}

// A step by one thread a node, then W of it.
template<class T, int Rank>
void stepThenKeep(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    ScalarStepArgs<T> plain = args;
    plain.kept = nullptr;
    scalarStep<T, Rank>(plain, on, stream);
    scalarKeep<T, Rank>(keepingOf(args), on, stream);
}

template<class T, int Rank, int M>
void stepKeptOfRadius(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    if constexpr (kMarchesTape<T, Rank, M>) {
        MarchTape<T> tape;
        tape.compact = args.compact;
        tape.keep = args.kept;
        const MarchBoxes boxes{args.boxes, args.interiorBoxes, args.layerBoxes, args.shots, !args.keptOfLayers};
        const auto stepRest = [&](const Box* rest, int count, cudaStream_t s) {
            ScalarStepArgs<T> layers = args;
            layers.boxes = rest;
            layers.interiorBoxes = layers.mirrorBoxes = 0;
            layers.layerBoxes = count;
            StepLaunch byNodes = on;
            byNodes.march = byNodes.branches = false;
            stepThenKeep<T, Rank>(layers, byNodes, s);
        };
        if (on.march && marchAll<T, Rank, M>(args.state, boxes, tape, on, stream, stepRest)) {
            return;
        }
    }
    stepThenKeep<T, Rank>(args, on, stream);
}

// Layers of a step back by one thread a node: second memories, first memories, the step.
template<class T, int Rank, int M>
void stepLayersBack(const ScalarAdjointArgs<T>& args, const Box* boxes, int count, cudaStream_t stream)
{
    using Second = ScalarAdjointSecond<T, Rank, kAnyMask>;
    using First = ScalarAdjointFirst<T, Rank, layerRadius(M), kAnyMask>;
    using Layer = ScalarAdjointStep<T, Rank, layerRadius(M), kAnyMask, Given::Asked>;
    using Tile = AdjointLayerTile<Rank>;
    forEachNode<Second, Tile>(boxes, count, args.shots, {args.state.s}, stream);
    forEachNode<First, Tile>(boxes, count, args.shots, {args.state.s}, stream);
    forEachNode<Layer, Tile>(boxes, count, args.shots, {args.state}, stream);
}

template<class T>
BackTape<T> backTapeOf(const ScalarAdjointArgs<T>& args)
{
    BackTape<T> tape;
    tape.compact = args.state.compact;
    tape.imaged = args.state.kept;
    tape.image = args.state.kept != nullptr ? args.state.image : nullptr;
    return tape;
}

template<class T, int Rank, int M>
void adjointOfRadius(const ScalarAdjointArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    using Interior = ScalarAdjointStep<T, Rank, M, 0, Given::Asked>;
    const auto stepLayers = [&](const Box* boxes, int count, cudaStream_t s) {
        stepLayersBack<T, Rank, M>(args, boxes, count, s);
    };
    if constexpr (kMarchesTape<T, Rank, M>) {
        const BackTape<T> tape = backTapeOf(args);
        const MarchBoxes boxes{args.boxes, args.interiorBoxes, args.layerBoxes, args.shots};
        if (on.march && marchAll<T, Rank, M>(args.state.s, boxes, tape, on, stream, stepLayers)) {
            return;
        }
    }
    const Box* layers = args.boxes + args.interiorBoxes;
    // The interior knows nothing of the layers' memories.
    Branches branches(on, stream, args.state.s.layout.nodes() * args.shots);
    branches.branch(0, [&](cudaStream_t s) { stepLayers(layers, args.layerBoxes, s); });
    if (!adjointInterior<T, Rank, M>(args, on, stream)) {
        forEachNode<Interior, typename StepTile<Rank, M>::Interior>(args.boxes, args.interiorBoxes, args.shots,
                                                                    {args.state}, stream);
    }
    branches.join();
}

// By half the order; [0]: the run-time radius.
template<class T, int Rank>
inline constexpr void (*kKeepTable[])(const ScalarKeepArgs<T>&, const StepLaunch&, cudaStream_t) = {
    keepOfRadius<T, Rank, 0>, keepOfRadius<T, Rank, 1>, keepOfRadius<T, Rank, 2>,
    keepOfRadius<T, Rank, 3>, keepOfRadius<T, Rank, 4>, keepOfRadius<T, Rank, 5>,
};
template<class T, int Rank>
inline constexpr void (*kKeptTable[])(const ScalarStepArgs<T>&, const StepLaunch&, cudaStream_t) = {
    stepKeptOfRadius<T, Rank, 0>, stepKeptOfRadius<T, Rank, 1>, stepKeptOfRadius<T, Rank, 2>,
    stepKeptOfRadius<T, Rank, 3>, stepKeptOfRadius<T, Rank, 4>, stepKeptOfRadius<T, Rank, 5>,
};
template<class T, int Rank>
inline constexpr void (*kAdjointTable[])(const ScalarAdjointArgs<T>&, const StepLaunch&, cudaStream_t) = {
    adjointOfRadius<T, Rank, 0>, adjointOfRadius<T, Rank, 1>, adjointOfRadius<T, Rank, 2>,
    adjointOfRadius<T, Rank, 3>, adjointOfRadius<T, Rank, 4>, adjointOfRadius<T, Rank, 5>,
};

} // namespace detail

template<class T, int Rank>
void scalarAdjointMemories(const ScalarAdjointArgs<T>& args, cudaStream_t stream)
{
    const Box* layers = args.boxes + args.interiorBoxes;
    using Tile = AdjointLayerTile<Rank>;
    forEachNode<ScalarAdjointSecond<T, Rank, kAnyMask>, Tile>(layers, args.layerBoxes, args.shots, {args.state.s},
                                                              stream);
    forEachNode<ScalarAdjointFirst<T, Rank, 0, kAnyMask>, Tile>(layers, args.layerBoxes, args.shots, {args.state.s},
                                                                stream);
}

template<class T, int Rank>
void scalarKeep(const ScalarKeepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    const int radius = args.order / 2;
    detail::kKeepTable<T, Rank>[radius <= 5 ? radius : 0](args, on, stream);
}

template<class T, int Rank>
void scalarStepKept(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    const int radius = args.order / 2;
    detail::kKeptTable<T, Rank>[radius <= 5 ? radius : 0](args, on, stream);
}

template<class T, int Rank>
void scalarAdjoint(const ScalarAdjointArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    const int radius = args.order / 2;
    detail::kAdjointTable<T, Rank>[radius <= 5 ? radius : 0](args, on, stream);
}

} // namespace ondo::kernels::cuda
