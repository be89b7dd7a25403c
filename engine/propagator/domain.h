// From the user's grid to the computed one: layers, layout in memory, boxes of the launch, CPML profiles.
#pragma once

#include "engine/session/simulation_plan.h"
#include "kernels/common/pad_model.h"
#include "kernels/core/shape.h"

#include <vector>

namespace ondo {

// CPML profiles of one axis, index i stands for the node i - radius of the computed domain (so the halo is covered).
struct LayerProfile {
    std::vector<double> a, b;         // at nodes
    std::vector<double> aHalf, bHalf; // half a node above; 0 beyond the last node
};

// sigma = sigma0 q^N, sigma0 = -(N + 1) v ln R / (2 W h); alpha = pi f (1 - q), at least leastLayerAlpha(radius) sigma;
// q = depth in the layer / W, 1 on its last node. N from 2 to 3: as steep as damps a wave by two nepers at most within
// the last cell. Steeper lets less through at the same R (5 dB less at 10 cells, R = 1e-5), until the grid no longer
// resolves it (at 5 cells, R = 1e-5, N = 2 is best, at every order).
[[nodiscard]] LayerProfile layerProfile(int nodes, int low, int high, int radius, double spacing, double dt,
                                        double vMax, double reflection, double frequency);

struct DomainBoxes {
    std::vector<kernels::Box> boxes; // interior, layers, mirror faces, in the order ScalarStepArgs wants
    int interior = 0, layers = 0, mirrors = 0;
};

[[nodiscard]] kernels::Layout makeLayout(const SimulationPlan& plan);
[[nodiscard]] DomainBoxes makeBoxes(const SimulationPlan& plan);
// But for where it reads and writes. T = float or double.
template<class T>
[[nodiscard]] kernels::PadModel<T> makePadModel(const SimulationPlan& plan, const kernels::Layout& layout);

template<class T>
[[nodiscard]] kernels::PadDensity<T> makePadDensity(const SimulationPlan& plan, const kernels::Layout& layout);
// Arrays of a field's size that a model is on the device: (c dt)^2, or kappa dt^2 and density.
[[nodiscard]] int modelArrays(const SimulationPlan& plan);
// Numbers of one memory of the layers along an axis, of one shot; 0: no layer.
[[nodiscard]] std::size_t slabNumbers(const SimulationPlan& plan, int axis);

// What a step cannot do without, for the shots of one launch, bytes: two fields a shot and the model's arrays, each with the halo
// that stencils read, and the layers' memories psi and zeta, with the reach of kernels/core/cpml.h. Rows are not padded
// here. Traces, point tables and wavelets are not in it.
[[nodiscard]] std::size_t stateBytes(const SimulationPlan& plan);
// Nodes that lie in a layer, counted once an axis whose layer it is, of one shot.
[[nodiscard]] std::int64_t layerNodes(const SimulationPlan& plan);

} // namespace ondo
