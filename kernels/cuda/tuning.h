// Block shapes, apart from the algorithms. x is the fastest axis; a warp is a row of 32 nodes.
#pragma once

namespace ondo::kernels::cuda {

// MinBlocks: how many blocks must fit a multiprocessor; 0 leaves the registers to the compiler, 1 allows it as many as it
// wants (it then never spills).
template<int X, int Y, int Z, int MinBlocks = 0>
struct Tile {
    static constexpr int kX = X, kY = Y, kZ = Z;
    static constexpr int kThreads = X * Y * Z;
    static constexpr int kMinBlocks = MinBlocks;
};

// A tile covers nodes of (z, y, x); two dimensions have y = 1. By rank and half the order, 0 for the run-time radius.
// Chosen on an H200, order 8, float: small blocks win in 2-D, flat ones in 3-D. Tried and lost: more registers (MinBlocks 1),
// 4 to 30 %; interior and layers in one launch of the layers' body, 8 % at 1000^2 and 55 % at 4096^2; launches that overlap
// (griddepcontrol), which gain 1 us a step at 1000^2 and lose 20 % at 4096^2.
template<int Rank, int M>
struct StepTile {
    using Interior = Tile<32, 8, 1>;
    using Layer = Tile<32, 4, 1, M <= 1 ? 1 : 0>;
};
template<int M>
struct StepTile<2, M> {
    using Interior = Tile<32, 1, 4>;
    using Layer = Tile<32, 1, 2, M == 0 ? 1 : 0>;
};

// The marching kernel (march_kernel.cuh). Lanes: vectors of 16 bytes along x. The interior's tile is lanes x rows; a layer's
// takes its measures from the layer and has no more threads than this. Ahead: planes on their way to shared memory.
template<int VectorBytes, int Lanes, int Rows, int Ahead, int MinBlocks>
struct MarchTile {
    static constexpr int kVectorBytes = VectorBytes;
    static constexpr int kLanes = Lanes, kRows = Rows, kThreads = Lanes * Rows;
    static constexpr int kAhead = Ahead, kMinBlocks = MinBlocks;
};
inline constexpr int kMostPlanes = 128; // of a piece
// Kernels by the layers that a tile can hold: none, one along its rows, any.
enum InTile : int { kNoLayer, kRowLayer, kAnyLayer };
template<int Rank, int Layers>
struct MarchShape : MarchTile<16, 8, 24, 2, 2> {};
template<int Rank>
struct MarchShape<Rank, kNoLayer> : MarchTile<16, 16, 16, 2, 2> {};
template<>
struct MarchShape<2, kNoLayer> : MarchTile<16, 16, 16, 1, 3> {};

inline constexpr int kLinearThreads = 256;                    // lists: nodes of faces, sources
inline constexpr int kReceiverThreads = 128;                  // a warp a receiver
inline constexpr int kPixelThreadsX = 32, kPixelThreadsY = 8; // pictures
inline constexpr int kHistogramThreads = 256;
inline constexpr int kHistogramBlocks = 264; // two a multiprocessor of the largest GPU so far

} // namespace ondo::kernels::cuda
