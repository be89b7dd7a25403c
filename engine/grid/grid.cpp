#include "engine/grid/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr std::int64_t kMostNodes = std::int64_t{1} << 40;

Result<Grid> checked(Grid g)
{
    const int counts[3] = {g.nz, g.ny, g.nx};
    const double spacings[3] = {g.dz, g.dy, g.dx};
    const char* names[3] = {"z", "y", "x"};
    double product = 1.0;
    for (int a = 0; a < 3; ++a) {
        if (g.rank == 2 && a == 1) {
            continue;
        }
        if (counts[a] < 1) {
            return badInput(fmt::format("the grid has {} nodes along {}", counts[a], names[a]), "give at least 1");
        }
        if (!std::isfinite(spacings[a]) || spacings[a] <= 0.0) {
            return badInput(fmt::format("the spacing along {} is {} m", names[a], spacings[a]),
                            "give a positive number of metres");
        }
        product *= counts[a];
    }
    if (product > static_cast<double>(kMostNodes)) {
        return badInput(fmt::format("a grid of {} x {} x {} nodes is beyond 2^40", g.nz, g.ny, g.nx),
                        "use a coarser grid");
    }
    if (!std::isfinite(g.origin.x) || !std::isfinite(g.origin.y) || !std::isfinite(g.origin.z)) {
        return badInput("the grid's origin is not a finite number");
    }
    return g;
}

std::string metres(double v)
{
    return std::abs(v) >= 1000.0 ? fmt::format("{:.4g} km", v / 1000.0) : fmt::format("{:.4g} m", v);
}

} // namespace

Result<Grid> Grid::make2D(int nz, int nx, double dz, double dx, Position origin)
{
    Grid g;
    g.rank = 2;
    g.nz = nz;
    g.nx = nx;
    g.dz = dz;
    g.dx = dx;
    g.dy = 1.0;
    g.origin = origin;
    return checked(g);
}

Result<Grid> Grid::make3D(int nz, int ny, int nx, double dz, double dy, double dx, Position origin)
{
    Grid g;
    g.rank = 3;
    g.nz = nz;
    g.ny = ny;
    g.nx = nx;
    g.dz = dz;
    g.dy = dy;
    g.dx = dx;
    g.origin = origin;
    return checked(g);
}

double Grid::smallestSpacing() const
{
    return rank == 3 ? std::min({dz, dy, dx}) : std::min(dz, dx);
}

bool Grid::contains(const Position& p) const
{
    // A hair's breadth of slack: positions arrive through decimal text.
    const double slack = 1e-6 * smallestSpacing();
    const bool inX = p.x >= origin.x - slack && p.x <= origin.x + lengthX() + slack;
    const bool inZ = p.z >= origin.z - slack && p.z <= origin.z + lengthZ() + slack;
    const bool inY = rank == 2 || (p.y >= origin.y - slack && p.y <= origin.y + lengthY() + slack);
    return inX && inY && inZ;
}

std::string Grid::describe() const
{
    if (rank == 2) {
        return fmt::format("{} x {} nodes (z, x), {} x {}, {} deep, {} wide", nz, nx, metres(dz), metres(dx),
                           metres(lengthZ()), metres(lengthX()));
    }
    return fmt::format("{} x {} x {} nodes (z, y, x), {} x {} x {}, {} deep, {} x {} wide", nz, ny, nx, metres(dz),
                       metres(dy), metres(dx), metres(lengthZ()), metres(lengthY()), metres(lengthX()));
}

} // namespace ondo
