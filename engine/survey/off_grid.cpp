#include "engine/survey/off_grid.h"

#include "engine/survey/kaiser.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace ondo {

namespace {

constexpr int kHalfWidth = 4;
constexpr double kBeta = 6.31;
constexpr double kOnNode = 1e-6; // cells: decimal text of a node's position still means the node

struct AxisWeight {
    int node = 0;
    double weight = 0.0;
    double volumeFactor = 1.0; // 2 on a rigid face
};

double kaiserSinc(double distance)
{
    const double u = distance / kHalfWidth;
    if (std::abs(u) >= 1.0) {
        return 0.0;
    }
    static const double kAtCentre = besselI0(kBeta);
    const double window = besselI0(kBeta * std::sqrt(1.0 - u * u)) / kAtCentre;
    const double x = std::numbers::pi * distance;
    return (std::abs(x) < 1e-12 ? 1.0 : std::sin(x) / x) * window;
}

// d kaiserSinc / d distance; at the ends of the window the mean of both sides.
double kaiserSincSlope(double distance)
{
    const double u = distance / kHalfWidth;
    if (std::abs(u) > 1.0) {
        return 0.0;
    }
    static const double kAtCentre = besselI0(kBeta);
    const double argument = kBeta * std::sqrt(std::max(0.0, 1.0 - u * u));
    const double window = besselI0(argument) / kAtCentre;
    const double windowSlope = -kBeta * kBeta * u / kHalfWidth * besselI1OverX(argument) / kAtCentre;
    const double x = std::numbers::pi * distance;
    const bool centre = std::abs(x) < 1e-12;
    const double sinc = centre ? 1.0 : std::sin(x) / x;
    const double sincSlope = centre ? 0.0 : (std::cos(x) - sinc) / distance;
    const double slope = sincSlope * window + sinc * windowSlope;
    return std::abs(u) == 1.0 ? 0.5 * slope : slope;
}

// One axis of `n` nodes, what its two faces do, and the layers beyond them.
struct AxisEnds {
    int n = 1;
    FaceCondition low = FaceCondition::Absorbing, high = FaceCondition::Absorbing;
    int layerLow = 0, layerHigh = 0;

    // Node `k` or its image inside; `sign` is that of the image. False: beyond the computed domain.
    bool fold(int& k, double& sign) const
    {
        if (k < 0 && low != FaceCondition::Absorbing) {
            sign = low == FaceCondition::Free ? -sign : sign;
            k = -k;
        }
        if (k > n - 1 && high != FaceCondition::Absorbing) {
            sign = high == FaceCondition::Free ? -sign : sign;
            k = 2 * (n - 1) - k;
        }
        return k >= -layerLow && k <= n - 1 + layerHigh;
    }
};

// q is the point's coordinate in nodes.
bool onNode(double q)
{
    return std::abs(q - std::round(q)) < kOnNode;
}

int firstNode(double q)
{
    return static_cast<int>(std::floor(q)) - kHalfWidth + 1;
}

std::vector<AxisWeight> withVolumes(const std::map<int, double>& sum, const AxisEnds& ends)
{
    std::vector<AxisWeight> out;
    for (const auto& [node, w] : sum) {
        const bool rigid = (node == 0 && ends.low == FaceCondition::Rigid) ||
                           (node == ends.n - 1 && ends.high == FaceCondition::Rigid);
        out.push_back({node, w, rigid ? 2.0 : 1.0});
    }
    return out;
}

std::vector<AxisWeight> axisWeights(double q, const AxisEnds& ends)
{
    std::map<int, double> sum;
    if (onNode(q)) {
        sum[static_cast<int>(std::round(q))] = 1.0;
    } else {
        for (int k = firstNode(q); k < firstNode(q) + 2 * kHalfWidth; ++k) {
            int node = k;
            double sign = 1.0;
            if (ends.fold(node, sign)) {
                sum[node] += sign * kaiserSinc(q - k);
            }
        }
    }
    return withVolumes(sum, ends);
}

// Per cell. Both ends of the window count on a node.
std::vector<AxisWeight> axisSlopes(double q, const AxisEnds& ends)
{
    std::map<int, double> sum;
    const double at = onNode(q) ? std::round(q) : q;
    for (int k = firstNode(at) - (onNode(q) ? 1 : 0); k < firstNode(at) + 2 * kHalfWidth; ++k) {
        int node = k;
        double sign = 1.0;
        if (ends.fold(node, sign)) {
            sum[node] += sign * kaiserSincSlope(at - k);
        }
    }
    return withVolumes(sum, ends);
}

int axisWeightCount(double q, const AxisEnds& ends)
{
    if (onNode(q)) {
        return 1;
    }
    int seen[2 * kHalfWidth];
    int count = 0;
    for (int k = firstNode(q); k < firstNode(q) + 2 * kHalfWidth; ++k) {
        int node = k;
        double sign = 1.0;
        if (ends.fold(node, sign) && std::find(seen, seen + count, node) == seen + count) {
            seen[count++] = node;
        }
    }
    return count;
}

AxisEnds endsOf(int n, const Boundary& boundary, Face low, Face high, int layerLow, int layerHigh)
{
    return {n, boundary.at(low), boundary.at(high), layerLow, layerHigh};
}

// sloped: the axis along which W is differentiated; -1: none.
std::vector<NodeWeight> weightsAlong(const Grid& grid, const Boundary& boundary, const int layerLow[3],
                                     const int layerHigh[3], const Position& point, int sloped)
{
    const auto along = [sloped](int axis, double q, double h, const AxisEnds& ends) {
        if (axis != sloped) {
            return axisWeights(q, ends);
        }
        auto slopes = axisSlopes(q, ends);
        for (auto& s : slopes) {
            s.weight /= h;
        }
        return slopes;
    };
    const auto z = along(0, (point.z - grid.origin.z) / grid.dz, grid.dz,
                         endsOf(grid.nz, boundary, Face::ZLow, Face::ZHigh, layerLow[0], layerHigh[0]));
    const auto x = along(2, (point.x - grid.origin.x) / grid.dx, grid.dx,
                         endsOf(grid.nx, boundary, Face::XLow, Face::XHigh, layerLow[2], layerHigh[2]));
    std::vector<AxisWeight> y = {{0, 1.0, 1.0}};
    double volume = grid.dz * grid.dx;
    if (grid.rank == 3) {
        y = along(1, (point.y - grid.origin.y) / grid.dy, grid.dy,
                  endsOf(grid.ny, boundary, Face::YLow, Face::YHigh, layerLow[1], layerHigh[1]));
        volume *= grid.dy;
    }
    std::vector<NodeWeight> out;
    out.reserve(z.size() * y.size() * x.size());
    for (const auto& a : z) {
        for (const auto& b : y) {
            for (const auto& c : x) {
                const double factor = a.volumeFactor * b.volumeFactor * c.volumeFactor;
                out.push_back({a.node, b.node, c.node, a.weight * b.weight * c.weight, factor / volume});
            }
        }
    }
    return out;
}

} // namespace

std::vector<NodeWeight> pointWeights(const Grid& grid, const Boundary& boundary, const int layerLow[3],
                                     const int layerHigh[3], const Position& point)
{
    return weightsAlong(grid, boundary, layerLow, layerHigh, point, -1);
}

std::vector<NodeWeight> pointWeightSlopes(const Grid& grid, const Boundary& boundary, const int layerLow[3],
                                          const int layerHigh[3], const Position& point, int axis)
{
    return weightsAlong(grid, boundary, layerLow, layerHigh, point, axis);
}

int pointWeightCount(const Grid& grid, const Boundary& boundary, const int layerLow[3], const int layerHigh[3],
                     const Position& point)
{
    const int z = axisWeightCount((point.z - grid.origin.z) / grid.dz,
                                  endsOf(grid.nz, boundary, Face::ZLow, Face::ZHigh, layerLow[0], layerHigh[0]));
    const int x = axisWeightCount((point.x - grid.origin.x) / grid.dx,
                                  endsOf(grid.nx, boundary, Face::XLow, Face::XHigh, layerLow[2], layerHigh[2]));
    if (grid.rank == 2) {
        return z * x;
    }
    const int y = axisWeightCount((point.y - grid.origin.y) / grid.dy,
                                  endsOf(grid.ny, boundary, Face::YLow, Face::YHigh, layerLow[1], layerHigh[1]));
    return z * y * x;
}

} // namespace ondo
