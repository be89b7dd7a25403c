// How a 2-D grid is dealt out over a GPU's multiprocessors, each of which keeps its tile in shared memory from step to step.
// Host arithmetic alone: no CUDA call, so that it can be tested without a GPU.
#pragma once

#include "kernels/backend.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace ondo::kernels::cuda {

inline constexpr int kMostCuts = 64; // tiles along an axis

// Beyond a side of the domain: zeros (past a layer), or the mirror image.
enum Beyond : signed char { kZeros = 0, kOdd = 1, kEven = 2 };

// Of a block: a thread then has 128 registers, which the widest stencil does not manage with.
ONDO_HD constexpr int residentThreads(int radius)
{
    return radius < 5 ? 512 : 384;
}

// From so many nodes of layer on, threads take four columns each: fewer questions to shared memory. With fewer nodes there
// would be too few threads at work.
inline constexpr int kWideLayer = 800;

// Columns of zeros left and right of a row of memories along x, and of a tile's field.
ONDO_HD constexpr int residentPad(int radius)
{
    return (radius + 3) / 4 * 4;
}
ONDO_HD constexpr int residentPitch(int radius, int columns)
{
    return (columns + 3) / 4 * 4 + 2 * residentPad(radius);
}
// Floats that a part of layer takes of a tile's shared memory: psi, zeta, profiles (resident_tile.cuh says how they lie).
// A part along x may begin up to three columns before its layer, to begin on a multiple of four. Backwards stencils reach
// beyond zeta, too.
ONDO_HD constexpr int residentMemory(int radius, bool alongZ, int depth, int columns, int rows, bool back)
{
    if (depth == 0) {
        return 0;
    }
    const int pitch = alongZ ? (columns + 3) / 4 * 4 : residentPitch(radius, depth + 3);
    const int n = alongZ ? (2 * depth + (back ? 4 : 2) * radius) * pitch + 4 * depth : (2 * rows + 4) * pitch;
    return (n + 3) / 4 * 4;
}

// What the steps are: of a run, of a run whose W is kept, of an adjoint run with its image.
enum class ResidentWay { Forward, Kept, Back };

struct ResidentShape {
    int radius = 0;
    bool back = false; // a tile has its image, too
    int tilesZ = 0, tilesX = 0;
    std::vector<int> zCut, xCut; // tiles + 1 nodes; xCut in steps of four but for the last
    int depth[4] = {};           // of a layer with the reach of its stencil: z low, z high, x low, x high; 0: none
    signed char beyond[4] = {};  // Beyond, same order
    int height = 0, width = 0;   // of the largest tiles, nodes

    [[nodiscard]] int tiles() const { return tilesZ * tilesX; }
    [[nodiscard]] int rows(int tile) const { return length(zCut, tile / tilesX); }
    [[nodiscard]] int columns(int tile) const { return length(xCut, tile % tilesX); }

private:
    static int length(const std::vector<int>& cut, int i)
    {
        return cut[static_cast<std::size_t>(i) + 1] - cut[static_cast<std::size_t>(i)];
    }
};

// The shape with the least work in its busiest tile; none if the grid does not fit, has no kernel of its order, or is cut
// in a way that this one does not know. blocks: that can be resident; sharedBytes: of each; back: of the adjoint.
[[nodiscard]] std::optional<ResidentShape> residentShape(const ScalarAdvance<float>& all, int blocks,
                                                         std::size_t sharedBytes, bool back = false);

// What a tile has to do with sources and receivers, of each shot: numbers for the kernel, in one array.
struct ResidentPoints {
    // From `words`: for each shot and tile kHeader numbers (first and count of each list), then the lists:
    // sources: number of the node, place; receivers: record, receiver, first entry, entries; entries: place (or -1 - place
    // among the imports), number of the entry, record; imports: crossing; exports: place, crossing.
    // A place is an offset into a tile's field in shared memory; a crossing is an entry whose node lies in another tile than
    // its receiver.
    std::vector<int> words;
    int crossings = 0;
};
enum PointList { kSources = 0, kReceivers, kEntries, kImports, kExports };
inline constexpr int kPointLists = 5;
inline constexpr int kHeader = 2 * kPointLists;

// A tile's shared memory, in words of four bytes: where its tables begin; the field, the other field, the speeds, backwards
// the image; the memories of the layers; the tables, for what a step asks for each time must not come from beyond the multiprocessor, which
// costs 500 cycles a question.
enum Table {
    kEntry = 0, // place in shared memory and weight, in turn
    kImported,
    kReceiver,
    kSource,
    kImport,
    kExport,
    kEdgePlace,
    kEdgeOut,
    kEdgeIn
};
inline constexpr int kTables = 9;
inline constexpr int kTileHead = 16;     // words: the places of the tables
inline constexpr int kReceiverWords = 4; // record, receiver, first entry, entries
inline constexpr int kSourceWords =
    8;                          // place, weight, c2, wavelet's row (two words), first and last entry, in an edge?
inline constexpr int kRing = 8; // samples whose crossings are kept, a power of two
// Words of a table; count: by PointList, edges: words handed over in a step.
ONDO_HD constexpr int tableWords(int table, const int* count, int edges)
{
    return table == kEntry                          ? 2 * count[kEntries]
           : table == kImported || table == kImport ? count[kImports]
           : table == kReceiver                     ? kReceiverWords * count[kReceivers]
           : table == kSource                       ? kSourceWords * count[kSources]
           : table == kExport                       ? 2 * count[kExports]
                                                    : edges;
}
// Of the busiest tile, bytes.
[[nodiscard]] std::size_t residentBytes(const ResidentShape& shape, const ResidentPoints& points);

// None if a receiver's nodes lie farther apart than in tiles beside one another.
[[nodiscard]] std::optional<ResidentPoints> residentPoints(const ScalarAdvance<float>& args,
                                                           const ResidentShape& shape);

} // namespace ondo::kernels::cuda
