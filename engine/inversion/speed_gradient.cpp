#include "engine/inversion/speed_gradient.h"

#include <algorithm>
#include <cstdint>

namespace ondo {

template<class T>
void addSpeedGradient(const SimulationPlan& plan, const kernels::Layout& compact, const std::vector<T>& image,
                      double factor, std::vector<double>& speed)
{
    const Grid& g = plan.model.grid();
    const auto& v = plan.model.velocity().samples();
    const auto rigid = [&](Face f) { return plan.run.boundary.at(f) == FaceCondition::Rigid; };
    const auto share = [&](int i, int n, Face low, Face high) {
        return (i == 0 && rigid(low) ? 0.5 : 1.0) * (i == n - 1 && rigid(high) ? 0.5 : 1.0);
    };
    const double volume = g.dz * g.dx * (g.rank == 3 ? g.dy : 1.0);
    for (int z = 0; z < plan.nz; ++z) {
        const int uz = std::clamp(z - plan.layerLow[0], 0, g.nz - 1);
        const double alongZ = volume * share(z, plan.nz, Face::ZLow, Face::ZHigh);
        for (int y = 0; y < plan.ny; ++y) {
            const int uy = std::clamp(y - plan.layerLow[1], 0, g.ny - 1);
            const double alongY = alongZ * (g.rank == 3 ? share(y, plan.ny, Face::YLow, Face::YHigh) : 1.0);
            const std::int64_t row = (std::int64_t{uz} * g.ny + uy) * g.nx;
            for (int x = 0; x < plan.nx; ++x) {
                const auto user = static_cast<std::size_t>(row + std::clamp(x - plan.layerLow[2], 0, g.nx - 1));
                const double nodal = alongY * share(x, plan.nx, Face::XLow, Face::XHigh);
                const auto w = static_cast<double>(image[static_cast<std::size_t>(compact.at(z, y, x))]);
                speed[user] += factor * 2.0 * nodal / static_cast<double>(v[user]) * w;
            }
        }
    }
}

template void addSpeedGradient(const SimulationPlan&, const kernels::Layout&, const std::vector<float>&, double,
                               std::vector<double>&);
template void addSpeedGradient(const SimulationPlan&, const kernels::Layout&, const std::vector<double>&, double,
                               std::vector<double>&);

} // namespace ondo
