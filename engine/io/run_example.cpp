#include "engine/io/run_example.h"

#include "engine/io/run_file.h"

#include <fmt/format.h>

#include <cctype>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

namespace ondo {

namespace {

struct Example {
    const char* value;
    bool set = false; // stands in force, not as a comment
};

constexpr std::pair<std::string_view, Example> kExamples[] = {
    {"title", {"\"First light\"", true}},
    {"equation", {"\"variable-density\""}},
    {"model.path", {"\"marmousi.mat\""}},
    {"model.dataset", {"\"vp\""}},
    {"model.nz", {"301"}},
    {"model.ny", {"1"}},
    {"model.nx", {"921"}},
    {"model.dz", {"10.0"}},
    {"model.dy", {"10.0"}},
    {"model.dx", {"10.0"}},
    {"model.origin_x", {"0.0"}},
    {"model.origin_y", {"0.0"}},
    {"model.origin_z", {"0.0"}},
    {"model.sample_type", {"\"float32\""}},
    {"model.byte_order", {"\"little\""}},
    {"model.axes", {"\"zx\""}},
    {"model.quantity", {"\"velocity\""}},
    {"model.unit", {"\"m/s\""}},
    {"density.path", {"\"density.npy\""}},
    {"density.dataset", {"\"rho\""}},
    {"density.quantity", {"\"density\""}},
    {"density.value", {"1000.0"}},
    {"density.rule", {"\"gardner\""}},
    {"boundary.all", {"\"absorbing\"", true}},
    {"boundary.top", {"\"free\""}},
    {"boundary.x_low", {"\"absorbing\""}},
    {"boundary.x_high", {"\"absorbing\""}},
    {"boundary.y_low", {"\"absorbing\""}},
    {"boundary.y_high", {"\"absorbing\""}},
    {"boundary.z_low", {"\"absorbing\""}},
    {"boundary.z_high", {"\"absorbing\""}},
    {"boundary.layer_cells", {"20", true}},
    {"boundary.reflection", {"1e-5"}},
    {"boundary.frequency", {"12.0"}},
    {"wavelet.kind", {"\"ricker\"", true}},
    {"wavelet.frequency", {"12.0", true}},
    {"wavelet.delay", {"0.125"}},
    {"wavelet.amplitude", {"1.0"}},
    {"wavelet.derivative", {"1"}},
    {"wavelet.corners", {"[2, 6, 25, 40]"}},
    {"wavelet.sweep_low", {"5.0"}},
    {"wavelet.sweep_high", {"40.0"}},
    {"wavelet.sweep_length", {"8.0"}},
    {"wavelet.file", {"\"wavelet.csv\""}},
    {"wavelet.step", {"0.002"}},
    {"wavelet.samples", {"[0.0, 0.5, 1.0, 0.5, 0.0]"}},
    {"source.position", {"[4600.0, 16.0]", true}},
    {"source.positions", {"[[2300.0, 16.0], [6900.0, 16.0]]"}},
    {"source.first", {"[1000.0, 16.0]"}},
    {"source.last", {"[8200.0, 16.0]"}},
    {"source.count", {"19"}},
    {"source.file", {"\"line.sps\""}},
    {"source.columns", {"\"point x y depth\""}},
    {"source.depth", {"6.0"}},
    {"receivers.file", {"\"line.rps\""}},
    {"receivers.columns", {"\"- x depth\""}},
    {"receivers.depth", {"8.0"}},
    {"geometry.unit", {"\"ft\""}},
    {"geometry.origin_x", {"612977.8"}},
    {"geometry.origin_y", {"9827128.4"}},
    {"geometry.azimuth", {"31.3"}},
    {"geometry.datum", {"0.0"}},
    {"geometry.relations", {"\"line.xps\""}},
    {"receivers.position", {"[6900.0, 16.0]"}},
    {"receivers.positions", {"[[2300.0, 16.0], [6900.0, 16.0]]"}},
    {"receivers.first", {"[200.0, 16.0]", true}},
    {"receivers.last", {"[9000.0, 16.0]", true}},
    {"receivers.count", {"221", true}},
    {"time.duration", {"2.6", true}},
    {"time.sample_interval", {"0.002"}},
    {"time.courant", {"0.7"}},
    {"numerics.order", {"8", true}},
    {"numerics.precision", {"\"float32\""}},
    {"run.device", {"\"auto\"", true}},
    {"run.shots_at_once", {"1"}},
    {"output.results", {"\"first-light.h5\"", true}},
    {"output.picture", {"\"first-light.png\"", true}},
    {"output.picture_time", {"1.2", true}},
    {"output.gather", {"\"first-light.sgy\"", true}},
};

const std::map<std::string_view, Example>& examples()
{
    static const std::map<std::string_view, Example> kAll(std::begin(kExamples), std::end(kExamples));
    return kAll;
}

// Comment lines of at most 110 columns.
std::string commented(const std::string& text)
{
    constexpr std::size_t kWidth = 106;
    std::string out;
    std::size_t from = 0;
    while (from < text.size()) {
        std::size_t length = text.size() - from;
        if (length > kWidth) {
            const auto blank = text.rfind(' ', from + kWidth);
            length = blank == std::string::npos || blank <= from ? kWidth : blank - from;
        }
        out += "# " + text.substr(from, length) + "\n";
        from += length;
        from += from < text.size() && text[from] == ' ' ? 1 : 0;
    }
    return out;
}

std::string keyText(const RunKey& key, const std::string& name)
{
    const auto found = examples().find(key.name);
    const Example example = found == examples().end() ? Example{"?"} : found->second;
    std::string meaning = key.meaning;
    meaning[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(meaning[0])));
    const std::string unit = key.unit.empty() ? "" : ", unit " + key.unit;
    return commented(fmt::format("{}. Type: {}{}. Default: {}.", meaning, key.type, unit, key.defaultText)) +
           fmt::format("{}{} = {}\n", example.set ? "" : "#", name, example.value);
}

} // namespace

std::string exampleRunFile()
{
    std::string out = commented("A run of Ondoscope: one shot through the structural model that comes with it. "
                                "Run it with `ondo run first_light.toml`, or open it in the window.");
    out += "#\n";
    out += commented("Every key stands here, with its meaning, type, unit and default; those that begin with # are not "
                     "in force. Metres, seconds, hertz; a position is [x, z], or [x, y, z] in three dimensions, z "
                     "positive down. Shots that differ in more than their place are written one by one: [[shot]] with "
                     "[[shot.source]] (position, and wavelet = { ... }) and [shot.receivers].");
    std::string section;
    for (const auto& key : runKeys()) {
        const auto dot = key.name.find('.');
        const std::string mine = dot == std::string::npos ? std::string() : key.name.substr(0, dot);
        if (mine != section) {
            section = mine;
            out += fmt::format("\n[{}]", section);
        }
        out += "\n" + keyText(key, dot == std::string::npos ? key.name : key.name.substr(dot + 1));
    }
    return out;
}

} // namespace ondo
