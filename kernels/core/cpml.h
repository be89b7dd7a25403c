// Convolutional perfectly matched layer in the second-order form (Komatitsch & Martin 2007; seismic.md 2.2).
// Along one axis, with profiles a, b of the layer, b' = db/dx, and memories psi (first derivative), zeta (second):
//   T     = (1 + b) u_xx + b' u_x + d/dx (a psi)
//   w     = (1 + b) T + a zeta          replaces u_xx in the wave equation
//   psi  <- a psi + b u_x               (double-buffered: its neighbours are read)
//   zeta <- a zeta + b T
// a = exp(-(sigma + alpha) dt), b = sigma / (sigma + alpha) (a - 1); a = b = 0 outside the layer.
// The memories exist only in slabs: an axis holds [R][low layer][2R][high layer][R] nodes, the gaps stay zero, so that a
// stencil may reach R nodes beyond the layer on either side without a branch.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/shape.h"
#include "kernels/core/stencil.h"

namespace ondo::kernels {

template<class T>
struct AxisLayer {
    const T* a = nullptr; // profiles, index 0 at the domain's first node; valid from -radius to n + radius - 1
    const T* b = nullptr;
    const T* db = nullptr; // 1/m
    const T* psiNow = nullptr;
    T* psiNext = nullptr;
    T* zeta = nullptr;
    std::int64_t shot = 0, z = 0, y = 0; // strides of the slab, elements; x has stride 1
    std::int64_t step = 0;               // stride along this layer's own axis
    std::int64_t shift[3] = {0, 0, 0};   // by Side: added to an offset made from domain coordinates

    ONDO_HD std::int64_t at(int side, int s, int zz, int yy, int xx) const
    {
        return s * shot + zz * z + yy * y + xx + shift[side];
    }
};

// The stretched second derivative at one node, and the step of the layer's memories there.
//   u: the field at the node, stride: its stride along the axis, n: the node's coordinate along the axis, j: slab offset.
template<class T, int M>
ONDO_HD inline T stretchedSecondDerivative(const AxisLayer<T>& layer, const AxisCoefficients<T>& c, const T* u,
                                           std::int64_t stride, int n, std::int64_t j, int radius)
{
    const T a = layer.a[n];
    const T b = layer.b[n];
    const T first = firstDerivative<T, M>(u, stride, c.first, radius);
    const T second = secondDerivative<T, M>(u, stride, c.second, radius);
    const T memory = firstDerivativeOfProduct<T, M>(layer.a + n, layer.psiNow + j, layer.step, c.first, radius);
    const T inner = (T(1) + b) * second + layer.db[n] * first + memory;
    const T zeta = layer.zeta[j];
    layer.psiNext[j] = a * layer.psiNow[j] + b * first;
    layer.zeta[j] = a * zeta + b * inner;
    return (T(1) + b) * inner + a * zeta;
}

} // namespace ondo::kernels
