#include "engine/io/result_writer.h"

#include "engine/io/atomic_file.h"
#include "engine/io/run_file.h"

#ifdef ONDO_HAS_HDF5
#include "engine/io/result_parts.h"
#endif

#include <fmt/format.h>

namespace ondo {

#ifndef ONDO_HAS_HDF5

bool canWriteHdf5()
{
    return false;
}

Result<> writeResults(const std::string& path, const RunResult&)
{
    return badInput(path + ": this program was built without HDF5",
                    "write the gather as .segy or .npy, or use a build with libhdf5");
}

Result<> writeModelHdf5(const std::string& path, const Model&)
{
    return badInput(path + ": this program was built without HDF5",
                    "write .npy, .rsf or .segy, or use a build with libhdf5");
}

#else

namespace {

void writeShot(Hdf5Writer& out, hid_t shots, const Gather& gather, const char* sourceUnit)
{
    const Hid group = out.group(shots, fmt::format("{:04}", gather.shot));
    const auto samples = static_cast<hsize_t>(gather.samples);
    const Hid set = out.numbers(group.get(), "traces", {gather.receivers.size(), samples}, gather.traces.data());
    out.attribute(set.get(), "unit", std::string("Pa"));
    out.attribute(set.get(), "quantity", std::string("pressure"));
    out.attribute(set.get(), "axes", std::vector<std::string>{"receiver", "time"});
    out.attribute(set.get(), "sample_interval", gather.dt);
    out.attribute(set.get(), "first_time", 0.0);
    out.attribute(set.get(), "time_unit", std::string("s"));
    out.attribute(set.get(), "recorded", static_cast<long long>(gather.recorded));
    writePlaces(out, group.get(), "receivers", gather.receivers);
    writePlaces(out, group.get(), "sources", gather.sources);
    std::vector<double> wavelets;
    std::vector<std::string> words;
    for (const auto& source : gather.sources) {
        const auto f = source.wavelet.samples(gather.dt, gather.samples);
        wavelets.insert(wavelets.end(), f.begin(), f.end());
        words.push_back(source.wavelet.describe());
    }
    const Hid shape = out.numbers(group.get(), "wavelets", {gather.sources.size(), samples}, wavelets.data());
    out.attribute(shape.get(), "unit", std::string(sourceUnit));
    out.attribute(shape.get(), "axes", std::vector<std::string>{"source", "time"});
    out.attribute(shape.get(), "sample_interval", gather.dt);
    if (!words.empty()) {
        out.attribute(shape.get(), "description", words);
    }
}

void writeField(Hdf5Writer& out, const LastField& field, const Grid& grid)
{
    const Hid group = out.group(out.root(), "field");
    Grid stored = grid;
    stored.nz = field.nz;
    stored.ny = field.ny;
    stored.nx = field.nx;
    stored.dz = field.dz > 0.0 ? field.dz : grid.dz;
    stored.dy = field.dy > 0.0 ? field.dy : grid.dy;
    stored.dx = field.dx > 0.0 ? field.dx : grid.dx;
    const Hid set = writeOnGrid(out, group.get(), "pressure", stored, field.pressure.data(), "Pa");
    out.attribute(set.get(), "step", field.step);
    out.attribute(set.get(), "time", field.time);
    out.attribute(set.get(), "time_unit", std::string("s"));
}

Result<> checkShapes(const RunResult& result)
{
    for (const auto& g : result.gathers) {
        if (g.traces.size() != g.receivers.size() * static_cast<std::size_t>(g.samples)) {
            return fail(ErrorKind::Internal, fmt::format("shot {} has {} samples for {} receivers of {}", g.shot,
                                                         g.traces.size(), g.receivers.size(), g.samples));
        }
    }
    if (result.field) {
        const auto& f = *result.field;
        if (f.pressure.size() !=
            static_cast<std::size_t>(f.nz) * static_cast<std::size_t>(f.ny) * static_cast<std::size_t>(f.nx)) {
            return fail(ErrorKind::Internal, fmt::format("the last field has {} samples for {} x {} x {}",
                                                         f.pressure.size(), f.nz, f.ny, f.nx));
        }
    }
    return {};
}

} // namespace

bool canWriteHdf5()
{
    return true;
}

Result<> writeResults(const std::string& path, const RunResult& result)
{
    if (auto r = checkShapes(result); !r) {
        return within(r.error(), "while writing " + path);
    }
    return writeAtomically(path, [&result](const std::string& temporary) -> Result<> {
        const Hdf5Lock lock;
        Hdf5Writer out(temporary);
        const std::string created = result.created.empty() ? timeNow() : result.created;
        out.attribute(out.root(), "format", std::string("ondoscope results"));
        out.attribute(out.root(), "format_version", 1LL);
        out.attribute(out.root(), "program", std::string("ondoscope"));
        out.attribute(out.root(), "version", std::string(ONDO_VERSION));
        out.attribute(out.root(), "title", result.description.title);
        out.attribute(out.root(), "device", result.device);
        out.attribute(out.root(), "created", created);
        out.attribute(out.root(), "complete", result.complete ? 1LL : 0LL);
        if (!result.model.empty()) {
            writeModelGroup(out, result.model);
        }
        {
            const Hid shots = out.group(out.root(), "shots");
            for (const auto& gather : result.gathers) {
                // In two dimensions the source is a line: Pa m a metre (survey/wavelet.h).
                const bool flat = !result.model.empty() && result.model.grid().rank == 2;
                writeShot(out, shots.get(), gather, flat ? "Pa" : "Pa m");
            }
        }
        if (result.field) {
            writeField(out, *result.field, result.model.grid());
        }
        {
            const Hid group = out.group(out.root(), "provenance");
            out.text(group.get(), "plan", result.planText);
            out.text(group.get(), "run_file",
                     result.runFileText.empty() ? runFileText(result.description) : result.runFileText);
            out.text(group.get(), "device", result.device);
            out.text(group.get(), "version", ONDO_VERSION);
            out.text(group.get(), "created", created);
        }
        return out.close();
    });
}

Result<> writeModelHdf5(const std::string& path, const Model& model)
{
    return writeAtomically(path, [&model](const std::string& temporary) -> Result<> {
        const Hdf5Lock lock;
        Hdf5Writer out(temporary);
        out.attribute(out.root(), "format", std::string("ondoscope model"));
        out.attribute(out.root(), "format_version", 1LL);
        out.attribute(out.root(), "version", std::string(ONDO_VERSION));
        writeModelGroup(out, model);
        return out.close();
    });
}

#endif

} // namespace ondo
