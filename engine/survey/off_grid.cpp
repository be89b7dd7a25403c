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

// Weights along one axis of `n` nodes; q is the point's coordinate in nodes.
std::vector<AxisWeight> axisWeights(double q, int n, FaceCondition low, FaceCondition high, int layerLow, int layerHigh)
{
    std::map<int, double> sum;
    const double nearest = std::round(q);
    if (std::abs(q - nearest) < kOnNode) {
        sum[static_cast<int>(nearest)] = 1.0;
    } else {
        const int base = static_cast<int>(std::floor(q));
        for (int k = base - kHalfWidth + 1; k <= base + kHalfWidth; ++k) {
            double w = kaiserSinc(q - k);
            int node = k;
            if (node < 0 && low != FaceCondition::Absorbing) {
                w = low == FaceCondition::Free ? -w : w;
                node = -node;
            }
            if (node > n - 1 && high != FaceCondition::Absorbing) {
                w = high == FaceCondition::Free ? -w : w;
                node = 2 * (n - 1) - node;
            }
            if (node < -layerLow || node > n - 1 + layerHigh) {
                continue;
            }
            sum[node] += w;
        }
    }
    std::vector<AxisWeight> out;
    for (const auto& [node, w] : sum) {
        const bool rigid =
            (node == 0 && low == FaceCondition::Rigid) || (node == n - 1 && high == FaceCondition::Rigid);
        out.push_back({node, w, rigid ? 2.0 : 1.0});
    }
    return out;
}

} // namespace

std::vector<NodeWeight> pointWeights(const Grid& grid, const Boundary& boundary, const int layerLow[3],
                                     const int layerHigh[3], const Position& point)
{
    const auto z = axisWeights((point.z - grid.origin.z) / grid.dz, grid.nz, boundary.at(Face::ZLow),
                               boundary.at(Face::ZHigh), layerLow[0], layerHigh[0]);
    const auto x = axisWeights((point.x - grid.origin.x) / grid.dx, grid.nx, boundary.at(Face::XLow),
                               boundary.at(Face::XHigh), layerLow[2], layerHigh[2]);
    std::vector<AxisWeight> y = {{0, 1.0, 1.0}};
    double volume = grid.dz * grid.dx;
    if (grid.rank == 3) {
        y = axisWeights((point.y - grid.origin.y) / grid.dy, grid.ny, boundary.at(Face::YLow), boundary.at(Face::YHigh),
                        layerLow[1], layerHigh[1]);
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

} // namespace ondo
