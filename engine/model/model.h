// An earth model: a grid and named parameters on it. Value type; the samples are shared and never changed in place,
// so a copy is cheap and a running shot keeps what it started with. Any thread.
#pragma once

#include "engine/grid/grid.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct ParameterField {
    std::string name = "velocity";
    std::string unit = "m/s";
    std::shared_ptr<const std::vector<float>> values; // (z, y, x), x fastest, grid.nodes() samples

    [[nodiscard]] const std::vector<float>& samples() const { return *values; }
};

struct ValueRange {
    double low = 0.0;
    double high = 0.0;
    std::int64_t nonFinite = 0; // NaN and infinities, left out of low and high
};

class Model {
public:
    Model() = default;
    // Refuses a sample count other than grid.nodes(). Values are not judged here: SimulationPlan and ModelCheck do that.
    [[nodiscard]] static Result<Model> make(Grid grid, std::vector<float> velocity, std::string name = "model");
    [[nodiscard]] static Result<Model> constant(const Grid& grid, float velocity);

    [[nodiscard]] const Grid& grid() const { return m_grid; }
    [[nodiscard]] const ParameterField& velocity() const { return m_velocity; }
    // kg/m^3 on the same grid; asked for only where there is one.
    [[nodiscard]] bool hasDensity() const { return m_density.values != nullptr; }
    [[nodiscard]] const ParameterField& density() const { return m_density; }
    // Both refuse a count other than grid.nodes().
    [[nodiscard]] Result<Model> withVelocity(std::vector<float> velocity) const; // the density stays
    [[nodiscard]] Result<Model> withDensity(std::vector<float> density) const;
    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] bool empty() const { return m_velocity.values == nullptr; }
    [[nodiscard]] ValueRange range() const;

    // The same samples on another grid of the same shape (spacing or origin corrected by the user).
    [[nodiscard]] Result<Model> withGrid(Grid grid) const;

private:
    Grid m_grid;
    ParameterField m_velocity;
    ParameterField m_density{"density", "kg/m^3", nullptr};
    std::string m_name;
};

} // namespace ondo
