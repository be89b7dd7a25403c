#include "engine/io/inversion_reader.h"

#include "engine/io/inversion_keys.h"
#include "engine/io/run_file.h"

#ifdef ONDO_HAS_HDF5
#include "engine/io/inversion_parts.h"
#endif

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <sstream>

namespace ondo {

#ifndef ONDO_HAS_HDF5

namespace {

tl::unexpected<Error> without(const std::string& path)
{
    return badInput(path + ": this program was built without HDF5", "use a build with libhdf5");
}

} // namespace

bool isInversionFile(const std::string&)
{
    return false;
}

Result<InversionOverview> readInversion(const std::string& path)
{
    return without(path);
}

Result<InversionRecord> readInversionRecord(const std::string& path, int, const Grid&)
{
    return without(path);
}

Result<Model> readInversionModel(const std::string& path, int)
{
    return without(path);
}

#else

namespace {

// Everything but what lies on the grid and the sources.
InversionRecord readLine(Hdf5Reader& in, int index)
{
    const std::string group = recordGroup(index);
    const auto count = [&](const char* name) { return static_cast<int>(in.number(group, name)); };
    InversionRecord r;
    for (const auto& [name, to] : {std::pair{"/misfits", &r.misfits}, std::pair{"/source_factors", &r.factors},
                                   std::pair{"/drawn_shots", &r.drawn}, std::pair{"/shot_codes", &r.codes}}) {
        if (in.has(group + name)) {
            *to = in.numbers<double>(group + name);
        }
    }
    r.stage = count("stage");
    r.iteration = count("iteration");
    r.unused = count("unused_traces");
    r.restarted = count("restarted") != 0;
    r.evaluations = count("evaluations");
    r.objective = in.number(group, "objective");
    r.data = in.number(group, "data_misfit");
    r.reference = in.number(group, "reference_misfit");
    r.roughness = in.number(group, "roughness");
    r.step = in.number(group, "step_length");
    r.change = in.number(group, "largest_change");
    r.seconds = in.number(group, "seconds");
    return r;
}

Result<Grid> readGrid(Hdf5Reader& in)
{
    const std::string set = recordGroup(0) + "/velocity";
    const auto shape = in.shape(set);
    const auto spacing = in.attributeNumbers(set, "spacing");
    const auto origin = in.attributeNumbers(set, "origin");
    const std::size_t rank = shape.size();
    if (!in.good() || rank < 2 || rank > 3 || spacing.size() != rank || origin.size() != rank ||
        std::any_of(shape.begin(), shape.end(), [](hsize_t n) { return n < 1 || n > hsize_t{1} << 30; })) {
        return fail(ErrorKind::Io, fmt::format("the grid cannot be read ({})", in.wrong()));
    }
    const auto n = [&](std::size_t axis) { return static_cast<int>(shape[axis]); };
    return rank == 2
               ? Grid::make2D(n(0), n(1), spacing[0], spacing[1], {origin[1], 0.0, origin[0]})
               : Grid::make3D(n(0), n(1), n(2), spacing[0], spacing[1], spacing[2], {origin[2], origin[1], origin[0]});
}

// A line "inversion.key = value" each. A last stage of no iterations is what the lines of identity have: it gets as many as
// there are, and at least one.
Result<InversionSettings> settingsFrom(const std::string& lines, const std::vector<InversionRecord>& records)
{
    std::vector<std::string> assignments;
    std::istringstream in(lines);
    for (std::string line; std::getline(in, line);) {
        if (!isInversionKey(line) || line.ends_with(std::string(" = ") + kChosen)) {
            continue;
        }
        if (line.starts_with("inversion.iterations") && line.ends_with(" 0]")) {
            const int done = records.empty() ? 0 : records.back().iteration;
            line.replace(line.size() - 2, 1, std::to_string(std::max(1, done)));
        } else if (line == "inversion.iterations = [0]") {
            line =
                fmt::format("inversion.iterations = [{}]", records.empty() ? 1 : std::max(1, records.back().iteration));
        }
        assignments.push_back(line);
    }
    return readInversionSettings({}, assignments);
}

// "memory mode full, storage exact, imaged every 1", see identityOf().
void readTape(const std::string& identity, TapeOptions& tape)
{
    const auto at = identity.find("memory mode ");
    char mode[32] = "";
    char storage[32] = "";
    int every = 1;
    if (at != std::string::npos &&
        std::sscanf(identity.c_str() + at, "memory mode %31[^,], storage %31[^,], imaged every %d", mode, storage,
                    &every) == 3) {
        tape.mode = mode;
        tape.storage = findStorage(storage).value_or(tape.storage);
        tape.every = every;
    }
}

Result<InversionOverview> readAll(Hdf5Reader& in, const std::string& path)
{
    InversionOverview o;
    o.title = in.attributeText("/", "title");
    o.created = in.attributeText("/", "created");
    o.program = in.attributeText("/", "version");
    o.observed = in.attributeText("/", "observed");
    o.low = in.number("/iterations", "slowest");
    o.high = in.number("/iterations", "fastest");
    o.plan = in.text("/provenance/plan");
    o.device = in.text("/provenance/device");
    for (int i = 0; in.good() && in.has(recordGroup(i)); ++i) {
        o.records.push_back(readLine(in, i));
    }
    if (!o.records.empty() && in.good()) {
        auto grid = readGrid(in);
        if (!grid) {
            return within(grid.error(), path);
        }
        o.grid = *grid;
    }
    const std::string identity = in.text("/identity");
    o.settingsWhole = in.has("/provenance/settings");
    const auto run = parseRunFile(in.text("/provenance/run_file"), path);
    const auto settings = settingsFrom(o.settingsWhole ? in.text("/provenance/settings") : identity, o.records);
    if (!in.good()) {
        return fail(ErrorKind::Io, fmt::format("{}: {}", path, in.wrong()), "look whether the file is whole");
    }
    if (!settings) {
        return within(settings.error(), path);
    }
    if (const auto kind = findTraceMisfit(settings->data.kind); !kind) {
        return within(kind.error(), path);
    }
    if (run) {
        o.run = *run;
    } else {
        o.runProblem = run.error().text();
    }
    o.settings = *settings;
    readTape(identity, o.settings.gradient.tape);
    return o;
}

} // namespace

bool isInversionFile(const std::string& path)
{
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) {
        return false;
    }
    const Hdf5Lock lock;
    Hdf5Reader in(path);
    return in.good() && in.hasAttribute("/", "format") && in.attributeText("/", "format") == kInversionFormat;
}

Result<InversionOverview> readInversion(const std::string& path)
{
    const Hdf5Lock lock;
    Hdf5Reader in(path);
    if (auto ok = knownInversion(in, path); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return readAll(in, path);
}

Result<InversionRecord> readInversionRecord(const std::string& path, int index, const Grid& grid)
{
    const Hdf5Lock lock;
    Hdf5Reader in(path);
    InversionRecord r = readLine(in, index);
    const std::string group = recordGroup(index);
    r.speed = in.numbers<float>(group + "/velocity");
    r.gradient = in.numbers<double>(group + "/gradient");
    if (in.has(group + "/illumination")) {
        r.illumination = in.numbers<double>(group + "/illumination");
    }
    for (const std::string name : kSecondSets) {
        const std::string set = fmt::format("{}/{}", group, name);
        if (in.has(set)) {
            r.second = in.numbers<float>(set);
            r.secondGradient = in.numbers<double>(set + "_gradient");
        }
    }
    if (in.has(group + "/held_density")) {
        r.held = in.numbers<float>(group + "/held_density");
    }
    for (const auto& [name, to] : {std::pair{"/source_filters", &r.filters}, std::pair{"/wavelets", &r.wavelets}}) {
        if (in.has(group + name)) {
            *to = in.numbers<double>(group + name);
        }
    }
    const auto nodes = static_cast<std::size_t>(grid.nodes());
    const bool second = r.second.size() == r.secondGradient.size() && (r.second.empty() || r.second.size() == nodes);
    if (!in.good() || r.speed.size() != nodes || r.gradient.size() != nodes || !second) {
        return fail(ErrorKind::Io, fmt::format("{}: iteration {} cannot be read ({})", path, index, in.wrong()),
                    "go on from an earlier one with --from");
    }
    return r;
}

Result<Model> readInversionModel(const std::string& path, int index)
{
    const auto overview = readInversion(path);
    if (!overview) {
        return tl::unexpected<Error>(overview.error());
    }
    const auto count = static_cast<int>(overview->records.size());
    const int wanted = index < 0 ? count - 1 : index;
    if (wanted < 0 || wanted >= count) {
        return badInput(fmt::format("{}: there is no iteration {}", path, std::max(0, wanted)),
                        count > 0 ? fmt::format("the last one is {}", count - 1)
                                  : std::string("wait for the first one"));
    }
    auto record = readInversionRecord(path, wanted, overview->grid);
    if (!record) {
        return tl::unexpected<Error>(record.error());
    }
    std::vector<float> held;
    if (record->second.empty()) { // a density that does not move is in the first record
        auto first = readInversionRecord(path, 0, overview->grid);
        if (!first) {
            return tl::unexpected<Error>(first.error());
        }
        held = std::move(first->held);
    }
    auto model = Model::make(overview->grid, record->speed, fmt::format("iteration {}", wanted));
    if (model && !held.empty()) {
        model = model->withDensity(std::move(held));
    }
    if (!model) {
        return model;
    }
    return modelOf(*model, record->speed, record->second, overview->settings.parameters);
}

#endif

} // namespace ondo
