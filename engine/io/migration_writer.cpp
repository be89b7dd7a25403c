#include "engine/io/migration_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/run_file.h"

#ifdef ONDO_HAS_HDF5
#include "engine/io/result_parts.h"
#endif

#include <fmt/format.h>

#include <filesystem>

namespace ondo {

#ifndef ONDO_HAS_HDF5

Result<> writeMigration(const std::string& path, const MigrationResult&)
{
    return badInput(path + ": this program was built without HDF5", "use a build with libhdf5");
}

Result<> appendIterate(const std::string& path, const Grid&, const LeastSquaresStep&, const std::vector<double>&)
{
    return badInput(path + ": this program was built without HDF5", "use a build with libhdf5");
}

#else

namespace {

void writeImage(Hdf5Writer& out, const MigrationResult& result)
{
    const Hid group = out.group(out.root(), "image");
    const Grid& grid = result.plan.model.grid();
    const Migration& m = result.migration;
    writeOnGrid(out, group.get(), "migrated", grid, m.image.data(), "Pa^2 s");
    writeOnGrid(out, group.get(), "gradient", grid, m.gradient.data(), "Pa^2 s");
    writeOnGrid(out, group.get(), "illumination", grid, m.illumination.data(), "share of the largest");
    out.attribute(group.get(), "parameter", std::string("reflectivity 2 dc / c at fixed density"));
    out.attribute(group.get(), "data",
                  std::string(result.options.subtract ? "observed less the model's own" : "observed"));
    out.attribute(group.get(), "mute", result.options.mute);
    out.attribute(group.get(), "water", result.options.water);
    out.attribute(group.get(), "laplacian", static_cast<long long>(result.options.laplacian ? 1 : 0));
    const Hid misfits = out.numbers(group.get(), "misfits", {m.misfits.size()}, m.misfits.data());
    out.attribute(misfits.get(), "quantity", std::string("half the integral of the data squared, by shot"));
    out.attribute(misfits.get(), "unit", std::string("Pa^2 s"));
}

struct GatherSet {
    const char* name;
    const char* axis;
    const char* unit;
    const std::vector<double>& values;
    const std::vector<double>& along; // the last axis
    const char* alongUnit;
};

void writeGatherSet(Hdf5Writer& out, hid_t group, const LagGathers& gathers, const GatherSet& set)
{
    if (set.values.empty()) {
        return;
    }
    const Hid cube =
        out.numbers(group, set.name, {gathers.columns.size(), static_cast<hsize_t>(gathers.depths), set.along.size()},
                    set.values.data());
    out.attribute(cube.get(), "unit", std::string(set.unit));
    out.attribute(cube.get(), "axes", std::vector<std::string>{"column", "z", set.axis});
    const Hid axis = out.numbers(group, set.axis, {set.along.size()}, set.along.data());
    out.attribute(axis.get(), "unit", std::string(set.alongUnit));
}

void writeGathers(Hdf5Writer& out, const MigrationResult& result)
{
    const LagGathers& gathers = *result.migration.gathers;
    const Hid group = out.group(out.root(), "gathers");
    const Grid& g = result.plan.model.grid();
    out.attribute(group.get(), "every_steps", static_cast<long long>(gathers.every));
    out.attribute(group.get(), "z_spacing", g.dz);
    out.attribute(group.get(), "z_origin", g.origin.z);
    std::vector<double> places;
    std::vector<double> spread;
    const std::size_t size = static_cast<std::size_t>(gathers.depths) * gathers.lagsX.size();
    const int top = static_cast<int>(result.options.mute / g.dz);
    for (std::size_t c = 0; c < gathers.columns.size(); ++c) {
        places.push_back(g.origin.x + gathers.columns[c].x * g.dx);
        places.push_back(g.rank == 3 ? g.origin.y + gathers.columns[c].y * g.dy : 0.0);
        const auto from = gathers.alongX.begin() + static_cast<std::ptrdiff_t>(c * size);
        spread.push_back(lagSpread({from, from + static_cast<std::ptrdiff_t>(size)}, gathers.lagsX, top));
    }
    const Hid columns = out.numbers(group.get(), "columns", {gathers.columns.size(), 2}, places.data());
    out.attribute(columns.get(), "unit", std::string("m"));
    out.attribute(columns.get(), "columns", std::vector<std::string>{"x", "y"});
    const Hid far = out.numbers(group.get(), "spread", {spread.size()}, spread.data());
    out.attribute(far.get(), "quantity", std::string("root of sum h^2 I^2 / sum I^2 over lags along x"));
    out.attribute(far.get(), "unit", std::string("m"));
    writeGatherSet(out, group.get(), gathers, {"lag_x", "lags_x", "Pa^2 s", gathers.alongX, gathers.lagsX, "m"});
    writeGatherSet(out, group.get(), gathers, {"lag_y", "lags_y", "Pa^2 s", gathers.alongY, gathers.lagsY, "m"});
    writeGatherSet(out, group.get(), gathers,
                   {"angle", "angles", "Pa^2 s m", gathers.byAngle, gathers.angles, "degrees"});
}

} // namespace

Result<> writeMigration(const std::string& path, const MigrationResult& result)
{
    return writeAtomically(path, [&result](const std::string& temporary) -> Result<> {
        const Hdf5Lock lock;
        Hdf5Writer out(temporary);
        out.attribute(out.root(), "format", std::string("ondoscope migration"));
        out.attribute(out.root(), "format_version", 1LL);
        out.attribute(out.root(), "program", std::string("ondoscope"));
        out.attribute(out.root(), "version", std::string(ONDO_VERSION));
        out.attribute(out.root(), "title", result.plan.run.title);
        out.attribute(out.root(), "created", timeNow());
        out.attribute(out.root(), "observed", result.observed);
        out.attribute(out.root(), "memory_mode", result.migration.tape.mode);
        writeModelGroup(out, result.plan.model);
        writeImage(out, result);
        if (result.migration.gathers) {
            writeGathers(out, result);
        }
        {
            const Hid group = out.group(out.root(), "iterations");
            out.attribute(group.get(), "damping", result.options.damping);
            out.attribute(group.get(), "asked", static_cast<long long>(result.options.iterations));
        }
        {
            const Hid group = out.group(out.root(), "provenance");
            out.text(group.get(), "plan", result.plan.describe());
            out.text(group.get(), "run_file", runFileText(result.plan.run));
            out.text(group.get(), "device", result.plan.device.name);
            out.text(group.get(), "version", ONDO_VERSION);
        }
        return out.close();
    });
}

Result<> appendIterate(const std::string& path, const Grid& grid, const LeastSquaresStep& step,
                       const std::vector<double>& reflectivity)
{
    return changeAtomically(path, [&](Hdf5Writer& out) -> Result<> {
        const Hid iterations = out.openGroup("iterations");
        const Hid group = out.group(iterations.get(), fmt::format("{:04}", step.iteration - 1));
        writeOnGrid(out, group.get(), "reflectivity", grid, reflectivity.data(), "1");
        out.attribute(group.get(), "iteration", static_cast<long long>(step.iteration));
        out.attribute(group.get(), "residual", step.residual);
        out.attribute(group.get(), "objective", step.objective);
        out.attribute(group.get(), "gradient", step.gradient);
        return {};
    });
}

#endif

} // namespace ondo
