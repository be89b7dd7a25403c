// What a direction of the density adds to perturbed steps: one thread a node, with the run-time radius.
#include "kernels/cuda/launcher.cuh"
#include "kernels/cuda/launches.h"

namespace ondo::kernels::cuda {

namespace {

template<class T, int Rank>
void changeOfRank(const ScalarTangentArgs<T>& args, cudaStream_t stream)
{
    using Tile = AdjointLayerTile<Rank>;
    const int boxes = args.interiorBoxes + args.layerBoxes;
    mirrorFaces(args.mirror, args.boxes + boxes, args.mirrorBoxes, args.shots, stream);
    if (args.backwards) {
        forEachNode<ScalarTangentBack<T, Rank, 0, kAnyMask>, Tile>(args.boxes, boxes, args.shots, {args.state}, stream);
    } else {
        forEachNode<ScalarTangentStep<T, Rank, 0, kAnyMask>, Tile>(args.boxes, boxes, args.shots, {args.state}, stream);
    }
}

} // namespace

template<class T>
void addDensityChange(const ScalarTangentArgs<T>& args, cudaStream_t stream)
{
    args.state.s.layout.rank == 3 ? changeOfRank<T, 3>(args, stream) : changeOfRank<T, 2>(args, stream);
}

template void addDensityChange(const ScalarTangentArgs<float>&, cudaStream_t);
template void addDensityChange(const ScalarTangentArgs<double>&, cudaStream_t);

} // namespace ondo::kernels::cuda
