// A share of one step where density varies, on the host, node by node: the first memories of all layers, which must be there
// before the step begins, then interior and layers. The mirror halos must be filled before. Its gradient's passes are those of
// adjoint_host.h. Instantiated once per rank and precision in density_host_{2,3}d_{f32,f64}.cpp.
#pragma once

#include "kernels/backend.h"
#include "kernels/host/adjoint_host.h"
#include "kernels/host/thread_team.h"

namespace ondo::kernels {

template<class T, int Rank>
void densityMemoryHost(const ScalarStepArgs<T>& args, Share share);
template<class T, int Rank>
void densityStepHost(const ScalarStepArgs<T>& args, Share share);

} // namespace ondo::kernels
