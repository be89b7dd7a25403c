// Included only by the four instantiation files.
#pragma once

#include "kernels/host/pack_row.h"
#include "kernels/host/tile_step.h"

#include <algorithm>

namespace ondo::kernels {

namespace detail {

template<class T, int Rank, int M>
struct TileRows {
    const TileStep<T>& t;

    // Rows [y0, y1) of the step's planes; their layers along z and y are Mask.
    template<int Mask>
    void rows(int y0, int y1, signed char zSide, signed char ySide) const
    {
        const ScalarRow<T, Rank, M, Mask> row{t.state, t.reach[kX], zSide, ySide, true, t.kept};
        for (int y = y0; y < y1; ++y) {
            row.planes(t.shot, t.z0, y, t.z1 - t.z0);
        }
    }

    // First memories along A of planes [z0, z1), rows [y0, y1).
    template<int A>
    void memories(int z0, int z1, int y0, int y1, signed char side) const
    {
        const MemoryRow<T, Rank, M, A> row{t.state, t.reach[kX].n, side};
        for (int y = y0; y < y1; ++y) {
            row.planes(t.shot, z0, y, z1 - z0);
        }
    }

    template<int ZMask>
    void planes(signed char zSide) const
    {
        const LayerReach& y = t.reach[kY];
        if constexpr (Rank == 3) {
            const int part[4] = {0, y.low, y.high, y.n};
            const LayerReach live = y.live(t.state.layout.radius);
            for (int i = 0; i < 3; ++i) {
                const int y0 = std::max(t.y0, part[i]);
                const int y1 = std::min(t.y1, part[i + 1]);
                if (i == 1) {
                    rows<ZMask>(y0, y1, zSide, kNone);
                } else if (y1 > y0) {
                    const signed char side = i == 0 ? kLow : kHigh;
                    memories<kY>(t.z0, t.z1, i == 0 ? y0 : std::max(y0, live.high),
                                 i == 0 ? std::min(y1, live.low) : y1, side);
                    rows<ZMask | 1 << kY>(y0, y1, zSide, side);
                }
            }
        } else {
            rows<ZMask>(t.y0, t.y1, zSide, kNone);
        }
    }

    void operator()() const
    {
        if (t.first1 > t.first0) {
            memories<kZ>(t.first0, t.first1, t.y0, t.y1, static_cast<signed char>(t.reach[kZ].sideOf(t.first0)));
        }
        const auto side = static_cast<signed char>(t.reach[kZ].sideOf(t.z0));
        side == kNone ? planes<0>(side) : planes<1 << kZ>(side);
    }
};

} // namespace detail

template<class T, int Rank>
void tileStepHost(const TileStep<T>& step)
{
    switch (step.order) {
    case 2: detail::TileRows<T, Rank, 1>{step}(); break;
    case 4: detail::TileRows<T, Rank, 2>{step}(); break;
    case 6: detail::TileRows<T, Rank, 3>{step}(); break;
    case 8: detail::TileRows<T, Rank, 4>{step}(); break;
    case 10: detail::TileRows<T, Rank, 5>{step}(); break;
    default: detail::TileRows<T, Rank, 0>{step}(); break;
    }
}

} // namespace ondo::kernels
