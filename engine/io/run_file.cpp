#include "engine/io/run_file.h"

#include "engine/io/atomic_file.h"
#include "engine/io/run_keys.h"
#include "engine/io/run_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

namespace ondo {

namespace fs = std::filesystem;
using runkeys::Entry;
using runkeys::Kind;
using runkeys::Settings;
using runkeys::Value;

namespace {

class Parser {
public:
    explicit Parser(std::string path)
        : m_path(std::move(path))
    {
    }

    Result<RunDescription> build(const toml::table& root);

private:
    [[nodiscard]] std::string where(const toml::node& node) const
    {
        // An assignment on the command line has no line.
        const auto line = node.source().begin.line;
        return line == 0 || m_path == kAssignments ? m_path : fmt::format("{}:{}", m_path, line);
    }
    [[nodiscard]] tl::unexpected<Error> wrong(const Entry& entry, const toml::node& node) const;
    [[nodiscard]] std::string resolved(const std::string& path) const;

    Result<Value> readNumber(const Entry& entry, const toml::node& node) const;
    Result<Value> readText(const Entry& entry, const toml::node& node) const;
    Result<std::vector<double>> readNumbers(const Entry& entry, const toml::node& node) const;
    Result<Position> readPosition(const Entry& entry, const toml::node& node) const;
    Result<Value> readValue(const Entry& entry, const toml::node& node) const;
    Result<Settings> readSection(const toml::node& node, const std::string& section) const;
    Result<Settings> optionalSection(const toml::table& root, const std::string& section) const;

    Result<> applyPlain(const toml::table& root, RunDescription& out) const;
    Result<> buildCompactSurvey(const toml::table& root, RunDescription& out) const;
    Result<Shot> buildShot(const toml::table& table, const Wavelet& wavelet,
                           const std::vector<Position>& receivers) const;
    Result<Source> buildSource(const toml::node& node, const Wavelet& wavelet) const;

    std::string m_path;
};

std::string withArticle(const std::string& type)
{
    if (type.starts_with("one of") || type.starts_with("text")) {
        return type;
    }
    return (type.starts_with("integer") ? "an " : "a ") + type;
}

tl::unexpected<Error> Parser::wrong(const Entry& entry, const toml::node& node) const
{
    std::ostringstream value;
    if (const auto* real = node.as_floating_point()) {
        value << fmt::format("{}", real->get()); // 2e35, not 1.9999999999999999e+35
    } else {
        node.visit([&](const auto& n) { value << n; });
    }
    std::string shown = value.str();
    // The library breaks lists into lines.
    shown.erase(std::unique(shown.begin(), shown.end(),
                            [](char a, char b) { return std::isspace(a) != 0 && std::isspace(b) != 0; }),
                shown.end());
    std::replace(shown.begin(), shown.end(), '\n', ' ');
    if (shown.size() > 60) {
        shown = shown.substr(0, 57) + "...";
    }
    const std::string unit = entry.key.unit.empty() ? "" : " (" + entry.key.unit + ")";
    return badInput(fmt::format("{}: {} = {}", where(node), entry.key.name, shown),
                    fmt::format("it must be {}{}", withArticle(entry.key.type), unit));
}

std::string Parser::resolved(const std::string& path) const
{
    if (path.empty() || fs::path(path).is_absolute()) {
        return path;
    }
    std::error_code code;
    const fs::path folder = fs::absolute(fs::path(m_path), code).parent_path();
    return (folder / path).lexically_normal().string();
}

Result<Value> Parser::readNumber(const Entry& entry, const toml::node& node) const
{
    double number = 0.0;
    if (const auto* whole = node.as_integer()) {
        number = static_cast<double>(whole->get());
    } else if (const auto* real = node.as_floating_point(); real != nullptr && entry.kind == Kind::Number) {
        number = real->get();
    } else {
        return wrong(entry, node);
    }
    if (!std::isfinite(number) || number < entry.low || number > entry.high ||
        (entry.aboveLow && number == entry.low)) {
        auto error = wrong(entry, node);
        if (std::isfinite(number) && entry.key.type.find(',') == std::string::npos) {
            error.value().remedy += fmt::format(" from {:g} to {:g}", entry.low, entry.high);
        }
        return error;
    }
    if (entry.kind == Kind::Integer) {
        return Value(node.as_integer()->get());
    }
    return Value(number);
}

Result<Value> Parser::readText(const Entry& entry, const toml::node& node) const
{
    const auto* text = node.as_string();
    if (text == nullptr) {
        return wrong(entry, node);
    }
    if (entry.kind == Kind::Choice &&
        std::find(entry.choices.begin(), entry.choices.end(), text->get()) == entry.choices.end()) {
        return wrong(entry, node);
    }
    return Value(entry.kind == Kind::Path ? resolved(text->get()) : text->get());
}

Result<std::vector<double>> Parser::readNumbers(const Entry& entry, const toml::node& node) const
{
    const auto* list = node.as_array();
    if (list == nullptr) {
        return wrong(entry, node);
    }
    std::vector<double> out;
    out.reserve(list->size());
    for (const auto& item : *list) {
        const auto value = item.is_number() ? item.value<double>() : std::optional<double>();
        if (!value || !std::isfinite(*value)) {
            return wrong(entry, node);
        }
        out.push_back(*value);
    }
    return out;
}

Result<Position> Parser::readPosition(const Entry& entry, const toml::node& node) const
{
    auto list = readNumbers(entry, node);
    if (!list) {
        return tl::unexpected(list.error());
    }
    if (list->size() != 2 && list->size() != 3) {
        Error e = wrong(entry, node).value();
        e.remedy = "a position is [x, z] or [x, y, z] in metres, z positive down";
        return tl::unexpected(e);
    }
    return Position{list->front(), list->size() == 3 ? (*list)[1] : 0.0, list->back()};
}

Result<Value> Parser::readValue(const Entry& entry, const toml::node& node) const
{
    switch (entry.kind) {
    case Kind::Integer:
    case Kind::Number: return readNumber(entry, node);
    case Kind::Text:
    case Kind::Path:
    case Kind::Choice: return readText(entry, node);
    case Kind::Numbers: return readNumbers(entry, node).map([](auto v) { return Value(std::move(v)); });
    case Kind::Position: return readPosition(entry, node).map([](auto v) { return Value(v); });
    case Kind::Positions: break;
    }
    const auto* list = node.as_array();
    if (list == nullptr) {
        return wrong(entry, node);
    }
    std::vector<Position> out;
    for (const auto& item : *list) {
        auto p = readPosition(entry, item);
        if (!p) {
            return tl::unexpected(p.error());
        }
        out.push_back(*p);
    }
    return Value(std::move(out));
}

Result<Settings> Parser::readSection(const toml::node& node, const std::string& section) const
{
    const auto* table = node.as_table();
    if (table == nullptr) {
        return badInput(fmt::format("{}: {} must be a section", where(node), section),
                        fmt::format("write [{}] and its keys below it", section));
    }
    Settings out;
    out.where = where(node);
    for (const auto& [key, value] : *table) {
        const std::string name = section + "." + std::string(key.str());
        const Entry* entry = runkeys::find(name);
        if (entry == nullptr) {
            return badInput(fmt::format("{}: unknown key {}", where(value), name),
                            fmt::format("did you mean {}?", runkeys::nearest(name)));
        }
        auto read = readValue(*entry, value);
        if (!read) {
            return tl::unexpected(read.error());
        }
        out.values.emplace(std::string(key.str()), std::move(*read));
    }
    return out;
}

Result<Settings> Parser::optionalSection(const toml::table& root, const std::string& section) const
{
    const auto* node = root.get(section);
    if (node == nullptr) {
        return Settings{{}, m_path};
    }
    return readSection(*node, section);
}

Result<> Parser::applyPlain(const toml::table& root, RunDescription& out) const
{
    // The inversion's own keys are read by inversion_keys.h.
    const std::set<std::string> together = {"wavelet", "source", "receivers", "geometry", "shot", "inversion"};
    std::set<std::string> sections;
    for (const auto& e : runkeys::entries()) {
        sections.insert(e.key.name.substr(0, e.key.name.find('.')));
    }
    for (const auto& [key, node] : root) {
        const std::string section(key.str());
        if (together.contains(section)) {
            continue;
        }
        const Entry* top = runkeys::find(section);
        if (top == nullptr && !sections.contains(section)) {
            return badInput(fmt::format("{}: unknown key or section {}", where(node), section),
                            fmt::format("did you mean {}?", runkeys::nearest(section)));
        }
        if (top != nullptr) {
            auto value = readValue(*top, node);
            if (!value) {
                return tl::unexpected(value.error());
            }
            top->set(out, *value);
            continue;
        }
        auto settings = readSection(node, section);
        if (!settings) {
            return tl::unexpected(settings.error());
        }
        // In the order of the table, so that boundary.all comes before a single face.
        for (const auto& e : runkeys::entries()) {
            const auto dot = e.key.name.find('.');
            if (dot == std::string::npos || e.key.name.substr(0, dot) != section) {
                continue;
            }
            if (const auto found = settings->values.find(e.key.name.substr(dot + 1)); found != settings->values.end()) {
                e.set(out, found->second);
            }
        }
        if (settings->has("top") && settings->has("z_low") &&
            settings->get<std::string>("top") != settings->get<std::string>("z_low")) {
            return badInput(fmt::format("{}: boundary.top and boundary.z_low differ", settings->where),
                            "they are the same face: keep one");
        }
    }
    if (out.spaceOrder % 2 != 0) {
        return badInput(fmt::format("{}: numerics.order = {}", m_path, out.spaceOrder),
                        "numerics.order must be even, from 2 to 32");
    }
    return {};
}

Result<Source> Parser::buildSource(const toml::node& node, const Wavelet& wavelet) const
{
    const auto* table = node.as_table();
    if (table == nullptr) {
        return badInput(fmt::format("{}: shot.source must be a section", where(node)), "write [[shot.source]]");
    }
    toml::table plain = *table;
    Source source{{}, wavelet};
    if (const auto* own = table->get("wavelet")) {
        auto settings = readSection(*own, "wavelet");
        if (!settings) {
            return tl::unexpected(settings.error());
        }
        auto built = runkeys::buildWavelet(*settings);
        if (!built) {
            return tl::unexpected(built.error());
        }
        source.wavelet = std::move(*built);
        plain.erase("wavelet");
    }
    auto settings = readSection(plain, "source");
    if (!settings) {
        return tl::unexpected(settings.error());
    }
    if (!settings->has("position") || settings->values.size() != 1) {
        return badInput(fmt::format("{}: a shot.source holds position, and may hold wavelet", where(node)),
                        "give position = [x, z]");
    }
    source.position = settings->get<Position>("position");
    return source;
}

Result<Shot> Parser::buildShot(const toml::table& table, const Wavelet& wavelet,
                               const std::vector<Position>& receivers) const
{
    Shot shot;
    std::vector<Position> places = receivers;
    for (const auto& [key, node] : table) {
        if (key.str() == "receivers") {
            auto own = readSection(node, "receivers").and_then([](const Settings& s) {
                return runkeys::buildPositions(s, "shot.receivers");
            });
            if (!own) {
                return tl::unexpected(own.error());
            }
            places = std::move(*own);
        } else if (key.str() == "source" && node.is_array()) {
            for (const auto& item : *node.as_array()) {
                auto source = buildSource(item, wavelet);
                if (!source) {
                    return tl::unexpected(source.error());
                }
                shot.sources.push_back(std::move(*source));
            }
        } else if (key.str() == "source") {
            auto source = buildSource(node, wavelet);
            if (!source) {
                return tl::unexpected(source.error());
            }
            shot.sources.push_back(std::move(*source));
        } else {
            return badInput(fmt::format("{}: unknown key shot.{}", where(node), key.str()),
                            "a shot holds [[shot.source]] and [shot.receivers]");
        }
    }
    if (shot.sources.empty()) {
        return badInput(fmt::format("{}: a shot without a source", where(table)),
                        "add [[shot.source]] with a position");
    }
    for (const auto& p : places) {
        shot.receivers.push_back({p});
    }
    return shot;
}

Result<> Parser::buildCompactSurvey(const toml::table& root, RunDescription& out) const
{
    auto wavelet =
        optionalSection(root, "wavelet").and_then([](const Settings& s) { return runkeys::buildWavelet(s); });
    if (!wavelet) {
        return tl::unexpected(wavelet.error());
    }
    auto source = optionalSection(root, "source");
    auto spread = optionalSection(root, "receivers");
    auto geometry = optionalSection(root, "geometry");
    for (const auto* section : {&source, &spread, &geometry}) {
        if (!*section) {
            return tl::unexpected(section->error());
        }
    }
    auto placed = runkeys::buildPlaces(*source, *spread, *geometry);
    if (!placed) {
        return tl::unexpected(placed.error());
    }
    const auto* sources = &placed->sources;
    const auto* receivers = &placed->receivers;
    out.remarks.lines = std::move(placed->notes);
    std::vector<Receiver> line;
    for (const auto& p : *receivers) {
        line.push_back({p});
    }
    for (std::size_t i = 0; i < sources->size(); ++i) {
        Shot shot{{{(*sources)[i], *wavelet}}, {}};
        if (placed->spreads.empty()) {
            shot.receivers = line;
        } else {
            for (const auto r : placed->spreads[i]) {
                shot.receivers.push_back(line[r]);
            }
        }
        out.survey.shots.push_back(std::move(shot));
    }
    const auto* shots = root.get("shot");
    if (shots == nullptr) {
        if (sources->empty()) {
            out.unplaced.wavelet = root.contains("wavelet") ? std::optional(*wavelet) : std::nullopt;
            out.unplaced.receivers = line;
        }
        return {};
    }
    if (!sources->empty()) {
        return badInput(fmt::format("{}: both [source] and [[shot]]", where(*shots)), "use one of them");
    }
    if (!shots->is_array_of_tables()) {
        return badInput(fmt::format("{}: shot must be a list of sections", where(*shots)), "write [[shot]]");
    }
    for (const auto& item : *shots->as_array()) {
        auto shot = buildShot(*item.as_table(), *wavelet, *receivers);
        if (!shot) {
            return tl::unexpected(shot.error());
        }
        out.survey.shots.push_back(std::move(*shot));
    }
    return {};
}

Result<RunDescription> Parser::build(const toml::table& root)
{
    RunDescription out;
    if (auto r = applyPlain(root, out); !r) {
        return tl::unexpected(r.error());
    }
    if (auto r = buildCompactSurvey(root, out); !r) {
        return tl::unexpected(r.error());
    }
    return out;
}

} // namespace

Result<toml::table> parsedTable(std::string_view text, const std::string& path)
{
    try {
        return toml::parse(text, path);
    } catch (const toml::parse_error& e) {
        return badInput(fmt::format("{}:{}: {}", path, e.source().begin.line, e.description()),
                        "see https://toml.io for the form of the file");
    }
}

Result<RunDescription> buildDescription(const toml::table& root, const std::string& path)
{
    return Parser(path).build(root);
}

Result<RunDescription> parseRunFile(std::string_view text, const std::string& path)
{
    auto table = parsedTable(text, path);
    if (!table) {
        return tl::unexpected(table.error());
    }
    return buildDescription(*table, path);
}

Result<RunDescription> readRunFile(const std::string& path)
{
    auto text = readText(path);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parseRunFile(*text, path);
}

} // namespace ondo
