// UKOOA P1/90 (1990): header records H, a position a record (S source, G receiver group, V vessel, T tail buoy, ...),
// R records with three receiver groups each. Grid coordinates are used as they stand; degrees only to check them.
#include "engine/io/geometry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

namespace ondo::geometry {

namespace {

// Items 1 to 15: line name 2-13, ids 17-19, point number 20-25, latitude 26-35, longitude 36-46, easting 47-55,
// northing 56-64, water depth 65-70, day 71-73, time 74-79.
struct Place {
    double x = 0.0, y = 0.0, number = 0.0;
    std::optional<double> latitude, longitude;
};

bool isPlaceRecord(std::string_view line)
{
    static constexpr std::string_view kLetters = "SGQATCVEZ";
    if (line.size() < 64 || kLetters.find(line[0]) == std::string_view::npos) {
        return false;
    }
    const bool lettered = (line[34] == 'N' || line[34] == 'S') && (line[45] == 'E' || line[45] == 'W');
    return lettered || (trimmed(columns(line, 26, 46)).empty() && numberOf(columns(line, 47, 55)).has_value());
}

// Degrees, minutes and seconds in fixed columns; blank minutes are zero, as files in the field leave them.
std::optional<double> degrees(std::string_view text, std::size_t whole)
{
    bool good = true;
    const double d = numberOrZero(text.substr(0, whole), good);
    const double m = numberOrZero(text.substr(whole, 2), good);
    const double s = numberOrZero(text.substr(whole + 2, 5), good);
    const char letter = text.back();
    if (!good || m >= 60.0 || s >= 60.0 || d > 180.0) {
        return std::nullopt;
    }
    const double value = d + m / 60.0 + s / 3600.0;
    return letter == 'S' || letter == 'W' ? -value : value;
}

std::optional<Place> placeAt(std::string_view line)
{
    const auto x = numberOf(columns(line, 47, 55));
    const auto y = numberOf(columns(line, 56, 64));
    if (!x || !y) {
        return std::nullopt;
    }
    Place p{*x, *y, numberOf(columns(line, 20, 25)).value_or(0.0), std::nullopt, std::nullopt};
    if (!trimmed(columns(line, 26, 34)).empty()) {
        p.latitude = degrees(columns(line, 26, 35), 2);
        p.longitude = degrees(columns(line, 36, 46), 3);
    }
    return p;
}

// H2000: "1METRES   1.000000000000": a number of the unit, its name and its factor to the metre.
void readUnit(std::string_view line, GeometryFile& out)
{
    const auto value = line.size() > 32 ? line.substr(32) : std::string_view();
    const auto w = words(value, " \t\r");
    const auto factor = w.size() > 1 ? numberOf(w.back()) : std::nullopt;
    if (factor && *factor > 1e-4 && *factor < 1e4) {
        out.unit = *factor;
        out.unitStated = true;
    } else if (!value.empty() && value.front() == '1') {
        out.unit = 1.0;
        out.unitStated = true;
    }
}

// Ground distance of the first two places that lie apart, by degrees over by grid: 1 when the unit is right.
std::optional<double> unitRatio(const std::vector<Place>& places)
{
    for (std::size_t i = 1; i < places.size(); ++i) {
        const Place& a = places[0];
        const Place& b = places[i];
        const double grid = std::hypot(b.x - a.x, b.y - a.y);
        if (!a.latitude || !a.longitude || !b.latitude || !b.longitude || grid < 50.0) {
            continue;
        }
        constexpr double kMetresPerDegree = 111195.0; // of a sphere of 6371 km: half a per cent will do
        const double east = (*b.longitude - *a.longitude) * kMetresPerDegree *
                            std::cos(0.5 * (*a.latitude + *b.latitude) * std::numbers::pi / 180.0);
        const double north = (*b.latitude - *a.latitude) * kMetresPerDegree;
        return std::hypot(east, north) / grid;
    }
    return std::nullopt;
}

class Reading {
public:
    explicit Reading(GeometryFile& out)
        : m_out(out)
        , m_names(out)
    {
    }
    Result<> read(const InputFilePtr& file);

private:
    bool place(std::string_view line);
    bool groups(std::string_view line);
    void header(std::string_view line);

    GeometryFile& m_out;
    LineNames m_names;
    std::vector<Place> m_first; // some, to hold grid and degrees against each other
    std::int64_t m_others = 0;
};

void Reading::header(std::string_view line)
{
    const auto value = trimmed(columns(line, 33, 80));
    if (line.starts_with("H2000")) {
        readUnit(line, m_out);
    } else if (line.starts_with("H1400") || line.starts_with("H1800") || line.starts_with("H1900")) {
        m_out.description.push_back(fmt::format("{}: {}", trimmed(columns(line, 6, 32)), value));
    }
}

bool Reading::place(std::string_view line)
{
    const auto p = placeAt(line);
    if (!p) {
        return false;
    }
    if (line[0] != 'S' && line[0] != 'G') {
        ++m_others;
        return true;
    }
    if (m_first.size() < 64) {
        m_first.push_back(*p);
    }
    GeometryPoint g;
    g.x = p->x;
    g.y = p->y;
    g.number = p->number;
    g.line = m_names.index(columns(line, 2, 13));
    if (line[0] == 'S') {
        m_out.sources.push_back(g);
        m_out.spreads.emplace_back();
    } else {
        if (!m_out.spreads.empty()) {
            m_out.spreads.back().push_back(static_cast<std::uint32_t>(m_out.receivers.size()));
        }
        m_out.receivers.push_back(g);
    }
    return true;
}

// Three groups of 26 columns from column 2: number 4, easting 9, northing 9, depth of the cable 4.
bool Reading::groups(std::string_view line)
{
    bool good = true;
    for (std::size_t at = 2; at + 21 <= line.size() && at < 80; at += 26) {
        const auto x = numberOf(columns(line, at + 4, at + 12));
        const auto y = numberOf(columns(line, at + 13, at + 21));
        if (!x && !y && trimmed(columns(line, at, at + 25)).size() <= 1) {
            continue; // the last record may hold fewer; column 80 is the streamer's number
        }
        if (!x || !y) {
            return false;
        }
        GeometryPoint g;
        g.x = *x;
        g.y = *y;
        g.number = numberOrZero(columns(line, at, at + 3), good);
        g.depth = numberOrZero(columns(line, at + 22, at + 25), good);
        if (!m_out.spreads.empty()) {
            m_out.spreads.back().push_back(static_cast<std::uint32_t>(m_out.receivers.size()));
        }
        m_out.receivers.push_back(g);
    }
    return good;
}

Result<> Reading::read(const InputFilePtr& file)
{
    constexpr std::int64_t kGroupBytes = 27; // three groups a line of eighty: more are not in the file
    m_out.receivers.reserve(static_cast<std::size_t>(file->size() / kGroupBytes));
    LineReader reader(file);
    std::string line;
    std::int64_t skipped = 0;
    std::int64_t firstSkipped = 0;
    while (reader.next(line)) {
        const bool known = line.starts_with('H')   ? (header(line), true)
                           : line.starts_with('R') ? groups(line)
                           : isPlaceRecord(line)   ? place(line)
                                                   : trimmed(line).empty() || line.starts_with("EOF");
        if (!known) {
            firstSkipped = skipped == 0 ? reader.number() : firstSkipped;
            ++skipped;
        }
    }
    if (!reader.error()) {
        return reader.error();
    }
    if (m_others > 0) {
        m_out.description.push_back(fmt::format(
            "{} positions of vessel, tail buoys and antennas, which are no sources or receivers", m_others));
    }
    if (skipped > 0) {
        m_out.warnings.push_back(fmt::format("{} lines are no record of P1/90 and were left out, the first is line {}; "
                                             "correct or remove them",
                                             skipped, firstSkipped));
    }
    if (const auto ratio = unitRatio(m_first); ratio && std::abs(*ratio / m_out.unit - 1.0) > 0.02) {
        m_out.warnings.push_back(fmt::format("by latitude and longitude a unit of the grid is {:.4g} m, but the header "
                                             "gives {:.6g}; state geometry.unit if the header is wrong",
                                             *ratio, m_out.unit));
    }
    const bool listening =
        std::any_of(m_out.spreads.begin(), m_out.spreads.end(), [](const auto& s) { return !s.empty(); });
    if (!listening) {
        m_out.spreads.clear();
    }
    return {};
}

} // namespace

bool scoreP190(const InputFilePtr& file)
{
    LineReader reader(file);
    std::string line;
    int places = 0;
    int others = 0;
    for (int i = 0; i < 400 && reader.next(line); ++i) {
        const bool known = isPlaceRecord(line) && (line[34] == 'N' || line[34] == 'S');
        places += known ? 1 : 0;
        others += known || line.starts_with('H') || line.starts_with('R') || trimmed(line).empty() ? 0 : 1;
    }
    return places > 0 && others <= places / 10;
}

Result<> readP190(const InputFilePtr& file, GeometryFile& out)
{
    out.format = "P1/90";
    return Reading(out).read(file);
}

} // namespace ondo::geometry
