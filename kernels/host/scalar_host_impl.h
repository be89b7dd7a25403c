// Included only by the four instantiation files.
#pragma once

#include "kernels/host/launcher.h"
#include "kernels/host/scalar_host.h"

namespace ondo::kernels {

namespace detail {

// Rows that lie in the same layers along z and y, and what stands along x: a low layer, the middle, a high layer, or some
// of them. One pass takes whole rows through all three: a layer along x, 24 nodes of each row, read by itself is a cache
// line here and there and ran at a quarter of the speed.
struct RowGroup {
    Box whole; // all parts; side[kX] is kNone
    Box part[3];
    int parts = 0;
};

struct RowGroups {
    RowGroup group[9];
    int count = 0;
};

template<class T>
RowGroups groupsOf(const ScalarStepArgs<T>& args)
{
    RowGroups all;
    for (int i = 0; i < args.interiorBoxes + args.layerBoxes; ++i) {
        const Box& box = args.boxes[i];
        int g = 0;
        while (g < all.count && (all.group[g].whole.z0 != box.z0 || all.group[g].whole.y0 != box.y0)) {
            ++g;
        }
        RowGroup& group = all.group[g];
        if (g == all.count) {
            ++all.count;
            group.whole = box;
            group.whole.side[kX] = kNone;
        }
        group.whole.x0 = group.whole.x0 < box.x0 ? group.whole.x0 : box.x0;
        group.whole.x1 = group.whole.x1 > box.x1 ? group.whole.x1 : box.x1;
        group.part[group.parts++] = box;
    }
    return all;
}

// One row through the layers and the middle. Mask: the layers along z and y it lies in (1 << kZ | 1 << kY).
template<class T, int Rank, int M, int Mask>
struct ScalarRow {
    ScalarState<T> s;
    RowGroup group;

    void operator()(int shot, int z, int y) const
    {
        constexpr int kAlongX = 1 << kX;
        for (int i = 0; i < group.parts; ++i) {
            const Box& box = group.part[i];
            if (box.side[kX] != kNone) {
                // Along x the first memory is read within the row alone: no pass of its own.
                forRow(box, shot, z, y, ScalarMemoryStep<T, Rank, M, kAlongX>{s});
                forRow(box, shot, z, y, ScalarLayerStep<T, Rank, M, Mask | kAlongX>{s});
            } else if constexpr (Mask == 0) {
                forRow(box, shot, z, y, ScalarInteriorStep<T, Rank, M>{s});
            } else {
                forRow(box, shot, z, y, ScalarLayerStep<T, Rank, M, Mask>{s});
            }
        }
    }
};

// Calls run<Mask>() with the layers along z and y that a box lies in.
template<int Rank, class Run>
void withMask(const Box& box, const Run& run)
{
    switch ((box.side[kZ] != kNone ? 1 << kZ : 0) | (box.side[kY] != kNone ? 1 << kY : 0)) {
    case 0: run.template operator()<0>(); break;
    case 1: run.template operator()<1>(); break;
    default:
        if constexpr (Rank == 3) {
            if (box.side[kZ] != kNone) {
                run.template operator()<3>();
            } else {
                run.template operator()<2>();
            }
        }
    }
}

template<class T, int Rank, int M>
void memoryOfRadius(const ScalarStepArgs<T>& args, Share share)
{
    const RowGroups all = groupsOf(args);
    for (int i = 0; i < all.count; ++i) {
        const Box& box = all.group[i].whole;
        withMask<Rank>(box, [&]<int Mask>() {
            if constexpr (Mask != 0) {
                forEachNode(box, args.shots, share, ScalarMemoryStep<T, Rank, M, Mask>{args.state});
            }
        });
    }
}

template<class T, int Rank, int M>
void stepOfRadius(const ScalarStepArgs<T>& args, Share share)
{
    const RowGroups all = groupsOf(args);
    for (int i = 0; i < all.count; ++i) {
        withMask<Rank>(all.group[i].whole, [&]<int Mask>() {
            forEachRow(all.group[i].whole, args.shots, share, ScalarRow<T, Rank, M, Mask>{args.state, all.group[i]});
        });
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
