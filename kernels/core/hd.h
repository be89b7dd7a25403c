// The one file that asks which compiler is reading. Kernel bodies are ONDO_HD and know no backend.
#pragma once

#if defined(__CUDACC__)
#define ONDO_HD __host__ __device__
#else
#define ONDO_HD
#endif

// CMake 3.25 drops the standard for CUDA silently; this makes that an error.
static_assert(__cplusplus >= 202002L, "C++20 is needed");
