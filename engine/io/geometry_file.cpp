#include "engine/io/geometry_file.h"

#include "engine/io/geometry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

namespace ondo {

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

std::string pointText(const GeometryFile& file, const GeometryPoint& p)
{
    const std::string line = p.line >= 0 && !file.lines[static_cast<std::size_t>(p.line)].empty()
                                 ? fmt::format("line {}, ", file.lines[static_cast<std::size_t>(p.line)])
                                 : std::string();
    std::string out = fmt::format("{}point {:.12g} at x {:.10g}, y {:.10g}", line, p.number, p.x, p.y);
    if (p.elevation != 0.0) {
        out += fmt::format(", elevation {:g}", p.elevation);
    }
    if (p.depth != 0.0) {
        out += fmt::format(", depth {:g}", p.depth);
    }
    return out + " m";
}

// The straight line from the first point to the last: what a two-dimensional model can be laid along.
std::string lineText(const std::vector<GeometryPoint>& points)
{
    const auto& a = points.front();
    const auto& b = points.back();
    const double length = std::hypot(b.x - a.x, b.y - a.y);
    if (points.size() < 2 || length == 0.0) {
        return {};
    }
    const double azimuth = std::fmod(std::atan2(b.x - a.x, b.y - a.y) / kDegree + 360.0, 360.0);
    double off = 0.0;
    for (const auto& p : points) {
        off = std::max(off, std::abs((p.x - a.x) * (b.y - a.y) - (p.y - a.y) * (b.x - a.x)) / length);
    }
    return fmt::format(
        "from first to last {:.6g} m at azimuth {:.4g} degrees, the others at most {:.4g} m beside that line", length,
        azimuth, off);
}

void addPoints(std::string& out, const GeometryFile& file, const char* name, const std::vector<GeometryPoint>& points)
{
    if (points.empty()) {
        return;
    }
    out += fmt::format("  {:<16} {}\n", name, points.size());
    out += fmt::format("  {:<16} {}\n", "  first", pointText(file, points.front()));
    out += fmt::format("  {:<16} {}\n", "  last", pointText(file, points.back()));
    const auto range = [&](auto value) {
        const auto [low, high] = std::minmax_element(
            points.begin(), points.end(), [value](const auto& a, const auto& b) { return value(a) < value(b); });
        return fmt::format("{:.10g} to {:.10g}", value(*low), value(*high));
    };
    out += fmt::format("  {:<16} x {}, y {}, elevation {}, depth {} m\n", "  range",
                       range([](const auto& p) { return p.x; }), range([](const auto& p) { return p.y; }),
                       range([](const auto& p) { return p.elevation; }), range([](const auto& p) { return p.depth; }));
    if (const auto line = lineText(points); !line.empty()) {
        out += fmt::format("  {:<16} {}\n", "  line", line);
    }
}

// Stations that stand in one place twice: sorted, so that a million of them cost no more than a sort.
void findDuplicates(GeometryFile& file, const char* name, const std::vector<GeometryPoint>& points)
{
    const auto place = [&points](std::uint32_t i) {
        return std::array<double, 4>{points[i].x, points[i].y, points[i].elevation, points[i].depth};
    };
    std::vector<std::uint32_t> order(points.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&place](auto a, auto b) { return place(a) < place(b); });
    std::int64_t twice = 0;
    std::array<double, 4> where{};
    for (std::size_t i = 1; i < order.size(); ++i) {
        if (place(order[i]) == place(order[i - 1])) {
            where = twice == 0 ? place(order[i]) : where;
            ++twice;
        }
    }
    if (twice > 0) {
        file.warnings.push_back(
            fmt::format("{} {} stand where another does, the first at x {:.10g}, y {:.10g} m; remove "
                        "them from the file, or keep them if they were meant",
                        twice, name, where[0], where[1]));
    }
}

Result<> readKind(const InputFilePtr& file, const GeometryHints& hints, GeometryFile& out)
{
    if (hints.columns.empty()) {
        if (geometry::scoreP190(file)) {
            return geometry::readP190(file, out);
        }
        if (geometry::scoreSps(file)) {
            return geometry::readSps(file, out);
        }
        if (const auto head = file->head(4096);
            std::any_of(head.begin(), head.end(), [](unsigned char c) { return c == 0; })) {
            return geometry::readHeaders(file, hints, out);
        }
    }
    return geometry::readTable(file, hints.columns, out);
}

} // namespace

bool isGeometryFile(const std::string& path)
{
    auto file = InputFile::open(path);
    if (!file || (*file)->size() == 0) {
        return false;
    }
    const auto head = (*file)->head(4096);
    if (std::any_of(head.begin(), head.end(), [](unsigned char c) { return c == 0; })) {
        return false;
    }
    return geometry::scoreP190(*file) || geometry::scoreSps(*file) || geometry::scoreTable(*file);
}

Result<GeometryFile> readGeometry(const std::string& path, const GeometryHints& hints)
{
    auto file = InputFile::open(path);
    if (!file) {
        return tl::unexpected<Error>(file.error());
    }
    GeometryFile out;
    out.path = path;
    if (auto r = readKind(*file, hints, out); !r) {
        return r.error().text().find(path) == std::string::npos ? within(r.error(), path)
                                                                : tl::unexpected<Error>(r.error());
    }
    if (out.sources.empty() && out.receivers.empty() && out.places.empty() && out.relations.empty()) {
        return badInput(path + ": there are no places in it", "look whether it is the file that was meant");
    }
    if (!hints.unit.empty()) {
        auto unit = geometry::unitFromName(hints.unit);
        if (!unit) {
            return within(unit.error(), path);
        }
        if (out.unitStated && *unit != out.unit) {
            out.warnings.push_back(
                fmt::format("the file says that its unit is {:.8g} m; read in {} as you stated", out.unit, hints.unit));
        }
        out.unit = *unit;
        out.unitStated = true;
        out.description.push_back(fmt::format("lengths in {}, as you stated", hints.unit));
    } else if (out.unitStated) {
        out.description.push_back(out.unit == 1.0
                                      ? "lengths in metres, as the file says"
                                      : fmt::format("a unit of length is {:.8g} m, as the file says", out.unit));
    } else {
        out.description.emplace_back(
            "lengths taken as metres: the file does not say; state geometry.unit if it is another");
    }
    geometry::applyUnit(out);
    findDuplicates(out, "sources", out.sources);
    // Receivers of a towed cable stand where others of another shot did.
    if (out.spreads.empty()) {
        findDuplicates(out, "receivers", out.receivers);
    }
    findDuplicates(out, "places", out.places);
    return out;
}

std::string GeometryFile::text() const
{
    std::string out = fmt::format("{}: {}\n", path, format);
    for (const auto& fact : description) {
        out += "  " + fact + "\n";
    }
    addPoints(out, *this, "sources", sources);
    addPoints(out, *this, "receivers", receivers);
    addPoints(out, *this, "places", places);
    if (!relations.empty()) {
        std::vector<std::int64_t> records;
        std::int64_t channels = 0;
        for (const auto& r : relations) {
            records.push_back(r.record);
            channels += std::abs(r.toChannel - r.fromChannel) / std::max(1, r.channelStep) + 1;
        }
        std::sort(records.begin(), records.end());
        const auto distinct = std::unique(records.begin(), records.end()) - records.begin();
        out += fmt::format("  {:<16} {} in {} field records, {} channels in all, shot points {:.12g} to {:.12g}\n",
                           "relations", relations.size(), distinct, channels, relations.front().sourcePoint,
                           relations.back().sourcePoint);
    }
    if (!spreads.empty()) {
        const auto [low, high] = std::minmax_element(spreads.begin(), spreads.end(),
                                                     [](const auto& a, const auto& b) { return a.size() < b.size(); });
        out += fmt::format("  {:<16} {} sources, each heard by {} to {} receivers\n", "spreads", spreads.size(),
                           low->size(), high->size());
    }
    for (const auto& w : warnings) {
        out += "  warning: " + w + "\n";
    }
    for (const auto& h : hints) {
        out += "  hint: " + h + "\n";
    }
    return out;
}

std::string GeometryProjection::describe() const
{
    const std::string axis = azimuth == 90.0
                                 ? "x runs east, y north"
                                 : fmt::format("x runs at azimuth {:g} degrees, y to the left of it", azimuth);
    return fmt::format("{}, from map coordinates ({:.12g}, {:.12g}) m; z counts down from elevation {:g} m", axis,
                       originX, originY, datum);
}

Position projected(const GeometryPoint& point, const GeometryProjection& how, std::optional<double> depth)
{
    const double east = point.x - how.originX;
    const double north = point.y - how.originY;
    const double z = depth ? *depth : how.datum - point.elevation + point.depth;
    if (how.azimuth == 90.0) {
        return {east, north, z}; // no sine of a right angle to round it
    }
    const double s = std::sin(how.azimuth * kDegree);
    const double c = std::cos(how.azimuth * kDegree);
    return {east * s + north * c, north * s - east * c, z};
}

} // namespace ondo
