// `ondo info`: what this build and this machine offer.
#include "app/cli/commands.h"
#include "app/cli/terminal.h"

#include "engine/core/json.h"
#include "engine/device/cuda_module.h"
#include "engine/device/device_list.h"
#include "engine/io/result_writer.h"

#include <fmt/format.h>

#include <memory>

namespace ondo::cli {

namespace {

#ifdef ONDO_CLI_HAS_RENDER
constexpr bool kRender = true;
#else
constexpr bool kRender = false;
#endif
#ifdef ONDO_PARITY_BUILD
constexpr bool kParity = true;
#else
constexpr bool kParity = false;
#endif
constexpr const char* kBuildKind = ONDO_BUILD_TYPE;

struct Feature {
    const char* name;
    bool there;
    const char* yes;
    const char* no;
};

std::vector<Feature> features()
{
    return {{"hdf5", canWriteHdf5(), "results in HDF5", "built without HDF5: no --out"},
            {"render", kRender, "pictures with axes, colour bar and gather",
             "built without VTK: pictures without axes and gather"},
            {"parity", kParity, "floating-point contraction is off, backends agree to a few ulp",
             "floating-point contraction as the compiler likes (a release build)"}};
}

struct Formats {
    const char* what;
    std::vector<std::string> names;
};

std::vector<Formats> formats()
{
    std::vector<std::string> results = {".npy", ".sgy"};
    if (canWriteHdf5()) {
        results.insert(results.begin(), ".h5");
    }
    return {{"models read",
             {"NumPy .npy .npz", "raw binary", "SEG-Y", "SU", "Madagascar RSF", "MATLAB 4 and 5 .mat", "HDF5",
              "Fortran records", "VTK .vti and .vtk", "text"}},
            {"models written", {".npy", ".bin", ".rsf", ".segy", ".vti", ".vtk", ".h5"}},
            {"places read",
             {"SPS 0 and 2.1", "P1/90", "SEG-Y and SU headers", "CSV and tables", "DENISE", "SPECFEM STATIONS"}},
            {"wavelets read", {"text and CSV", ".npy", "SU", "SEG-Y"}},
            {"results written", results},
            {"pictures written", {".png"}}};
}

std::string deviceLine(const kernels::DeviceFacts& d)
{
    std::string line =
        fmt::format("{:<8}  {}, {} of memory", d.id, d.name, bytesText(static_cast<double>(d.memoryTotal)));
    if (d.memoryFree > 0) {
        line += fmt::format(", {} free", bytesText(static_cast<double>(d.memoryFree)));
    }
    if (d.computeMajor > 0) {
        line += fmt::format(", compute {}.{}, {} multiprocessors", d.computeMajor, d.computeMinor, d.multiprocessors);
    }
    return line;
}

std::string deviceJson(const kernels::DeviceFacts& d)
{
    json::Object o;
    o.add("id", json::text(d.id)).add("name", json::text(d.name)).add("backend", json::text(d.backend));
    o.add("memory_total", json::number(d.memoryTotal)).add("memory_free", json::number(d.memoryFree));
    if (d.computeMajor > 0) {
        o.add("compute", json::text(fmt::format("{}.{}", d.computeMajor, d.computeMinor)));
        o.add("multiprocessors", json::number(d.multiprocessors)).add("uuid", json::text(d.uuid));
    } else {
        o.add("threads", json::number(d.threads));
    }
    return o.str();
}

int printJson(const DeviceSurvey& survey)
{
    std::vector<std::string> devices;
    for (const auto& d : survey.devices) {
        devices.push_back(deviceJson(d));
    }
    json::Object cuda;
    cuda.add("available", json::boolean(survey.devices.size() > 1)).add("why_not", json::text(survey.cudaReason));
    cuda.add("driver", survey.driverVersion > 0 ? json::text(cudaVersionText(survey.driverVersion)) : "null");
    cuda.add("module", json::text(survey.cudaModule)).add("log", json::texts(survey.log));
    json::Object has;
    for (const auto& f : features()) {
        has.add(f.name, json::boolean(f.there));
    }
    json::Object fallbacks;
    for (const auto& [reason, count] : fallbackCounts()) {
        fallbacks.add(reason, json::number(count));
    }
    json::Object files;
    for (const auto& f : formats()) {
        files.add(f.what, json::texts(f.names));
    }
    json::Object all;
    all.add("program", json::text("ondo"))
        .add("version", json::text(ONDO_VERSION))
        .add("build", json::text(kBuildKind));
    all.add("compiler", json::text(__VERSION__)).add("devices", json::array(devices)).add("cuda", cuda.str());
    all.add("features", has.str()).add("fallbacks", fallbacks.str()).add("formats", files.str());
    fmt::print("{}\n", all.str());
    return kDone;
}

int printText(const DeviceSurvey& survey)
{
    fmt::print("ondo {}, {} build, compiled by gcc {}\n\n", ONDO_VERSION, kBuildKind, __VERSION__);
    fmt::print("devices\n");
    for (const auto& d : survey.devices) {
        fmt::print("  {}\n", deviceLine(d));
    }
    fmt::print("\nCUDA\n");
    if (!survey.cudaReason.empty()) {
        fmt::print("  none: {}\n", survey.cudaReason);
    }
    fmt::print("  driver    {}\n", survey.driverVersion > 0 ? "CUDA " + cudaVersionText(survey.driverVersion) : "none");
    fmt::print("  module    {}\n", survey.cudaModule.empty() ? "none found" : survey.cudaModule);
    for (const auto& line : survey.log) {
        fmt::print("  tried     {}\n", line);
    }
    fmt::print("\nbuild\n");
    for (const auto& f : features()) {
        fmt::print("  {:<8}  {}\n", f.name, f.there ? f.yes : f.no);
    }
    fmt::print("\nfiles\n");
    for (const auto& f : formats()) {
        fmt::print("  {:<17} {}\n", f.what, fmt::join(f.names, ", "));
    }
    const auto fallbacks = fallbackCounts();
    fmt::print("\nfallbacks in this process: {}\n", fallbacks.empty() ? "none" : "");
    for (const auto& [reason, count] : fallbacks) {
        fmt::print("  {} x  {}\n", count, reason);
    }
    return kDone;
}

} // namespace

void addInfoCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("info", "What this build and this machine offer, or what a file holds");
    auto json = std::make_shared<bool>(false);
    auto files = std::make_shared<std::vector<std::string>>();
    command->add_flag("--json", *json, "Machine-readable: one JSON object on stdout; of the machine, not of files")
        ->excludes(
            command->add_option("FILE", *files, "Files to describe by their headers; ondo check reads them whole"));
    command->footer("Where there is no CUDA device, it says why not and what would help.");
    command->callback([json, files, &run] {
        run = [json, files] {
            if (!files->empty()) {
                return describeFiles(*files, {}, false);
            }
            return *json ? printJson(surveyDevices()) : printText(surveyDevices());
        };
    });
}

} // namespace ondo::cli
