// Where a node lies in memory. Plain values, shared by host and device code.
// The computed domain is the user's grid with its absorbing layers: nz x ny x nx nodes, x fastest, ny = 1 in two
// dimensions. Around it lies a halo of `radius` nodes an axis, zero or the mirror image of the domain, never stepped.
// Rows are padded so that all start alike, the interior with a 128-byte line; the right halo of a row and the left halo of the
// next share the gap.
#pragma once

#include "kernels/core/hd.h"

#include <cstdint>

namespace ondo::kernels {

inline constexpr int kMaxRadius = 16;      // order 32
inline constexpr int kRowAlignment = 32;   // elements
inline constexpr int kVectorAlignment = 4; // elements; what loads of several nodes want

struct Layout {
    int rank = 2;
    int nz = 1, ny = 1, nx = 1;
    int radius = 1;
    std::int64_t strideZ = 0, strideY = 0; // elements
    std::int64_t shotStride = 0;           // elements of one shot's field
    std::int64_t lead = 0;                 // elements before node (0, 0, 0)

    // firstX: the first node of a row that is not in a layer; it starts a line if a vector may start there.
    static Layout make(int rank, int nz, int ny, int nx, int radius, int firstX = 0)
    {
        const auto up = [](std::int64_t v) { return (v + kRowAlignment - 1) / kRowAlignment * kRowAlignment; };
        Layout l;
        l.rank = rank;
        l.nz = nz;
        l.ny = ny;
        l.nx = nx;
        l.radius = radius;
        l.strideY = up(nx + std::int64_t{2} * radius);
        l.strideZ = rank == 3 ? l.strideY * (ny + std::int64_t{2} * radius) : l.strideY;
        const int vectors = firstX / kVectorAlignment * kVectorAlignment;
        const std::int64_t shift = up(vectors) - vectors;
        l.lead = up(radius) + (rank == 3 ? radius * l.strideY : 0) + radius * l.strideZ + shift;
        l.shotStride = up(radius) + l.strideZ * (nz + 2 * radius) + up(shift);
        return l;
    }

    ONDO_HD std::int64_t at(int z, int y, int x) const { return lead + z * strideZ + y * strideY + x; }
    ONDO_HD std::int64_t at(int shot, int z, int y, int x) const { return shot * shotStride + at(z, y, x); }
    ONDO_HD std::int64_t nodes() const { return std::int64_t{nz} * ny * nx; }
};

enum Axis : int { kZ = 0, kY = 1, kX = 2 };
enum Side : int { kNone = 0, kLow = 1, kHigh = 2 };

// A box of nodes, ends exclusive, and for each axis the absorbing layer it lies in (or the face, for MirrorFaces).
struct Box {
    int z0 = 0, z1 = 0, y0 = 0, y1 = 0, x0 = 0, x1 = 0;
    signed char side[3] = {kNone, kNone, kNone};

    ONDO_HD std::int64_t nodes() const { return std::int64_t{z1 - z0} * (y1 - y0) * (x1 - x0); }
};

} // namespace ondo::kernels
