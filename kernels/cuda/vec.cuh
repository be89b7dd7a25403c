// A few values side by side, with the arithmetic of one: what a thread loads and stores at once.
#pragma once

#include "kernels/core/hd.h"

namespace ondo::kernels::cuda {

template<class T, int V>
struct alignas(sizeof(T) * V) Vec {
    T v[V];

    ONDO_HD T& operator[](int i) { return v[i]; }
    ONDO_HD const T& operator[](int i) const { return v[i]; }
    ONDO_HD Vec& operator+=(const Vec& b) { return *this = *this + b; }

    ONDO_HD friend Vec operator+(const Vec& a, const Vec& b)
    {
        Vec r;
        for (int i = 0; i < V; ++i) {
            r.v[i] = a.v[i] + b.v[i];
        }
        return r;
    }
    ONDO_HD friend Vec operator-(const Vec& a, const Vec& b)
    {
        Vec r;
        for (int i = 0; i < V; ++i) {
            r.v[i] = a.v[i] - b.v[i];
        }
        return r;
    }
    ONDO_HD friend Vec operator*(const Vec& a, const Vec& b)
    {
        Vec r;
        for (int i = 0; i < V; ++i) {
            r.v[i] = a.v[i] * b.v[i];
        }
        return r;
    }
    ONDO_HD friend Vec operator*(const T& a, const Vec& b)
    {
        Vec r;
        for (int i = 0; i < V; ++i) {
            r.v[i] = a * b.v[i];
        }
        return r;
    }
    ONDO_HD friend Vec reciprocal(const Vec& a)
    {
        Vec r;
        for (int i = 0; i < V; ++i) {
            r.v[i] = ondo::kernels::reciprocal(a.v[i]);
        }
        return r;
    }
    ONDO_HD friend Vec mulAdd(const Vec& a, const Vec& b, const Vec& c)
    {
        Vec r;
        for (int i = 0; i < V; ++i) {
            r.v[i] = ondo::kernels::mulAdd(a.v[i], b.v[i], c.v[i]);
        }
        return r;
    }
    ONDO_HD friend Vec mulAdd(const T& a, const Vec& b, const Vec& c)
    {
        Vec r;
        for (int i = 0; i < V; ++i) {
            r.v[i] = ondo::kernels::mulAdd(a, b.v[i], c.v[i]);
        }
        return r;
    }
};

// Part of a vector that lies in [from, to); x: of its first node. Zeros elsewhere.
template<class T, int V>
__device__ inline Vec<T, V> loadPart(const T* p, int x, int from, int to, bool vectors)
{
    if (vectors && x >= from && x + V <= to) {
        return *reinterpret_cast<const Vec<T, V>*>(p);
    }
    Vec<T, V> n;
#pragma unroll
    for (int i = 0; i < V; ++i) {
        n[i] = x + i >= from && x + i < to ? p[i] : T(0);
    }
    return n;
}

template<class T, int V>
__device__ inline void storePart(T* p, const Vec<T, V>& n, int x, int from, int to, bool vectors)
{
    if (vectors && x >= from && x + V <= to) {
        *reinterpret_cast<Vec<T, V>*>(p) = n;
        return;
    }
#pragma unroll
    for (int i = 0; i < V; ++i) {
        if (x + i >= from && x + i < to) {
            p[i] = n[i];
        }
    }
}

// V values from the i-th on of several vectors in a row.
template<class N, int V>
__device__ inline N across(const N* line, int i)
{
    N n;
#pragma unroll
    for (int k = 0; k < V; ++k) {
        n[k] = line[(i + k) / V][(i + k) % V];
    }
    return n;
}

// Read or written once in a step: the caches need not keep it, for it is not looked at again before they have forgotten it.
template<int Bytes>
struct RawVector;
template<>
struct RawVector<16> {
    using Type = int4;
};
template<>
struct RawVector<8> {
    using Type = int2;
};

template<class T, int V>
__device__ inline Vec<T, V> loadOnce(const T* p)
{
    using Raw = typename RawVector<sizeof(Vec<T, V>)>::Type;
    union {
        Raw bits;
        Vec<T, V> n;
    } u;
    u.bits = __ldcs(reinterpret_cast<const Raw*>(p));
    return u.n;
}

template<class T, int V>
__device__ inline void storeOnce(T* p, const Vec<T, V>& n)
{
    using Raw = typename RawVector<sizeof(Vec<T, V>)>::Type;
    __stcs(reinterpret_cast<Raw*>(p), *reinterpret_cast<const Raw*>(&n));
}

// Asks for a line of memory into the L2 cache. Of the lanes in a row one a line asks.
inline constexpr int kLineBytes = 128;
__device__ inline bool asksForLine(int lane, int lanes, int bytesOfLane)
{
    return lane * bytesOfLane % kLineBytes == 0 || lane == lanes - 1;
}
__device__ inline void askForLine(const void* p)
{
    asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}

} // namespace ondo::kernels::cuda
