#include "kernels/host/tangent_host.h"

#include "kernels/host/launcher.h"

namespace ondo::kernels {

namespace {

// Node by node, of the run-time radius, for whatever the processor is: as rows of each instruction set (forEachNode) these bodies
// took the compiler ten minutes.
template<class Body, class T>
void forNodes(const ScalarTangentArgs<T>& args, Share share)
{
    const Body body{args.state};
    for (int i = 0; i < args.interiorBoxes + args.layerBoxes; ++i) {
        const Box& box = args.boxes[i];
        detail::rowsOfBox(box, args.shots, share, [&body, &box](int shot, int z, int y) {
            for (int x = box.x0; x < box.x1; ++x) {
                body(box, shot, z, y, x);
            }
        });
    }
}

template<class T, int Rank>
void changeOfRank(const ScalarTangentArgs<T>& args, Share share)
{
    if (args.backwards) {
        forNodes<ScalarTangentBack<T, Rank, 0, kAnyMask>>(args, share);
    } else {
        forNodes<ScalarTangentStep<T, Rank, 0, kAnyMask>>(args, share);
    }
}

} // namespace

template<class T>
void densityTangentHost(const ScalarTangentArgs<T>& args, Share share)
{
    args.state.s.layout.rank == 3 ? changeOfRank<T, 3>(args, share) : changeOfRank<T, 2>(args, share);
}

template void densityTangentHost<float>(const ScalarTangentArgs<float>&, Share);
template void densityTangentHost<double>(const ScalarTangentArgs<double>&, Share);

} // namespace ondo::kernels
