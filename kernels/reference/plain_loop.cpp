#include "kernels/reference/plain_loop.h"

#include <utility>

namespace ondo::kernels {

namespace {

// Second derivative times the squared spacing; [0] is the centre's.
template<int Radius>
constexpr float kTaps[Radius + 1] = {};
template<>
constexpr float kTaps<2>[3] = {-5.0F / 2.0F, 4.0F / 3.0F, -1.0F / 12.0F};
template<>
constexpr float kTaps<4>[5] = {-205.0F / 72.0F, 8.0F / 5.0F, -1.0F / 5.0F, 8.0F / 315.0F, -1.0F / 560.0F};

constexpr float kCourantSquared = 0.1F; // (c dt / h)^2, stable in two and three dimensions

} // namespace

PlainLoop::PlainLoop(int rank, int nz, int ny, int nx, int order, int threads)
    : m_rank(rank)
    , m_nz(nz)
    , m_ny(ny)
    , m_nx(nx)
    , m_radius(order / 2)
    , m_threads(threads)
{
    m_strideY = nx + 2 * m_radius;
    m_strideZ = m_strideY * (rank == 3 ? ny + 2 * m_radius : 1);
    const auto size = static_cast<std::size_t>(m_strideZ * (nz + 2 * m_radius));
    m_c2.resize(size);
    m_now.resize(size);
    m_other.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        m_c2[i] = kCourantSquared * (0.5F + 0.5F * static_cast<float>(i % 97) / 97.0F);
        m_now[i] = m_other[i] = static_cast<float>(i % 89) / 89.0F - 0.5F; // noise: no zeros, no denormals
    }
}

template<int Rank, int Radius>
void PlainLoop::stepAs()
{
    const float* c2 = m_c2.data();
    const float* now = m_now.data();
    float* other = m_other.data();
    const std::int64_t sz = m_strideZ;
    const std::int64_t sy = m_strideY;
    const int ny = m_ny;
    const int nx = m_nx;
    constexpr const float* kTap = kTaps<Radius>;
#pragma omp parallel for collapse(2) num_threads(m_threads) schedule(static)
    for (int z = 0; z < m_nz; ++z) {
        for (int y = 0; y < ny; ++y) {
            const std::int64_t row = index(z, y, 0);
#pragma omp simd
            for (int x = 0; x < nx; ++x) {
                const std::int64_t i = row + x;
                float w = static_cast<float>(Rank) * kTap[0] * now[i];
                for (int k = 1; k <= Radius; ++k) {
                    float pairs = now[i + k] + now[i - k] + now[i + k * sz] + now[i - k * sz];
                    if (Rank == 3) {
                        pairs += now[i + k * sy] + now[i - k * sy];
                    }
                    w += kTap[k] * pairs;
                }
                other[i] = 2.0F * now[i] - other[i] + c2[i] * w;
            }
        }
    }
}

void PlainLoop::step()
{
    if (m_radius == 4) {
        m_rank == 3 ? stepAs<3, 4>() : stepAs<2, 4>();
    } else {
        m_rank == 3 ? stepAs<3, 2>() : stepAs<2, 2>();
    }
    std::swap(m_now, m_other);
}

} // namespace ondo::kernels
