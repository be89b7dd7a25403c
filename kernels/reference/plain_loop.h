// The loop that a good programmer writes first: whole arrays, rows shared out by OpenMP, the compiler's own vectors, no
// layers, no tiles. `ondo bench` measures it beside the host backend on the same padded grid, in the same run, so that
// "fast" is a ratio and not a number of one machine. Not used for anything else.
#pragma once

#include <cstdint>
#include <vector>

namespace ondo::kernels {

class PlainLoop {
public:
    // rank 2 (ny 1) or 3; order 4 or 8. threads: of OpenMP.
    PlainLoop(int rank, int nz, int ny, int nx, int order, int threads);

    void step(); // p(n+1) = 2 p(n) - p(n-1) + (c dt)^2 lap p(n) where a whole stencil fits
    [[nodiscard]] std::int64_t nodes() const { return std::int64_t{m_nz} * m_ny * m_nx; } // updated by a step
    [[nodiscard]] float& at(int z, int y, int x) { return m_now[static_cast<std::size_t>(index(z, y, x))]; }
    [[nodiscard]] static bool serves(int order) { return order == 4 || order == 8; }

private:
    [[nodiscard]] std::int64_t index(int z, int y, int x) const
    {
        return (z + m_radius) * m_strideZ + (m_rank == 3 ? y + m_radius : 0) * m_strideY + x + m_radius;
    }
    template<int Rank, int Radius>
    void stepAs();

    int m_rank, m_nz, m_ny, m_nx, m_radius, m_threads;
    std::int64_t m_strideZ = 0, m_strideY = 0;
    std::vector<float> m_c2, m_now, m_other;
};

} // namespace ondo::kernels
