// A share of what a direction of the density adds to a perturbed step. The mirror halos must be filled before.
#pragma once

#include "kernels/backend.h"
#include "kernels/host/thread_team.h"

namespace ondo::kernels {

template<class T>
void densityTangentHost(const ScalarTangentArgs<T>& args, Share share);

extern template void densityTangentHost<float>(const ScalarTangentArgs<float>&, Share);
extern template void densityTangentHost<double>(const ScalarTangentArgs<double>&, Share);

} // namespace ondo::kernels
