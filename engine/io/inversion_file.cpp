#include "engine/io/inversion_file.h"

#include "engine/io/atomic_file.h"
#include "engine/io/inversion_keys.h"
#include "engine/io/inversion_reader.h"
#include "engine/io/run_file.h"

#ifdef ONDO_HAS_HDF5
#include "engine/io/inversion_parts.h"
#include "engine/io/result_parts.h"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <sstream>

namespace ondo {

namespace {

constexpr const char* kDensityLine = "density, samples";

// FNV-1a, 64 bits: tells files apart that were exchanged by mistake, no more.
template<class T>
void digest(std::uint64_t& hash, const std::vector<T>& values)
{
    for (const T& v : values) {
        unsigned char bytes[sizeof(T)];
        std::memcpy(bytes, &v, sizeof(T));
        for (const unsigned char b : bytes) {
            hash = (hash ^ b) * 0x100000001B3ULL;
        }
    }
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

} // namespace

std::vector<std::string> identityOf(const InversionPlan& plan, const InversionSettings& settings,
                                    const std::vector<TraceTable>& observed)
{
    std::vector<std::string> lines = inversionLines(settings);
    const TapeOptions& tape = plan.gradient.tape; // the one that is taken: another could change bits
    // The place of checkpoints changes no bit; what is stored and how often does.
    lines.push_back(
        fmt::format("memory mode {}, storage {}, imaged every {}", tape.mode, storageName(tape.storage), tape.every));
    RunDescription run = plan.plan->run;
    run.output = {};
    run.device = "auto";
    run.model = {}; // what it holds is compared, not where it lies
    for (const auto& line : linesOf(runFileText(run))) {
        if (!line.empty()) {
            lines.push_back("run: " + line);
        }
    }
    lines.push_back(fmt::format("speeds {} to {} m/s, a step of {} s, {} samples", plan.bounds.low, plan.bounds.high,
                                plan.plan->time.innerStep(), plan.plan->time.count));
    std::uint64_t start = 0xCBF29CE484222325ULL;
    digest(start, plan.plan->model.velocity().samples());
    lines.push_back(fmt::format("start model {}, samples {:016x}", plan.plan->model.grid().describe(), start));
    if (plan.plan->model.hasDensity()) {
        std::uint64_t density = 0xCBF29CE484222325ULL;
        digest(density, plan.plan->model.density().samples());
        lines.push_back(fmt::format("{} {:016x}", kDensityLine, density));
    }
    std::uint64_t data = 0xCBF29CE484222325ULL;
    for (const auto& t : observed) {
        digest(data, t.values);
    }
    lines.push_back(fmt::format("observed traces of {} shots, samples {:016x}", observed.size(), data));
    return lines;
}

#ifndef ONDO_HAS_HDF5

Result<std::unique_ptr<InversionFile>> InversionFile::create(const std::string& path, const InversionFileFacts&)
{
    return badInput(path + ": this program was built without HDF5", "use a build with libhdf5");
}

Result<std::unique_ptr<InversionFile>> InversionFile::open(const std::string& path, const std::vector<std::string>&,
                                                           const Grid&, int)
{
    return badInput(path + ": this program was built without HDF5", "use a build with libhdf5");
}

Result<InversionRecord> InversionFile::read(int)
{
    return fail(ErrorKind::Internal, m_path + ": no HDF5");
}

Result<> InversionFile::append(const InversionRecord&)
{
    return fail(ErrorKind::Internal, m_path + ": no HDF5");
}

#else

namespace {

void list(Hdf5Writer& out, hid_t group, const char* name, const std::vector<double>& values, const char* quantity)
{
    if (!values.empty()) {
        const Hid set = out.numbers(group, name, {values.size()}, values.data());
        out.attribute(set.get(), "quantity", std::string(quantity));
    }
}

void writeRecord(Hdf5Writer& out, hid_t iterations, const Grid& grid, int index, const InversionRecord& r,
                 InvertedParameters parameters)
{
    const Hid group = out.group(iterations, recordName(index));
    writeOnGrid(out, group.get(), "velocity", grid, r.speed.data(), "m/s");
    writeOnGrid(out, group.get(), "gradient", grid, r.gradient.data(), "1/(m/s)");
    if (!r.second.empty()) {
        const std::string name(secondName(parameters));
        const std::string unit(secondUnit(parameters));
        writeOnGrid(out, group.get(), name.c_str(), grid, r.second.data(), unit);
        writeOnGrid(out, group.get(), (name + "_gradient").c_str(), grid, r.secondGradient.data(), "1/(" + unit + ")");
    }
    if (!r.held.empty()) {
        writeOnGrid(out, group.get(), "held_density", grid, r.held.data(), "kg/m^3");
    }
    if (!r.illumination.empty()) {
        writeOnGrid(out, group.get(), "illumination", grid, r.illumination.data(), "relative");
    }
    list(out, group.get(), "misfits", r.misfits, "misfit of the data by shot");
    list(out, group.get(), "source_factors", r.factors, "factor of the source by shot");
    list(out, group.get(), "source_filters", r.filters,
         "filter on synthetic traces, one shot fired after the other or one for all, the second half before time 0");
    list(out, group.get(), "wavelets", r.wavelets, "the run's wavelet through that, as many samples as a trace each");
    list(out, group.get(), "drawn_shots", r.drawn, "shots drawn for this iteration, from 0");
    list(out, group.get(), "shot_codes", r.codes, "super-shot of each shot, from 1, with the sign it fired with");
    const std::pair<const char*, double> numbers[] = {
        {"objective", r.objective}, {"data_misfit", r.data}, {"reference_misfit", r.reference},
        {"roughness", r.roughness}, {"step_length", r.step}, {"largest_change", r.change},
        {"seconds", r.seconds}};
    for (const auto& [name, value] : numbers) {
        out.attribute(group.get(), name, value);
    }
    const std::pair<const char*, long long> counts[] = {{"stage", r.stage},
                                                        {"iteration", r.iteration},
                                                        {"unused_traces", r.unused},
                                                        {"restarted", r.restarted ? 1 : 0},
                                                        {"evaluations", r.evaluations}};
    for (const auto& [name, value] : counts) {
        out.attribute(group.get(), name, value);
    }
}

// A key that a file's program did not know yet is what it was then: its standard, which is left out here.
std::vector<std::string> asKnownTo(const std::vector<std::string>& there, const std::vector<std::string>& here)
{
    std::vector<std::string> out;
    const auto keys = inversionKeys();
    const bool density =
        std::any_of(there.begin(), there.end(), [](const std::string& old) { return old.starts_with(kDensityLine); });
    std::copy_if(here.begin(), here.end(), std::back_inserter(out), [&](const std::string& line) {
        const auto key = std::find_if(keys.begin(), keys.end(), [&](const InversionKey& k) {
            return line == fmt::format("inversion.{} = {}", k.name, k.standard);
        });
        if (line.starts_with(kDensityLine)) {
            return density; // not told of before format 3
        }
        return key == keys.end() || std::any_of(there.begin(), there.end(), [&](const std::string& old) {
                   return old.starts_with(fmt::format("inversion.{} = ", key->name));
               });
    });
    return out;
}

InvertedParameters parametersIn(const std::vector<std::string>& identity)
{
    for (const auto p : {InvertedParameters::SpeedDensity, InvertedParameters::SpeedImpedance}) {
        const auto line = fmt::format("inversion.parameters = \"{}\"", parametersName(p));
        if (std::find(identity.begin(), identity.end(), line) != identity.end()) {
            return p;
        }
    }
    return InvertedParameters::Speed;
}

Result<> sameIdentity(const std::string& path, const std::vector<std::string>& there,
                      const std::vector<std::string>& now)
{
    const auto here = asKnownTo(there, now);
    for (std::size_t i = 0; i < std::max(there.size(), here.size()); ++i) {
        const std::string a = i < there.size() ? there[i] : "nothing";
        const std::string b = i < here.size() ? here[i] : "nothing";
        if (a != b) {
            return badInput(fmt::format("{}: was begun with \"{}\", and now there is \"{}\"", path, a, b),
                            "go on with what it was begun with, or begin another file");
        }
    }
    return {};
}

} // namespace

Result<std::unique_ptr<InversionFile>> InversionFile::create(const std::string& path, const InversionFileFacts& facts)
{
    const SimulationPlan& plan = *facts.plan.plan;
    auto written = writeAtomically(path, [&](const std::string& temporary) -> Result<> {
        const Hdf5Lock lock;
        Hdf5Writer out(temporary);
        out.attribute(out.root(), "format", kInversionFormat);
        out.attribute(out.root(), "format_version", kInversionVersion);
        out.attribute(out.root(), "program", std::string("ondoscope"));
        out.attribute(out.root(), "version", std::string(ONDO_VERSION));
        out.attribute(out.root(), "title", plan.run.title);
        out.attribute(out.root(), "created", timeNow());
        out.attribute(out.root(), "observed", facts.observed);
        out.text(out.root(), "identity", fmt::format("{}", fmt::join(facts.identity, "\n")));
        {
            const Hid group = out.group(out.root(), "iterations");
            out.attribute(group.get(), "slowest", facts.plan.bounds.low);
            out.attribute(group.get(), "fastest", facts.plan.bounds.high);
            if (facts.settings.parameters != InvertedParameters::Speed) {
                out.attribute(group.get(), "second_low", facts.plan.second.low);
                out.attribute(group.get(), "second_high", facts.plan.second.high);
            }
        }
        {
            const Hid group = out.group(out.root(), "provenance");
            out.text(group.get(), "plan", facts.description);
            out.text(group.get(), "run_file", runFileText(plan.run));
            out.text(group.get(), "device", plan.device.name);
            std::string settings;
            const auto values = inversionValues(facts.settings);
            const auto keys = inversionKeys();
            for (std::size_t i = 0; i < keys.size(); ++i) {
                settings += fmt::format("inversion.{} = {}\n", keys[i].name, values[i]);
            }
            out.text(group.get(), "settings", settings);
        }
        return out.close();
    });
    if (!written) {
        return tl::unexpected<Error>(written.error());
    }
    return std::unique_ptr<InversionFile>(new InversionFile(path, plan.model.grid(), facts.settings.parameters, 0));
}

Result<std::unique_ptr<InversionFile>>
InversionFile::open(const std::string& path, const std::vector<std::string>& identity, const Grid& grid, int last)
{
    removeAbandoned(path);
    int count = 0;
    {
        const Hdf5Lock lock;
        Hdf5Reader in(path);
        if (auto ok = knownInversion(in, path); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        if (auto ok = sameIdentity(path, linesOf(in.text("/identity")), identity); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        while (in.has(recordGroup(count))) {
            ++count;
        }
    }
    if (last >= count) {
        return badInput(fmt::format("{}: there is no iteration {}", path, last),
                        count > 0 ? fmt::format("the last one is {}", count - 1)
                                  : std::string("there is none yet: leave --from out"));
    }
    if (last >= 0 && last + 1 < count) {
        auto dropped = changeAtomically(path, [&](Hdf5Writer& out) -> Result<> {
            for (int i = count - 1; i > last; --i) {
                out.remove(recordGroup(i));
            }
            return {};
        });
        if (!dropped) {
            return tl::unexpected<Error>(dropped.error());
        }
        count = last + 1;
    }
    return std::unique_ptr<InversionFile>(new InversionFile(path, grid, parametersIn(identity), count));
}

Result<InversionRecord> InversionFile::read(int index)
{
    return readInversionRecord(m_path, index, m_grid);
}

Result<> InversionFile::append(const InversionRecord& record)
{
    auto done = changeAtomically(m_path, [&](Hdf5Writer& out) -> Result<> {
        const Hid iterations = out.openGroup("iterations");
        writeRecord(out, iterations.get(), m_grid, m_count, record, m_parameters);
        return {};
    });
    if (done) {
        ++m_count;
    }
    return done;
}

#endif

} // namespace ondo
