// `ondo check` and `ondo convert`: what a file is, and the same numbers in another format.
#include "app/cli/commands.h"
#include "app/cli/speed.h"
#include "app/cli/terminal.h"

#include "engine/device/device_list.h"
#include "engine/io/array_checks.h"
#include "engine/io/array_file.h"
#include "engine/io/convert.h"
#include "engine/io/geometry_file.h"
#include "engine/io/model_reader.h"
#include "engine/io/run_loader.h"
#include "engine/io/run_outputs.h"
#include "engine/session/simulation_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace ondo::cli {

namespace {

struct CheckOptions {
    std::vector<std::string> files;
    std::vector<std::string> assignments;
};

Result<> checkRun(const std::string& file, const std::vector<std::string>& assignments)
{
    auto loaded = loadRun(file, assignments);
    if (!loaded) {
        return tl::unexpected<Error>(loaded.error());
    }
    if (auto ok = checkOutputs(loaded->description, file); !ok) {
        return within(ok.error(), file);
    }
    auto choice = openDevice(loaded->description.device);
    if (!choice) {
        return within(choice.error(), file);
    }
    auto plan = SimulationPlan::make(loaded->description, loaded->model, choice->device->facts(),
                                     speedAtHand(choice->device->facts(), false).get());
    if (!plan) {
        return within(plan.error(), file);
    }
    if (auto ok = checkGatherFits(loaded->description, (*plan)->time); !ok) {
        return within(ok.error(), file);
    }
    fmt::print("{}: a run description, good\n", file);
    for (const auto& line : loaded->notes) {
        fmt::print("  note      {}\n", line);
    }
    if (!choice->fallbackReason.empty()) {
        fmt::print("  note      running on the CPU: {}\n", choice->fallbackReason);
    }
    fmt::print("{}", (*plan)->describe());
    return {};
}

// The hints of one file: those of a model, and those of a file of places.
struct FileHints {
    ModelSource model;
    GeometryHints geometry;
};

Result<FileHints> hintsOf(const std::vector<std::string>& assignments)
{
    FileHints out;
    std::vector<std::string> forModel;
    for (const auto& assignment : assignments) {
        if (assignment.starts_with("geometry.unit=")) {
            out.geometry.unit = assignment.substr(14);
        } else if (assignment.starts_with("source.columns=") || assignment.starts_with("receivers.columns=")) {
            out.geometry.columns = assignment.substr(assignment.find('=') + 1);
        } else {
            forModel.push_back(assignment);
        }
    }
    auto model = modelHints(forModel);
    if (!model) {
        return tl::unexpected<Error>(model.error());
    }
    out.model = std::move(*model);
    out.geometry.sampleType = out.model.sampleType;
    out.geometry.byteOrder = out.model.byteOrder;
    return out;
}

// What the numbers would be as a model, and what is suspect in that.
void tellModel(const std::string& file, ModelSource source, const FileReport& report)
{
    constexpr std::int64_t kMost = std::int64_t{1} << 28; // samples: a gigabyte
    const bool planes = std::any_of(report.arrays.begin(), report.arrays.end(), [](const ArrayReport& a) {
        return std::count_if(a.shape.begin(), a.shape.end(), [](std::int64_t n) { return n > 1; }) >= 2;
    });
    if (!planes && !source.nz) {
        return;
    }
    if (report.statistics.count > kMost) {
        fmt::print("  hint: {} samples are too many to be looked at as a model here\n", report.statistics.count);
        return;
    }
    source.path = file;
    const auto loaded = readModel(source);
    if (!loaded) {
        fmt::print("  hint: as a model: {}\n", loaded.error().text());
        return;
    }
    const auto range = loaded->model.range();
    fmt::print("  as a model       {}, {:g} to {:g} m/s\n", loaded->model.grid().describe(), range.low, range.high);
    for (const auto& note : loaded->notes) {
        fmt::print("  note: {}\n", note);
    }
    for (const auto& found : checkModel(loaded->model)) {
        fmt::print("  warning: {}\n", found);
    }
}

Result<> checkArray(const std::string& file, const std::vector<std::string>& assignments, bool whole)
{
    auto hints = hintsOf(assignments);
    if (!hints) {
        return tl::unexpected<Error>(hints.error());
    }
    if (!hints->geometry.columns.empty() || isGeometryFile(file)) {
        auto places = readGeometry(file, hints->geometry);
        if (!places) {
            return tl::unexpected<Error>(places.error());
        }
        fmt::print("{}", places->text());
        return {};
    }
    auto report = whole ? inspect(file, hints->model) : preview(file, hints->model);
    if (!report) {
        return tl::unexpected<Error>(report.error());
    }
    fmt::print("{}", report->text());
    constexpr std::int64_t kFew = 100'000; // traces whose headers are read in a moment
    if (!whole && report->shape.size() == 2 && report->shape[0] > kFew) {
        return {};
    }
    if (report->format == "SEG-Y" || report->format == "SU") {
        if (auto places = readGeometry(file, hints->geometry)) {
            fmt::print("{}", places->text());
        } else {
            fmt::print("  places           none: {}\n", places.error().text());
        }
        return {};
    }
    if (whole) {
        tellModel(file, hints->model, *report);
    }
    if (report->format == "text numbers" && report->shape.size() == 2) {
        fmt::print("  hint: as source.file or receivers.file this is a table of places; see receivers.columns\n");
    }
    return {};
}

} // namespace

int describeFiles(const std::vector<std::string>& files, const std::vector<std::string>& assignments, bool whole)
{
    int worst = kDone;
    for (const auto& file : files) {
        if (&file != &files.front()) {
            fmt::print("\n");
        }
        const auto ok = file.ends_with(".toml") ? checkRun(file, assignments) : checkArray(file, assignments, whole);
        if (!ok) {
            worst = std::max(worst, complain(ok.error()));
        }
    }
    return worst;
}

namespace {

int check(const CheckOptions& options)
{
    return describeFiles(options.files, options.assignments, true);
}

struct ConvertOptions {
    std::string in, out;
    std::vector<std::string> assignments;
};

int convert(const ConvertOptions& options)
{
    auto hints = modelHints(options.assignments);
    if (!hints) {
        return complain(hints.error());
    }
    auto lines = convertFile(options.in, options.out, *hints);
    if (!lines) {
        return complain(lines.error());
    }
    fmt::print("{}", *lines);
    return kDone;
}

void addHints(CLI::App* command, std::vector<std::string>& assignments)
{
    command->add_option("--set", assignments, "How to read a file that does not say it; may be given again")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
}

} // namespace

void addCheckCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("check", "Say what each file is, and whether it is good");
    auto options = std::make_shared<CheckOptions>();
    command
        ->add_option("FILE", options->files,
                     "Models, traces, arrays, surveys of any format that is read, or run descriptions")
        ->required();
    addHints(command, options->assignments);
    command->footer(
        "A run description (.toml) is checked as a run: its model is read, the plan and all warnings are printed.\n"
        "The exit code is 0 when every file is good, 2 otherwise; the other files are looked at all the same.\n"
        "Examples:\n"
        "  ondo check line.sgy model.rsf line.sps survey.toml\n"
        "  ondo check vp.bin --set model.nz=301 --set model.nx=921 --set model.sample_type=float64");
    command->callback([options, &run] { run = [options] { return check(*options); }; });
}

void addConvertCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("convert", "Read a file and write it in the format that OUT asks for");
    auto options = std::make_shared<ConvertOptions>();
    command->add_option("IN", options->in, "The file to read")->required()->type_name("");
    command->add_option("OUT", options->out, "The file to write; its ending chooses the format")
        ->required()
        ->type_name("");
    addHints(command, options->assignments);
    command->footer(
        "A model is written in m/s with depth downwards as .npy, .bin, .rsf, .segy, .vti, .vtk or .h5; traces with\n"
        "their headers as .segy or .su, without them as .npy, .rsf or .bin; plain arrays as .npy or .bin. What a\n"
        "format cannot hold is said. OUT appears when it is complete.\n"
        "Examples:\n"
        "  ondo convert marmousi.mat marmousi.rsf --set model.dz=10 --set model.dx=10\n"
        "  ondo convert shots.sgy shots.su");
    command->callback([options, &run] { run = [options] { return convert(*options); }; });
}

} // namespace ondo::cli
