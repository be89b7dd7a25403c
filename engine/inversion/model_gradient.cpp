#include "engine/inversion/model_gradient.h"

#include <algorithm>
#include <cstdint>

namespace ondo {

ModelGradient::ModelGradient(const SimulationPlan& plan)
    : speed(static_cast<std::size_t>(plan.model.grid().nodes()), 0.0)
    , density(plan.variableDensity() ? speed.size() : 0, 0.0)
{
}

namespace {

// visit(node of the model, place in the compact layout, nodal volume) for every node of the domain.
template<class Visit>
void forNodes(const SimulationPlan& plan, const Visit& visit)
{
    const Grid& g = plan.model.grid();
    const kernels::Layout compact = compactLayout(plan);
    const auto mirrors = [&](Face f) { return plan.run.boundary.at(f) != FaceCondition::Absorbing; };
    const auto share = [&](int i, int n, Face low, Face high) {
        return (i == 0 && mirrors(low) ? 0.5 : 1.0) * (i == n - 1 && mirrors(high) ? 0.5 : 1.0);
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
                visit(user, static_cast<std::size_t>(compact.at(z, y, x)),
                      alongY * share(x, plan.nx, Face::XLow, Face::XHigh));
            }
        }
    }
}

} // namespace

template<class T>
void addModelGradient(const SimulationPlan& plan, const LaunchImages<T>& images, double factor, ModelGradient& out)
{
    const float* const c = plan.model.velocity().samples().data();
    const float* const rho = plan.variableDensity() ? plan.model.density().samples().data() : nullptr;
    forNodes(plan, [&](std::size_t user, std::size_t at, double nodal) {
        auto w = static_cast<double>(images.sum[at]);
        if (rho != nullptr) {
            const auto density = static_cast<double>(rho[user]);
            out.density[user] += factor * nodal * (w / density + static_cast<double>(images.density[at]));
            w += static_cast<double>(images.source[at]) / density;
        }
        out.speed[user] += factor * 2.0 * nodal / static_cast<double>(c[user]) * w;
    });
}

template void addModelGradient(const SimulationPlan&, const LaunchImages<float>&, double, ModelGradient&);
template void addModelGradient(const SimulationPlan&, const LaunchImages<double>&, double, ModelGradient&);

template<class T>
void addSourceImage(const SimulationPlan& plan, const std::vector<T>& image, double factor, std::vector<double>& out)
{
    forNodes(plan, [&](std::size_t user, std::size_t at, double nodal) {
        out[user] += factor * nodal * static_cast<double>(image[at]);
    });
}

template void addSourceImage(const SimulationPlan&, const std::vector<float>&, double, std::vector<double>&);
template void addSourceImage(const SimulationPlan&, const std::vector<double>&, double, std::vector<double>&);

ImpedanceGradient byImpedance(const Model& model, const ModelGradient& gradient)
{
    ImpedanceGradient out;
    for (std::size_t i = 0; i < gradient.speed.size(); ++i) {
        const auto c = static_cast<double>(model.velocity().samples()[i]);
        const auto rho = static_cast<double>(model.density().samples()[i]);
        out.speed.push_back(gradient.speed[i] - rho / c * gradient.density[i]);
        out.impedance.push_back(gradient.density[i] / c);
    }
    return out;
}

} // namespace ondo
