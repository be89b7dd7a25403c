// Convolutional perfectly matched layer for a second-order equation (Komatitsch & Martin 2007; seismic.md 2.2), on a
// staggered pair of grids. Along one axis, with memories psi (first derivative, half a node above its node) and zeta (second):
//   psi  <- a psi + b D+ u          at halves, a pass of its own: its neighbours are read
//   T     = u_xx + D- psi
//   zeta <- a zeta + b T            at nodes
//   w     = T + zeta                replaces u_xx in the wave equation
// a = exp(-(sigma + alpha) dt), b = sigma / (sigma + alpha) (a - 1), each at its own place; a = b = 0 outside the layer.
// u_xx is the interior's own stencil; D+ and D- are each other's negative transpose (core/stencil.h says of which order).
// At order 2 this is the staggered velocity-pressure scheme exactly. On nodes alone, with psi expanded by the product rule
// b u_xx + b' u_x + d(a psi), thin or strong layers reflect 20 dB more.
// The memories exist only in slabs: an axis holds [R][low layer][2R][high layer][R] nodes; beyond reach they stay zero, so
// that a stencil may leave the layer on either side without a branch.
#pragma once

#include "kernels/core/hd.h"
#include "kernels/core/shape.h"
#include "kernels/core/stencil.h"

namespace ondo::kernels {

template<class T>
struct AxisLayer {
    const T* a = nullptr; // profiles at nodes, index 0 at the domain's first node; valid from -radius to n + radius - 1
    const T* b = nullptr;
    const T* aHalf = nullptr; // half a node above
    const T* bHalf = nullptr;
    T* psi = nullptr;
    T* zeta = nullptr;
    std::int64_t shot = 0, z = 0, y = 0; // strides of the slab, elements; x has stride 1
    std::int64_t step = 0;               // stride along this layer's own axis
    std::int64_t shift[3] = {0, 0, 0};   // by Side: added to an offset made from domain coordinates

    ONDO_HD std::int64_t at(int side, int s, int zz, int yy, int xx) const
    {
        return s * shot + zz * z + yy * y + xx + shift[side];
    }
};

// Lays out the slab of an axis: both layers, each with the reach of a stencil beside it. Rows start alike, so that vectors
// of nodes, and sectors of 8 floats, lie in the slab as they lie in the field if that starts a line with x = 0 or with a
// multiple of 8.
template<class T>
void placeSlab(AxisLayer<T>& l, int axis, const int (&nodes)[3], int low, int high, int radius)
{
    constexpr std::int64_t kSector = 8;
    const auto up = [](std::int64_t v) { return (v + kSector - 1) / kSector * kSector; };
    const std::int64_t n = nodes[axis];
    std::int64_t extent[3] = {nodes[kZ], nodes[kY], nodes[kX]};
    std::int64_t first = radius; // where node 0 lies
    std::int64_t second = first + low + std::int64_t{2} * radius - (n - high);
    extent[axis] = low + high + 4 * radius;
    if (axis == kX) {
        first = up(radius);
        // Multiples of 8, rounded up; second is negative where the layers are far apart.
        const std::int64_t least = first + low + std::int64_t{2} * radius - (n - high);
        second = least > 0 ? up(least) : -(-least / kSector * kSector);
        extent[kX] = n + second; // what stencils see beyond is the gap before the next row's first node
    }
    l.y = up(extent[kX]);
    l.z = extent[kY] * l.y;
    l.shot = extent[kZ] * l.z + up(radius);
    l.step = axis == kZ ? l.z : axis == kY ? l.y : 1;
    l.shift[kLow] = first * l.step;
    l.shift[kHigh] = second * l.step;
}

// A memory's next value; d: what drives it. N: a value or several side by side, A: a profile's value or several.
template<class N, class A>
ONDO_HD inline N nextMemory(const A& a, const N& memory, const A& b, const N& d)
{
    return mulAdd(b, d, a * memory);
}

// u: the field at the node, stride: its stride along the axis, n: the node's coordinate along the axis, j: slab offset.
template<class T, int M>
ONDO_HD inline void stepFirstMemory(const AxisLayer<T>& layer, const AxisCoefficients<T>& c, const T* u,
                                    std::int64_t stride, int n, std::int64_t j, int radius)
{
    layer.psi[j] = nextMemory(layer.aHalf[n], layer.psi[j], layer.bHalf[n],
                              forwardDerivative<T, M>(u, stride, c.staggered, radius));
}

// What a layer makes of `inner`, T above, at one node, and the step of its second memory there.
template<class T>
ONDO_HD inline T stretched(const AxisLayer<T>& layer, const T& inner, int n, std::int64_t j)
{
    const T zeta = nextMemory(layer.a[n], layer.zeta[j], layer.b[n], inner);
    layer.zeta[j] = zeta;
    return inner + zeta;
}

} // namespace ondo::kernels
