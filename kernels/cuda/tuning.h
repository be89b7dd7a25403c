// Block shapes, apart from the algorithms. x is the fastest axis; a warp is a row of 32 nodes.
#pragma once

namespace ondo::kernels::cuda {

template<int X, int Y, int Z>
struct Tile {
    static constexpr int kX = X, kY = Y, kZ = Z;
    static constexpr int kThreads = X * Y * Z;
};

// A tile covers nodes of (z, y, x); two dimensions have y = 1.
template<int Rank>
struct StepTile;
template<>
struct StepTile<2> {
    using Type = Tile<32, 1, 8>;
};
template<>
struct StepTile<3> {
    using Type = Tile<32, 4, 2>;
};

inline constexpr int kLinearThreads = 256;                    // lists: nodes of faces, sources
inline constexpr int kReceiverThreads = 128;                  // a warp a receiver
inline constexpr int kPixelThreadsX = 32, kPixelThreadsY = 8; // pictures
inline constexpr int kHistogramThreads = 256;
inline constexpr int kHistogramBlocks = 264; // two a multiprocessor of the largest GPU so far

} // namespace ondo::kernels::cuda
