// The one file that asks which compiler is reading. Kernel bodies are ONDO_HD and know no backend.
#pragma once

#if defined(__CUDACC__)
#define ONDO_HD __host__ __device__
#else
#define ONDO_HD
#endif

#include <cmath>

namespace ondo::kernels {

// a b + c, where a number type rounds as it likes. On a GPU one rounding, said outright and nowhere left to the compiler
// (nvcc --fmad=false): it contracts one sum differently in different kernels, and what a step gives must not depend on how
// it was launched. The parity build rounds twice everywhere.
template<class A, class N>
ONDO_HD inline N mulAdd(const A& a, const N& b, const N& c)
{
#if defined(__CUDA_ARCH__) && !defined(ONDO_PARITY_BUILD)
    return fma(a, b, c);
#else
    return a * b + c;
#endif
}

} // namespace ondo::kernels

// CMake 3.25 drops the standard for CUDA silently; this makes that an error.
static_assert(__cplusplus >= 202002L, "C++20 is needed");
