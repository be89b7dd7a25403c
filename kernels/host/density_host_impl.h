// Included only by the four instantiation files.
#pragma once

#include "kernels/host/adjoint_host_impl.h"
#include "kernels/host/density_host.h"

namespace ondo::kernels {

template<class T, int Rank>
void densityMemoryHost(const ScalarStepArgs<T>& args, Share share)
{
    forRadius<Medium::VariableDensity>(args.order, [&]<int M>() {
        detail::forMasks<Rank>(args.boxes + args.interiorBoxes, args.layerBoxes, [&]<int Mask>(const Box& box) {
            forEachNode(box, args.shots, share, ScalarMemoryStep<T, Rank, M, Mask>{args.state});
        });
    });
}

template<class T, int Rank>
void densityStepHost(const ScalarStepArgs<T>& args, Share share)
{
    forRadius<Medium::VariableDensity>(args.order, [&]<int M>() {
        detail::forMasks<Rank>(args.boxes, args.interiorBoxes + args.layerBoxes, [&]<int Mask>(const Box& box) {
            forEachNode(box, args.shots, share, ScalarLayerStep<T, Rank, M, Mask, Medium::VariableDensity>{args.state});
        });
    });
}

} // namespace ondo::kernels
