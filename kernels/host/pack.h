// Neighbouring numbers of a row side by side, as many as an instruction of `Bytes` takes, with the arithmetic of one: what
// core/ and equations/ call N. Only inside the launcher's functions for one instruction set, which inline all of this
// ("flatten"): a vector longer than the machine's must never be handed to a function. Where nothing is inlined (a debug
// build), kPackBytes of the least set serves all.
#pragma once

#include "kernels/core/hd.h"

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ondo::kernels {

#if defined(__OPTIMIZE__)
inline constexpr int kPackBytes[] = {16, 32, 64}; // by InstructionSet
#else
inline constexpr int kPackBytes[] = {16, 16, 16};
#endif

template<class T, int Bytes>
class Pack {
public:
    static constexpr int kSize = Bytes / static_cast<int>(sizeof(T));
    using Vector [[gnu::vector_size(Bytes)]] = T;

    Pack() = default;
    explicit Pack(const Vector& v)
        : m_v(v)
    {
    }
    explicit Pack(T value)
        : m_v(Vector{} + value)
    {
    }
    static Pack load(const T* p)
    {
        Pack r;
        std::memcpy(&r.m_v, p, sizeof(Vector));
        return r;
    }
    void store(T* p) const { std::memcpy(p, &m_v, sizeof(Vector)); }
    // Of the numbers [from, to) alone, leaving the others as `before` has them.
    [[nodiscard]] Pack within(int from, int to, const Pack& before) const
    {
        using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
        using Indices [[gnu::vector_size(Bytes)]] = Index;
        alignas(Bytes) static constexpr Index kCount[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        Indices lane;
        std::memcpy(&lane, kCount, sizeof lane);
        const Indices in = (lane >= static_cast<Index>(from)) & (lane < static_cast<Index>(to));
        return Pack(in ? m_v : before.m_v);
    }

    friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.m_v + b.m_v); }
    friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.m_v - b.m_v); }
    friend Pack operator*(const Pack& a, const Pack& b) { return rounded(a.m_v * b.m_v); }
    friend Pack operator*(const T& a, const Pack& b) { return rounded(a * b.m_v); }
    Pack& operator+=(const Pack& b)
    {
        m_v += b.m_v;
        return *this;
    }
    friend Pack mulAdd(const T& a, const Pack& b, const Pack& c) { return Pack(a * b.m_v + c.m_v); }
    friend Pack mulAdd(const Pack& a, const Pack& b, const Pack& c) { return Pack(a.m_v * b.m_v + c.m_v); }

private:
    // gcc makes one rounding of a product and a sum wherever they meet, and which of two products it takes differs from
    // loop to loop. Here mulAdd alone rounds once: what a step gives does not depend on the loop that it is in.
    static Pack rounded(const Vector& v)
    {
#if defined(__has_builtin)
#if __has_builtin(__builtin_assoc_barrier)
        return Pack(__builtin_assoc_barrier(v));
#else
        return Pack(v);
#endif
#endif
    }

    Vector m_v;
};

} // namespace ondo::kernels
