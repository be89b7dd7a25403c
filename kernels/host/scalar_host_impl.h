// Included only by the four instantiation files.
#pragma once

#include "kernels/host/launcher.h"
#include "kernels/host/scalar_host.h"

namespace ondo::kernels {

namespace detail {

template<template<class, int, int, int> class Body, class T, int Rank, int M>
void layerBox(const ScalarStepArgs<T>& args, const Box& box, Share share)
{
    const int mask =
        (box.side[kZ] != kNone ? 1 : 0) | (box.side[kY] != kNone ? 2 : 0) | (box.side[kX] != kNone ? 4 : 0);
    const auto run = [&]<int Mask>() { forEachNode(box, args.shots, share, Body<T, Rank, M, Mask>{args.state}); };
    switch (mask) {
    case 1: run.template operator()<1>(); break;
    case 4: run.template operator()<4>(); break;
    case 5: run.template operator()<5>(); break;
    default:
        if constexpr (Rank == 3) {
            switch (mask) {
            case 2: run.template operator()<2>(); break;
            case 3: run.template operator()<3>(); break;
            case 6: run.template operator()<6>(); break;
            default: run.template operator()<7>(); break;
            }
        }
    }
}

template<class T, int Rank, int M>
void memoryOfRadius(const ScalarStepArgs<T>& args, Share share)
{
    for (int i = 0; i < args.layerBoxes; ++i) {
        layerBox<ScalarMemoryStep, T, Rank, M>(args, args.boxes[args.interiorBoxes + i], share);
    }
}

template<class T, int Rank, int M>
void stepOfRadius(const ScalarStepArgs<T>& args, Share share)
{
    const Box* box = args.boxes;
    for (int i = 0; i < args.interiorBoxes; ++i) {
        forEachNode(*box++, args.shots, share, ScalarInteriorStep<T, Rank, M>{args.state});
    }
    for (int i = 0; i < args.layerBoxes; ++i) {
        layerBox<ScalarLayerStep, T, Rank, M>(args, *box++, share);
    }
}

} // namespace detail

template<class T, int Rank>
void scalarMemoryHost(const ScalarStepArgs<T>& args, Share share)
{
    switch (args.order) {
    case 2: detail::memoryOfRadius<T, Rank, 1>(args, share); break;
    case 4: detail::memoryOfRadius<T, Rank, 2>(args, share); break;
    case 6: detail::memoryOfRadius<T, Rank, 3>(args, share); break;
    case 8: detail::memoryOfRadius<T, Rank, 4>(args, share); break;
    case 10: detail::memoryOfRadius<T, Rank, 5>(args, share); break;
    default: detail::memoryOfRadius<T, Rank, 0>(args, share); break;
    }
}

template<class T, int Rank>
void scalarStepHost(const ScalarStepArgs<T>& args, Share share)
{
    switch (args.order) {
    case 2: detail::stepOfRadius<T, Rank, 1>(args, share); break;
    case 4: detail::stepOfRadius<T, Rank, 2>(args, share); break;
    case 6: detail::stepOfRadius<T, Rank, 3>(args, share); break;
    case 8: detail::stepOfRadius<T, Rank, 4>(args, share); break;
    case 10: detail::stepOfRadius<T, Rank, 5>(args, share); break;
    default: detail::stepOfRadius<T, Rank, 0>(args, share); break;
    }
}

} // namespace ondo::kernels
