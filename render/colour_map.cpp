#include "render/colour_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

namespace ondo {

namespace {

using Path = std::vector<OkLab>;

struct Knot {
    double lightness, chroma, hueDegrees;
};

struct LinearRgb {
    double r, g, b;
    [[nodiscard]] bool displayable() const
    {
        constexpr double kLow = -1e-4;
        constexpr double kHigh = 1.0 + 1e-4;
        return r > kLow && g > kLow && b > kLow && r < kHigh && g < kHigh && b < kHigh;
    }
};

LinearRgb toLinear(const OkLab& lab)
{
    const double l = std::pow(lab.lightness + 0.3963377774 * lab.a + 0.2158037573 * lab.b, 3);
    const double m = std::pow(lab.lightness - 0.1055613458 * lab.a - 0.0638541728 * lab.b, 3);
    const double s = std::pow(lab.lightness - 0.0894841775 * lab.a - 1.2914855480 * lab.b, 3);
    return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
            -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
            -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

double encode(double linear)
{
    const double v = std::clamp(linear, 0.0, 1.0);
    return v <= 0.0031308 ? 12.92 * v : 1.055 * std::pow(v, 1.0 / 2.4) - 0.055;
}

double decode(double encoded)
{
    return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

std::uint32_t pack(double red, double green, double blue)
{
    const auto byte = [](double v) { return static_cast<std::uint32_t>(std::lround(std::clamp(v, 0.0, 1.0) * 255.0)); };
    return 0xFF000000U | byte(blue) << 16 | byte(green) << 8 | byte(red);
}

std::uint32_t toRgba(const OkLab& lab)
{
    const LinearRgb rgb = toLinear(lab);
    return pack(encode(rgb.r), encode(rgb.g), encode(rgb.b));
}

OkLab fromLch(double lightness, double chroma, double hueDegrees)
{
    const double hue = hueDegrees * std::numbers::pi / 180.0;
    return {lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
}

// The colour itself, or the most colourful one of its lightness and hue that sRGB has.
OkLab displayable(double lightness, double chroma, double hueDegrees)
{
    if (toLinear(fromLch(lightness, chroma, hueDegrees)).displayable()) {
        return fromLch(lightness, chroma, hueDegrees);
    }
    double low = 0.0;
    double high = chroma;
    for (int i = 0; i < 30; ++i) {
        const double middle = 0.5 * (low + high);
        (toLinear(fromLch(lightness, middle, hueDegrees)).displayable() ? low : high) = middle;
    }
    return fromLch(lightness, low, hueDegrees);
}

double distance(const OkLab& p, const OkLab& q)
{
    return std::hypot(p.lightness - q.lightness, p.a - q.a, p.b - q.b);
}

Path finePath(const std::vector<Knot>& knots)
{
    constexpr int kParts = 600;
    Path path;
    for (std::size_t k = 0; k + 1 < knots.size(); ++k) {
        const Knot& p = knots[k];
        const Knot& q = knots[k + 1];
        for (int i = k == 0 ? 0 : 1; i <= kParts; ++i) {
            const double u = static_cast<double>(i) / kParts;
            path.push_back(displayable(p.lightness + u * (q.lightness - p.lightness),
                                       p.chroma + u * (q.chroma - p.chroma),
                                       p.hueDegrees + u * (q.hueDegrees - p.hueDegrees)));
        }
    }
    return path;
}

// Without the kinks at knots and at the edge of what sRGB can show: each point becomes the mean of its neighbourhood, which
// shrinks towards the ends so that they stay.
Path smoothed(const Path& path)
{
    constexpr std::size_t kReach = 220;
    std::vector<OkLab> sums(path.size() + 1);
    for (std::size_t i = 0; i < path.size(); ++i) {
        sums[i + 1] = {sums[i].lightness + path[i].lightness, sums[i].a + path[i].a, sums[i].b + path[i].b};
    }
    Path smooth;
    for (std::size_t i = 0; i < path.size(); ++i) {
        const std::size_t reach = std::min({kReach, i, path.size() - 1 - i});
        const OkLab& high = sums[i + reach + 1];
        const OkLab& low = sums[i - reach];
        const double count = static_cast<double>(2 * reach + 1);
        smooth.push_back(
            {(high.lightness - low.lightness) / count, (high.a - low.a) / count, (high.b - low.b) / count});
    }
    return smooth;
}

// The point `fraction` of the path's length along it, for each fraction (increasing).
std::vector<OkLab> walk(const Path& path, const std::vector<double>& fractions)
{
    std::vector<double> length(path.size(), 0.0);
    for (std::size_t i = 1; i < path.size(); ++i) {
        length[i] = length[i - 1] + distance(path[i], path[i - 1]);
    }
    std::vector<OkLab> points;
    std::size_t i = 1;
    for (const double fraction : fractions) {
        const double target = fraction * length.back();
        while (i + 1 < path.size() && length[i] < target) {
            ++i;
        }
        const double u = (target - length[i - 1]) / std::max(length[i] - length[i - 1], 1e-12);
        const OkLab& p = path[i - 1];
        const OkLab& q = path[i];
        points.push_back({p.lightness + u * (q.lightness - p.lightness), p.a + u * (q.a - p.a), p.b + u * (q.b - p.b)});
    }
    return points;
}

ColourTable sequential(const std::vector<Knot>& knots)
{
    std::vector<double> fractions(256);
    for (std::size_t i = 0; i < 256; ++i) {
        fractions[i] = static_cast<double>(i) / 255.0;
    }
    const std::vector<OkLab> points = walk(smoothed(finePath(knots)), fractions);
    ColourTable table{};
    std::transform(points.begin(), points.end(), table.begin(), toRgba);
    return table;
}

// Both arms start at the same centre; entry 127 and 128 lie half a step from it.
ColourTable diverging(const std::vector<Knot>& negative, const std::vector<Knot>& positive)
{
    std::vector<double> fractions(128);
    for (std::size_t i = 0; i < 128; ++i) {
        fractions[i] = (static_cast<double>(i) + 0.5) / 127.5;
    }
    const std::vector<OkLab> below = walk(smoothed(finePath(negative)), fractions);
    const std::vector<OkLab> above = walk(smoothed(finePath(positive)), fractions);
    ColourTable table{};
    for (std::size_t i = 0; i < 128; ++i) {
        table[127 - i] = toRgba(below[i]);
        table[128 + i] = toRgba(above[i]);
    }
    return table;
}

ColourTable classicSeismic()
{
    ColourTable table{};
    for (std::size_t i = 0; i < 256; ++i) {
        const double v = (static_cast<double>(i) - 127.5) / 127.5;
        const double fade = 1.0 - std::abs(v);
        table[i] = v < 0.0 ? pack(fade, fade, 1.0) : pack(1.0, fade, fade);
    }
    return table;
}

ColourTable greys(double from, double to)
{
    ColourTable table{};
    for (std::size_t i = 0; i < 256; ++i) {
        table[i] = toRgba({from + (to - from) * static_cast<double>(i) / 255.0, 0.0, 0.0});
    }
    return table;
}

struct Entry {
    ColourMapName name;
    ColourTable (*make)();
};

const std::vector<Entry>& entries(ColourMapUse use)
{
    static const std::vector<Entry> field = {
        {{"tide", "Tide: blue, white, red", true},
         [] {
             return diverging({{0.97, 0.0, 255.0}, {0.66, 0.135, 252.0}, {0.33, 0.13, 262.0}},
                              {{0.97, 0.0, 35.0}, {0.66, 0.165, 32.0}, {0.33, 0.13, 22.0}});
         }},
        {{"ember", "Ember: sky, black, fire", true},
         [] {
             return diverging({{0.17, 0.0, 245.0}, {0.56, 0.13, 245.0}, {0.93, 0.06, 205.0}},
                              {{0.17, 0.0, 35.0}, {0.56, 0.175, 40.0}, {0.93, 0.10, 92.0}});
         }},
        {{"reef", "Reef: teal, ivory, brown", true},
         [] {
             return diverging({{0.965, 0.012, 110.0}, {0.66, 0.10, 190.0}, {0.34, 0.075, 205.0}},
                              {{0.965, 0.012, 100.0}, {0.66, 0.115, 68.0}, {0.34, 0.085, 48.0}});
         }},
        {{"seismic", "Seismic: blue, white, red", false}, classicSeismic},
        {{"grey", "Grey", true}, [] { return greys(0.20, 1.0); }},
    };
    static const std::vector<Entry> model = {
        {{"strata", "Strata: sea, sand, basalt", true},
         [] {
             return sequential({{0.95, 0.030, 215.0},
                                {0.86, 0.065, 170.0},
                                {0.76, 0.090, 110.0},
                                {0.62, 0.105, 68.0},
                                {0.45, 0.095, 35.0},
                                {0.29, 0.070, 5.0},
                                {0.20, 0.050, -20.0}});
         }},
        {{"fjord", "Fjord: night, sea, moss, sun", true},
         [] {
             return sequential({{0.24, 0.085, 290.0},
                                {0.40, 0.105, 262.0},
                                {0.55, 0.100, 215.0},
                                {0.68, 0.125, 165.0},
                                {0.82, 0.160, 122.0},
                                {0.945, 0.150, 102.0}});
         }},
        {{"grey", "Grey", true}, [] { return greys(0.97, 0.25); }},
    };
    return use == ColourMapUse::Field ? field : model;
}

} // namespace

OkLab toOkLab(std::uint32_t rgba)
{
    const double r = decode(static_cast<double>(rgba & 255U) / 255.0);
    const double g = decode(static_cast<double>((rgba >> 8) & 255U) / 255.0);
    const double b = decode(static_cast<double>((rgba >> 16) & 255U) / 255.0);
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

const std::vector<ColourMapName>& colourMaps(ColourMapUse use)
{
    const auto names = [](ColourMapUse u) {
        std::vector<ColourMapName> list;
        for (const Entry& entry : entries(u)) {
            list.push_back(entry.name);
        }
        return list;
    };
    static const std::vector<ColourMapName> field = names(ColourMapUse::Field);
    static const std::vector<ColourMapName> model = names(ColourMapUse::Model);
    return use == ColourMapUse::Field ? field : model;
}

std::shared_ptr<const ColourTable> colourTable(ColourMapUse use, const std::string& name)
{
    static std::mutex mutex;
    static std::map<std::pair<ColourMapUse, std::string>, std::shared_ptr<const ColourTable>> made;
    const std::vector<Entry>& list = entries(use);
    const auto found = std::find_if(list.begin(), list.end(), [&](const Entry& e) { return e.name.name == name; });
    const Entry& entry = found == list.end() ? list.front() : *found;
    const std::scoped_lock lock(mutex);
    std::shared_ptr<const ColourTable>& table = made[{use, entry.name.name}];
    if (table == nullptr) {
        table = std::make_shared<const ColourTable>(entry.make());
    }
    return table;
}

std::string nextColourMap(ColourMapUse use, const std::string& name, int steps)
{
    const std::vector<Entry>& list = entries(use);
    const auto count = static_cast<int>(list.size());
    const auto found = std::find_if(list.begin(), list.end(), [&](const Entry& e) { return e.name.name == name; });
    const int at = found == list.end() ? 0 : static_cast<int>(found - list.begin());
    return list[static_cast<std::size_t>(((at + steps) % count + count) % count)].name.name;
}

} // namespace ondo
