#include "engine/io/inversion_keys.h"

#include "engine/core/nearest.h"
#include "engine/io/atomic_file.h"
#include "engine/io/run_parser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace ondo {

namespace {

using Node = toml::node;
constexpr const char* kSection = "inversion";

struct Key {
    const char* name;
    const char* type;
    const char* unit;
    const char* meaning;
    bool (*set)(InversionSettings&, const Node&); // false: not of that type or range
    std::string (*show)(const InversionSettings&);
};

std::string shown(double v)
{
    return fmt::format("{}", v); // the shortest that reads back
}

std::optional<double> numberOf(const Node& node)
{
    const auto v = node.value<double>();
    return v && std::isfinite(*v) ? v : std::nullopt;
}

std::optional<std::vector<double>> numbersOf(const Node& node)
{
    if (const auto one = numberOf(node)) {
        return std::vector<double>{*one};
    }
    const auto* list = node.as_array();
    if (list == nullptr || list->empty()) {
        return std::nullopt;
    }
    std::vector<double> out;
    for (const auto& item : *list) {
        const auto v = numberOf(item);
        if (!v) {
            return std::nullopt;
        }
        out.push_back(*v);
    }
    return out;
}

bool setText(std::string& to, const Node& node)
{
    const auto v = node.value<std::string>();
    to = v.value_or(to);
    return v.has_value();
}

bool setFlag(bool& to, const Node& node)
{
    const auto v = node.value_exact<bool>();
    to = v.value_or(to);
    return v.has_value();
}

template<class T>
bool setNumber(T& to, const Node& node, double low, double high = 1e12)
{
    const auto v = numberOf(node);
    if (!v || *v < low || *v > high) {
        return false;
    }
    if constexpr (std::is_integral_v<T>) {
        if (*v != std::floor(*v)) {
            return false;
        }
    }
    to = static_cast<T>(*v);
    return true;
}

bool setOptional(std::optional<double>& to, const Node& node)
{
    double v = 0.0;
    if (!setNumber(v, node, 0.0)) {
        return false;
    }
    to = v;
    return true;
}

std::string shownOptional(const std::optional<double>& v)
{
    return v ? shown(*v) : std::string(kChosen);
}

// Lists of stages may come in either order: the shorter one's only value holds for all.
template<class Apply>
bool setStages(InversionSettings& s, const Node& node, const Apply& apply)
{
    const auto v = numbersOf(node);
    if (!v || (v->size() > 1 && s.stages.size() > 1 && v->size() != s.stages.size())) {
        return false;
    }
    if (v->size() > s.stages.size()) {
        s.stages.resize(v->size(), s.stages.front());
    }
    for (std::size_t i = 0; i < s.stages.size(); ++i) {
        if (!apply(s.stages[i], (*v)[v->size() == 1 ? 0 : i])) {
            return false;
        }
    }
    return true;
}

using S = InversionSettings;
using N = const Node&;

#define ONDO_TEXT(member)                                                                                              \
    [](S& s, N n) { return setText(s.member, n); }, [](const S& s) { return fmt::format("\"{}\"", s.member); }
#define ONDO_FLAG(member)                                                                                              \
    [](S& s, N n) { return setFlag(s.member, n); }, [](const S& s) { return std::string(s.member ? "true" : "false"); }
#define ONDO_NUMBER(member, ...)                                                                                       \
    [](S& s, N n) { return setNumber(s.member, n, __VA_ARGS__); },                                                     \
        [](const S& s) { return shown(static_cast<double>(s.member)); }
#define ONDO_OPTIONAL(member)                                                                                          \
    [](S& s, N n) { return setOptional(s.member, n); }, [](const S& s) { return shownOptional(s.member); }

// Stages, and how traces are compared.
std::vector<Key> dataKeys()
{
    return {
        {"iterations", "integer, 1 or more, or a list of them", "", "iterations; one for all stages or one a stage",
         [](S& s, N n) {
             return setStages(s, n, [](InversionStage& stage, double v) {
                 stage.iterations = v >= 1.0 && v <= 1e6 ? static_cast<int>(v) : 0;
                 return stage.iterations == v;
             });
         },
         [](const S& s) {
             std::vector<int> all;
             for (const auto& stage : s.stages) {
                 all.push_back(stage.iterations);
             }
             return fmt::format("{}", all);
         }},
        {"low_pass", "number, 0 or more, or a list of them", "Hz",
         "corner of each stage's zero-phase low-pass on traces of both sides; 0: none",
         [](S& s, N n) {
             return setStages(s, n, [](InversionStage& stage, double v) {
                 stage.lowPass = v;
                 return v >= 0.0;
             });
         },
         [](const S& s) {
             std::vector<double> all;
             for (const auto& stage : s.stages) {
                 all.push_back(stage.lowPass);
             }
             return fmt::format("{}", all);
         }},
        {"misfit", "one of l2, correlation, huber, envelope, traveltime, transport", "", "how traces are compared",
         ONDO_TEXT(data.kind)},
        {"huber_threshold", "number above 0", "", "of a trace's root mean square: residuals beyond it pull no harder",
         ONDO_NUMBER(data.trace.huberThreshold, 0.0)},
        {"envelope_floor", "number above 0", "", "of a trace's root mean square, added to the envelope in squares",
         ONDO_NUMBER(data.trace.envelopeFloor, 0.0)},
        {"transport_sharpness", "number above 0", "", "of transport: larger, and troughs count less beside crests",
         ONDO_NUMBER(data.trace.transportSharpness, 0.0)},
        {"source_scale", "true or false", "", "each shot's source by the factor that fits best; of l2 alone",
         ONDO_FLAG(data.sourceScale)},
        {"source_filter", "one of none, shot, common", "",
         "each shot's source, or all shots', by the filter that fits best at each frequency; of l2 alone",
         ONDO_TEXT(data.sourceFilter)},
        {"source_water", "number above 0, at most 1", "",
         "of source_filter: of the traces' mean power, added to it where it is divided by",
         ONDO_NUMBER(data.sourceWater, 0.0, 1.0)},
        {"window_from", "number, 0 or more", "s", "samples before are left out", ONDO_NUMBER(data.window.from, 0.0)},
        {"window_to", "number", "s", "samples after are left out", ONDO_OPTIONAL(data.window.to)},
        {"window_taper", "number, 0 or more", "s", "of windows and mutes, inside them",
         ONDO_NUMBER(data.window.taper, 0.0)},
        {"nearest_offset", "number, 0 or more", "m", "receivers nearer are left out",
         ONDO_NUMBER(data.window.nearest, 0.0)},
        {"farthest_offset", "number", "m", "receivers farther are left out", ONDO_OPTIONAL(data.window.farthest)},
        {"mute_speed", "number, 0 or more", "m/s", "samples before offset / speed + mute_delay are left out; 0: none",
         ONDO_NUMBER(data.window.muteSpeed, 0.0)},
        {"mute_delay", "number", "s", "see mute_speed", ONDO_NUMBER(data.window.muteDelay, -1e6)},
    };
}

// What moves, how far, and what it is weighed with beside the data.
std::vector<Key> modelKeys()
{
    return {
        {"slowest", "number above 0", "m/s", "bound; chosen: a fifth below the start model's", ONDO_OPTIONAL(slowest)},
        {"fastest", "number above 0", "m/s", "bound; chosen: a fifth above; it sets the time step",
         ONDO_OPTIONAL(fastest)},
        {"parameters", "one of speed, speed,density, speed,impedance", "",
         "what moves; the last two where density varies, scaled by the start model's means",
         [](S& s, N n) {
             const auto name = n.value<std::string>();
             for (const auto p :
                  {InvertedParameters::Speed, InvertedParameters::SpeedDensity, InvertedParameters::SpeedImpedance}) {
                 if (name && *name == parametersName(p)) {
                     s.parameters = p;
                     return true;
                 }
             }
             return false;
         },
         [](const S& s) { return fmt::format("\"{}\"", parametersName(s.parameters)); }},
        {"second_low", "number above 0", "kg/m^3 or kg/(m^2 s)",
         "bound of density or impedance; chosen: a fifth below the start model's", ONDO_OPTIONAL(secondLow)},
        {"second_high", "number above 0", "kg/m^3 or kg/(m^2 s)",
         "bound; chosen: a fifth above; both set the time step too", ONDO_OPTIONAL(secondHigh)},
        {"second_tikhonov", "number, 0 or more", "", "as tikhonov, of density or impedance",
         ONDO_NUMBER(secondTikhonov, 0.0)},
        {"second_total_variation", "number, 0 or more", "", "as total_variation, of density or impedance",
         ONDO_NUMBER(secondTotalVariation, 0.0)},
        {"fixed_depth", "number, 0 or more", "m", "nodes nearer to the grid's top do not move",
         ONDO_NUMBER(fixedDepth, 0.0)},
        {"fixed_speed", "number, 0 or more", "m/s", "nodes no faster than this at the start (water) do not move",
         ONDO_NUMBER(fixedSpeed, 0.0)},
        {"tikhonov", "number, 0 or more", "", "weight of squared slopes beside a data misfit that begins at 1",
         ONDO_NUMBER(tikhonov, 0.0)},
        {"total_variation", "number, 0 or more", "", "weight of slopes, likewise", ONDO_NUMBER(totalVariation, 0.0)},
        {"total_variation_epsilon", "number above 0", "", "slopes below it are squared", ONDO_NUMBER(epsilon, 0.0)},
        {"illumination", "true or false", "", "divide the gradient by the sources' light where a stage begins",
         ONDO_FLAG(illumination)},
        {"water", "number above 0", "", "of the mean light, added to it", ONDO_NUMBER(water, 0.0)},
        {"smoothing", "number, 0 or more", "m", "standard deviation of the Gaussian that smooths the gradient",
         ONDO_NUMBER(smoothing, 0.0)},
    };
}

std::vector<Key> stepKeys()
{
    return {
        {"optimiser", "one of lbfgs, cg, steepest, adam, gauss-newton", "", "how the next model is chosen",
         ONDO_TEXT(optimiser.method)},
        {"memory", "integer, 1 to 1000", "", "of lbfgs: steps it remembers", ONDO_NUMBER(optimiser.memory, 1, 1000)},
        {"inner", "integer, 1 to 1000", "",
         "of gauss-newton: products with the curvature a step, a Born run and a gradient each",
         ONDO_NUMBER(optimiser.inner, 1, 1000)},
        {"first_step", "number above 0", "m/s", "largest change of a node in the first step, and in adam's",
         ONDO_NUMBER(optimiser.firstStep, 0.0)},
        {"largest_step", "number above 0", "m/s", "and in any step", ONDO_NUMBER(optimiser.mostStep, 0.0)},
        {"trials", "integer, 1 to 100", "", "gradients computed for a step at the most",
         ONDO_NUMBER(optimiser.mostTrials, 1, 100)},
        {"shots_per_iteration", "integer, 0 or more", "",
         "shots drawn at random for each iteration; 0: all. Of adam alone", ONDO_NUMBER(shotsPerIteration, 0, 1e9)},
        {"encoded_shots", "integer, 0 or more", "",
         "super-shots that all shots fire as, signs at random for each iteration; 0: each shot alone. Of adam and l2",
         ONDO_NUMBER(encodedShots, 0, 1e9)},
        {"seed", "integer, 0 or more", "", "of these draws and signs", ONDO_NUMBER(seed, 0, 9007199254740992.0)},
    };
}

const std::vector<Key>& keys()
{
    static const std::vector<Key> table = [] {
        std::vector<Key> all;
        for (const auto& part : {dataKeys(), modelKeys(), stepKeys()}) {
            all.insert(all.end(), part.begin(), part.end());
        }
        return all;
    }();
    return table;
}

#undef ONDO_TEXT
#undef ONDO_FLAG
#undef ONDO_NUMBER
#undef ONDO_OPTIONAL

std::string fullName(const Key& key)
{
    return fmt::format("{}.{}", kSection, key.name);
}

Result<> apply(InversionSettings& s, const std::string& name, const Node& node, const std::string& where)
{
    std::vector<std::string> all;
    for (const auto& key : keys()) {
        if (name == key.name) {
            if (!key.set(s, node)) {
                return badInput(fmt::format("{}: {} cannot be that", where, fullName(key)),
                                fmt::format("give {}{}{}", key.type,
                                            *key.unit == 0 ? "" : fmt::format(", in {}", key.unit),
                                            node.is_array() ? "; lists of stages have one length" : ""));
            }
            return {};
        }
        all.push_back(fullName(key));
    }
    const auto near = nearestWord(fmt::format("{}.{}", kSection, name), all);
    return badInput(fmt::format("{}: unknown key {}.{}", where, kSection, name),
                    near.empty() ? "ondo invert --keys lists them" : fmt::format("did you mean {}?", near));
}

Result<> applyFile(InversionSettings& s, const std::string& file)
{
    const auto text = readText(file);
    if (!text) {
        return tl::unexpected<Error>(text.error());
    }
    const auto table = parsedTable(*text, file);
    if (!table) {
        return tl::unexpected<Error>(table.error());
    }
    const auto* section = table->get(kSection);
    if (section == nullptr) {
        return {};
    }
    if (!section->is_table()) {
        return badInput(fmt::format("{}: {} must be a section", file, kSection),
                        "write [inversion] and its keys below it");
    }
    for (const auto& [key, node] : *section->as_table()) {
        const auto where = fmt::format("{}:{}", file, node.source().begin.line);
        if (auto ok = apply(s, std::string(key.str()), node, where); !ok) {
            return ok;
        }
    }
    return {};
}

Result<> applyAssignment(InversionSettings& s, const std::string& assignment)
{
    const auto equals = assignment.find('=');
    const auto where = fmt::format("{} {}", kAssignments, assignment);
    if (equals == std::string::npos) {
        return badInput(fmt::format("{}: no \"=\" in it", where), "write key=value");
    }
    const auto from = std::string(kSection).size() + 1;
    std::string name = assignment.substr(from, equals - from);
    name.erase(name.find_last_not_of(" \t") + 1);
    const std::string value = assignment.substr(equals + 1);
    toml::table one;
    try {
        one = toml::parse("v = " + value);
    } catch (const toml::parse_error&) {
        one.insert_or_assign("v", value); // text needs no quotes
    }
    return apply(s, name, *one.get("v"), where);
}

} // namespace

std::vector<InversionKey> inversionKeys()
{
    std::vector<InversionKey> all;
    const InversionSettings standard;
    for (const auto& key : keys()) {
        all.push_back({key.name, key.type, key.unit, key.meaning, key.show(standard)});
    }
    return all;
}

std::vector<std::string> inversionValues(const InversionSettings& settings)
{
    std::vector<std::string> values;
    for (const auto& key : keys()) {
        values.push_back(key.show(settings));
    }
    return values;
}

bool isInversionKey(std::string_view assignment)
{
    return assignment.starts_with("inversion.");
}

Result<InversionSettings> readInversionSettings(const std::string& file, std::span<const std::string> assignments)
{
    InversionSettings s;
    if (!file.empty()) {
        if (auto ok = applyFile(s, file); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
    }
    for (const auto& assignment : assignments) {
        if (isInversionKey(assignment)) {
            if (auto ok = applyAssignment(s, assignment); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
    }
    return s;
}

std::vector<std::string> inversionLines(const InversionSettings& settings)
{
    InversionSettings s = settings;
    if (!s.stages.empty()) {
        s.stages.back().iterations = 0;
    }
    std::vector<std::string> lines;
    for (const auto& key : keys()) {
        lines.push_back(fmt::format("{} = {}", fullName(key), key.show(s)));
    }
    return lines;
}

std::string inversionKeysText()
{
    const InversionSettings standard;
    std::string text;
    for (const auto& key : keys()) {
        text += fmt::format("{}  ({}{}; {})\n    {}\n", fullName(key), key.type,
                            *key.unit == 0 ? "" : fmt::format(", {}", key.unit), key.show(standard), key.meaning);
    }
    return text;
}

} // namespace ondo
