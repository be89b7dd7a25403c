// Numbers too small for a normalised float count as zero while this lives, on this thread. A wave that has left behind
// absorbing layers fades through them, and a processor takes a hundred times as long over each. Only around the engine's
// own loops: what others compute on the thread is theirs. Not in a parity build, where backends agree to the last bit.
#pragma once

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace ondo::kernels {

class FlushToZero {
public:
#if defined(__x86_64__) && !defined(ONDO_PARITY_BUILD)
    FlushToZero()
        : m_before(_mm_getcsr())
    {
        constexpr unsigned kFlush = 0x8000, kDenormalsAreZero = 0x0040;
        _mm_setcsr(m_before | kFlush | kDenormalsAreZero);
    }
    ~FlushToZero() { _mm_setcsr(m_before); }
#elif defined(__aarch64__) && !defined(ONDO_PARITY_BUILD)
    FlushToZero()
    {
        constexpr unsigned long kFlush = 1UL << 24;
        asm volatile("mrs %0, fpcr" : "=r"(m_before));
        asm volatile("msr fpcr, %0" : : "r"(m_before | kFlush));
    }
    ~FlushToZero() { asm volatile("msr fpcr, %0" : : "r"(m_before)); }
#else
    FlushToZero() = default;
    ~FlushToZero() = default;
#endif
    FlushToZero(const FlushToZero&) = delete;
    FlushToZero& operator=(const FlushToZero&) = delete;

private:
#if defined(__x86_64__) && !defined(ONDO_PARITY_BUILD)
    unsigned m_before;
#elif defined(__aarch64__) && !defined(ONDO_PARITY_BUILD)
    unsigned long m_before;
#endif
};

} // namespace ondo::kernels
