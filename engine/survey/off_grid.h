// A point between nodes: Kaiser-windowed sinc interpolation (Hicks 2002, Geophysics 67, 156-166; half-width 4 nodes, beta 6.31).
// One set of weights W serves both ways: a receiver reads W^T p, a source adds W f / V, V the nodal volume. The receiver
// operator is thus the exact transpose of the source operator in the grid's inner product sum_i V_i a_i b_i.
// V is halved on nodes of a rigid face. Weights that fall beyond a free or rigid face are folded back with the sign of
// the image (odd or even), so that W stays correct at any distance from the face. A point on a node has one weight, 1.
#pragma once

#include "engine/core/position.h"
#include "engine/grid/boundary.h"
#include "engine/grid/grid.h"

#include <vector>

namespace ondo {

struct NodeWeight {
    int z = 0, y = 0, x = 0;    // node of the user's grid; negative or >= n inside an absorbing layer
    double weight = 0.0;        // W, no unit
    double inverseVolume = 0.0; // 1/V: 1 / (dz dx) or 1 / (dz dy dx), doubled for each rigid face the node lies on
};

// Of many points of one grid. layerLow, layerHigh: absorbing cells by axis z, y, x: weights beyond the computed domain are
// dropped.
class PointWeights {
public:
    PointWeights(const Grid& grid, const Boundary& boundary, const int layerLow[3], const int layerHigh[3]);

    // Holds until the next call. Points of a line, one after the other, share what is theirs: two coordinates of three.
    const std::vector<NodeWeight>& of(const Position& point) { return along(point, -1); }
    // Derivatives of the same W with respect to the point's coordinate along an axis (0: z, 1: y, 2: x), in `weight`, 1/m. On
    // a node, where W has a corner (of 0.3 % of its steepest slope, at the ends of the window), the mean of both sides, which
    // is what central differences tend to; that W stays one on a whole millionth of a cell there is left out of account.
    const std::vector<NodeWeight>& slopes(const Position& point, int axis) { return along(point, axis); }

private:
    struct AxisWeight {
        int node = 0;
        double weight = 0.0;
        double volumeFactor = 1.0; // 2 on a rigid face
    };
    // One axis of `n` nodes, what its two faces do, and the layers beyond them.
    struct Axis {
        double origin = 0.0, spacing = 1.0;
        int n = 1;
        FaceCondition low = FaceCondition::Absorbing, high = FaceCondition::Absorbing;
        int layerLow = 0, layerHigh = 0;

        bool known = false, ofSlope = false;
        double at = 0.0; // the coordinate, in nodes, that the weights are of
        std::vector<AxisWeight> weights;

        [[nodiscard]] double place(double coordinate) const { return (coordinate - origin) / spacing; }
        [[nodiscard]] bool fold(int& k, double& sign) const;
        [[nodiscard]] int count(double q) const;
        void find(double q, bool sloped);

    private:
        template<class Of>
        void sum(int first, int count, const Of& of);
        void setVolumes();
    };
    friend int pointWeightCount(const Grid&, const Boundary&, const int[3], const int[3], const Position&);

    // sloped: the axis along which W is differentiated; -1: none.
    const std::vector<NodeWeight>& along(const Position& point, int sloped);

    Axis m_z, m_y, m_x;
    bool m_volume = false;
    double m_nodeVolume = 1.0;
    std::vector<NodeWeight> m_weights;
};

// Of one point.
[[nodiscard]] std::vector<NodeWeight> pointWeights(const Grid& grid, const Boundary& boundary, const int layerLow[3],
                                                   const int layerHigh[3], const Position& point);
[[nodiscard]] std::vector<NodeWeight> pointWeightSlopes(const Grid& grid, const Boundary& boundary,
                                                        const int layerLow[3], const int layerHigh[3],
                                                        const Position& point, int axis);
// How many weights pointWeights gives, without computing one.
[[nodiscard]] int pointWeightCount(const Grid& grid, const Boundary& boundary, const int layerLow[3],
                                   const int layerHigh[3], const Position& point);

} // namespace ondo
