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
