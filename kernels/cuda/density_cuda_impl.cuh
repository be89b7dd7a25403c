// Steps where density varies. Included only by the four instantiation files.
#pragma once

#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"
#include "kernels/cuda/march_density.cuh"

#include <type_traits>

namespace ondo::kernels::cuda {

namespace detail {

// The interior has kernels of its own for order 8 alone; layers, one thread a node, only where they do not march. The run-time
// radius gives the same bits.
template<class T, int Rank, int M>
void densityLayers(const Box* boxes, int count, const ScalarStepArgs<T>& args, cudaStream_t stream)
{
    using Memory = ScalarMemoryStep<T, Rank, M, kAnyMask>;
    using Layer = ScalarLayerStep<T, Rank, M, kAnyMask, Medium::VariableDensity>;
    using Tile = AdjointLayerTile<Rank>;
    forEachNode<Memory, Tile>(boxes, count, args.shots, {args.state}, stream);
    forEachNode<Layer, Tile>(boxes, count, args.shots, {args.state}, stream);
}

template<class T, int Rank, int M>
void densityStepOfRadius(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    using Interior = ScalarInteriorStep<T, Rank, M, Medium::VariableDensity>;
    constexpr bool kMarches = M > 0 && sizeof(T) == sizeof(float);
    constexpr int kOfLayers = kMarches && Rank == 2 ? M : 0;
    if constexpr (kMarches) {
        const MarchBoxes boxes{args.boxes, args.interiorBoxes, args.layerBoxes, args.shots};
        const auto layers = [&](const Box* rest, int count, cudaStream_t s) {
            densityLayers<T, Rank, kOfLayers>(rest, count, args, s);
        };
        if (on.march && marchDensityAll<T, Rank, M>(args.state, boxes, on, stream, layers)) {
            return;
        }
    }
    // Of a run-time radius one of them spilled without as many registers as it wants.
    using Shape = std::conditional_t<M == 0, AdjointLayerTile<Rank>, typename StepTile<Rank, M>::Interior>;
    forEachNode<Interior, Shape>(args.boxes, args.interiorBoxes, args.shots, {args.state}, stream);
    densityLayers<T, Rank, kOfLayers>(args.boxes + args.interiorBoxes, args.layerBoxes, args, stream);
}

template<class T, int Rank, int M>
void densityKeepOfRadius(const ScalarKeepArgs<T>& args, cudaStream_t stream)
{
    using Interior = ScalarKeep<T, Rank, M, 0, Given::Asked, Medium::VariableDensity>;
    using Layer = ScalarKeep<T, Rank, 0, kAnyMask, Given::Never, Medium::VariableDensity>;
    using Tile = AdjointLayerTile<Rank>;
    forEachNode<Interior, Tile>(args.boxes, args.interiorBoxes, args.shots, {args.state}, stream);
    forEachNode<Layer, Tile>(args.boxes + args.interiorBoxes, args.layerBoxes, args.shots, {args.state}, stream);
}

template<class T, int Rank, int M>
void densityAdjointOfRadius(const ScalarAdjointArgs<T>& args, cudaStream_t stream)
{
    using Interior = ScalarAdjointStep<T, Rank, M, 0, Given::Asked, Medium::VariableDensity>;
    using Layer = ScalarAdjointStep<T, Rank, 0, kAnyMask, Given::Asked, Medium::VariableDensity>;
    using Tile = AdjointLayerTile<Rank>;
    const Box* layers = args.boxes + args.interiorBoxes;
    scalarAdjointMemories<T, Rank>(args, stream);
    forEachNode<Layer, Tile>(layers, args.layerBoxes, args.shots, {args.state}, stream);
    forEachNode<Interior, Tile>(args.boxes, args.interiorBoxes, args.shots, {args.state}, stream);
}

} // namespace detail

template<class T, int Rank>
void densityStep(const ScalarStepArgs<T>& args, const StepLaunch& on, cudaStream_t stream)
{
    args.order == 8 ? detail::densityStepOfRadius<T, Rank, 4>(args, on, stream)
                    : detail::densityStepOfRadius<T, Rank, 0>(args, on, stream);
}

template<class T, int Rank>
void densityKeep(const ScalarKeepArgs<T>& args, cudaStream_t stream)
{
    args.order == 8 ? detail::densityKeepOfRadius<T, Rank, 4>(args, stream)
                    : detail::densityKeepOfRadius<T, Rank, 0>(args, stream);
}

template<class T, int Rank>
void densityAdjoint(const ScalarAdjointArgs<T>& args, cudaStream_t stream)
{
    args.order == 8 ? detail::densityAdjointOfRadius<T, Rank, 4>(args, stream)
                    : detail::densityAdjointOfRadius<T, Rank, 0>(args, stream);
}

} // namespace ondo::kernels::cuda
