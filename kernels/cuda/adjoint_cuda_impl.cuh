// Included only by the four instantiation files.
#pragma once

#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

#include <type_traits>

namespace ondo::kernels::cuda {

namespace detail {

// Layers have kernels of their own for orders 4 and 8 alone; others use the run-time radius there. Whether a step is imaged
// or taken back is asked in the kernel. One of each for every order would double the module.
inline constexpr int layerRadius(int radius)
{
    return radius == 2 || radius == 4 ? radius : 0;
}

template<class T, int Rank, int M>
void keepOfRadius(const ScalarKeepArgs<T>& args, cudaStream_t stream)
{
    using Interior = ScalarKeep<T, Rank, M, 0, Given::Asked>;
    using Layer = ScalarKeep<T, Rank, layerRadius(M), kAnyMask, Given::Never>;
    // Of a run-time radius one of them spilled without as many registers as it wants.
    using Shape = std::conditional_t<M == 0, AdjointLayerTile<Rank>, typename StepTile<Rank, M>::Interior>;
    forEachNode<Interior, Shape>(args.boxes, args.interiorBoxes, args.shots, {args.state}, stream);
    forEachNode<Layer, AdjointLayerTile<Rank>>(args.boxes + args.interiorBoxes, args.layerBoxes, args.shots,
                                               {args.state}, stream);
}

template<class T, int Rank, int M>
void adjointOfRadius(const ScalarAdjointArgs<T>& args, cudaStream_t stream)
{
    using Second = ScalarAdjointSecond<T, Rank>;
    using First = ScalarAdjointFirst<T, Rank, layerRadius(M)>;
    using Interior = ScalarAdjointStep<T, Rank, M, 0, Given::Asked>;
    using Layer = ScalarAdjointStep<T, Rank, layerRadius(M), kAnyMask, Given::Asked>;
    using Tile = AdjointLayerTile<Rank>;
    const Box* layers = args.boxes + args.interiorBoxes;
    forEachNode<Second, Tile>(layers, args.layerBoxes, args.shots, {args.state.s}, stream);
    forEachNode<First, Tile>(layers, args.layerBoxes, args.shots, {args.state.s}, stream);
    forEachNode<Interior, typename StepTile<Rank, M>::Interior>(args.boxes, args.interiorBoxes, args.shots,
                                                                {args.state}, stream);
    forEachNode<Layer, Tile>(layers, args.layerBoxes, args.shots, {args.state}, stream);
}

// By half the order; [0]: the run-time radius.
template<class T, int Rank>
inline constexpr void (*kKeepTable[])(const ScalarKeepArgs<T>&, cudaStream_t) = {
    keepOfRadius<T, Rank, 0>, keepOfRadius<T, Rank, 1>, keepOfRadius<T, Rank, 2>,
    keepOfRadius<T, Rank, 3>, keepOfRadius<T, Rank, 4>, keepOfRadius<T, Rank, 5>,
};
template<class T, int Rank>
inline constexpr void (*kAdjointTable[])(const ScalarAdjointArgs<T>&, cudaStream_t) = {
    adjointOfRadius<T, Rank, 0>, adjointOfRadius<T, Rank, 1>, adjointOfRadius<T, Rank, 2>,
    adjointOfRadius<T, Rank, 3>, adjointOfRadius<T, Rank, 4>, adjointOfRadius<T, Rank, 5>,
};

} // namespace detail

template<class T, int Rank>
void scalarKeep(const ScalarKeepArgs<T>& args, cudaStream_t stream)
{
    const int radius = args.order / 2;
    detail::kKeepTable<T, Rank>[radius <= 5 ? radius : 0](args, stream);
}

template<class T, int Rank>
void scalarAdjoint(const ScalarAdjointArgs<T>& args, cudaStream_t stream)
{
    const int radius = args.order / 2;
    detail::kAdjointTable<T, Rank>[radius <= 5 ? radius : 0](args, stream);
}

} // namespace ondo::kernels::cuda
