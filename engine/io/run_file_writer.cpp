#include "engine/io/atomic_file.h"
#include "engine/io/run_file.h"
#include "engine/io/run_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace ondo {

namespace fs = std::filesystem;
using runkeys::number;
using runkeys::quoted;

namespace {

std::string positionText(const Position& p)
{
    return p.y == 0.0 ? fmt::format("[{}, {}]", p.x, p.z) : fmt::format("[{}, {}, {}]", p.x, p.y, p.z);
}

std::string numbersText(const std::vector<double>& values)
{
    return fmt::format("[{}]", fmt::join(values, ", "));
}

// A path inside the folder of the run file is written relative to it, so the two can move together.
std::string portable(const std::string& path, const std::string& folder)
{
    if (path.empty() || folder.empty()) {
        return path;
    }
    const std::string relative = fs::path(path).lexically_relative(folder).string();
    return relative.empty() || relative.starts_with("..") ? path : relative;
}

struct Line {
    std::string key;
    std::string value;
};

void positionLines(const std::vector<Position>& places, std::vector<Line>& out)
{
    if (places.size() == 1) {
        out.push_back({"position", positionText(places.front())});
        return;
    }
    std::vector<Position> even;
    for (const auto& r : receiverLine(places.front(), places.back(), static_cast<int>(places.size()))) {
        even.push_back(r.position);
    }
    if (even == places) {
        out.push_back({"first", positionText(places.front())});
        out.push_back({"last", positionText(places.back())});
        out.push_back({"count", std::to_string(places.size())});
        return;
    }
    std::string all;
    for (const auto& p : places) {
        all += (all.empty() ? "" : ", ") + positionText(p);
    }
    out.push_back({"positions", "[" + all + "]"});
}

std::vector<Line> waveletLines(const Wavelet& w, const std::string& folder)
{
    const Wavelet standard;
    std::vector<Line> out;
    const auto put = [&out](const char* key, double value, double usual) {
        if (value != usual) {
            out.push_back({key, number(value)});
        }
    };
    if (w.kind == WaveletKind::Sampled) {
        out.push_back(w.file.empty() ? Line{"samples", numbersText(w.recorded)}
                                     : Line{"file", runkeys::quoted(portable(w.file, folder))});
        out.push_back({"step", number(w.recordedStep)});
    } else {
        out.push_back({"kind", quoted(waveletKindName(w.kind))});
    }
    put("frequency", w.peakFrequency, standard.peakFrequency);
    put("delay", w.delay, 0.0);
    put("amplitude", w.amplitude, 1.0);
    if (w.derivative != standard.derivative) {
        out.push_back({"derivative", std::to_string(w.derivative)});
    }
    if (!std::equal(w.corners, w.corners + 4, standard.corners)) {
        out.push_back({"corners", numbersText({w.corners, w.corners + 4})});
    }
    put("sweep_low", w.sweepLow, standard.sweepLow);
    put("sweep_high", w.sweepHigh, standard.sweepHigh);
    put("sweep_length", w.sweepLength, standard.sweepLength);
    return out;
}

std::string sectionText(const std::string& header, const std::vector<Line>& lines)
{
    std::string out = "\n" + header + "\n";
    for (const auto& line : lines) {
        out += fmt::format("{} = {}\n", line.key, line.value);
    }
    return out;
}

std::string inlineTable(const std::vector<Line>& lines)
{
    std::string out;
    for (const auto& line : lines) {
        out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", line.key, line.value);
    }
    return "{ " + out + " }";
}

std::vector<Position> places(const std::vector<Receiver>& receivers)
{
    std::vector<Position> out;
    for (const auto& r : receivers) {
        out.push_back(r.position);
    }
    return out;
}

// One source a shot, one wavelet and one spread for all: what [source], [receivers] and [wavelet] can say.
bool isCompact(const Survey& survey)
{
    const auto& first = survey.shots.front();
    return std::all_of(survey.shots.begin(), survey.shots.end(), [&first](const Shot& shot) {
        return shot.sources.size() == 1 && !first.sources.empty() &&
               shot.sources.front().wavelet == first.sources.front().wavelet && shot.receivers == first.receivers;
    });
}

std::string unplacedText(const UnplacedShot& shot, const std::string& folder)
{
    std::string out;
    if (shot.wavelet) {
        out += sectionText("[wavelet]", waveletLines(*shot.wavelet, folder));
    }
    if (const auto spread = places(shot.receivers); !spread.empty()) {
        std::vector<Line> lines;
        positionLines(spread, lines);
        out += sectionText("[receivers]", lines);
    }
    return out;
}

std::string surveyText(const Survey& survey, const std::string& folder)
{
    std::string out;
    if (isCompact(survey)) {
        std::vector<Position> sources;
        for (const auto& shot : survey.shots) {
            sources.push_back(shot.sources.front().position);
        }
        std::vector<Line> lines;
        positionLines(sources, lines);
        out += sectionText("[wavelet]", waveletLines(survey.shots.front().sources.front().wavelet, folder));
        out += sectionText("[source]", lines);
        lines.clear();
        if (const auto spread = places(survey.shots.front().receivers); !spread.empty()) {
            positionLines(spread, lines);
            out += sectionText("[receivers]", lines);
        }
        return out;
    }
    for (const auto& shot : survey.shots) {
        out += "\n[[shot]]\n";
        for (const auto& source : shot.sources) {
            out += sectionText("[[shot.source]]", {{"position", positionText(source.position)},
                                                   {"wavelet", inlineTable(waveletLines(source.wavelet, folder))}});
        }
        std::vector<Line> lines;
        if (const auto spread = places(shot.receivers); !spread.empty()) {
            positionLines(spread, lines);
        }
        out += sectionText("[shot.receivers]", lines);
    }
    return out;
}

} // namespace

std::string runFileText(const RunDescription& description, const std::string& folder)
{
    RunDescription d = description;
    d.model.path = portable(d.model.path, folder);
    d.density.path = portable(d.density.path, folder);
    std::string top;
    std::string body;
    std::string section;
    std::string after;
    for (const auto& entry : runkeys::entries()) {
        const std::string value = entry.show != nullptr ? entry.show(d) : std::string();
        if (value.empty()) {
            continue;
        }
        const auto dot = entry.key.name.find('.');
        if (dot == std::string::npos) {
            top += fmt::format("{} = {}\n", entry.key.name, value);
            continue;
        }
        if (entry.key.name.substr(0, dot) != section) {
            section = entry.key.name.substr(0, dot);
            body += fmt::format("\n[{}]\n", section);
        }
        body += fmt::format("{} = {}\n", entry.key.name.substr(dot + 1), value);
    }
    return top + body + (d.survey.shots.empty() ? unplacedText(d.unplaced, folder) : surveyText(d.survey, folder));
}

Result<> writeRunFile(const RunDescription& description, const std::string& path)
{
    std::error_code code;
    const std::string folder = fs::absolute(path, code).lexically_normal().parent_path().string();
    return writeText(path, runFileText(description, folder));
}

const std::vector<RunKey>& runKeys()
{
    static const std::vector<RunKey> kKeys = [] {
        std::vector<RunKey> keys;
        for (const auto& e : runkeys::entries()) {
            keys.push_back(e.key);
        }
        return keys;
    }();
    return kKeys;
}

std::string runKeysText()
{
    std::string out = "Keys of a run file (TOML). Metres, seconds, hertz; a position is [x, z] or [x, y, z], z down.\n"
                      "Shots of their own: [[shot]] with [[shot.source]] (position, wavelet = { ... }) and "
                      "[shot.receivers].\n";
    std::string section;
    for (const auto& key : runKeys()) {
        const auto dot = key.name.find('.');
        if (dot != std::string::npos && key.name.substr(0, dot) != section) {
            section = key.name.substr(0, dot);
            out += fmt::format("\n[{}]\n", section);
        }
        const std::string name = dot == std::string::npos ? key.name : key.name.substr(dot + 1);
        out += fmt::format("  {:<16} {}{}\n  {:<16} {}; default: {}\n", name, key.type,
                           key.unit.empty() ? "" : " [" + key.unit + "]", "", key.meaning, key.defaultText);
    }
    return out;
}

} // namespace ondo
