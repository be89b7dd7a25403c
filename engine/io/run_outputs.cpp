#include "engine/io/run_outputs.h"

#include "engine/io/gather_writer.h"
#include "engine/io/segy_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include <unistd.h>

namespace ondo {

namespace fs = std::filesystem;

namespace {

std::string endingOf(const std::string& path)
{
    std::string ending = fs::path(path).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

Result<> checkOne(const std::string& path, const char* option, std::initializer_list<const char*> endings)
{
    const std::string ending = endingOf(path);
    if (std::none_of(endings.begin(), endings.end(), [&](const char* e) { return ending == e; })) {
        return badInput(fmt::format("{} {}: the name does not end in {}", option, path, fmt::join(endings, " or ")),
                        "the ending chooses the format");
    }
    std::error_code error;
    if (fs::is_directory(path, error)) {
        return badInput(fmt::format("{} {}: this is a folder", option, path), "give a file name");
    }
    const fs::path parent = fs::path(path).parent_path();
    const std::string folder = parent.empty() ? "." : parent.string();
    if (!fs::is_directory(folder, error)) {
        return badInput(fmt::format("{} {}: there is no folder {}", option, path, folder),
                        "create it or write elsewhere");
    }
    if (::access(folder.c_str(), W_OK) != 0) {
        return badInput(fmt::format("{} {}: the folder {} is not writable", option, path, folder), "write elsewhere");
    }
    return {};
}

bool sameFile(const std::string& a, const std::string& b)
{
    if (a.empty() || b.empty()) {
        return false;
    }
    std::error_code error;
    return fs::weakly_canonical(a, error) == fs::weakly_canonical(b, error);
}

// A run file, a model or a wavelet that an output would take the place of.
Result<> checkInputs(const RunDescription& run, const std::string& runFile, const std::vector<std::string>& others)
{
    std::set<std::string> inputs = {runFile, run.model.path};
    inputs.insert(others.begin(), others.end());
    for (const auto& shot : run.survey.shots) {
        for (const auto& source : shot.sources) {
            inputs.insert(source.wavelet.file);
        }
    }
    const std::pair<const char*, std::string> outputs[] = {{"output.results", run.output.results},
                                                           {"output.picture", run.output.picture},
                                                           {"output.gather", run.output.gather}};
    for (const auto& [option, path] : outputs) {
        for (const auto& input : inputs) {
            if (sameFile(path, input)) {
                return badInput(fmt::format("{} {}: the run reads this file", option, path), "write to another name");
            }
        }
    }
    return {};
}

bool isSegy(const std::string& path)
{
    const std::string ending = endingOf(path);
    return ending == ".sgy" || ending == ".segy";
}

std::string counted(std::size_t n, const char* noun)
{
    return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string describeGathers(const std::vector<Gather>& gathers)
{
    std::size_t traces = 0;
    for (const auto& g : gathers) {
        traces += g.receivers.size();
    }
    const int samples = gathers.empty() ? 0 : gathers.back().samples;
    return fmt::format("{}, {} of {} samples", counted(gathers.size(), "shot"), counted(traces, "trace"), samples);
}

// SEG-Y counts whole microseconds; the exact interval stands in its text header alone.
std::string roundedInterval(const OutputSettings& outputs, const std::vector<Gather>& gathers)
{
    const double exact = gathers.empty() || !isSegy(outputs.gather) ? 0.0 : gathers.front().dt * 1e6;
    const double whole = std::round(exact);
    return std::abs(exact - whole) < 1e-6 * exact || exact == 0.0
               ? std::string()
               : fmt::format("; SEG-Y says {:g} us for {:.6g} us, HDF5 and .npy are exact", whole, exact);
}

} // namespace

Result<> checkOutputs(const RunDescription& run, const std::string& runFile,
                      const std::vector<std::string>& otherInputs)
{
    const OutputSettings& outputs = run.output;
    if (!outputs.results.empty()) {
        if (auto ok = checkOne(outputs.results, "output.results", {".h5", ".hdf5"}); !ok) {
            return ok;
        }
        if (!canWriteHdf5()) {
            return badInput(fmt::format("output.results {}: this program was built without HDF5", outputs.results),
                            "write the traces with --gather as .sgy or .npy");
        }
    }
    if (!outputs.picture.empty()) {
        if (auto ok = checkOne(outputs.picture, "output.picture", {".png"}); !ok) {
            return ok;
        }
    }
    if (!outputs.gather.empty()) {
        if (auto ok = checkOne(outputs.gather, "output.gather", {".sgy", ".segy", ".npy"}); !ok) {
            return ok;
        }
    }
    if (sameFile(outputs.results, outputs.picture) || sameFile(outputs.results, outputs.gather) ||
        sameFile(outputs.picture, outputs.gather)) {
        return badInput("two outputs have the same name", "give each its own");
    }
    return checkInputs(run, runFile, otherInputs);
}

Result<> checkGatherFits(const RunDescription& run, const TimeAxis& time)
{
    const std::string& gather = run.output.gather;
    if (isSegy(gather)) {
        return checkSegyTraces("output.gather " + gather, static_cast<std::size_t>(time.count), time.dt * 1e6);
    }
    const auto& shots = run.survey.shots;
    const bool differ = std::any_of(shots.begin(), shots.end(), [&shots](const Shot& s) {
        return s.receivers.size() != shots.front().receivers.size();
    });
    if (!gather.empty() && differ) {
        return badInput(fmt::format("output.gather {}: the shots have different numbers of receivers, which one array "
                                    "cannot hold",
                                    gather),
                        "write SEG-Y or HDF5");
    }
    return {};
}

OutputReport writeOutputs(const OutputSettings& outputs, const RunResult& result, const DrawPicture& drawPicture)
{
    OutputReport report;
    const auto note = [&report](const std::string& path, const Result<std::string>& what) {
        if (!what) {
            report.errors.push_back(what.error());
            return;
        }
        std::error_code error;
        const auto bytes = fs::file_size(path, error);
        report.files.push_back({path, error ? 0 : bytes, *what});
    };
    const std::string partly = result.complete ? "" : ", stopped early";
    if (!outputs.results.empty()) {
        note(outputs.results, writeResults(outputs.results, result).map([&] {
            return "results: " + describeGathers(result.gathers) + partly;
        }));
    }
    if (!outputs.gather.empty()) {
        note(outputs.gather, writeGathers(outputs.gather, result.gathers, result.description.title).map([&] {
            return "gather: " + describeGathers(result.gathers) + partly + roundedInterval(outputs, result.gathers);
        }));
    }
    if (!outputs.picture.empty()) {
        note(outputs.picture, drawPicture(outputs.picture));
    }
    return report;
}

} // namespace ondo
