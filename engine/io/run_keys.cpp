#include "engine/io/run_keys.h"

#include "engine/core/nearest.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo::runkeys {

namespace {

using Setter = void (*)(RunDescription&, const Value&);
using Shower = std::string (*)(const RunDescription&);

constexpr double kHuge = 1e12;
constexpr double kMostCells = 1e9;

std::string rangeText(const Entry& e)
{
    if (e.high >= kMostCells) {
        return e.low <= -kMostCells ? std::string()
                                    : fmt::format("{} {:g}", e.aboveLow ? ", above" : ", at least", e.low);
    }
    return e.aboveLow ? fmt::format(", above {:g}, at most {:g}", e.low, e.high)
                      : fmt::format(", {:g} to {:g}", e.low, e.high);
}

std::string typeText(const Entry& e)
{
    switch (e.kind) {
    case Kind::Text: return "text";
    case Kind::Path: return "path";
    case Kind::Integer: return "integer" + rangeText(e);
    case Kind::Number: return "number" + rangeText(e);
    case Kind::Numbers: return "list of numbers";
    case Kind::Position: return "position";
    case Kind::Positions: return "list of positions";
    case Kind::Choice: break;
    }
    std::string all;
    for (const auto& c : e.choices) {
        all += (all.empty() ? "one of " : ", ") + c;
    }
    return all;
}

Entry base(const char* name, Kind kind, const char* unit, const char* standard, const char* meaning)
{
    Entry e;
    e.key = {name, "", unit, standard, meaning};
    e.kind = kind;
    return e;
}

Entry finished(Entry e, Setter set, Shower show)
{
    e.key.type = typeText(e);
    e.set = set;
    e.show = show;
    return e;
}

struct Range {
    double low;
    double high;
    bool aboveLow = false;
};

Entry text(const char* name, Kind kind, const char* standard, const char* meaning, Setter set = nullptr,
           Shower show = nullptr)
{
    return finished(base(name, kind, "", standard, meaning), set, show);
}

Entry choice(const char* name, std::vector<std::string> choices, const char* standard, const char* meaning,
             Setter set = nullptr, Shower show = nullptr)
{
    Entry e = base(name, Kind::Choice, "", standard, meaning);
    e.choices = std::move(choices);
    return finished(std::move(e), set, show);
}

Entry ranged(const char* name, Kind kind, Range range, const char* unit, const char* standard, const char* meaning,
             Setter set = nullptr, Shower show = nullptr)
{
    Entry e = base(name, kind, unit, standard, meaning);
    e.low = range.low;
    e.high = range.high;
    e.aboveLow = range.aboveLow;
    return finished(std::move(e), set, show);
}

Entry place(const char* name, Kind kind, const char* unit, const char* meaning)
{
    return finished(base(name, kind, unit, "none", meaning), nullptr, nullptr);
}

const std::string& asText(const Value& v)
{
    return std::get<std::string>(v);
}

int asInt(const Value& v)
{
    return static_cast<int>(std::get<std::int64_t>(v));
}

double asNumber(const Value& v)
{
    return std::get<double>(v);
}

std::string shown(const std::string& value)
{
    return value.empty() ? std::string() : quoted(value);
}

template<class T>
std::string shown(const std::optional<T>& value)
{
    if (!value) {
        return {};
    }
    return number(static_cast<double>(*value));
}

template<class T>
std::string shownUnless(T value, T standard)
{
    return value == standard ? std::string() : number(static_cast<double>(value));
}

FaceCondition condition(const Value& v)
{
    return asText(v) == "free" ? FaceCondition::Free
                               : (asText(v) == "rigid" ? FaceCondition::Rigid : FaceCondition::Absorbing);
}

template<Face face>
Entry faceKey(const char* name, const char* meaning)
{
    return choice(
        name, {"absorbing", "free", "rigid"}, "absorbing", meaning,
        [](RunDescription& d, const Value& v) { d.boundary.at(face) = condition(v); },
        [](const RunDescription& d) {
            const FaceCondition c = d.boundary.at(face);
            return c == FaceCondition::Absorbing ? std::string() : quoted(conditionName(c));
        });
}

void addModel(std::vector<Entry>& all)
{
    using D = RunDescription;
    const Range cells{1, kMostCells};
    const Range step{0, kHuge, true};
    const Range anywhere{-kHuge, kHuge};
    all.push_back(text(
        "title", Kind::Text, "none", "a line that names the run in the results",
        [](D& d, const Value& v) { d.title = asText(v); }, [](const D& d) { return shown(d.title); }));
    all.push_back(text(
        "model.path", Kind::Path, "the built-in structural model",
        "file of the velocity model: .npy, raw binary, SEG-Y, Madagascar RSF, MATLAB .mat, HDF5, VTK",
        [](D& d, const Value& v) { d.model.path = asText(v); }, [](const D& d) { return shown(d.model.path); }));
    all.push_back(text(
        "model.dataset", Kind::Text, "the only two- or three-dimensional one",
        "variable in a MATLAB, .npz or HDF5 file", [](D& d, const Value& v) { d.model.dataset = asText(v); },
        [](const D& d) { return shown(d.model.dataset); }));
    all.push_back(ranged(
        "model.nz", Kind::Integer, cells, "", "from the file", "nodes downwards; a raw binary needs it",
        [](D& d, const Value& v) { d.model.nz = asInt(v); }, [](const D& d) { return shown(d.model.nz); }));
    all.push_back(ranged(
        "model.ny", Kind::Integer, cells, "", "from the file", "nodes along y; a three-dimensional raw binary needs it",
        [](D& d, const Value& v) { d.model.ny = asInt(v); }, [](const D& d) { return shown(d.model.ny); }));
    all.push_back(ranged(
        "model.nx", Kind::Integer, cells, "", "from the file", "nodes along x; a raw binary needs it",
        [](D& d, const Value& v) { d.model.nx = asInt(v); }, [](const D& d) { return shown(d.model.nx); }));
    all.push_back(ranged(
        "model.dz", Kind::Number, step, "m", "from the file", "node spacing downwards, where the file does not say",
        [](D& d, const Value& v) { d.model.dz = asNumber(v); }, [](const D& d) { return shown(d.model.dz); }));
    all.push_back(ranged(
        "model.dy", Kind::Number, step, "m", "from the file", "node spacing along y",
        [](D& d, const Value& v) { d.model.dy = asNumber(v); }, [](const D& d) { return shown(d.model.dy); }));
    all.push_back(ranged(
        "model.dx", Kind::Number, step, "m", "from the file", "node spacing along x",
        [](D& d, const Value& v) { d.model.dx = asNumber(v); }, [](const D& d) { return shown(d.model.dx); }));
    all.push_back(ranged(
        "model.origin_x", Kind::Number, anywhere, "m", "from the file, or 0", "x of the first node",
        [](D& d, const Value& v) { d.model.originX = asNumber(v); },
        [](const D& d) { return shown(d.model.originX); }));
    all.push_back(ranged(
        "model.origin_y", Kind::Number, anywhere, "m", "from the file, or 0", "y of the first node",
        [](D& d, const Value& v) { d.model.originY = asNumber(v); },
        [](const D& d) { return shown(d.model.originY); }));
    all.push_back(ranged(
        "model.origin_z", Kind::Number, anywhere, "m", "from the file, or 0", "depth of the first node",
        [](D& d, const Value& v) { d.model.originZ = asNumber(v); },
        [](const D& d) { return shown(d.model.originZ); }));
    all.push_back(choice(
        "model.sample_type",
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
         "ibm32"},
        "float32", "how a raw binary stores a sample; for SEG-Y, in place of the file's format code",
        [](D& d, const Value& v) { d.model.sampleType = asText(v); },
        [](const D& d) { return shown(d.model.sampleType); }));
    all.push_back(choice(
        "model.byte_order", {"little", "big"}, "little; SEG-Y and SU: inferred", "byte order of a raw binary",
        [](D& d, const Value& v) { d.model.byteOrder = asText(v); },
        [](const D& d) { return shown(d.model.byteOrder); }));
    all.push_back(choice(
        "model.axes", {"zx", "xz", "zyx", "zxy", "yzx", "yxz", "xyz", "xzy"}, "zx, zyx",
        "order of the axes in the file, slowest first", [](D& d, const Value& v) { d.model.axes = asText(v); },
        [](const D& d) { return shown(d.model.axes); }));
    all.push_back(choice(
        "model.quantity", {"velocity", "slowness", "squared-slowness"}, "judged from the values, and said",
        "what the samples are", [](D& d, const Value& v) { d.model.quantity = asText(v); },
        [](const D& d) { return shown(d.model.quantity); }));
    all.push_back(choice(
        "model.unit", {"m/s", "km/s", "ft/s"}, "judged from the values, and said",
        "unit of velocity; slowness is in its inverse", [](D& d, const Value& v) { d.model.unit = asText(v); },
        [](const D& d) { return shown(d.model.unit); }));
}

void addEquation(std::vector<Entry>& all)
{
    using D = RunDescription;
    std::vector<std::string> names;
    for (const auto& kind : equationKinds()) {
        names.emplace_back(kind.name);
    }
    all.push_back(choice(
        "equation", names, "acoustic", "what is solved; \"variable-density\" needs one of the keys of density",
        [](D& d, const Value& v) { d.equation = findEquation(asText(v)).value_or(Equation::Acoustic); },
        [](const D& d) {
            return d.equation == Equation::Acoustic ? std::string() : quoted(equationKind(d.equation).name);
        }));
}

void addDensity(std::vector<Entry>& all)
{
    using D = RunDescription;
    all.push_back(text(
        "density.path", Kind::Path, "none", "file of densities on the model's grid, laid out as the model's file is",
        [](D& d, const Value& v) { d.density.path = asText(v); }, [](const D& d) { return shown(d.density.path); }));
    all.push_back(text(
        "density.dataset", Kind::Text, "the only two- or three-dimensional one",
        "variable of the density's file, as model.dataset", [](D& d, const Value& v) { d.density.dataset = asText(v); },
        [](const D& d) { return shown(d.density.dataset); }));
    all.push_back(choice(
        "density.quantity", {"density", "impedance"}, "density",
        "what the file holds: kg/m^3, or impedance (density times speed) in kg/(m^2 s)",
        [](D& d, const Value& v) { d.density.quantity = asText(v); },
        [](const D& d) { return shown(d.density.quantity); }));
    all.push_back(ranged(
        "density.value", Kind::Number, {0, 1e6, true}, "kg/m^3", "none", "one density everywhere",
        [](D& d, const Value& v) { d.density.value = asNumber(v); },
        [](const D& d) { return shown(d.density.value); }));
    all.push_back(choice(
        "density.rule", {"none", "gardner"}, "none", "gardner: 310 v^(1/4) kg/m^3, v the speed in m/s",
        [](D& d, const Value& v) { d.density.gardner = asText(v) == "gardner"; },
        [](const D& d) { return d.density.gardner ? quoted("gardner") : std::string(); }));
}

void addBoundary(std::vector<Entry>& all)
{
    using D = RunDescription;
    all.push_back(choice("boundary.all", {"absorbing", "free", "rigid"}, "absorbing",
                         "every face; the keys below come after it",
                         [](D& d, const Value& v) { d.boundary.faces.fill(condition(v)); }));
    all.push_back(choice("boundary.top", {"absorbing", "free", "rigid"}, "absorbing",
                         "the same as z_low; \"free\" is the sea surface",
                         [](D& d, const Value& v) { d.boundary.at(Face::ZLow) = condition(v); }));
    all.push_back(faceKey<Face::XLow>("boundary.x_low", "the face at the smallest x"));
    all.push_back(faceKey<Face::XHigh>("boundary.x_high", "the face at the largest x"));
    all.push_back(faceKey<Face::YLow>("boundary.y_low", "the face at the smallest y (3-D)"));
    all.push_back(faceKey<Face::YHigh>("boundary.y_high", "the face at the largest y (3-D)"));
    all.push_back(faceKey<Face::ZLow>("boundary.z_low", "the face at the smallest depth"));
    all.push_back(faceKey<Face::ZHigh>("boundary.z_high", "the face at the largest depth"));
    all.push_back(ranged(
        "boundary.layer_cells", Kind::Integer, {0, 1000}, "cells", "20",
        "thickness of each absorbing layer, outside the model",
        [](D& d, const Value& v) { d.boundary.layerCells = asInt(v); },
        [](const D& d) { return shownUnless(d.boundary.layerCells, Boundary{}.layerCells); }));
    all.push_back(ranged(
        "boundary.reflection", Kind::Number, {0, 1, true}, "", "1e-5",
        "reflection coefficient that the layer is designed for, at normal incidence",
        [](D& d, const Value& v) { d.boundary.reflection = asNumber(v); },
        [](const D& d) { return shownUnless(d.boundary.reflection, Boundary{}.reflection); }));
    all.push_back(ranged(
        "boundary.frequency", Kind::Number, {0, 1e6}, "Hz", "0: the wavelet's", "frequency that the layer is tuned to",
        [](D& d, const Value& v) { d.boundary.frequency = asNumber(v); },
        [](const D& d) { return shownUnless(d.boundary.frequency, 0.0); }));
}

void addSurvey(std::vector<Entry>& all)
{
    const Range hertz{0, 1e6, true};
    const Range seconds{0, 1e6};
    all.push_back(choice("wavelet.kind", {"ricker", "gaussian", "gaussian-derivative", "ormsby", "klauder", "sampled"},
                         "ricker", "shape of the source's time function; a file or samples make it \"sampled\""));
    all.push_back(ranged("wavelet.frequency", Kind::Number, hertz, "Hz", "10", "peak frequency: ricker, gaussian"));
    all.push_back(ranged("wavelet.delay", Kind::Number, seconds, "s", "0: 1.5 / frequency", "time of the centre"));
    all.push_back(ranged("wavelet.amplitude", Kind::Number, {-1e30, 1e30}, "Pa m", "1",
                         "factor on the unit peak; of a line source in two dimensions: Pa"));
    all.push_back(ranged("wavelet.derivative", Kind::Integer, {1, 3}, "", "1", "order of a gaussian-derivative"));
    all.push_back(
        finished(base("wavelet.corners", Kind::Numbers, "Hz", "[2, 6, 25, 40]", "four rising corners of an ormsby"),
                 nullptr, nullptr));
    all.push_back(ranged("wavelet.sweep_low", Kind::Number, hertz, "Hz", "5", "first frequency of a klauder's sweep"));
    all.push_back(ranged("wavelet.sweep_high", Kind::Number, hertz, "Hz", "40", "last frequency of a klauder's sweep"));
    all.push_back(
        ranged("wavelet.sweep_length", Kind::Number, {0, 1e6, true}, "s", "8", "length of a klauder's sweep"));
    all.push_back(text("wavelet.file", Kind::Path, "none",
                       "recorded wavelet: text of one or two columns (time, value), .csv, .npy, SU or SEG-Y"));
    all.push_back(
        ranged("wavelet.step", Kind::Number, {0, 1e6, true}, "s", "from the file", "time between recorded samples"));
    all.push_back(finished(base("wavelet.samples", Kind::Numbers, "", "none", "the recorded samples themselves"),
                           nullptr, nullptr));
    all.push_back(place("source.position", Kind::Position, "m", "one shot, one source here"));
    all.push_back(place("source.positions", Kind::Positions, "m", "one shot at each place"));
    all.push_back(place("source.first", Kind::Position, "m", "a line of shots: the first"));
    all.push_back(place("source.last", Kind::Position, "m", "a line of shots: the last"));
    all.push_back(ranged("source.count", Kind::Integer, {1, 1e6}, "", "1", "shots on the line, ends included"));
    all.push_back(text("source.file", Kind::Path, "none",
                       "a shot at each source of a file: SPS, P1/90, SEG-Y or SU headers, DENISE, CSV or a table"));
    all.push_back(text("source.columns", Kind::Text, "by a line of names, or by custom",
                       "of a table: x, y, depth, elevation, point, line, - for none, as in \"- x y depth\""));
    all.push_back(ranged("source.depth", Kind::Number, {-kHuge, kHuge}, "m", "from the file",
                         "z of every source of the file, in place of what it says"));
    all.push_back(place("receivers.position", Kind::Position, "m", "one receiver"));
    all.push_back(place("receivers.positions", Kind::Positions, "m", "a receiver at each place"));
    all.push_back(place("receivers.first", Kind::Position, "m", "a line of receivers: the first"));
    all.push_back(place("receivers.last", Kind::Position, "m", "a line of receivers: the last"));
    all.push_back(ranged("receivers.count", Kind::Integer, {1, 1e7}, "", "1", "receivers on the line, ends included"));
    all.push_back(
        text("receivers.file", Kind::Path, "none", "the receivers of a file: as source.file, or SPECFEM's STATIONS"));
    all.push_back(
        text("receivers.columns", Kind::Text, "by a line of names, or by custom", "of a table, as source.columns"));
    all.push_back(ranged("receivers.depth", Kind::Number, {-kHuge, kHuge}, "m", "from the file",
                         "z of every receiver of the file, in place of what it says"));
}

// How files of places lie on the model's axes.
void addGeometry(std::vector<Entry>& all)
{
    const Range anywhere{-kHuge, kHuge};
    all.push_back(choice("geometry.unit", {"m", "km", "ft", "us-ft"}, "what the file says, else m, and said",
                         "unit of length of the files of places"));
    all.push_back(ranged("geometry.origin_x", Kind::Number, anywhere, "m", "0", "easting of the model's x = 0"));
    all.push_back(ranged("geometry.origin_y", Kind::Number, anywhere, "m", "0", "northing of the model's y = 0"));
    all.push_back(ranged("geometry.azimuth", Kind::Number, {-360, 360}, "degrees", "90: x is easting, y northing",
                         "of the model's x axis, clockwise from north; y lies to its left"));
    all.push_back(ranged("geometry.datum", Kind::Number, anywhere, "m", "0",
                         "elevation of z = 0: a point's z is datum - elevation + depth"));
    all.push_back(text("geometry.relations", Kind::Path, "none: all receivers hear all shots",
                       "file that says who hears whom: X records of SPS, or the one file of both"));
}

void addRun(std::vector<Entry>& all)
{
    using D = RunDescription;
    all.push_back(ranged(
        "time.duration", Kind::Number, {0, 1e6}, "s", "0: chosen from the model", "length of the traces",
        [](D& d, const Value& v) { d.duration = asNumber(v); },
        [](const D& d) { return shownUnless(d.duration, 0.0); }));
    all.push_back(ranged(
        "time.sample_interval", Kind::Number, {0, 1e6, true}, "s", "the scheme's own step", "between trace samples",
        [](D& d, const Value& v) { d.sampleInterval = asNumber(v); },
        [](const D& d) { return shown(d.sampleInterval); }));
    all.push_back(ranged(
        "time.courant", Kind::Number, {0, 1}, "", "0: 0.7", "time step as a fraction of the scheme's stability limit",
        [](D& d, const Value& v) { d.courant = asNumber(v); }, [](const D& d) { return shownUnless(d.courant, 0.0); }));
    all.push_back(ranged(
        "numerics.order", Kind::Integer, {2, 32}, "", "8", "order of the space derivative, even",
        [](D& d, const Value& v) { d.spaceOrder = asInt(v); },
        [](const D& d) { return shownUnless(d.spaceOrder, 8); }));
    all.push_back(choice(
        "numerics.precision", {"float32", "float64"}, "float32", "of the field",
        [](D& d, const Value& v) { d.precision = asText(v) == "float64" ? Precision::Float64 : Precision::Float32; },
        [](const D& d) { return d.precision == Precision::Float64 ? quoted("float64") : std::string(); }));
    all.push_back(text(
        "run.device", Kind::Text, "auto", "\"auto\", \"cpu\", or \"cuda:0\" and so on",
        [](D& d, const Value& v) { d.device = asText(v); },
        [](const D& d) { return d.device == "auto" ? std::string() : quoted(d.device); }));
    all.push_back(ranged(
        "run.shots_at_once", Kind::Integer, {1, 1024}, "", "1", "shots that one launch computes",
        [](D& d, const Value& v) { d.shotsAtOnce = asInt(v); },
        [](const D& d) { return shownUnless(d.shotsAtOnce, 1); }));
    all.push_back(text(
        "output.results", Kind::Text, "none", "HDF5 file of everything",
        [](D& d, const Value& v) { d.output.results = asText(v); },
        [](const D& d) { return shown(d.output.results); }));
    all.push_back(text(
        "output.picture", Kind::Text, "none", "PNG of the field, the model and the gather",
        [](D& d, const Value& v) { d.output.picture = asText(v); },
        [](const D& d) { return shown(d.output.picture); }));
    all.push_back(ranged(
        "output.picture_time", Kind::Number, {0, 1e6}, "s", "0: the end of the run",
        "which instant's field the picture shows", [](D& d, const Value& v) { d.output.pictureTime = asNumber(v); },
        [](const D& d) { return shownUnless(d.output.pictureTime, 0.0); }));
    all.push_back(text(
        "output.gather", Kind::Text, "none", "traces as .segy, .sgy or .npy",
        [](D& d, const Value& v) { d.output.gather = asText(v); }, [](const D& d) { return shown(d.output.gather); }));
}

} // namespace

const std::vector<Entry>& entries()
{
    static const std::vector<Entry> kAll = [] {
        std::vector<Entry> all;
        addEquation(all);
        addModel(all);
        addDensity(all);
        addBoundary(all);
        addSurvey(all);
        addGeometry(all);
        addRun(all);
        return all;
    }();
    return kAll;
}

const Entry* find(std::string_view name)
{
    for (const auto& e : entries()) {
        if (e.key.name == name) {
            return &e;
        }
    }
    return nullptr;
}

std::string nearest(std::string_view name)
{
    std::string best;
    int least = 1 << 30;
    // A lone word that is or nearly is a section's name is meant as one.
    if (name.find('.') == name.npos) {
        for (const auto& e : entries()) {
            const auto section = e.key.name.substr(0, e.key.name.find('.'));
            const int distance = editDistance(name, section);
            if (distance < least && distance <= 2) {
                least = distance;
                best = section;
            }
        }
        if (!best.empty()) {
            return best;
        }
    }
    const auto lastPart = [](std::string_view n) { return n.substr(n.rfind('.') == n.npos ? 0 : n.rfind('.') + 1); };
    for (const auto& e : entries()) {
        // A right key in a wrong section is nearer than a wrong key in the right one.
        const int distance =
            std::min(2 * editDistance(name, e.key.name), 1 + 2 * editDistance(lastPart(name), lastPart(e.key.name)));
        if (distance < least) {
            least = distance;
            best = e.key.name;
        }
    }
    return best;
}

std::string quoted(std::string_view text)
{
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
            out += fmt::format("\\u{:04X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
        } else {
            out += c;
        }
    }
    return out + "\"";
}

std::string number(double value)
{
    return fmt::format("{}", value);
}

} // namespace ondo::runkeys
