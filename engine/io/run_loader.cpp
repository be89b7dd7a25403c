#include "engine/io/run_loader.h"

#include "engine/io/model_reader.h"
#include "engine/io/run_file.h"
#include "engine/project/default_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace ondo {

namespace {

std::string_view nameOf(std::string_view assignment)
{
    const auto start = assignment.find_first_not_of(" \t");
    return start == std::string_view::npos ? std::string_view() : assignment.substr(start);
}

bool placesTheSource(std::string_view assignment)
{
    return nameOf(assignment).starts_with("source.");
}

bool belongsToSurvey(std::string_view assignment)
{
    const auto name = nameOf(assignment);
    return name.starts_with("source.") || name.starts_with("receivers.") || name.starts_with("wavelet.") ||
           name.starts_with("geometry.");
}

// What was understood of files of places, once the model is known to say whether all of it is used.
void tellPlaces(LoadedRun& run)
{
    const auto& lines = run.description.remarks.lines;
    run.notes.insert(run.notes.end(), lines.begin(), lines.end());
    if (lines.empty() || run.model.grid().rank == 3) {
        return;
    }
    double low = 0.0;
    double high = 0.0;
    const auto look = [&](const Position& p) {
        low = std::min(low, p.y);
        high = std::max(high, p.y);
    };
    for (const auto& shot : run.description.survey.shots) {
        std::for_each(shot.sources.begin(), shot.sources.end(), [&](const Source& s) { look(s.position); });
        std::for_each(shot.receivers.begin(), shot.receivers.end(), [&](const Receiver& r) { look(r.position); });
    }
    if (low != 0.0 || high != 0.0) {
        run.notes.push_back(fmt::format(
            "the model is a section: places that lie {:g} to {:g} m beside it are moved onto it; lay it along "
            "the line with geometry.origin_x, origin_y and azimuth",
            low, high));
    }
}

} // namespace

Result<LoadedRun> loadRun(const std::string& file, std::span<const std::string> assignments)
{
    LoadedRun run;
    if (!file.empty()) {
        auto read = readRunFile(file);
        if (!read) {
            return tl::unexpected<Error>(read.error());
        }
        run.description = std::move(*read);
    }
    std::vector<std::string> early;
    std::vector<std::string> late;
    for (const auto& assignment : assignments) {
        (belongsToSurvey(assignment) ? late : early).push_back(assignment);
    }
    if (auto ok = setKeys(run.description, early); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    auto loaded = readRunModel(run.description);
    if (!loaded) {
        return tl::unexpected<Error>(loaded.error());
    }
    run.model = std::move(loaded->model);
    run.notes = std::move(loaded->notes);
    if (!run.description.survey.shots.empty()) {
        if (auto ok = setKeys(run.description, late); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        tellPlaces(run);
        return run;
    }
    const double duration = run.description.duration;
    const double pictureTime = run.description.output.pictureTime;
    run.description = withDefaultSurvey(std::move(run.description), run.model);
    if (auto ok = setKeys(run.description, late); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    if (!late.empty()) {
        // Chosen once more, for the wavelet that is used.
        run.description.duration = duration;
        run.description.output.pictureTime = pictureTime;
        run.description = withDefaultTimes(std::move(run.description), run.model);
    }
    const bool placed = std::any_of(late.begin(), late.end(), placesTheSource);
    run.notes.emplace_back(placed ? "what was not said of the shot is as in the default shot for this model"
                                  : "no source was given: the default shot for this model is used");
    tellPlaces(run);
    return run;
}

Result<ModelSource> modelHints(std::span<const std::string> assignments)
{
    RunDescription description;
    for (const auto& assignment : assignments) {
        if (!assignment.starts_with("model.")) {
            return badInput(fmt::format("--set {}: only keys of the model tell how a file is to be read", assignment),
                            "such as model.nz, model.nx, model.dz, model.dx or model.sample_type");
        }
    }
    if (auto ok = setKeys(description, assignments); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return description.model;
}

} // namespace ondo
