#include "layering_rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace {

using std::string;
using std::string_view;

// Who may include whom, by first folder. Inside ui and app, engine/io is where files meet people.
struct Arrow {
    string_view from;
    std::array<string_view, 5> to;
};
constexpr std::array<Arrow, 5> kArrows = {{
    {"kernels", {"kernels"}},
    {"engine", {"engine", "kernels"}},
    {"render", {"render", "engine"}},
    {"ui", {"ui", "render", "engine", "resources"}},
    {"app", {"app", "ui", "render", "engine", "kernels"}},
}};

bool startsWith(string_view text, string_view head)
{
    return text.substr(0, head.size()) == head;
}

string_view firstFolder(string_view path)
{
    return path.substr(0, path.find('/'));
}

bool under(string_view path, std::initializer_list<string_view> folders)
{
    return std::any_of(folders.begin(), folders.end(), [&](string_view f) { return startsWith(path, f); });
}

// The name between the quotes or brackets of an include line, and which of the two.
struct Include {
    string_view name;
    bool quoted = false;
};

std::optional<Include> includeOf(string_view line)
{
    std::size_t i = line.find_first_not_of(" \t");
    if (i == string_view::npos || line[i] != '#') {
        return {};
    }
    i = line.find_first_not_of(" \t", i + 1);
    if (i == string_view::npos || !startsWith(line.substr(i), "include")) {
        return {};
    }
    i = line.find_first_of("\"<", i);
    if (i == string_view::npos) {
        return {};
    }
    const char close = line[i] == '"' ? '"' : '>';
    const std::size_t end = line.find(close, i + 1);
    if (end == string_view::npos) {
        return {};
    }
    return Include{line.substr(i + 1, end - i - 1), close == '"'};
}

string ownArrowFault(string_view path, string_view name)
{
    const string_view from = firstFolder(path);
    const string_view to = firstFolder(name);
    if (name.find('/') == string_view::npos || startsWith(name, "../") || startsWith(name, "./")) {
        return "\"" + string(name) + "\" is not a full path from the root";
    }
    for (const Arrow& arrow : kArrows) {
        if (arrow.from != from) {
            continue;
        }
        if (std::find(arrow.to.begin(), arrow.to.end(), to) == arrow.to.end()) {
            return string(from) + " must not include " + string(name);
        }
    }
    if (from == "render" && under(name, {"engine/session/", "engine/io/", "engine/device/", "engine/propagator/"})) {
        return "render sees engine's data, not " + string(name);
    }
    if (from == "engine" && under(name, {"engine/io/"}) && !under(path, {"engine/io/", "engine/selftest/"})) {
        return "the engine hands results to sinks and does not read or write files: " + string(name);
    }
    return {};
}

string foreignFault(string_view path, string_view name)
{
    const bool qt = name.size() >= 2 && name[0] == 'Q' && std::isalpha(static_cast<unsigned char>(name[1])) != 0;
    if (qt && !under(path, {"ui/", "app/"})) {
        return "Qt (" + string(name) + ") belongs in ui and app";
    }
    if ((name == "QThread" && !under(path, {"ui/display/"})) || (name == "QThreadPool" && !under(path, {"ui/jobs/"})) ||
        startsWith(name, "QtConcurrent")) {
        return string(name) + ": Qt's threads are for ui/display, its pool for ui/jobs";
    }
    if (startsWith(name, "vtk") && !under(path, {"render/", "ui/vtk/", "app/"})) {
        return "VTK (" + string(name) + ") belongs in render and ui/vtk";
    }
    if ((startsWith(name, "cuda") || startsWith(name, "cub/") || startsWith(name, "thrust/")) &&
        !under(path, {"kernels/cuda/"})) {
        return "CUDA (" + string(name) + ") belongs in kernels/cuda";
    }
    if ((startsWith(name, "hdf5") || name == "H5Cpp.h") && !under(path, {"engine/io/"})) {
        return "HDF5 (" + string(name) + ") belongs in engine/io";
    }
    return {};
}

bool isWordCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool namesThread(string_view code)
{
    for (const string_view word : {string_view("std::thread"), string_view("std::jthread")}) {
        for (std::size_t at = code.find(word); at != string_view::npos; at = code.find(word, at + 1)) {
            const std::size_t end = at + word.size();
            // std::thread::hardware_concurrency() starts nothing.
            const bool member = code.substr(end, 2) == "::";
            if (!member && (end >= code.size() || !isWordCharacter(code[end]))) {
                return true;
            }
        }
    }
    return false;
}

std::size_t mostLines(string_view path)
{
    if (path == "ui/main_window.cpp") {
        return 250;
    }
    return startsWith(path, "ui/") ? 400 : 600;
}

string lineFault(string_view path, string_view line)
{
    if (const auto include = includeOf(line)) {
        const string_view folder = firstFolder(include->name);
        const bool ours = include->quoted ||
                          std::any_of(kArrows.begin(), kArrows.end(), [&](const Arrow& a) { return a.from == folder; });
        // "hdf5.h" in quotes is still HDF5; generated moc files have no folder.
        if (string fault = foreignFault(path, include->name); !fault.empty()) {
            return fault;
        }
        return ours && include->name.find(".moc") == string_view::npos ? ownArrowFault(path, include->name) : string();
    }
    const string_view code = line.substr(0, line.find("//"));
    if (namesThread(code) &&
        !under(path, {"kernels/host/thread_team.cpp", "engine/session/", "engine/io/", "ui/display/"})) {
        return "threads start in kernels/host/thread_team, engine/session, engine/io and ui/display only";
    }
    return {};
}

} // namespace

std::vector<string> layeringFaults(string_view path, string_view text)
{
    std::vector<string> faults;
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (string fault = lineFault(path, text.substr(at, end - at)); !fault.empty()) {
            faults.push_back(string(path) + ":" + std::to_string(number + 1) + ": " + fault);
        }
        at = end + 1;
    }
    if (number > mostLines(path)) {
        faults.push_back(string(path) + ": " + std::to_string(number) + " lines, more than " +
                         std::to_string(mostLines(path)) + ": it has two jobs");
    }
    return faults;
}

std::vector<string> orphanEquations(const std::vector<string>& headers, string_view compiled)
{
    std::vector<string> faults;
    for (const string& header : headers) {
        if (compiled.find("\"kernels/equations/" + header + "\"") == string_view::npos) {
            faults.push_back("kernels/equations/" + header + " is included by nothing else in kernels");
        }
    }
    return faults;
}
