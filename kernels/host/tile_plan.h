// How a grid is cut for time tiling, from its shape and the machine's caches alone; plain values.
// A block of planes may take step n when step n-1 has come `need` planes far: its stencils then read what is there, and
// what it overwrites (p(n-2)) nobody reads any more. That one rule makes any order of work give the same bits.
#pragma once

#include "kernels/core/shape.h"
#include "kernels/host/tile_step.h"

#include <cstddef>
#include <vector>

namespace ondo::kernels {

struct TileBlock {
    int z0 = 0, z1 = 0;
    int need = 0;               // planes of the step before
    int first0 = 0, first1 = 0; // planes of first memories along z that are stepped just before it
};

// All planes, low to high, kPlanesTogether at a time within the interior and within a layer.
[[nodiscard]] std::vector<TileBlock> blocksOf(const LayerReach& z, int radius);
// Where slabs of rows along y begin, and ny: at most `most`, none thinner than a stencil, each layer in one slab.
[[nodiscard]] std::vector<int> slabsOf(const LayerReach& y, int radius, int most);
// Steps in one sweep over the planes such that what they touch between a plane's first use and its last stays in
// `cacheBytes`; 1 if not even two do. planeBytes: of one array.
[[nodiscard]] int stepsTogether(std::size_t planeBytes, int radius, std::size_t cacheBytes);

// Of this machine, from the system; a modest guess where it does not say.
[[nodiscard]] std::size_t coreCacheBytes();   // a core's own
[[nodiscard]] std::size_t sharedCacheBytes(); // what cores share

} // namespace ondo::kernels
