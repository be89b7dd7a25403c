// Included only by the four instantiation files.
#pragma once

#include "kernels/host/adjoint_host.h"
#include "kernels/host/launcher.h"

namespace ondo::kernels {

namespace detail {

template<class T, int Rank, int M>
void keepOfRadius(const ScalarKeepArgs<T>& args, Share share)
{
    const int all = args.interiorBoxes + args.layerBoxes;
    for (int i = 0; i < args.interiorBoxes; ++i) {
        forEachNode(args.boxes[i], args.shots, share, ScalarKeep<T, Rank, M, 0>{args.state});
    }
    for (int i = args.interiorBoxes; i < all; ++i) {
        forEachNode(args.boxes[i], args.shots, share, ScalarKeep<T, Rank, M, kAnyMask>{args.state});
    }
}

template<class T, int Rank, int M, Imaging Image>
void adjointStepOfRadius(const ScalarAdjointArgs<T>& args, Share share)
{
    const int all = args.interiorBoxes + args.layerBoxes;
    for (int i = 0; i < args.interiorBoxes; ++i) {
        forEachNode(args.boxes[i], args.shots, share, ScalarAdjointStep<T, Rank, M, 0, Image>{args.state});
    }
    for (int i = args.interiorBoxes; i < all; ++i) {
        forEachNode(args.boxes[i], args.shots, share, ScalarAdjointStep<T, Rank, M, kAnyMask, Image>{args.state});
    }
}

template<class T, int Rank, int M>
void adjointOfRadius(const ScalarAdjointArgs<T>& args, AdjointPass pass, Share share)
{
    const Box* layers = args.boxes + args.interiorBoxes;
    switch (pass) {
    case AdjointPass::Second:
        for (int i = 0; i < args.layerBoxes; ++i) {
            forEachNode(layers[i], args.shots, share, ScalarAdjointSecond<T, Rank>{args.state.s});
        }
        break;
    case AdjointPass::First:
        for (int i = 0; i < args.layerBoxes; ++i) {
            forEachNode(layers[i], args.shots, share, ScalarAdjointFirst<T, Rank, M>{args.state.s});
        }
        break;
    case AdjointPass::Step:
        if (args.state.kept != nullptr) {
            adjointStepOfRadius<T, Rank, M, Imaging::Always>(args, share);
        } else {
            adjointStepOfRadius<T, Rank, M, Imaging::Never>(args, share);
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
