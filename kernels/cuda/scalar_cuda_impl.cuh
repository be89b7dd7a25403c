// Included only by the four instantiation files.
#pragma once

#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"
#include "kernels/cuda/march.cuh"

namespace ondo::kernels::cuda {

namespace detail {

template<class T, int Rank, int M>
void stepOfRadius(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    if constexpr (M > 0) {
        if (on.march && marchStep<T, Rank, M>(args, on, stream)) {
            return;
        }
    }
    using Shape = StepTile<Rank, M>;
    const Box* layers = args.boxes + args.interiorBoxes;
    forEachNode<ScalarInteriorStep<T, Rank, M>, typename Shape::Interior>(args.boxes, args.interiorBoxes, args.shots,
                                                                          {args.state}, stream);
    // One body for every combination of stretched axes: which they are is the same for a whole block.
    forEachNode<ScalarMemoryStep<T, Rank, M, kAnyMask>, typename Shape::Layer>(layers, args.layerBoxes, args.shots,
                                                                               {args.state}, stream);
    forEachNode<ScalarLayerStep<T, Rank, M, kAnyMask>, typename Shape::Layer>(layers, args.layerBoxes, args.shots,
                                                                              {args.state}, stream);
}

// By half the order; [0]: the run-time radius.
template<class T, int Rank>
inline constexpr void (*kOrderTable[])(const ScalarStepArgs<T>&, const StepLaunch&, cudaStream_t) = {
    stepOfRadius<T, Rank, 0>, stepOfRadius<T, Rank, 1>, stepOfRadius<T, Rank, 2>,
    stepOfRadius<T, Rank, 3>, stepOfRadius<T, Rank, 4>, stepOfRadius<T, Rank, 5>,
};

} // namespace detail

template<class T, int Rank>
void scalarStep(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    const int radius = args.order / 2;
    detail::kOrderTable<T, Rank>[radius <= 5 ? radius : 0](args, on, stream);
}

} // namespace ondo::kernels::cuda
