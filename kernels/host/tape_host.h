// A share of what a tape asks of the host (kernels/common/tape_ops.h).
#pragma once

#include "kernels/backend.h"
#include "kernels/host/thread_team.h"

namespace ondo::kernels {

template<class T>
void copyBoxesHost(const BoxCopy<T>& args, Share share);
template<class T>
void addCurvatureHost(const AddCurvature<T>& body, int shots, Share share);
template<class T>
void packHost(const PackedValues<T>& body, Share share);
template<class T>
void unpackHost(const PackedValues<T>& body, Share share);

extern template void copyBoxesHost<float>(const BoxCopy<float>&, Share);
extern template void copyBoxesHost<double>(const BoxCopy<double>&, Share);
extern template void addCurvatureHost<float>(const AddCurvature<float>&, int, Share);
extern template void addCurvatureHost<double>(const AddCurvature<double>&, int, Share);
extern template void packHost<float>(const PackedValues<float>&, Share);
extern template void packHost<double>(const PackedValues<double>&, Share);
extern template void unpackHost<float>(const PackedValues<float>&, Share);
extern template void unpackHost<double>(const PackedValues<double>&, Share);

} // namespace ondo::kernels
