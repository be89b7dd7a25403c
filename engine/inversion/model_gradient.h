// From the images of a launch to the gradient of the nodes' parameters. Host values; any thread.
#pragma once

#include "engine/inversion/launch_waves.h"
#include "engine/model/model.h"

#include <vector>

namespace ondo {

// J by each node's speed (m/s) at fixed density, and by its density (kg/m^3) at fixed speed; empty for one density.
struct ModelGradient {
    std::vector<double> speed, density;

    explicit ModelGradient(const SimulationPlan& plan); // zeros
};

// Adds factor times what a shot's images say (kernels/equations/scalar_adjoint.h), kappa being rho c^2:
//   speed    2 V / c (image + source / rho)
//   density  V (image / rho + density image)
// V the nodal volume, halved on each face that is not absorbing (on free ones the first image and the sources' are 0): the
// transpose of how WaveDomain continues the model into the layers: what belongs to a node there goes to the node whose value
// it has.
template<class T>
void addModelGradient(const SimulationPlan& plan, const LaunchImages<T>& images, double factor, ModelGradient& out);

extern template void addModelGradient(const SimulationPlan&, const LaunchImages<float>&, double, ModelGradient&);
extern template void addModelGradient(const SimulationPlan&, const LaunchImages<double>&, double, ModelGradient&);

// Adds factor V times an image of the sources (LaunchImages::source) to each node's share of them; continued as above.
template<class T>
void addSourceImage(const SimulationPlan& plan, const std::vector<T>& image, double factor, std::vector<double>& out);

extern template void addSourceImage(const SimulationPlan&, const std::vector<float>&, double, std::vector<double>&);
extern template void addSourceImage(const SimulationPlan&, const std::vector<double>&, double, std::vector<double>&);

// By speed at fixed impedance and by impedance z = rho c (kg / (m^2 s)) at fixed speed: J_c - rho / c J_rho, and J_rho / c.
struct ImpedanceGradient {
    std::vector<double> speed, impedance;
};
[[nodiscard]] ImpedanceGradient byImpedance(const Model& model, const ModelGradient& gradient);

} // namespace ondo
