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

// What a pack keeps its numbers in, and their places.
template<class T, int Bytes, bool One = Bytes == sizeof(T)>
struct PackOf {
    using Index = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    using Vector [[gnu::vector_size(Bytes)]] = T;
    using Indices [[gnu::vector_size(Bytes)]] = Index;
};
template<class T, int Bytes>
struct PackOf<T, Bytes, true> {
    using Index = int;
    using Vector = T;
    using Indices = Index;
};

template<class T, int Bytes>
class Pack {
public:
    static constexpr int kSize = Bytes / static_cast<int>(sizeof(T));
    using Vector = typename PackOf<T, Bytes>::Vector;

    Pack() = default;
    static Pack of(const Vector& v)
    {
        Pack r;
        r.m_v = v;
        return r;
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
        using Index = typename PackOf<T, Bytes>::Index;
        static constexpr Index kCount[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
        typename PackOf<T, Bytes>::Indices lane;
        std::memcpy(&lane, kCount, sizeof lane);
        const auto in = (lane >= static_cast<Index>(from)) & (lane < static_cast<Index>(to));
        return of(in ? m_v : before.m_v);
    }

    friend Pack operator+(const Pack& a, const Pack& b) { return of(a.m_v + b.m_v); }
    friend Pack operator-(const Pack& a, const Pack& b) { return of(a.m_v - b.m_v); }
    friend Pack operator*(const Pack& a, const Pack& b) { return rounded(a.m_v * b.m_v); }
    friend Pack operator*(const T& a, const Pack& b) { return rounded(a * b.m_v); }
    Pack& operator+=(const Pack& b)
    {
        m_v += b.m_v;
        return *this;
    }
    friend Pack mulAdd(const T& a, const Pack& b, const Pack& c) { return of(a * b.m_v + c.m_v); }
    friend Pack mulAdd(const Pack& a, const Pack& b, const Pack& c) { return of(a.m_v * b.m_v + c.m_v); }

private:
    // gcc makes one rounding of a product and a sum wherever they meet, and which of two products it takes differs from
    // loop to loop. Here mulAdd alone rounds once: what a step gives does not depend on the loop that it is in.
    static Pack rounded(const Vector& product)
    {
        Vector v = product;
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
        asm("" : "+v"(v));
#elif defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
        asm("" : "+w"(v));
#endif
        return of(v);
    }

    Vector m_v;
};

} // namespace ondo::kernels
