#include "engine/io/gradient_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/run_file.h"

#ifdef ONDO_HAS_HDF5
#include "engine/io/result_parts.h"
#endif

#include <fmt/format.h>

namespace ondo {

#ifndef ONDO_HAS_HDF5

Result<> writeGradient(const std::string& path, const GradientResult&)
{
    return badInput(path + ": this program was built without HDF5", "use a build with libhdf5");
}

#else

namespace {

const std::string kMisfitUnit = "Pa^2 s";

void writeSources(Hdf5Writer& out, hid_t group, const GradientResult& result, std::size_t shot)
{
    const auto& sources = result.gradient.shots[shot].sources;
    const double step = result.plan.time.innerStep();
    const std::size_t steps = sources.empty() ? 0 : sources.front().series.size();
    std::vector<double> series;
    std::vector<double> amplitudes;
    std::vector<Position> positions;
    for (const auto& s : sources) {
        series.insert(series.end(), s.series.begin(), s.series.end());
        amplitudes.push_back(s.amplitude);
        positions.push_back(s.position.value_or(Position{}));
    }
    const Hid set = out.numbers(group, "wavelets", {sources.size(), steps}, series.data());
    out.attribute(set.get(), "quantity", std::string("derivative of the misfit by each sample of f(t)"));
    out.attribute(set.get(), "unit", kMisfitUnit + (result.plan.model.grid().rank == 2 ? "/Pa" : "/(Pa m)"));
    out.attribute(set.get(), "axes", std::vector<std::string>{"source", "time"});
    out.attribute(set.get(), "sample_interval", step);
    const Hid factor = out.numbers(group, "amplitudes", {sources.size()}, amplitudes.data());
    out.attribute(factor.get(), "quantity", std::string("derivative of the misfit by the wavelet's amplitude"));
    out.attribute(factor.get(), "unit", kMisfitUnit);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto& recorded = sources[i].recorded;
        if (!recorded.empty()) {
            const Hid samples =
                out.numbers(group, fmt::format("recorded_wavelet_{:04}", i), {recorded.size()}, recorded.data());
            out.attribute(samples.get(), "quantity",
                          std::string("derivative of the misfit by each sample of the recorded wavelet"));
            out.attribute(samples.get(), "sample_interval",
                          result.plan.run.survey.shots[shot].sources[i].wavelet.recordedStep);
        }
    }
    if (result.options.sourcePositions) {
        writeCoordinates(out, group, "source_positions", positions, kMisfitUnit + "/m");
    }
}

void writeModelGradient(Hdf5Writer& out, const GradientResult& result)
{
    const Hid group = out.group(out.root(), "gradient");
    const Grid& grid = result.plan.model.grid();
    const Gradient& g = result.gradient;
    out.attribute(group.get(), "equation", std::string(equationKind(result.plan.run.equation).name));
    const auto write = [&](const char* name, const std::vector<double>& values, const char* unit) {
        if (!values.empty()) {
            writeOnGrid(out, group.get(), name, grid, values.data(), kMisfitUnit + unit);
        }
    };
    write("velocity", g.speed, "/(m/s)");
    write("density", g.density, "/(kg/m^3)");
    write("impedance", g.impedance, "/(kg/(m^2 s))");
    if (result.plan.variableDensity()) {
        out.attribute(group.get(), "parameters",
                      std::string(g.density.empty() ? "velocity at fixed impedance, impedance at fixed velocity"
                                                    : "velocity at fixed density, density at fixed velocity"));
    }
}

void writeShot(Hdf5Writer& out, hid_t shots, const GradientResult& result, std::size_t shot)
{
    const Hid group = out.group(shots, fmt::format("{:04}", shot));
    const auto& gradient = result.gradient.shots[shot];
    out.attribute(group.get(), "misfit", gradient.misfit);
    const TraceTable& t = result.gradient.synthetic[shot];
    const Hid set = out.numbers(group.get(), "traces",
                                {static_cast<hsize_t>(t.receivers), static_cast<hsize_t>(t.samples)}, t.values.data());
    out.attribute(set.get(), "unit", std::string("Pa"));
    out.attribute(set.get(), "quantity", std::string("synthetic pressure"));
    out.attribute(set.get(), "axes", std::vector<std::string>{"receiver", "time"});
    out.attribute(set.get(), "sample_interval", t.dt);
    out.attribute(set.get(), "time_unit", std::string("s"));
    writePlaces(out, group.get(), "receivers", result.plan.run.survey.shots[shot].receivers);
    writePlaces(out, group.get(), "sources", result.plan.run.survey.shots[shot].sources);
    const Hid derivatives = out.group(group.get(), "gradient");
    writeSources(out, derivatives.get(), result, shot);
    if (result.options.receiverPositions) {
        writeCoordinates(out, derivatives.get(), "receiver_positions", gradient.receivers, kMisfitUnit + "/m");
    }
}

} // namespace

Result<> writeGradient(const std::string& path, const GradientResult& result)
{
    return writeAtomically(path, [&result](const std::string& temporary) -> Result<> {
        const Hdf5Lock lock;
        Hdf5Writer out(temporary);
        out.attribute(out.root(), "format", std::string("ondoscope gradient"));
        out.attribute(out.root(), "format_version", 1LL);
        out.attribute(out.root(), "program", std::string("ondoscope"));
        out.attribute(out.root(), "version", std::string(ONDO_VERSION));
        out.attribute(out.root(), "title", result.plan.run.title);
        out.attribute(out.root(), "created", timeNow());
        out.attribute(out.root(), "misfit", result.gradient.misfit);
        out.attribute(out.root(), "misfit_unit", kMisfitUnit);
        out.attribute(out.root(), "observed", result.observed);
        out.attribute(out.root(), "memory_mode", result.gradient.tape.mode);
        out.attribute(out.root(), "memory_choice",
                      result.gradient.why.empty() ? std::string("named") : result.gradient.why);
        out.attribute(out.root(), "place", std::string(placeName(result.gradient.tape.place)));
        out.attribute(out.root(), "storage", std::string(storageName(result.gradient.tape.storage)));
        out.attribute(out.root(), "imaged_every", static_cast<long long>(result.gradient.tape.every));
        out.attribute(out.root(), "last_steps", static_cast<long long>(result.gradient.tape.tail));
        out.attribute(out.root(), "declared_error", result.gradient.declaredError);
        writeModelGroup(out, result.plan.model);
        if (result.options.speed) {
            writeModelGradient(out, result);
        }
        {
            const Hid shots = out.group(out.root(), "shots");
            for (std::size_t s = 0; s < result.gradient.shots.size(); ++s) {
                writeShot(out, shots.get(), result, s);
            }
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

#endif

} // namespace ondo
