// The density of a run's model: readRunModel.
#include "engine/io/model_reader.h"

#include <fmt/format.h>

#include <cmath>

namespace ondo {

namespace {

constexpr double kGardner = 310.0; // kg/m^3 for speeds in m/s: 0.31 g/cm^3 (Gardner, Gardner and Gregory 1974)

Result<std::vector<float>> densityFromFile(const RunDescription& run, const Model& model, const std::string& folder)
{
    ModelSource source = run.model;
    source.path = run.density.path;
    source.dataset = run.density.dataset;
    // As they stand: no unit is guessed.
    source.quantity = "velocity";
    source.unit = "m/s";
    // The grid is the model's, whether the file says one or not.
    const Grid& g = model.grid();
    source.dz = g.dz;
    source.dx = g.dx;
    if (g.rank == 3) {
        source.dy = g.dy;
    }
    const auto read = readModel(source, folder);
    if (!read) {
        return within(read.error(), "the density");
    }
    const Grid& a = read->model.grid();
    if (a.rank != g.rank || a.nz != g.nz || a.ny != g.ny || a.nx != g.nx) {
        return badInput(fmt::format("the density is {} x {} x {} nodes (z, y, x), the model {} x {} x {}", a.nz, a.ny,
                                    a.nx, g.nz, g.ny, g.nx),
                        "give a density on the model's own grid");
    }
    auto values = read->model.velocity().samples();
    if (run.density.quantity == "impedance") {
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] =
                static_cast<float>(static_cast<double>(values[i]) / static_cast<double>(model.velocity().samples()[i]));
        }
    }
    return values;
}

Result<std::vector<float>> densityOf(const RunDescription& run, const Model& model, const std::string& folder)
{
    const DensitySource& d = run.density;
    if (static_cast<int>(!d.path.empty()) + static_cast<int>(d.value.has_value()) + static_cast<int>(d.gardner) > 1) {
        return badInput("density.path, density.value and density.rule say the density more than once", "keep one");
    }
    if (!d.path.empty()) {
        return densityFromFile(run, model, folder);
    }
    std::vector<float> values;
    for (const float v : model.velocity().samples()) {
        values.push_back(static_cast<float>(d.value ? *d.value : kGardner * std::pow(static_cast<double>(v), 0.25)));
    }
    return values;
}

} // namespace

Result<LoadedModel> readRunModel(const RunDescription& run, const std::string& folder)
{
    auto loaded = readModel(run.model, folder);
    if (!loaded || !run.density.given()) {
        return loaded;
    }
    auto density = densityOf(run, loaded->model, folder);
    if (!density) {
        return tl::unexpected<Error>(density.error());
    }
    auto model = loaded->model.withDensity(std::move(*density));
    if (!model) {
        return tl::unexpected<Error>(model.error());
    }
    loaded->model = std::move(*model);
    return loaded;
}

} // namespace ondo
