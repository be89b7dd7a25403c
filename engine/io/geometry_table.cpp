// Tables of places: columns named by a line at the top or by the user, SPECFEM's STATIONS, DENISE's source lists,
// shot-point lists with degrees and grid coordinates, and plain columns of numbers when they are asked for.
#include "engine/io/geometry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>

namespace ondo::geometry {

namespace {

enum class Column { None, X, Y, Depth, Elevation, Number, Line, Latitude, Longitude, Burial };

struct Named {
    std::string_view name;
    Column column;
};

constexpr std::array<Named, 34> kNames = {{{"-", Column::None},
                                           {"x", Column::X},
                                           {"easting", Column::X},
                                           {"east", Column::X},
                                           {"x_m", Column::X},
                                           {"sx", Column::X},
                                           {"gx", Column::X},
                                           {"xsrc", Column::X},
                                           {"xrec", Column::X},
                                           {"y", Column::Y},
                                           {"northing", Column::Y},
                                           {"north", Column::Y},
                                           {"y_m", Column::Y},
                                           {"sy", Column::Y},
                                           {"gy", Column::Y},
                                           {"z", Column::Depth},
                                           {"depth", Column::Depth},
                                           {"z_m", Column::Depth},
                                           {"elevation", Column::Elevation},
                                           {"elev", Column::Elevation},
                                           {"height", Column::Elevation},
                                           {"altitude", Column::Elevation},
                                           {"point", Column::Number},
                                           {"station", Column::Number},
                                           {"shotpoint", Column::Number},
                                           {"sp", Column::Number},
                                           {"id", Column::Number},
                                           {"number", Column::Number},
                                           {"line", Column::Line},
                                           {"latitude", Column::Latitude},
                                           {"lat", Column::Latitude},
                                           {"longitude", Column::Longitude},
                                           {"lon", Column::Longitude},
                                           {"burial", Column::Burial}}};

std::string lowered(std::string_view text)
{
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::optional<Column> columnNamed(std::string_view word)
{
    std::string name = lowered(word);
    // "x (m)", "x [m]": the unit in brackets is told apart from the name.
    name = name.substr(0, name.find_first_of("([ "));
    for (const auto& n : kNames) {
        if (n.name == name) {
            return n.column;
        }
    }
    return std::nullopt;
}

// By semicolons, else by commas, keeping empty fields; else by blanks.
std::vector<std::string_view> fields(std::string_view line)
{
    const char mark = line.find(';') != line.npos ? ';' : (line.find(',') != line.npos ? ',' : ' ');
    if (mark == ' ') {
        return words(line, " \t");
    }
    std::vector<std::string_view> out;
    while (true) {
        const auto end = line.find(mark);
        auto field = trimmed(line.substr(0, end));
        if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
            field = field.substr(1, field.size() - 2);
        }
        out.push_back(field);
        if (end == line.npos) {
            return out;
        }
        line = line.substr(end + 1);
    }
}

bool isRemark(std::string_view line)
{
    const auto t = trimmed(line);
    return t.empty() || t[0] == '#' || t[0] == '%' || t[0] == '!';
}

enum class Kind { Unknown, NamedColumns, Stations, DeniseSources, ShotPoints, Numbers };

struct Table {
    Kind kind = Kind::Unknown;
    std::vector<Column> columns;
    std::int64_t skip = 0;  // lines before the first row, those of remarks included
    std::int64_t count = 0; // that the file announces
    std::size_t width = 0;  // of the first row
    std::string names;      // as the file writes them
};

bool allNumbers(const std::vector<std::string_view>& row, std::size_t from)
{
    return row.size() > from && std::all_of(row.begin() + static_cast<std::ptrdiff_t>(from), row.end(),
                                            [](std::string_view w) { return numberOf(w).has_value(); });
}

std::vector<Column> namedColumns(const std::vector<std::string_view>& row)
{
    std::vector<Column> out;
    for (const auto& w : row) {
        out.push_back(columnNamed(w).value_or(Column::None));
    }
    const auto has = [&out](Column c) { return std::find(out.begin(), out.end(), c) != out.end(); };
    const bool places = has(Column::X) && (has(Column::Y) || has(Column::Depth) || has(Column::Elevation));
    const bool numbers =
        std::all_of(row.begin(), row.end(), [](std::string_view w) { return numberOf(w).has_value(); });
    return places && !numbers ? out : std::vector<Column>();
}

bool isShotPoint(const std::vector<std::string_view>& row)
{
    if (row.size() != 7 || !allNumbers(row, 2)) {
        return false;
    }
    const double latitude = *numberOf(row[3]);
    const double longitude = *numberOf(row[4]);
    return std::abs(latitude) <= 90.0 && std::abs(longitude) <= 180.0 && row[3].find('.') != row[3].npos &&
           row[4].find('.') != row[4].npos && std::hypot(*numberOf(row[5]), *numberOf(row[6])) > 1000.0;
}

Table recognise(const InputFilePtr& file)
{
    using C = Column;
    Table t;
    LineReader reader(file);
    std::string line;
    std::string before; // a remark or a line of names right above the rows
    std::vector<std::string_view> row;
    while (reader.next(line)) {
        t.skip = reader.number() - 1;
        row = fields(line);
        if (isRemark(line)) {
            const auto t2 = trimmed(line);
            before = t2.empty() ? before : std::string(trimmed(t2.substr(1)));
            continue;
        }
        if (before.empty() && !allNumbers(row, 0)) {
            if (auto named = namedColumns(row); !named.empty()) {
                before = line;
                continue;
            }
        }
        if (row.size() == 1 && allNumbers(row, 0) && t.count == 0) {
            t.count = static_cast<std::int64_t>(std::max(0.0, *numberOf(row[0])));
            continue;
        }
        break;
    }
    t.width = row.size();
    const auto names = fields(before);
    if (auto named = namedColumns(names); !before.empty() && !named.empty() && names.size() == t.width) {
        t.kind = Kind::NamedColumns;
        t.columns = std::move(named);
        t.names = before;
    } else if (row.size() == 6 && allNumbers(row, 2) && !numberOf(row[1])) {
        t.kind = Kind::Stations;
        t.columns = {C::Number, C::Line, C::X, C::Elevation, C::None, C::None};
    } else if (t.count > 0 && row.size() >= 7 && row.size() <= 9 && allNumbers(row, 0)) {
        t.kind = Kind::DeniseSources;
        t.columns = {C::X, C::None, C::Depth};
    } else if (isShotPoint(row)) {
        t.kind = Kind::ShotPoints;
        t.columns = {C::None, C::Line, C::Number, C::Latitude, C::Longitude, C::X, C::Y};
    } else if (allNumbers(row, 0)) {
        t.kind = Kind::Numbers;
        if (row.size() == 2) {
            t.columns = {C::X, C::Depth};
        } else if (row.size() == 3) {
            t.columns = {C::X, C::Y, C::Depth};
        }
    }
    return t;
}

Result<std::vector<Column>> statedColumns(const std::string& text)
{
    std::vector<Column> out;
    for (const auto& word : words(text, " ,\t")) {
        const auto column = columnNamed(word);
        if (!column) {
            return badInput(fmt::format("\"{}\" is not the name of a column", word),
                            "name them x, y, depth, elevation, point, line, and - for one that is not wanted");
        }
        out.push_back(*column);
    }
    return out;
}

class Reading {
public:
    Reading(GeometryFile& out, const Table& table)
        : m_out(out)
        , m_table(table)
        , m_names(out)
    {
    }
    Result<> read(const InputFilePtr& file);

private:
    Result<> row(const std::vector<std::string_view>& words, std::int64_t number);
    void judgeUnit();
    void tell(const InputFilePtr& file);

    GeometryFile& m_out;
    const Table& m_table;
    LineNames m_names;
    std::array<double, 2> m_firstDegrees{};
    double m_ground = 0.0; // metres from the first row to the last, by degrees
    bool m_burials = false;
};

Result<> Reading::row(const std::vector<std::string_view>& words, std::int64_t number)
{
    if (words.size() < m_table.columns.size()) {
        return badInput(fmt::format("line {} has {} columns of {}", number, words.size(), m_table.columns.size()),
                        "complete it; remarks begin with #");
    }
    GeometryPoint p;
    std::optional<double> latitude;
    std::optional<double> longitude;
    for (std::size_t k = 0; k < m_table.columns.size(); ++k) {
        const Column c = m_table.columns[k];
        if (c == Column::None) {
            continue;
        }
        if (c == Column::Line) {
            p.line = m_names.index(words[k]);
            continue;
        }
        const auto value = numberOf(words[k]);
        if (!value && c == Column::Number) {
            p.number = static_cast<double>(m_out.places.size() + 1); // a name; the rows are counted
            continue;
        }
        if (!value) {
            return badInput(
                fmt::format("line {}: \"{}\" in column {} is not a number", number, words[k].substr(0, 40), k + 1),
                "correct it; remarks begin with #");
        }
        switch (c) {
        case Column::X: p.x = *value; break;
        case Column::Y: p.y = *value; break;
        case Column::Depth: p.depth = *value; break;
        case Column::Elevation: p.elevation = *value; break;
        case Column::Number: p.number = *value; break;
        case Column::Latitude: latitude = value; break;
        case Column::Longitude: longitude = value; break;
        case Column::Burial: p.depth = *value; break;
        case Column::Line:
        case Column::None: break;
        }
    }
    if (m_table.kind == Kind::Stations) {
        m_burials = m_burials || numberOf(words[4]).value_or(0.0) != 0.0 || numberOf(words[5]).value_or(0.0) != 0.0;
    }
    if (latitude && longitude) {
        if (m_out.places.empty()) {
            m_firstDegrees = {*latitude, *longitude};
        }
        constexpr double kMetresPerDegree = 111195.0; // of a sphere of 6371 km: half a per cent will do
        const double middle = 0.5 * (*latitude + m_firstDegrees[0]) * std::numbers::pi / 180.0;
        m_ground = std::hypot((*latitude - m_firstDegrees[0]), (*longitude - m_firstDegrees[1]) * std::cos(middle)) *
                   kMetresPerDegree;
    }
    m_out.places.push_back(p);
    return {};
}

void Reading::judgeUnit()
{
    if (m_ground <= 0.0 || m_out.places.size() < 2 || m_out.unitStated) {
        return;
    }
    const auto& a = m_out.places.front();
    const auto& b = m_out.places.back();
    const double grid = std::hypot(b.x - a.x, b.y - a.y);
    const double unit = grid > 0.0 ? m_ground / grid : 0.0;
    if (std::abs(unit - 1.0) < 0.03) {
        m_out.unitStated = true;
        m_out.description.push_back(
            fmt::format("a unit of the grid is {:.4g} m by latitude and longitude: metres", unit));
    } else if (std::abs(unit / 0.3048 - 1.0) < 0.03) {
        m_out.unit = 0.3048;
        m_out.unitStated = true;
        m_out.description.push_back(
            fmt::format("a unit of the grid is {:.4g} m by latitude and longitude: feet", unit));
    } else {
        m_out.warnings.push_back(
            fmt::format("a unit of the grid is {:.4g} m by latitude and longitude, neither metres nor feet; state "
                        "geometry.unit",
                        unit));
    }
}

void Reading::tell(const InputFilePtr& file)
{
    switch (m_table.kind) {
    case Kind::NamedColumns:
        m_out.format = "table with named columns";
        m_out.description.push_back(fmt::format("columns by their names: {}", trimmed(m_table.names)));
        break;
    case Kind::Stations:
        m_out.format = "STATIONS of SPECFEM";
        m_out.description.emplace_back("columns: station, network, x, z; z counts upwards and is read as an elevation: "
                                       "state geometry.datum, the z "
                                       "of the model's top");
        if (m_burials) {
            m_out.warnings.emplace_back(
                "the columns of elevation and burial are not zero, as in three dimensions; if the file is "
                "three-dimensional state the columns \"point line y x elevation burial\"");
        }
        break;
    case Kind::DeniseSources:
        m_out.format = "source list of DENISE";
        m_out.description.emplace_back("columns: x, (z), depth, and of each source's wavelet, which are left out");
        m_out.sources.swap(m_out.places);
        if (m_table.count != static_cast<std::int64_t>(m_out.sources.size())) {
            m_out.warnings.push_back(fmt::format("the first line announces {} sources but {} follow; correct it",
                                                 m_table.count, m_out.sources.size()));
        }
        break;
    case Kind::ShotPoints:
        m_out.format = "list of shot points";
        m_out.description.emplace_back("columns: (survey), line, shot point, latitude, longitude, easting, northing");
        break;
    case Kind::Numbers:
    case Kind::Unknown:
        m_out.format = "columns of numbers";
        m_out.description.emplace_back(m_table.columns.size() == 2
                                           ? "columns by custom: x, depth; state others by their names"
                                           : "columns by custom: x, y, depth; state others by their names");
        break;
    }
    (void)file;
}

Result<> Reading::read(const InputFilePtr& file)
{
    std::string line;
    // Counted first: a list that doubles as it grows holds three times what it needs.
    LineReader counter(file);
    while (counter.next(line)) {
    }
    m_out.places.reserve(static_cast<std::size_t>(counter.number()));
    LineReader reader(file);
    while (reader.next(line)) {
        if (reader.number() <= m_table.skip || isRemark(line)) {
            continue;
        }
        if (auto r = row(fields(line), reader.number()); !r) {
            return r;
        }
    }
    if (!reader.error()) {
        return reader.error();
    }
    judgeUnit();
    tell(file);
    return {};
}

} // namespace

bool scoreTable(const InputFilePtr& file)
{
    const Kind kind = recognise(file).kind;
    return kind != Kind::Unknown && kind != Kind::Numbers;
}

Result<> readTable(const InputFilePtr& file, const std::string& columns, GeometryFile& out)
{
    Table table = recognise(file);
    if (!columns.empty()) {
        auto stated = statedColumns(columns);
        if (!stated) {
            return tl::unexpected<Error>(stated.error());
        }
        table.columns = std::move(*stated);
        table.kind = Kind::NamedColumns;
        table.names = columns;
    }
    if (table.kind == Kind::Unknown) {
        return badInput("it is no file of places that is known: SPS, P1/90, SEG-Y, SU, or a table of numbers",
                        "name the columns in its first line, such as \"x y depth\"");
    }
    if (table.columns.empty()) {
        return badInput(fmt::format("its {} columns have no names", table.width),
                        "state them, such as receivers.columns = \"- x y depth\", or name them in the first line");
    }
    return Reading(out, table).read(file);
}

} // namespace ondo::geometry
