#include "engine/survey/off_grid.h"

#include "engine/survey/kaiser.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ondo {

namespace {

constexpr int kHalfWidth = 4;
constexpr double kBeta = 6.31;
constexpr double kOnNode = 1e-6; // cells: decimal text of a node's position still means the node

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

// q is the point's coordinate in nodes.
bool onNode(double q)
{
    return std::abs(q - std::round(q)) < kOnNode;
}

int firstNode(double q)
{
    return static_cast<int>(std::floor(q)) - kHalfWidth + 1;
}

} // namespace

// Node `k` or its image inside; `sign` is that of the image. False: beyond the computed domain.
bool PointWeights::Axis::fold(int& k, double& sign) const
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

// of(k): the weight of node k, or of the image that stands for it.
template<class Of>
void PointWeights::Axis::sum(int first, int count, const Of& of)
{
    for (int k = first; k < first + count; ++k) {
        int node = k;
        double sign = 1.0;
        if (!fold(node, sign)) {
            continue;
        }
        const double w = sign * of(k);
        const auto seen =
            std::find_if(weights.begin(), weights.end(), [node](const AxisWeight& a) { return a.node == node; });
        if (seen != weights.end()) {
            seen->weight += w;
        } else {
            weights.push_back({node, 0.0 + w, 1.0});
        }
    }
    std::sort(weights.begin(), weights.end(), [](const AxisWeight& a, const AxisWeight& b) { return a.node < b.node; });
}

void PointWeights::Axis::setVolumes()
{
    for (AxisWeight& a : weights) {
        const bool rigid =
            (a.node == 0 && low == FaceCondition::Rigid) || (a.node == n - 1 && high == FaceCondition::Rigid);
        a.volumeFactor = rigid ? 2.0 : 1.0;
    }
}

void PointWeights::Axis::find(double q, bool sloped)
{
    if (known && q == at && sloped == ofSlope) {
        return;
    }
    known = true;
    ofSlope = sloped;
    at = q;
    weights.clear();
    if (sloped) {
        // Both ends of the window count on a node.
        const double place = onNode(q) ? std::round(q) : q;
        const int more = onNode(q) ? 1 : 0;
        sum(firstNode(place) - more, 2 * kHalfWidth + more,
            [place, this](int k) { return kaiserSincSlope(place - k) / spacing; });
    } else if (onNode(q)) {
        weights.push_back({static_cast<int>(std::round(q)), 1.0, 1.0});
    } else {
        sum(firstNode(q), 2 * kHalfWidth, [q](int k) { return kaiserSinc(q - k); });
    }
    setVolumes();
}

int PointWeights::Axis::count(double q) const
{
    if (onNode(q)) {
        return 1;
    }
    int seen[2 * kHalfWidth];
    int count = 0;
    for (int k = firstNode(q); k < firstNode(q) + 2 * kHalfWidth; ++k) {
        int node = k;
        double sign = 1.0;
        if (fold(node, sign) && std::find(seen, seen + count, node) == seen + count) {
            seen[count++] = node;
        }
    }
    return count;
}

PointWeights::PointWeights(const Grid& grid, const Boundary& boundary, const int layerLow[3], const int layerHigh[3])
    : m_volume(grid.rank == 3)
    , m_nodeVolume(grid.dz * grid.dx)
{
    const auto axis = [&](double origin, double spacing, int n, Face low, Face high, int a) {
        Axis out;
        out.origin = origin;
        out.spacing = spacing;
        out.n = n;
        out.low = boundary.at(low);
        out.high = boundary.at(high);
        out.layerLow = layerLow[a];
        out.layerHigh = layerHigh[a];
        return out;
    };
    m_z = axis(grid.origin.z, grid.dz, grid.nz, Face::ZLow, Face::ZHigh, 0);
    m_x = axis(grid.origin.x, grid.dx, grid.nx, Face::XLow, Face::XHigh, 2);
    if (m_volume) {
        m_y = axis(grid.origin.y, grid.dy, grid.ny, Face::YLow, Face::YHigh, 1);
        m_nodeVolume *= grid.dy;
    } else {
        m_y.weights = {{0, 1.0, 1.0}};
    }
}

const std::vector<NodeWeight>& PointWeights::along(const Position& point, int sloped)
{
    m_z.find(m_z.place(point.z), sloped == 0);
    m_x.find(m_x.place(point.x), sloped == 2);
    if (m_volume) {
        m_y.find(m_y.place(point.y), sloped == 1);
    }
    m_weights.clear();
    for (const auto& a : m_z.weights) {
        for (const auto& b : m_y.weights) {
            for (const auto& c : m_x.weights) {
                const double factor = a.volumeFactor * b.volumeFactor * c.volumeFactor;
                m_weights.push_back({a.node, b.node, c.node, a.weight * b.weight * c.weight, factor / m_nodeVolume});
            }
        }
    }
    return m_weights;
}

std::vector<NodeWeight> pointWeights(const Grid& grid, const Boundary& boundary, const int layerLow[3],
                                     const int layerHigh[3], const Position& point)
{
    return PointWeights(grid, boundary, layerLow, layerHigh).of(point);
}

std::vector<NodeWeight> pointWeightSlopes(const Grid& grid, const Boundary& boundary, const int layerLow[3],
                                          const int layerHigh[3], const Position& point, int axis)
{
    return PointWeights(grid, boundary, layerLow, layerHigh).slopes(point, axis);
}

int pointWeightCount(const Grid& grid, const Boundary& boundary, const int layerLow[3], const int layerHigh[3],
                     const Position& point)
{
    const PointWeights w(grid, boundary, layerLow, layerHigh);
    const int count = w.m_z.count(w.m_z.place(point.z)) * w.m_x.count(w.m_x.place(point.x));
    return w.m_volume ? count * w.m_y.count(w.m_y.place(point.y)) : count;
}

} // namespace ondo
