// The wavelet and the places of a run file, from the sections that were read.
#include "engine/io/run_keys.h"
#include "engine/io/survey_files.h"
#include "engine/io/wavelet_reader.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo::runkeys {

Result<Wavelet> buildWavelet(const Settings& s)
{
    Wavelet w;
    if (s.has("file") && s.has("samples")) {
        return badInput(fmt::format("{}: a wavelet has both file and samples", s.where), "keep one");
    }
    if (s.has("file")) {
        const auto step = s.has("step") ? std::optional(s.get<double>("step")) : std::nullopt;
        auto read = readWavelet(s.get<std::string>("file"), step);
        if (!read) {
            return within(read.error(), s.where);
        }
        w = std::move(*read);
    } else if (s.has("samples")) {
        if (!s.has("step")) {
            return badInput(fmt::format("{}: wavelet.samples without wavelet.step", s.where),
                            "give wavelet.step, the seconds between samples");
        }
        auto made = Wavelet::sampled(s.get<std::vector<double>>("samples"), s.get<double>("step"));
        if (!made) {
            return within(made.error(), s.where);
        }
        w = std::move(*made);
    } else if (s.has("step")) {
        return badInput(fmt::format("{}: wavelet.step without a recorded wavelet", s.where),
                        "give wavelet.file or wavelet.samples too");
    }
    if (s.has("kind")) {
        auto kind = waveletKindFromName(s.get<std::string>("kind"));
        if (!kind) {
            return within(kind.error(), s.where);
        }
        if ((*kind == WaveletKind::Sampled) != (w.kind == WaveletKind::Sampled)) {
            return badInput(fmt::format("{}: wavelet.kind = \"{}\" does not fit its other keys", s.where,
                                        s.get<std::string>("kind")),
                            "a \"sampled\" wavelet needs wavelet.file or wavelet.samples, and no other kind has them");
        }
        w.kind = *kind;
    }
    const auto number = [&s](const char* name, double& target) {
        if (s.has(name)) {
            target = s.get<double>(name);
        }
    };
    number("frequency", w.peakFrequency);
    number("delay", w.delay);
    number("amplitude", w.amplitude);
    number("sweep_low", w.sweepLow);
    number("sweep_high", w.sweepHigh);
    number("sweep_length", w.sweepLength);
    if (s.has("derivative")) {
        w.derivative = static_cast<int>(s.get<std::int64_t>("derivative"));
    }
    if (s.has("corners")) {
        const auto& corners = s.get<std::vector<double>>("corners");
        if (corners.size() != 4) {
            return badInput(fmt::format("{}: wavelet.corners has {} numbers", s.where, corners.size()),
                            "give four rising frequencies in Hz");
        }
        std::copy(corners.begin(), corners.end(), w.corners);
    }
    if (auto good = w.check(); !good) {
        return within(good.error(), s.where);
    }
    return w;
}

Result<std::vector<Position>> buildPositions(const Settings& s, const std::string& section)
{
    if (s.has("file")) {
        return badInput(fmt::format("{}: {} names a file of places", s.where, section),
                        "name it in [source] or [receivers], not in a shot of its own");
    }
    const int ways = (s.has("position") ? 1 : 0) + (s.has("positions") ? 1 : 0) +
                     (s.has("first") || s.has("last") || s.has("count") ? 1 : 0);
    if (ways > 1) {
        return badInput(fmt::format("{}: {} says where in more than one way", s.where, section),
                        "use position, or positions, or first, last and count");
    }
    if (s.has("position")) {
        return std::vector<Position>{s.get<Position>("position")};
    }
    if (s.has("positions")) {
        return s.get<std::vector<Position>>("positions");
    }
    if (ways == 0) {
        return std::vector<Position>{};
    }
    const auto count = s.has("count") ? s.get<std::int64_t>("count") : 1;
    if (!s.has("first") || (count > 1 && !s.has("last"))) {
        return badInput(fmt::format("{}: {} has a line without its ends", s.where, section),
                        fmt::format("give {0}.first, {0}.last and {0}.count", section));
    }
    if (s.has("last") && !s.has("count")) {
        return badInput(fmt::format("{}: {} has a line without a count", s.where, section),
                        fmt::format("give {}.count", section));
    }
    std::vector<Position> out;
    const Position last = s.has("last") ? s.get<Position>("last") : s.get<Position>("first");
    for (const auto& r : receiverLine(s.get<Position>("first"), last, static_cast<int>(count))) {
        out.push_back(r.position);
    }
    return out;
}

Result<PlacedSurvey> buildPlaces(const Settings& source, const Settings& receivers, const Settings& geometry)
{
    SurveyFiles files;
    const auto text = [](const Settings& s, const char* key, std::string& out) {
        if (s.has(key)) {
            out = s.get<std::string>(key);
        }
    };
    text(source, "file", files.sources);
    text(source, "columns", files.sourceColumns);
    text(receivers, "file", files.receivers);
    text(receivers, "columns", files.receiverColumns);
    text(geometry, "unit", files.unit);
    text(geometry, "relations", files.relations);
    if (source.has("depth")) {
        files.sourceDepth = source.get<double>("depth");
    }
    if (receivers.has("depth")) {
        files.receiverDepth = receivers.get<double>("depth");
    }
    const auto number = [&geometry](const char* key, double& out) {
        if (geometry.has(key)) {
            out = geometry.get<double>(key);
        }
    };
    number("origin_x", files.projection.originX);
    number("origin_y", files.projection.originY);
    number("azimuth", files.projection.azimuth);
    number("datum", files.projection.datum);
    if (!files.given() && !geometry.values.empty()) {
        return badInput(
            fmt::format("{}: geometry.{} without a file of places", geometry.where, geometry.values.begin()->first),
            "it tells how source.file and receivers.file are read: name one of them beside it");
    }
    for (const auto* s : {&source, &receivers}) {
        const bool other =
            s->has("position") || s->has("positions") || s->has("first") || s->has("last") || s->has("count");
        const char* name = s == &source ? "source" : "receivers";
        if (s->has("file") && other) {
            return badInput(fmt::format("{}: {} says where in more than one way", s->where, name),
                            "use file, or position, or positions, or first, last and count");
        }
        if (!s->has("file") && (s->has("columns") || s->has("depth"))) {
            return badInput(
                fmt::format("{}: {}.{} without {}.file", s->where, name, s->has("depth") ? "depth" : "columns", name),
                fmt::format("name the file of places as {}.file, or leave it out", name));
        }
    }
    PlacedSurvey out;
    if (files.given()) {
        auto placed = placeSurvey(files);
        if (!placed) {
            return within(placed.error(), source.has("file") ? source.where : receivers.where);
        }
        out = std::move(*placed);
    }
    // What no file gives is as it stands in the run file.
    for (const bool isSource : {true, false}) {
        const Settings& s = isSource ? source : receivers;
        if (s.has("file")) {
            continue;
        }
        auto places = buildPositions(s, isSource ? "source" : "receivers");
        if (!places) {
            return tl::unexpected<Error>(places.error());
        }
        (isSource ? out.sources : out.receivers) = std::move(*places);
    }
    return out;
}

} // namespace ondo::runkeys
