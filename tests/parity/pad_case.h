// The model of a run as a loop over nodes, to hold a backend's against: random speeds, layers and free faces.
#pragma once

#include "kernels/backend.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ondo::check {

struct PadCase {
    int rank = 2;
    int user[3] = {1, 1, 1}; // nodes, z, y, x
    int radius = 4, layer = 12;
    bool isFree[6] = {}; // by axis * 2 + (high side); the others absorb

    [[nodiscard]] std::string name() const
    {
        return std::to_string(rank) + "-D " + std::to_string(user[0]) + "x" + std::to_string(user[1]) + "x" +
               std::to_string(user[2]) + " radius " + std::to_string(radius) + " layer " + std::to_string(layer);
    }
};

// With nothing to read or write yet.
template<class T>
kernels::PadModel<T> padBody(const PadCase& c)
{
    kernels::PadModel<T> body;
    int n[3];
    for (int a = 0; a < 3; ++a) {
        const bool layers = c.rank == 3 || a != kernels::kY;
        body.user[a] = c.user[a];
        body.low[a] = layers && !c.isFree[2 * a] ? c.layer : 0;
        n[a] = c.user[a] + body.low[a] + (layers && !c.isFree[2 * a + 1] ? c.layer : 0);
        for (int side = 0; side < 2; ++side) {
            body.isFree[2 * a + side] = layers && c.isFree[2 * a + side] ? 1 : 0;
        }
    }
    body.layout = kernels::Layout::make(c.rank, n[0], n[1], n[2], c.radius,
                                        body.low[kernels::kX] > 0 ? body.low[kernels::kX] + c.radius : 0);
    body.dt = 0.00123456789;
    return body;
}

inline std::vector<float> padSpeeds(const PadCase& c)
{
    std::mt19937 random(7);
    std::uniform_real_distribution<float> speed(1500.0F, 4500.0F);
    std::vector<float> v(static_cast<std::size_t>(c.user[0]) * static_cast<std::size_t>(c.user[1]) *
                         static_cast<std::size_t>(c.user[2]));
    std::generate(v.begin(), v.end(), [&] { return speed(random); });
    return v;
}

template<class T>
std::vector<T> padExpected(const kernels::PadModel<T>& body, const std::vector<float>& speeds)
{
    const kernels::Layout& l = body.layout;
    std::vector<T> c2(static_cast<std::size_t>(l.shotStride), T(0));
    const int n[3] = {l.nz, l.ny, l.nx};
    for (int z = 0; z < l.nz; ++z) {
        for (int y = 0; y < l.ny; ++y) {
            for (int x = 0; x < l.nx; ++x) {
                const int at[3] = {z, y, x};
                std::int64_t from = 0;
                bool zero = false;
                for (int a = 0; a < 3; ++a) {
                    from = from * body.user[a] + std::clamp(at[a] - body.low[a], 0, body.user[a] - 1);
                    zero = zero || (at[a] == 0 && body.isFree[2 * a] != 0) ||
                           (at[a] == n[a] - 1 && body.isFree[2 * a + 1] != 0);
                }
                const double c = static_cast<double>(speeds[static_cast<std::size_t>(from)]);
                c2[static_cast<std::size_t>(l.at(z, y, x))] = zero ? T(0) : static_cast<T>(c * body.dt * (c * body.dt));
            }
        }
    }
    return c2;
}

inline std::vector<PadCase> padCases()
{
    return {{2, {87, 1, 133}, 4, 12, {}},
            {2, {87, 1, 133}, 6, 12, {true, false, false, false, false, false}},
            {2, {1, 1, 1}, 1, 3, {}},
            {2, {40, 1, 64}, 4, 20, {true, true, true, true, true, true}},
            {3, {43, 37, 51}, 4, 12, {true, false, false, false, false, false}},
            {3, {9, 12, 70}, 1, 7, {false, true, true, false, false, true}},
            {3, {21, 20, 19}, 5, 20, {true, true, true, true, true, true}}};
}

} // namespace ondo::check
