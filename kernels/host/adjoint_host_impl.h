// Included only by the four instantiation files.
#pragma once

#include "kernels/host/adjoint_host.h"
#include "kernels/host/launcher.h"

namespace ondo::kernels {

namespace detail {

// Calls run<Mask>(box) for boxes of the interior and of layers; Mask: the axes that a box is stretched along, known when the
// loop over its nodes is compiled. Asked at each node, it kept that loop from being a simd loop, and a gradient of 600 x 600
// nodes took half as long again.
template<int Rank, class Run>
void forMasks(const Box* boxes, int count, const Run& run)
{
    for (int i = 0; i < count; ++i) {
        const Box& box = boxes[i];
        int mask = 0;
        for (int axis = 0; axis < 3; ++axis) {
            mask |= box.side[axis] != kNone ? 1 << axis : 0;
        }
        switch (mask) {
        case 0: run.template operator()<0>(box); break;
        case 1 << kZ: run.template operator()<1 << kZ>(box); break;
        case 1 << kX: run.template operator()<1 << kX>(box); break;
        case 1 << kZ | 1 << kX: run.template operator()<1 << kZ | 1 << kX>(box); break;
        default:
            if constexpr (Rank == 3) {
                if (mask == 1 << kY) {
                    run.template operator()<1 << kY>(box);
                } else {
                    run.template operator()<kAnyMask>(box); // edges and corners with a layer of y: few nodes
                }
            }
        }
    }
}

template<class T, int Rank, int M>
void keepOfRadius(const ScalarKeepArgs<T>& args, Share share)
{
    if (args.state.back != nullptr) {
        for (int i = 0; i < args.interiorBoxes; ++i) {
            forEachNode(args.boxes[i], args.shots, share, ScalarKeep<T, Rank, M, 0, Given::Always>{args.state});
        }
        return;
    }
    forMasks<Rank>(args.boxes, args.interiorBoxes + args.layerBoxes, [&]<int Mask>(const Box& box) {
        forEachNode(box, args.shots, share, ScalarKeep<T, Rank, M, Mask, Given::Never>{args.state});
    });
}

template<class T, int Rank, int M, Given Image>
void adjointStepOfRadius(const ScalarAdjointArgs<T>& args, Share share)
{
    forMasks<Rank>(args.boxes, args.interiorBoxes + args.layerBoxes, [&]<int Mask>(const Box& box) {
        forEachNode(box, args.shots, share, ScalarAdjointStep<T, Rank, M, Mask, Image>{args.state});
    });
}

template<class T, int Rank, int M>
void adjointOfRadius(const ScalarAdjointArgs<T>& args, AdjointPass pass, Share share)
{
    const Box* layers = args.boxes + args.interiorBoxes;
    switch (pass) {
    case AdjointPass::Second:
        forMasks<Rank>(layers, args.layerBoxes, [&]<int Mask>(const Box& box) {
            forEachNode(box, args.shots, share, ScalarAdjointSecond<T, Rank, Mask>{args.state.s});
        });
        break;
    case AdjointPass::First:
        forMasks<Rank>(layers, args.layerBoxes, [&]<int Mask>(const Box& box) {
            forEachNode(box, args.shots, share, ScalarAdjointFirst<T, Rank, M, Mask>{args.state.s});
        });
        break;
    case AdjointPass::Step:
        if (args.state.kept != nullptr) {
            adjointStepOfRadius<T, Rank, M, Given::Always>(args, share);
        } else {
            adjointStepOfRadius<T, Rank, M, Given::Never>(args, share);
        }
        break;
    }
}

} // namespace detail

template<class T, int Rank>
void scalarKeepHost(const ScalarKeepArgs<T>& args, Share share)
{
    switch (args.order) {
    case 2: detail::keepOfRadius<T, Rank, 1>(args, share); break;
    case 4: detail::keepOfRadius<T, Rank, 2>(args, share); break;
    case 6: detail::keepOfRadius<T, Rank, 3>(args, share); break;
    case 8: detail::keepOfRadius<T, Rank, 4>(args, share); break;
    case 10: detail::keepOfRadius<T, Rank, 5>(args, share); break;
    default: detail::keepOfRadius<T, Rank, 0>(args, share); break;
    }
}

template<class T, int Rank>
void scalarAdjointHost(const ScalarAdjointArgs<T>& args, AdjointPass pass, Share share)
{
    switch (args.order) {
    case 2: detail::adjointOfRadius<T, Rank, 1>(args, pass, share); break;
    case 4: detail::adjointOfRadius<T, Rank, 2>(args, pass, share); break;
    case 6: detail::adjointOfRadius<T, Rank, 3>(args, pass, share); break;
    case 8: detail::adjointOfRadius<T, Rank, 4>(args, pass, share); break;
    case 10: detail::adjointOfRadius<T, Rank, 5>(args, pass, share); break;
    default: detail::adjointOfRadius<T, Rank, 0>(args, pass, share); break;
    }
}

} // namespace ondo::kernels
