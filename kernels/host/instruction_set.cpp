#include "kernels/host/instruction_set.h"

#include <algorithm>
#include <cstdlib>

namespace ondo::kernels {

namespace {

InstructionSet best()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
        return InstructionSet::Avx512;
    }
    return avx2 ? InstructionSet::Avx2 : InstructionSet::Baseline;
#else
    return InstructionSet::Baseline;
#endif
}

std::string wished()
{
    const char* text = std::getenv("ONDO_ISA");
    return text != nullptr ? text : "";
}

InstructionSet allowed(const std::string& wish)
{
    return wish == "baseline" ? InstructionSet::Baseline
           : wish == "avx2"   ? InstructionSet::Avx2
                              : InstructionSet::Avx512;
}

} // namespace

InstructionSet hostInstructionSet()
{
    static const InstructionSet set = std::min(best(), allowed(wished()));
    return set;
}

std::string hostInstructionText()
{
    const std::string wish = wished();
    const bool known = wish.empty() || wish == "avx512" || allowed(wish) != InstructionSet::Avx512;
    return nameOf(hostInstructionSet()) +
           (known ? std::string() : " (ONDO_ISA=" + wish + " is none of baseline, avx2, avx512)");
}

const char* nameOf(InstructionSet set)
{
    switch (set) {
    case InstructionSet::Avx512: return "AVX-512";
    case InstructionSet::Avx2: return "AVX2";
    case InstructionSet::Baseline: break;
    }
#if defined(__x86_64__)
    return "SSE2";
#elif defined(__aarch64__)
    return "NEON";
#else
    return "no vector instructions chosen";
#endif
}

} // namespace ondo::kernels
