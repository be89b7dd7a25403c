// Which vector instructions the host's loops use: chosen at run time, so that one program serves every x86-64 machine and
// uses what it has. ONDO_ISA=baseline|avx2|avx512 in the environment holds it back (for tests and comparisons).
#pragma once

#include <string>

namespace ondo::kernels {

enum class InstructionSet { Baseline, Avx2, Avx512 };

// The best that this processor, this system and ONDO_ISA allow; found once. On other architectures: Baseline, which is
// what the compiler targets there (NEON on Arm).
[[nodiscard]] InstructionSet hostInstructionSet();
[[nodiscard]] const char* nameOf(InstructionSet set); // "SSE2", "AVX2", "AVX-512"
// The name of the one in use, and that ONDO_ISA was not understood if it was not.
[[nodiscard]] std::string hostInstructionText();

} // namespace ondo::kernels
