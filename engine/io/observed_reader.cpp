#include "engine/io/observed_reader.h"

#include "engine/io/array_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kSameInterval = 1e-4; // relative: SEG-Y counts whole microseconds

Result<> checkInterval(const std::string& path, double interval, const TimeAxis& time)
{
    if (interval > 0.0 && std::abs(interval - time.dt) > kSameInterval * time.dt) {
        return badInput(
            fmt::format("{}: its traces have a sample every {:g} s, the run's every {:g} s", path, interval, time.dt),
            fmt::format("give --set time.sample_interval={:g}", interval));
    }
    return {};
}

Result<> checkShape(const std::string& path, const std::string& what, std::int64_t traces, std::int64_t samples,
                    std::int64_t receivers, const TimeAxis& time)
{
    if (traces != receivers) {
        return badInput(fmt::format("{}: {} has {} traces, the survey {} receivers", path, what, traces, receivers),
                        "give one trace a receiver, in the survey's order");
    }
    if (samples != time.count) {
        return badInput(
            fmt::format("{}: {} has traces of {} samples, the run records {}", path, what, samples, time.count),
            fmt::format("give --set time.duration={:g} for as many", static_cast<double>(samples - 1) * time.dt));
    }
    return {};
}

Result<std::vector<double>> samplesOf(const std::string& path, const StoredArray& array)
{
    if (!array.numeric || !array.problem.empty()) {
        return badInput(fmt::format("{}: {} cannot be read: {}", path, array.describe(),
                                    array.problem.empty() ? "it holds no numbers" : array.problem));
    }
    if (array.firstFastest) {
        return badInput(fmt::format("{}: {} stores its first index fastest", path, array.describe()),
                        "convert it to (receiver, sample) with the samples of a trace side by side");
    }
    auto values = readDoubles(array);
    if (!values) {
        return within(values.error(), path);
    }
    return values;
}

// shots/0000/traces and its fellows.
Result<ObservedTraces> fromResults(const ArrayFile& file, const SimulationPlan& plan)
{
    ObservedTraces out;
    const auto& shots = plan.run.survey.shots;
    for (std::size_t s = 0; s < shots.size(); ++s) {
        const auto name = fmt::format("shots/{:04}/traces", s);
        const auto found =
            std::find_if(file.arrays.begin(), file.arrays.end(), [&](const StoredArray& a) { return a.name == name; });
        if (found == file.arrays.end()) {
            return badInput(fmt::format("{}: there are no traces of shot {} ({})", file.path, s + 1, name),
                            "give the data of every shot of the survey");
        }
        if (found->shape.size() != 2) {
            return badInput(fmt::format("{}: {} is no table of traces", file.path, found->describe()));
        }
        if (auto ok = checkShape(file.path, name, found->shape[0], found->shape[1],
                                 static_cast<std::int64_t>(shots[s].receivers.size()), plan.time);
            !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        if (auto ok = checkInterval(file.path, found->sampleInterval, plan.time); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        auto values = samplesOf(file.path, *found);
        if (!values) {
            return tl::unexpected<Error>(values.error());
        }
        out.shots.push_back(
            {static_cast<int>(shots[s].receivers.size()), plan.time.count, plan.time.dt, std::move(*values)});
    }
    return out;
}

// One array for all shots.
Result<ObservedTraces> fromArray(const ArrayFile& file, const StoredArray& array, const SimulationPlan& plan)
{
    std::int64_t receivers = 0;
    for (const auto& shot : plan.run.survey.shots) {
        receivers += static_cast<std::int64_t>(shot.receivers.size());
    }
    const auto rank = array.shape.size();
    if (rank < 2 || rank > 3) {
        return badInput(fmt::format("{}: {} is no table of traces", file.path, array.describe()),
                        "give (receiver, sample) or (shot, receiver, sample)");
    }
    const std::int64_t traces = rank == 3 ? array.shape[0] * array.shape[1] : array.shape[0];
    if (auto ok = checkShape(file.path, array.describe(), traces, array.shape.back(), receivers, plan.time); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const bool seconds = file.sampleInterval && file.intervalUnit == "s";
    if (auto ok = checkInterval(file.path, seconds ? *file.sampleInterval : 0.0, plan.time); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    auto values = samplesOf(file.path, array);
    if (!values) {
        return tl::unexpected<Error>(values.error());
    }
    ObservedTraces out;
    if (!seconds) {
        out.notes.push_back(
            fmt::format("{} does not say its sample interval: taken to be the run's, {:g} s", file.path, plan.time.dt));
    }
    auto at = values->begin();
    for (const auto& shot : plan.run.survey.shots) {
        const auto count = static_cast<std::ptrdiff_t>(shot.receivers.size()) * plan.time.count;
        out.shots.push_back({static_cast<int>(shot.receivers.size()), plan.time.count, plan.time.dt, {at, at + count}});
        at += count;
    }
    return out;
}

} // namespace

Result<ObservedTraces> readObserved(const std::string& path, const SimulationPlan& plan)
{
    const auto file = openArrayFile(path);
    if (!file) {
        return tl::unexpected<Error>(file.error());
    }
    const bool results = std::any_of(file->arrays.begin(), file->arrays.end(),
                                     [](const StoredArray& a) { return a.name.starts_with("shots/"); });
    if (results) {
        return fromResults(*file, plan);
    }
    const StoredArray* main = file->mainArray();
    if (main == nullptr) {
        return badInput(path + ": there is no array in it", "give traces");
    }
    return fromArray(*file, *main, plan);
}

} // namespace ondo
