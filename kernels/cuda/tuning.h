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

// Layers of a gradient's kernels: as many registers as they want, without which one of them spilled.
template<int Rank>
struct AdjointLayerTile : Tile<32, 4, 1, 1> {};
template<>
struct AdjointLayerTile<2> : Tile<32, 1, 2, 1> {};

// The marching kernels (march_kernel.cuh in 3-D; rows_kernel.cuh: layers in 2-D). Lanes: vectors of 16 bytes along x. The
// interior's tile is lanes x rows; a layer's takes its measures from the layer and has no more threads than this. Ahead:
// planes that are asked into the L2 cache before they are loaded (in 2-D: tiles on their way to shared memory).
// Measured on an H200, 552^3, order 8, interior alone: without asking ahead 187 Gpts/s, 1 plane 210, 2 planes 207, 4 planes
// 191; streaming (vec.cuh) +4 %; 32 lanes 195; 16 rows 203; vectors of 8 bytes 206 at best.
template<int Lanes, int Rows, int Ahead, int Asked, int MinBlocks>
struct MarchTile {
    static constexpr int kVectorBytes = 16;
    static constexpr int kLanes = Lanes, kRows = Rows, kThreads = Lanes * Rows;
    static constexpr int kAhead = Ahead, kAsked = Asked, kMinBlocks = MinBlocks;
};
inline constexpr int kMostPlanes = 128; // of a piece
// Kernels by the layers that a tile can hold: none, one along its rows, one along x, both; one that the march goes through,
// and with it any.
enum InTile : int { kNoLayer, kRowLayer, kXLayer, kAnyLayer, kAlongLayer, kAlongAny };
template<int Rank, int Layers>
struct MarchShape : MarchTile<8, 24, 1, 1, 2> {}; // 192 threads
template<>
struct MarchShape<3, kNoLayer> : MarchTile<16, 8, 1, 1, 4> {};
template<>
struct MarchShape<3, kAnyLayer> : MarchTile<8, 24, 1, 1, 1> {};
template<>
struct MarchShape<3, kXLayer> : MarchTile<8, 16, 1, 1, 3> {};
template<>
struct MarchShape<3, kAlongLayer> : MarchTile<16, 8, 1, 1, 2> {};
template<>
struct MarchShape<3, kAlongAny> : MarchTile<8, 24, 1, 1, 1> {};
template<>
struct MarchShape<2, kAnyLayer> : MarchTile<8, 24, 2, 0, 2> {};

// An interior stepped back together with the forward step under it (rewind_kernel.cuh): two rings and two queues.
struct RewindShape : MarchTile<16, 8, 1, 1, 3> {};

// The same where density varies (march_density_kernel.cuh), for tiles of two rings. Measured on an H200, 512^3, the whole step:
// 16 by 8 of three blocks 1.91 ms (1.84 with layers in narrow tiles), of 12 rows and of 8 by 24 1.98; a loop unrolled by two
// loses 2 %, four blocks spill and lose 20. The interior alone, 135 Gpts/s, is bound by what is issued (72 %) and by
// reciprocals (64 %), not by memory.
template<int Layers>
struct DensityShape : MarchTile<8, 24, 1, 1, 1> {};
template<>
struct DensityShape<kNoLayer> : MarchTile<16, 8, 1, 1, 3> {};
template<>
struct DensityShape<kRowLayer> : MarchTile<8, 24, 1, 1, 2> {};
template<>
struct DensityShape<kXLayer> : MarchTile<8, 16, 1, 1, 3> {};
template<>
struct DensityShape<kAlongLayer> : MarchTile<16, 8, 1, 1, 2> {};

// Strips of the interior in 2-D (columns_kernel.cuh): a warp each. Measured on an H200, 4136^2, order 8: 218 Gpts/s, without
// asking ahead 208, 4 rows ahead 209; more blocks of fewer registers spill and fall to 183.
template<class T, int M>
struct ColumnShape {
    static constexpr int kVector = 16 / static_cast<int>(sizeof(T));
    static constexpr int kLanes = 32, kWarps = 4, kThreads = kLanes * kWarps;
    static constexpr int kAhead = 2;
    static constexpr int kMinBlocks = M > 4 ? 3 : 4;
};

// And where density varies (columns_density_kernel.cuh): 136 Gpts/s; with four blocks, which spill, 86.
struct DensityColumns {
    static constexpr int kVectorBytes = 16;
    static constexpr int kLanes = 32, kWarps = 4, kThreads = kLanes * kWarps;
    static constexpr int kAhead = 2;
    static constexpr int kMinBlocks = 3;
};

using ModelTile = Tile<128, 1, 2>; // the model of a run: once, in rows that touch

inline constexpr int kLinearThreads = 256;                    // lists: nodes of faces, sources
inline constexpr int kReceiverThreads = 128;                  // a warp a receiver
inline constexpr int kPixelThreadsX = 32, kPixelThreadsY = 8; // pictures
inline constexpr int kHistogramThreads = 256;
inline constexpr int kHistogramBlocks = 264; // two a multiprocessor of the largest GPU so far

} // namespace ondo::kernels::cuda
