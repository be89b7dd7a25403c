// Included only by the four instantiation files.
#pragma once

#include "kernels/host/launcher.h"
#include "kernels/host/pack_row.h"
#include "kernels/host/scalar_host.h"

namespace ondo::kernels {

namespace detail {

// Calls run<Mask>(rows, side) for the rows of each layer along z and y and of what stands between them; Mask: the layers
// that they lie in (1 << kZ | 1 << kY). A row goes through its layers along x and the middle as a whole: such a layer,
// 24 nodes of each row, read by itself is a cache line here and there and ran at a quarter of the speed.
template<int Rank, class Run>
void forRowsOf(const LayerReach (&reach)[3], const Run& run)
{
    constexpr signed char kSides[3] = {kLow, kNone, kHigh};
    const int z[4] = {0, reach[kZ].low, reach[kZ].high, reach[kZ].n};
    const int y[4] = {0, reach[kY].low, reach[kY].high, reach[kY].n};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            Box rows{z[i], z[i + 1], y[j], y[j + 1], 0, reach[kX].n, {kSides[i], kSides[j], kNone}};
            if (rows.nodes() <= 0) {
                continue;
            }
            if (i == 1 && j == 1) {
                run.template operator()<0>(rows);
            } else if (j == 1) {
                run.template operator()<1 << kZ>(rows);
            } else if constexpr (Rank == 3) {
                if (i == 1) {
                    run.template operator()<1 << kY>(rows);
                } else {
                    run.template operator()<1 << kZ | 1 << kY>(rows);
                }
            }
        }
    }
}

template<class T, int Rank, int M>
void memoryOfRadius(const ScalarStepArgs<T>& args, const LayerReach (&reach)[3], Share share)
{
    forRowsOf<Rank>(reach, [&]<int Mask>(const Box& rows) {
        if constexpr ((Mask & 1 << kZ) != 0) {
            forEachRow(rows, args.shots, share, MemoryRow<T, Rank, M, kZ>{args.state, reach[kX].n, rows.side[kZ]});
        }
        if constexpr ((Mask & 1 << kY) != 0) {
            forEachRow(rows, args.shots, share, MemoryRow<T, Rank, M, kY>{args.state, reach[kX].n, rows.side[kY]});
        }
    });
}

template<class T, int Rank, int M>
void stepOfRadius(const ScalarStepArgs<T>& args, const LayerReach (&reach)[3], Share share)
{
    forRowsOf<Rank>(reach, [&]<int Mask>(const Box& rows) {
        forEachRow(rows, args.shots, share,
                   ScalarRow<T, Rank, M, Mask>{args.state,
                                               reach[kX],
                                               rows.side[kZ],
                                               rows.side[kY],
                                               args.interiorBoxes > 0,
                                               {args.kept, args.compact}});
    });
}

} // namespace detail

template<class T, int Rank>
void scalarMemoryHost(const ScalarStepArgs<T>& args, const LayerReach (&reach)[3], Share share)
{
    switch (args.order) {
    case 2: detail::memoryOfRadius<T, Rank, 1>(args, reach, share); break;
    case 4: detail::memoryOfRadius<T, Rank, 2>(args, reach, share); break;
    case 6: detail::memoryOfRadius<T, Rank, 3>(args, reach, share); break;
    case 8: detail::memoryOfRadius<T, Rank, 4>(args, reach, share); break;
    case 10: detail::memoryOfRadius<T, Rank, 5>(args, reach, share); break;
    default: detail::memoryOfRadius<T, Rank, 0>(args, reach, share); break;
    }
}

template<class T, int Rank>
void scalarStepHost(const ScalarStepArgs<T>& args, const LayerReach (&reach)[3], Share share)
{
    switch (args.order) {
    case 2: detail::stepOfRadius<T, Rank, 1>(args, reach, share); break;
    case 4: detail::stepOfRadius<T, Rank, 2>(args, reach, share); break;
    case 6: detail::stepOfRadius<T, Rank, 3>(args, reach, share); break;
    case 8: detail::stepOfRadius<T, Rank, 4>(args, reach, share); break;
    case 10: detail::stepOfRadius<T, Rank, 5>(args, reach, share); break;
    default: detail::stepOfRadius<T, Rank, 0>(args, reach, share); break;
    }
}

} // namespace ondo::kernels
