// A share of what a gradient asks of the host: W(n) of a forward step, and the three passes of a step back, each of which all
// shares must have done before the next begins. The mirror halos must be filled before. Instantiated once per rank and
// precision in adjoint_host_{2,3}d_{f32,f64}.cpp, for one density, and in density_host_*.cpp, for any.
#pragma once

#include "kernels/backend.h"
#include "kernels/host/thread_team.h"

namespace ondo::kernels {

enum class AdjointPass { Second, First, Step };

template<class T, int Rank, Medium medium = Medium::OneDensity>
void scalarKeepHost(const ScalarKeepArgs<T>& args, Share share);
template<class T, int Rank, Medium medium = Medium::OneDensity>
void scalarAdjointHost(const ScalarAdjointArgs<T>& args, AdjointPass pass, Share share);

extern template void scalarKeepHost<float, 2>(const ScalarKeepArgs<float>&, Share);
extern template void scalarKeepHost<float, 3>(const ScalarKeepArgs<float>&, Share);
extern template void scalarKeepHost<double, 2>(const ScalarKeepArgs<double>&, Share);
extern template void scalarKeepHost<double, 3>(const ScalarKeepArgs<double>&, Share);
extern template void scalarAdjointHost<float, 2>(const ScalarAdjointArgs<float>&, AdjointPass, Share);
extern template void scalarAdjointHost<float, 3>(const ScalarAdjointArgs<float>&, AdjointPass, Share);
extern template void scalarAdjointHost<double, 2>(const ScalarAdjointArgs<double>&, AdjointPass, Share);
extern template void scalarAdjointHost<double, 3>(const ScalarAdjointArgs<double>&, AdjointPass, Share);

} // namespace ondo::kernels
