#include "engine/model/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

Result<Model> Model::make(Grid grid, std::vector<float> velocity, std::string name)
{
    if (static_cast<std::int64_t>(velocity.size()) != grid.nodes()) {
        return badInput(fmt::format("{} samples for a grid of {} nodes", velocity.size(), grid.nodes()),
                        "give one sample a node");
    }
    Model m;
    m.m_grid = grid;
    m.m_velocity.values = std::make_shared<const std::vector<float>>(std::move(velocity));
    m.m_name = std::move(name);
    return m;
}

Result<Model> Model::constant(const Grid& grid, float velocity)
{
    return make(grid, std::vector<float>(static_cast<std::size_t>(grid.nodes()), velocity), "constant");
}

Result<Model> Model::withVelocity(std::vector<float> velocity) const
{
    auto m = make(m_grid, std::move(velocity), m_name);
    if (m) {
        m->m_density = m_density;
    }
    return m;
}

Result<Model> Model::withDensity(std::vector<float> density) const
{
    if (static_cast<std::int64_t>(density.size()) != m_grid.nodes()) {
        return badInput(fmt::format("{} densities for a grid of {} nodes", density.size(), m_grid.nodes()),
                        "give one a node");
    }
    Model m = *this;
    m.m_density.values = std::make_shared<const std::vector<float>>(std::move(density));
    return m;
}

ValueRange Model::range() const
{
    ValueRange r;
    if (empty()) {
        return r;
    }
    bool first = true;
    for (const float v : m_velocity.samples()) {
        if (!std::isfinite(v)) {
            ++r.nonFinite;
            continue;
        }
        const double d = static_cast<double>(v);
        r.low = first ? d : std::min(r.low, d);
        r.high = first ? d : std::max(r.high, d);
        first = false;
    }
    return r;
}

Result<Model> Model::withGrid(Grid grid) const
{
    if (grid.rank != m_grid.rank || grid.nz != m_grid.nz || grid.ny != m_grid.ny || grid.nx != m_grid.nx) {
        return badInput("another grid must have the same node counts as the model's own");
    }
    Model m = *this;
    m.m_grid = grid;
    return m;
}

} // namespace ondo
