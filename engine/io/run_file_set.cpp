#include "engine/io/run_file.h"
#include "engine/io/run_keys.h"
#include "engine/io/run_parser.h"

#include <fmt/format.h>

namespace ondo {

namespace {

// The value of an assignment: TOML when it reads as that, otherwise the text as it stands.
void assign(toml::table& section, const std::string& key, const std::string& value)
{
    try {
        const toml::table one = toml::parse("v = " + value);
        if (one.size() == 1) {
            one.get("v")->visit([&](const auto& node) { section.insert_or_assign(key, node); });
            return;
        }
    } catch (const toml::parse_error&) {
    }
    section.insert_or_assign(key, value);
}

// Where is said in one way only: a new one drops the others.
void dropOtherWays(toml::table& section, const std::string& key)
{
    if (key == "columns" || key == "depth") {
        return; // they tell how the file is read
    }
    const bool line = key == "first" || key == "last" || key == "count";
    for (const char* other : {"position", "positions", "first", "last", "count", "file"}) {
        const std::string name(other);
        const bool otherIsLine = name == "first" || name == "last" || name == "count";
        if (name != key && !(line && otherIsLine)) {
            section.erase(name);
        }
    }
}

// A recorded wavelet gives way to an analytic one and the reverse.
void dropOtherWavelet(toml::table& section, const std::string& key, const std::string& value)
{
    if (key == "file" || key == "samples") {
        section.erase("kind");
        section.erase(key == "file" ? "samples" : "file");
    } else if (key == "kind" && value.find("sampled") == std::string::npos) {
        section.erase("file");
        section.erase("samples");
        section.erase("step");
    }
}

// The faces alone: thickness and reflection stay.
void dropFaces(toml::table& boundary)
{
    for (const char* face : {"top", "x_low", "x_high", "y_low", "y_high", "z_low", "z_high"}) {
        boundary.erase(face);
    }
}

std::string trimmed(std::string_view s)
{
    const auto first = s.find_first_not_of(" \t");
    return first == s.npos ? std::string() : std::string(s.substr(first, s.find_last_not_of(" \t") - first + 1));
}

Result<> assignTo(toml::table& table, std::string_view assignment)
{
    const auto equals = assignment.find('=');
    if (equals == assignment.npos) {
        return badInput(fmt::format("--set {}: no \"=\" in it", assignment), "write key=value, as in time.duration=2");
    }
    const std::string name = trimmed(assignment.substr(0, equals));
    const std::string value = trimmed(assignment.substr(equals + 1));
    if (runkeys::find(name) == nullptr) {
        return badInput(fmt::format("--set {}: unknown key {}", assignment, name),
                        fmt::format("did you mean {}?", runkeys::nearest(name)));
    }
    const auto dot = name.find('.');
    const std::string section = dot == std::string::npos ? std::string() : name.substr(0, dot);
    const std::string key = dot == std::string::npos ? name : name.substr(dot + 1);
    if (table.contains("shot") && (section == "source" || section == "receivers" || section == "wavelet")) {
        return badInput(fmt::format("--set {}: this run lists its shots one by one", assignment),
                        "change the [[shot]] sections in the file");
    }
    if (!section.empty() && !table.contains(section)) {
        table.insert(section, toml::table{});
    }
    toml::table& target = section.empty() ? table : *table.get(section)->as_table();
    if (section == "source" || section == "receivers") {
        dropOtherWays(target, key);
    } else if (section == "wavelet") {
        dropOtherWavelet(target, key, value);
    } else if (name == "boundary.all") {
        dropFaces(target);
    } else if (name == "boundary.top") {
        target.erase("z_low");
    }
    assign(target, key, value);
    return {};
}

} // namespace

Result<> setKeys(RunDescription& description, std::span<const std::string> assignments)
{
    if (assignments.empty()) {
        return {};
    }
    auto table = parsedTable(runFileText(description), kAssignments);
    if (!table) {
        return tl::unexpected(table.error());
    }
    for (const auto& assignment : assignments) {
        if (auto ok = assignTo(*table, assignment); !ok) {
            return ok;
        }
    }
    auto built = buildDescription(*table, kAssignments);
    if (!built) {
        return tl::unexpected<Error>(built.error());
    }
    auto& lines = built->remarks.lines;
    lines.insert(lines.begin(), description.remarks.lines.begin(), description.remarks.lines.end());
    description = std::move(*built);
    return {};
}

Result<> setKey(RunDescription& description, std::string_view assignment)
{
    const std::string one(assignment);
    return setKeys(description, std::span(&one, 1));
}

} // namespace ondo
