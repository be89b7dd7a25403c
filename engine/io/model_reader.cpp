#include "engine/io/model_reader.h"

#include "engine/io/array_file.h"
#include "engine/model/sample_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <new>

namespace ondo {

namespace fs = std::filesystem;

namespace {

constexpr double kFoot = 0.3048;
// Depth below sea of most models, and speeds of most rocks: what the guesses are made from.
constexpr double kFastestKilometres = 15.0; // largest value taken for km/s
constexpr double kSlowestSquared = 0.6;     // largest value taken for s2/km2
constexpr double kFastestRock = 9000.0;     // m/s; beyond it feet are likely

// An array brought to (z, y, x): for each axis its count, spacing, origin and stride in the file.
struct Axis {
    std::int64_t count = 1;
    std::int64_t stride = 0;
    std::optional<double> spacing;
    double origin = 0.0;
};

class ModelReading {
public:
    ModelReading(const ModelSource& source, ArrayFile file)
        : m_source(source)
        , m_file(std::move(file))
    {
    }

    Result<LoadedModel> read();

private:
    Result<> chooseArray();
    Result<> nameAxes();
    [[nodiscard]] std::string usualAxes(std::size_t rank);
    std::string axesFromCoordinates(std::size_t rank);
    Result<> placeAxes();
    void spacingFromNeighbours();
    void spacingFromText();
    Result<> checkCounts() const;
    Result<> completeSpacing();
    Result<Grid> makeGrid() const;
    Result<std::vector<float>> readSamples();
    Result<> toMetresPerSecond(std::vector<float>& v);
    void judgeOrientation(const std::vector<float>& v);
    [[nodiscard]] const StoredArray* companion(const std::vector<std::string>& names) const;
    void note(std::string text) { m_notes.push_back(std::move(text)); }

    const ModelSource& m_source;
    ArrayFile m_file;
    StoredArray m_array; // without axes of one node
    std::string m_axes;  // letters by position in m_array.shape
    bool m_axesKnown = false;
    std::array<Axis, 3> m_axis; // z, y, x
    std::vector<std::string> m_notes;
};

constexpr const char* kLetters = "zyx";

std::size_t slot(char letter)
{
    return letter == 'z' ? 0 : (letter == 'y' ? 1 : 2);
}

bool isModelSized(const StoredArray& a)
{
    const auto big = std::count_if(a.shape.begin(), a.shape.end(), [](std::int64_t n) { return n > 1; });
    return a.numeric && a.problem.empty() && (big == 2 || big == 3);
}

bool isVelocityName(std::string name)
{
    std::transform(name.begin(), name.end(), name.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    if (const auto slash = name.rfind('/'); slash != std::string::npos) {
        name = name.substr(slash + 1);
    }
    static const std::vector<std::string> kNames = {"velocity",       "vel",   "vp",      "v",    "c",
                                                    "velocity_model", "model", "true_vp", "speed"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<> ModelReading::chooseArray()
{
    const StoredArray* chosen = nullptr;
    if (!m_source.dataset.empty() || m_file.arrays.size() == 1) {
        chosen = m_file.mainArray();
    } else {
        std::vector<const StoredArray*> sized;
        std::string names;
        for (const auto& a : m_file.arrays) {
            if (isModelSized(a)) {
                sized.push_back(&a);
                names += (names.empty() ? "" : ", ") + a.describe();
            }
        }
        const auto named =
            std::find_if(sized.begin(), sized.end(), [](const StoredArray* a) { return isVelocityName(a->name); });
        if (named != sized.end()) {
            chosen = *named;
        } else if (sized.size() == 1) {
            chosen = sized.front();
        } else if (!sized.empty()) {
            return badInput(fmt::format("it holds {} arrays that could be the model: {}", sized.size(), names),
                            "name one with model.dataset");
        }
        if (chosen != nullptr) {
            note(fmt::format("the model is {}", chosen->describe()));
        }
    }
    if (chosen == nullptr) {
        return badInput("it holds no array of two or three dimensions");
    }
    if (!chosen->numeric || !chosen->problem.empty()) {
        return badInput(fmt::format("{} holds no numbers that can be read {}", chosen->describe(), chosen->problem));
    }
    m_array = *chosen;
    // A plain list of numbers takes the stated shape.
    if (m_array.shape.size() == 1 && m_source.nz && m_source.nx) {
        const std::string axes = m_source.axes.empty() ? (m_source.ny ? "zyx" : "zx") : m_source.axes;
        std::vector<std::int64_t> shape;
        for (const char letter : axes) {
            shape.push_back(letter == 'z' ? *m_source.nz : (letter == 'y' ? m_source.ny.value_or(1) : *m_source.nx));
        }
        if (productOf(shape) != m_array.count()) {
            return badInput(
                fmt::format("{} is stated but the file holds {} numbers", fmt::join(shape, " x "), m_array.count()),
                "correct model.nz and model.nx");
        }
        m_array.shape = shape;
        m_array.axes.clear();
        for (const char letter : axes) {
            m_array.axes.emplace_back(1, letter);
        }
    }
    return {};
}

// Which index is depth, by the custom of each kind of file.
std::string ModelReading::usualAxes(std::size_t rank)
{
    if (m_file.format == "SEG-Y" || m_file.format == "SU") {
        return rank == 2 ? "xz" : "yxz";
    }
    if (m_file.format == "Madagascar RSF") {
        const std::string fast = m_array.axes.empty() ? "" : m_array.axes.back();
        if (fast.starts_with("X") || fast.starts_with("x") || fast.starts_with("Lateral") ||
            fast.starts_with("Distance")) {
            return rank == 2 ? "zx" : "zyx";
        }
        return rank == 2 ? "xz" : "yxz";
    }
    return rank == 2 ? "zx" : "zyx";
}

// Vectors named x, y and z whose lengths name the axes.
std::string ModelReading::axesFromCoordinates(std::size_t rank)
{
    std::string axes;
    for (const std::int64_t n : m_array.shape) {
        char letter = '?';
        for (const char candidate : std::string("zyx")) {
            const auto* vector = companion({std::string(1, candidate)});
            if (vector != nullptr && vector->count() == n) {
                letter = letter == '?' ? candidate : '!';
            }
        }
        axes += letter;
    }
    std::string sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    return sorted == (rank == 2 ? "xz" : "xyz") ? axes : std::string();
}

Result<> ModelReading::nameAxes()
{
    const bool middleOne = m_array.shape.size() == 3 && m_array.shape[1] == 1;
    StoredArray squeezed = m_array;
    squeezed.shape.clear();
    squeezed.axes.clear();
    squeezed.spacing.clear();
    squeezed.origin.clear();
    std::string stated;
    for (std::size_t i = 0; i < m_array.shape.size(); ++i) {
        if (m_array.shape[i] == 1 && m_array.shape.size() > 2) {
            continue;
        }
        squeezed.shape.push_back(m_array.shape[i]);
        squeezed.axes.push_back(i < m_array.axes.size() ? m_array.axes[i] : "");
        squeezed.spacing.push_back(i < m_array.spacing.size() ? m_array.spacing[i] : 0.0);
        squeezed.origin.push_back(i < m_array.origin.size() ? m_array.origin[i] : 0.0);
        stated += squeezed.axes.back() == "z" || squeezed.axes.back() == "y" || squeezed.axes.back() == "x"
                      ? squeezed.axes.back()
                      : "";
    }
    m_array = squeezed;
    const std::size_t rank = m_array.shape.size();
    if (rank != 2 && rank != 3) {
        return badInput(fmt::format("{} is not two- or three-dimensional", m_array.describe()),
                        rank == 1 ? "state model.nz and model.nx (and model.ny)" : "take a part of it");
    }
    const std::string wanted = rank == 2 ? "xz" : "xyz";
    const auto isOrder = [&wanted](std::string order) {
        std::sort(order.begin(), order.end());
        return order == wanted;
    };
    m_axesKnown = true;
    if (!m_source.axes.empty()) {
        if (!isOrder(m_source.axes)) {
            return badInput(fmt::format("model.axes = \"{}\" does not fit {}", m_source.axes, m_array.describe()),
                            rank == 2 ? "use zx or xz" : "use zyx, xyz or another order of the three");
        }
        m_axes = m_source.axes;
    } else if (isOrder(stated)) {
        m_axes = stated;
    } else if (const auto found = axesFromCoordinates(rank); !found.empty()) {
        m_axes = found;
        note(fmt::format("the axes are ({}), by the lengths of the coordinate vectors", found));
    } else if (middleOne) {
        m_axes = "zx";
        note("the middle axis has one node: the axes are taken as (z, x)");
        m_axesKnown = false;
    } else {
        m_axes = usualAxes(rank);
        m_axesKnown = false;
    }
    return {};
}

Result<> ModelReading::placeAxes()
{
    std::int64_t stride = 1;
    const std::size_t rank = m_axes.size();
    for (std::size_t k = 0; k < rank; ++k) {
        const std::size_t i = m_array.firstFastest ? k : rank - 1 - k;
        if (m_array.shape[i] > std::numeric_limits<int>::max()) {
            return badInput(fmt::format("{} has an axis beyond 2^31 nodes", m_array.describe()), "use a coarser model");
        }
        Axis& axis = m_axis[slot(m_axes[i])];
        axis.count = m_array.shape[i];
        axis.stride = stride;
        stride *= m_array.shape[i];
        if (m_array.spacing[i] > 0.0) {
            axis.spacing = m_array.spacing[i];
            axis.origin = m_array.origin[i];
        }
    }
    return {};
}

const StoredArray* ModelReading::companion(const std::vector<std::string>& names) const
{
    for (const auto& name : names) {
        for (const auto& a : m_file.arrays) {
            if (a.name == name && a.numeric && a.problem.empty()) {
                return &a;
            }
        }
    }
    return nullptr;
}

// Coordinate vectors, or single numbers with the usual names, beside the model in the same file.
void ModelReading::spacingFromNeighbours()
{
    for (std::size_t i = 0; i < 3; ++i) {
        Axis& axis = m_axis[i];
        const std::string letter(1, kLetters[i]);
        const auto* vector = companion({letter});
        if (axis.count < 2 || axis.spacing || vector == nullptr || vector->count() != axis.count) {
            continue;
        }
        const auto values = readDoubles(*vector);
        if (!values) {
            continue;
        }
        const double step = (values->back() - values->front()) / static_cast<double>(axis.count - 1);
        const bool even = step > 0.0 && std::all_of(values->begin(), values->end(), [&, k = 0.0](double v) mutable {
                              return std::abs(v - (values->front() + step * k++)) < 1e-3 * step;
                          });
        if (even) {
            axis.spacing = step;
            axis.origin = values->front();
            note(fmt::format("d{0} = {1:g} m from the vector {0}, which begins at {2:g} m", letter, step, axis.origin));
        } else {
            note(fmt::format("the vector {} is not evenly spaced and was left out", letter));
        }
    }
    for (std::size_t i = 0; i < 3; ++i) {
        Axis& axis = m_axis[i];
        const std::string letter(1, kLetters[i]);
        const auto* single = companion({"d" + letter, "D" + letter, "dh", "dl", "h", "spacing", "d"});
        if (axis.count < 2 || axis.spacing || single == nullptr || single->count() < 1 || single->count() > 3) {
            continue;
        }
        const auto values = readDoubles(*single);
        const bool equal =
            values && std::all_of(values->begin(), values->end(), [&](double v) { return v == values->front(); });
        if (equal && values->front() > 0.0) {
            axis.spacing = values->front();
            note(fmt::format("d{} = {:g} m from {} in the file", letter, values->front(), single->name));
        }
    }
}

// What our own SEG-Y models say in their text header: "dz 10 dx 12.5 x0 0 z0 0".
void ModelReading::spacingFromText()
{
    const auto at = m_file.textHeader.find("ONDOSCOPE MODEL");
    if (at == std::string::npos) {
        return;
    }
    double v[6] = {};
    const int got = std::sscanf(m_file.textHeader.c_str() + at, "ONDOSCOPE MODEL DZ %lf DX %lf Z0 %lf X0 %lf", &v[0],
                                &v[1], &v[2], &v[3]);
    if (got == 4 && v[0] > 0.0 && v[1] > 0.0) {
        m_axis[0].spacing = v[0];
        m_axis[0].origin = v[2];
        m_axis[2].spacing = v[1];
        m_axis[2].origin = v[3];
    }
}

Result<> ModelReading::checkCounts() const
{
    const std::optional<int> stated[3] = {m_source.nz, m_source.ny, m_source.nx};
    for (std::size_t i = 0; i < 3; ++i) {
        const std::optional<int> asked = stated[i];
        if (asked && *asked != m_axis[i].count) {
            return badInput(fmt::format("model.n{} = {} but the file has {} nodes along {} with axes ({})", kLetters[i],
                                        *asked, m_axis[i].count, kLetters[i], m_axes),
                            "correct it, or set model.axes");
        }
    }
    return {};
}

Result<> ModelReading::completeSpacing()
{
    const std::optional<double> stated[3] = {m_source.dz, m_source.dy, m_source.dx};
    const std::optional<double> origin[3] = {m_source.originZ, m_source.originY, m_source.originX};
    std::string missing;
    for (std::size_t i = 0; i < 3; ++i) {
        Axis& axis = m_axis[i];
        if (stated[i]) {
            axis.spacing = stated[i];
        }
        axis.origin = origin[i].value_or(axis.origin);
        const bool used = i != 1 || m_axes.size() == 3;
        if (used && !axis.spacing) {
            missing += fmt::format("{}model.d{}", missing.empty() ? "" : " and ", kLetters[i]);
        }
    }
    if (!missing.empty()) {
        return badInput("the file does not say its node spacing", fmt::format("set {} in metres", missing));
    }
    return {};
}

Result<Grid> ModelReading::makeGrid() const
{
    const auto count = [this](std::size_t i) { return static_cast<int>(m_axis[i].count); };
    // completeSpacing() saw to it that there is one.
    const auto spacing = [this](std::size_t i) { return m_axis[i].spacing.value_or(0.0); };
    const Position origin{m_axis[2].origin, m_axes.size() == 3 ? m_axis[1].origin : 0.0, m_axis[0].origin};
    if (m_axes.size() == 2) {
        return Grid::make2D(count(0), count(2), spacing(0), spacing(2), origin);
    }
    return Grid::make3D(count(0), count(1), count(2), spacing(0), spacing(1), spacing(2), origin);
}

Result<std::vector<float>> ModelReading::readSamples()
{
    auto raw = readFloats(m_array);
    if (!raw) {
        return raw;
    }
    const bool inOrder = m_axis[2].stride == 1 && (m_axis[1].count == 1 || m_axis[1].stride == m_axis[2].count);
    if (inOrder) {
        return raw;
    }
    std::vector<float> out;
    out.reserve(raw->size());
    for (std::int64_t z = 0; z < m_axis[0].count; ++z) {
        for (std::int64_t y = 0; y < m_axis[1].count; ++y) {
            for (std::int64_t x = 0; x < m_axis[2].count; ++x) {
                out.push_back((*raw)[static_cast<std::size_t>(z * m_axis[0].stride + y * m_axis[1].stride +
                                                              x * m_axis[2].stride)]);
            }
        }
    }
    return out;
}

Result<> ModelReading::toMetresPerSecond(std::vector<float>& v)
{
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const float value : v) {
        if (std::isfinite(value)) {
            low = std::min(low, static_cast<double>(value));
            high = std::max(high, static_cast<double>(value));
        }
    }
    std::string quantity = m_source.quantity;
    std::string unit = m_source.unit;
    if (quantity.empty() && unit.empty() && low > 0.0 && high <= kSlowestSquared && low >= 0.01) {
        quantity = "squared-slowness";
        unit = "km/s";
        note(fmt::format("values from {:.4g} to {:.4g} are taken as squared slowness in s2/km2; set model.quantity and "
                         "model.unit if they are not",
                         low, high));
    } else if (unit.empty() && (quantity.empty() || quantity == "velocity") && high > 0.0 &&
               high < kFastestKilometres) {
        unit = "km/s";
        note(fmt::format("values up to {:.4g} are taken as km/s; set model.unit if they are not", high));
    }
    if (unit.empty() && quantity.empty() && high > kFastestRock) {
        note(fmt::format(
            "values up to {:.4g} are fast for m/s; if they are feet a second set model.unit = \"ft/s\" and give the "
            "spacing in metres",
            high));
    }
    const double scale = unit == "km/s" ? 1000.0 : (unit == "ft/s" ? kFoot : 1.0);
    if (quantity == "slowness" || quantity == "squared-slowness") {
        const bool squared = quantity == "squared-slowness";
        for (auto& value : v) {
            const double s = squared ? std::sqrt(static_cast<double>(value)) : static_cast<double>(value);
            value = static_cast<float>(scale / s);
        }
    } else if (scale != 1.0) {
        for (auto& value : v) {
            value = static_cast<float>(static_cast<double>(value) * scale);
        }
    }
    return {};
}

// Speed grows with depth: if it changes more along what is taken for x, the axes may be the other way round.
void ModelReading::judgeOrientation(const std::vector<float>& v)
{
    if (m_axesKnown || m_axes.size() != 2) {
        return;
    }
    const auto nz = static_cast<std::size_t>(m_axis[0].count);
    const auto nx = static_cast<std::size_t>(m_axis[2].count);
    std::vector<double> down(nz, 0.0);
    std::vector<double> across(nx, 0.0);
    for (std::size_t z = 0; z < nz; ++z) {
        for (std::size_t x = 0; x < nx; ++x) {
            down[z] += static_cast<double>(v[z * nx + x]) / static_cast<double>(nx);
            across[x] += static_cast<double>(v[z * nx + x]) / static_cast<double>(nz);
        }
    }
    // Of the mean, squared.
    const auto spread = [](const std::vector<double>& p) {
        double mean = 0.0;
        double sum = 0.0;
        for (const double a : p) {
            mean += a / static_cast<double>(p.size());
        }
        for (const double a : p) {
            sum += (a - mean) * (a - mean);
        }
        return sum / static_cast<double>(p.size()) / (mean * mean);
    };
    // A thousandth is no trend: it may be the rounding of a model that is the same everywhere.
    const bool doubtful = spread(across) > std::max(2.0 * spread(down), 1e-6);
    note(fmt::format(
        "the axes are taken as ({}) by custom{}", m_axes,
        doubtful
            ? fmt::format(", but the speed changes more along x than with depth: if the model lies on its side set "
                          "model.axes = \"{}\"",
                          std::string(m_axes.rbegin(), m_axes.rend()))
            : ""));
}

Result<LoadedModel> ModelReading::read()
{
    if (auto r = chooseArray(); !r) {
        return tl::unexpected(r.error());
    }
    if (auto r = nameAxes(); !r) {
        return tl::unexpected(r.error());
    }
    if (auto r = placeAxes(); !r) {
        return tl::unexpected(r.error());
    }
    if (auto r = checkCounts(); !r) {
        return tl::unexpected(r.error());
    }
    spacingFromText();
    spacingFromNeighbours();
    if (auto r = completeSpacing(); !r) {
        return tl::unexpected(r.error());
    }
    auto grid = makeGrid();
    if (!grid) {
        return tl::unexpected(grid.error());
    }
    auto samples = readSamples();
    if (!samples) {
        return tl::unexpected(samples.error());
    }
    if (auto r = toMetresPerSecond(*samples); !r) {
        return tl::unexpected(r.error());
    }
    judgeOrientation(*samples);
    auto model = Model::make(*grid, std::move(*samples), fs::path(m_file.path).stem().string());
    if (!model) {
        return tl::unexpected(model.error());
    }
    LoadedModel out{std::move(*model), std::move(m_notes)};
    out.notes.insert(out.notes.end(), m_file.warnings.begin(), m_file.warnings.end());
    return out;
}

} // namespace

Result<LoadedModel> readModel(const ModelSource& source, const std::string& folder)
{
    if (source.path.empty()) {
        auto model = sampleModel();
        if (!model) {
            return tl::unexpected(model.error());
        }
        return LoadedModel{std::move(*model), {"the built-in structural model"}};
    }
    const fs::path path = fs::path(source.path).is_absolute() ? fs::path(source.path) : fs::path(folder) / source.path;
    auto file = openArrayFile(path.string(), source);
    if (!file) {
        return tl::unexpected(file.error());
    }
    Result<LoadedModel> loaded;
    try {
        loaded = ModelReading(source, std::move(*file)).read();
    } catch (const std::bad_alloc&) {
        return fail(ErrorKind::OutOfMemory, path.string() + ": this machine has not the memory for the model",
                    "use a coarser model, or a part of it");
    }
    if (!loaded && loaded.error().text().find(path.string()) == std::string::npos) {
        return within(loaded.error(), path.string());
    }
    return loaded;
}

} // namespace ondo
