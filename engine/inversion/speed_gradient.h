// From the image of a launch to the gradient of the nodes' speeds. Host values; any thread.
#pragma once

#include "engine/session/simulation_plan.h"
#include "kernels/core/shape.h"

#include <vector>

namespace ondo {

// speed += factor * 2 V / c * image: V the nodal volume, halved on each rigid face; the transpose of how WaveDomain continues
// the model into the layers: what belongs to a node there goes to the node whose speed it has. image: in `compact`.
template<class T>
void addSpeedGradient(const SimulationPlan& plan, const kernels::Layout& compact, const std::vector<T>& image,
                      double factor, std::vector<double>& speed);

extern template void addSpeedGradient(const SimulationPlan&, const kernels::Layout&, const std::vector<float>&, double,
                                      std::vector<double>&);
extern template void addSpeedGradient(const SimulationPlan&, const kernels::Layout&, const std::vector<double>&, double,
                                      std::vector<double>&);

} // namespace ondo
