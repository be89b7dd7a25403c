// Links between nodes (core/density_links.h), shared by the vectors of nodes of the marching kernels.
#pragma once

#include "kernels/core/density_links.h"
#include "kernels/cuda/vec.cuh"

namespace ondo::kernels::cuda {

// Of the nodes of a vector, links along it. p and rho: the values around it, `at` of them before its first node.
template<class T, int V, int M, class Tap, class Rho>
__device__ inline Vec<T, V> linksAcross(const Tap& p, const Rho& rho, const T* linked)
{
    T step[V + 2 * M - 1]; // from M nodes before the vector
#pragma unroll
    for (int j = 0; j < V + 2 * M - 1; ++j) {
        step[j] = rho(j - M) + rho(j - M + 1);
    }
    Vec<T, V> above;
    Vec<T, V> below;
#pragma unroll
    for (int k = M; k > 0; --k) {
#pragma unroll
        for (int low = -k; low < V; ++low) {
            const T flux =
                (p(low + k) - p(low)) * reciprocal(twiceLinkDensity<T>([&](int j) { return step[M + low + j]; }, k));
            if (low >= 0) {
                above[low] = k == M ? linked[k] * flux : ondo::kernels::mulAdd(linked[k], flux, above[low]);
            }
            if (low + k < V) {
                below[low + k] = k == M ? linked[k] * flux : ondo::kernels::mulAdd(linked[k], flux, below[low + k]);
            }
        }
    }
    return above - below;
}

// At a half node, of the densities of the nodes beside it, added.
template<class T, int V>
__device__ inline Vec<T, V> buoyancyOf(const Vec<T, V>& step)
{
    return T(2) * reciprocal(step);
}

// Links along a march, one plane after another.
template<class N, class T, int M>
struct LinkMarch {
    N step[M];  // densities of planes j and j + 1
    N ahead[M]; // of plane j on: what links from planes behind have brought so far
    N top;      // the density of plane M

    // As for the plane before the first. p(k), rho(k): k planes on from the first.
    template<class Tap, class Rho>
    __device__ void begin(const Tap& p, const Rho& rho, const T* linked)
    {
        N steps[2 * M - 1]; // from -M
#pragma unroll
        for (int j = 0; j < 2 * M - 1; ++j) {
            steps[j] = rho(j - M) + rho(j - M + 1);
        }
        top = rho(M - 1);
#pragma unroll
        for (int j = 1; j < M; ++j) {
            step[j] = steps[M + j - 1];
        }
#pragma unroll
        for (int to = 0; to < M; ++to) {
#pragma unroll
            for (int k = M; k > to; --k) {
                const int low = to - k;
                const N flux =
                    (p(to) - p(low)) * reciprocal(twiceLinkDensity<N>([&](int j) { return steps[M + low + j]; }, k));
                ahead[to] = k == M ? linked[k] * flux : mulAdd(linked[k], flux, ahead[to]);
            }
        }
    }
    // rho: the density M planes on from the next plane.
    __device__ void enter(const N& rho)
    {
#pragma unroll
        for (int j = 0; j + 1 < M; ++j) {
            step[j] = step[j + 1];
        }
        step[M - 1] = top + rho;
        top = rho;
    }
    // The derivative at the plane; p(k): k planes on.
    template<class Tap>
    __device__ N pass(const Tap& p, const T* linked)
    {
        N flux[M + 1];
#pragma unroll
        for (int k = 1; k <= M; ++k) {
            flux[k] = (p(k) - p(0)) * reciprocal(twiceLinkDensity<N>([&](int j) { return step[j]; }, k));
        }
        N above = linked[M] * flux[M];
#pragma unroll
        for (int k = M - 1; k > 0; --k) {
            above = mulAdd(linked[k], flux[k], above);
        }
        const N below = ahead[0];
#pragma unroll
        for (int k = 1; k < M; ++k) {
            ahead[k - 1] = mulAdd(linked[k], flux[k], ahead[k]);
        }
        ahead[M - 1] = linked[M] * flux[M];
        return above - below;
    }
};

} // namespace ondo::kernels::cuda
