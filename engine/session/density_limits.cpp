#include "engine/session/density_limits.h"

#include "kernels/core/stencil.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ondo {

namespace {

constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};

// Density along one line of the user's grid with what stands beyond its ends, `reach` nodes of it.
class Line {
public:
    Line(int nodes, int reach, bool mirrorsLow, bool mirrorsHigh)
        : m_nodes(nodes)
        , m_reach(reach)
        , m_rho(static_cast<std::size_t>(nodes + 2 * reach))
    {
        for (int i = -reach; i < nodes + reach; ++i) {
            int from = i;
            if (i < 0) {
                from = mirrorsLow ? -i : 0;
            } else if (i >= nodes) {
                from = mirrorsHigh ? 2 * (nodes - 1) - i : nodes - 1;
            }
            m_from.push_back(std::clamp(from, 0, nodes - 1));
        }
    }
    void fill(const float* first, std::int64_t stride)
    {
        for (std::size_t i = 0; i < m_rho.size(); ++i) {
            m_rho[i] = static_cast<double>(first[m_from[i] * stride]);
        }
    }
    [[nodiscard]] int nodes() const { return m_nodes; }
    // 1 over the mean density of the link from a node to that k nodes on; k < 0: back.
    [[nodiscard]] double buoyancy(int node, int k) const
    {
        const auto low = static_cast<std::size_t>(node + m_reach + std::min(k, 0));
        const auto high = low + static_cast<std::size_t>(std::abs(k));
        double sum = 0.5 * (m_rho[low] + m_rho[high]);
        for (std::size_t i = low + 1; i < high; ++i) {
            sum += m_rho[i];
        }
        return std::abs(k) / sum;
    }

private:
    int m_nodes, m_reach;
    std::vector<int> m_from;
    std::vector<double> m_rho;
};

// Calls visit(line, axis, z, y, x) for every line of nodes along every axis; (z, y, x): its first node.
template<class Visit>
void forLines(const SimulationPlan& plan, const Visit& visit)
{
    const Grid& g = plan.model.grid();
    const int n[3] = {g.nz, g.ny, g.nx};
    const std::int64_t stride[3] = {std::int64_t{g.ny} * g.nx, g.nx, 1};
    const float* const rho = plan.model.density().samples().data();
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && g.rank == 2) {
            continue;
        }
        const auto mirrors = [&](int side) {
            return plan.run.boundary.at(kFaces[axis][side]) != FaceCondition::Absorbing;
        };
        Line line(n[axis], plan.radius, mirrors(0), mirrors(1));
        for (int z = 0; z < (axis == 0 ? 1 : g.nz); ++z) {
            for (int y = 0; y < (axis == 1 ? 1 : g.ny); ++y) {
                for (int x = 0; x < (axis == 2 ? 1 : g.nx); ++x) {
                    line.fill(rho + z * stride[0] + y * stride[1] + x, stride[axis]);
                    visit(line, axis, z, y, x);
                }
            }
        }
    }
}

} // namespace

double stableStep(const SimulationPlan& plan)
{
    const Grid& g = plan.model.grid();
    const double h[3] = {g.dz, g.dy, g.dx};
    const std::int64_t stride[3] = {std::int64_t{g.ny} * g.nx, g.nx, 1};
    const auto c = kernels::makeCoefficients<double>(plan.radius, 1.0);
    std::vector<double> sum(static_cast<std::size_t>(g.nodes()), 0.0);
    forLines(plan, [&](const Line& line, int axis, int z, int y, int x) {
        std::int64_t at = z * stride[0] + y * stride[1] + x;
        for (int i = 0; i < line.nodes(); ++i, at += stride[axis]) {
            double links = 0.0;
            for (int k = 1; k <= plan.radius; k += 2) {
                links += 2.0 * c.second[k] * (line.buoyancy(i, k) + line.buoyancy(i, -k));
            }
            sum[static_cast<std::size_t>(at)] += links / (h[axis] * h[axis]);
        }
    });
    double largest = 0.0;
    for (std::size_t i = 0; i < sum.size(); ++i) {
        const double v = static_cast<double>(plan.model.velocity().samples()[i]);
        const double rho = static_cast<double>(plan.model.density().samples()[i]);
        largest = std::max(largest, rho * v * v * sum[i]);
    }
    return 2.0 / std::sqrt(largest);
}

int highestDensityOrder()
{
    int order = 2;
    for (int radius = 2; radius <= kernels::kMaxRadius; ++radius) {
        const auto c = kernels::makeCoefficients<double>(radius, 1.0);
        double taken = 0.0;
        for (int k = 2; k <= radius; k += 2) {
            taken += std::abs(c.second[k]) * k * k;
        }
        if (c.second[1] <= taken) {
            break;
        }
        order = 2 * radius;
    }
    return order;
}

} // namespace ondo
