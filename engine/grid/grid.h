// The regular grid a user knows: no absorbing layers, no halo. Value type, any thread.
// Node (iz, iy, ix) lies at origin + index * spacing, metres, z positive down. Arrays on a grid are (z, y, x), x fastest.
// A two-dimensional grid is a vertical section (z, x) with ny = 1.
#pragma once

#include "engine/core/position.h"
#include "engine/core/result.h"

#include <cstdint>
#include <string>

namespace ondo {

struct Grid {
    int rank = 2;                        // 2 or 3
    int nz = 1, ny = 1, nx = 1;          // nodes an axis
    double dz = 1.0, dy = 1.0, dx = 1.0; // spacing, metres
    Position origin;                     // of node (0, 0, 0), metres

    bool operator==(const Grid&) const = default;

    // Refuses counts below 1, spacing not finite and positive, rank other than 2 or 3, more than 2^40 nodes.
    [[nodiscard]] static Result<Grid> make2D(int nz, int nx, double dz, double dx, Position origin = {});
    [[nodiscard]] static Result<Grid> make3D(int nz, int ny, int nx, double dz, double dy, double dx,
                                             Position origin = {});

    [[nodiscard]] std::int64_t nodes() const { return std::int64_t{nz} * ny * nx; }
    [[nodiscard]] double lengthX() const { return (nx - 1) * dx; }
    [[nodiscard]] double lengthY() const { return rank == 3 ? (ny - 1) * dy : 0.0; }
    [[nodiscard]] double lengthZ() const { return (nz - 1) * dz; }
    [[nodiscard]] double smallestSpacing() const;
    // The node box, edges included.
    [[nodiscard]] bool contains(const Position& p) const;
    // "651 x 1701 nodes (z, x), 5 m x 5 m, 3.25 km x 8.5 km"
    [[nodiscard]] std::string describe() const;
};

} // namespace ondo
