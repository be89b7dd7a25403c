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

} // namespace ondo::kernels::cuda
