// Included only by the four instantiation files.
#pragma once

#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

namespace ondo::kernels::cuda {

namespace detail {

template<class T, int Rank, int M>
void keepOfRadius(const ScalarKeepArgs<T>& args, cudaStream_t stream)
{
    using Shape = StepTile<Rank, M>;
    forEachNode<ScalarKeep<T, Rank, M, 0>, typename Shape::Interior>(args.boxes, args.interiorBoxes, args.shots,
                                                                     {args.state}, stream);
    forEachNode<ScalarKeep<T, Rank, M, kAnyMask>, typename Shape::Layer>(
        args.boxes + args.interiorBoxes, args.layerBoxes, args.shots, {args.state}, stream);
}

template<class T, int Rank, int M, bool Imaged>
void adjointStepOfRadius(const ScalarAdjointArgs<T>& args, cudaStream_t stream)
{
    using Shape = StepTile<Rank, M>;
    forEachNode<ScalarAdjointStep<T, Rank, M, 0, Imaged>, typename Shape::Interior>(args.boxes, args.interiorBoxes,
                                                                                    args.shots, {args.state}, stream);
    forEachNode<ScalarAdjointStep<T, Rank, M, kAnyMask, Imaged>, typename Shape::Layer>(
        args.boxes + args.interiorBoxes, args.layerBoxes, args.shots, {args.state}, stream);
}

template<class T, int Rank, int M>
void adjointOfRadius(const ScalarAdjointArgs<T>& args, cudaStream_t stream)
{
    const Box* layers = args.boxes + args.interiorBoxes;
    forEachNode<ScalarAdjointSecond<T, Rank>, typename StepTile<Rank, 0>::Layer>(layers, args.layerBoxes, args.shots,
                                                                                 {args.state.s}, stream);
    forEachNode<ScalarAdjointFirst<T, Rank, M>, typename StepTile<Rank, M>::Layer>(layers, args.layerBoxes, args.shots,
                                                                                   {args.state.s}, stream);
    if (args.state.kept != nullptr) {
        adjointStepOfRadius<T, Rank, M, true>(args, stream);
    } else {
        adjointStepOfRadius<T, Rank, M, false>(args, stream);
    }
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
