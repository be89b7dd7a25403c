// The one file that asks which compiler is reading. Kernel bodies are ONDO_HD and know no backend.
#pragma once
#if defined(__CUDACC__)
#define ONDO_HD __host__ __device__
#else
#define ONDO_HD
#endif
#if defined(__CUDA_ARCH__) // before a loop whose length is known when it runs: nvcc unrolls those, too, at a cost
#define ONDO_ROLLED _Pragma("unroll 1")
#else
#define ONDO_ROLLED
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

// 1 / x of a normal number whose reciprocal is one too. On a GPU the hardware's own, which may be off by one in the last
// place: a division is some nine instructions there. Correctly rounded elsewhere, and in the parity build everywhere.
template<class T>
ONDO_HD inline T reciprocal(const T& x)
{
#if defined(__CUDA_ARCH__) && !defined(ONDO_PARITY_BUILD)
    if constexpr (sizeof(T) == sizeof(float)) {
        T r;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
        return r;
    }
#endif
    return T(1) / x;
}

} // namespace ondo::kernels

// CMake 3.25 drops the standard for CUDA silently; this makes that an error.
static_assert(__cplusplus >= 202002L, "C++20 is needed");
