// SPS, the Shell Processing Support format: point records S and R, relation records X, headers H. Columns from the SEG
// technical standard, revision 0 (1990) and revision 2.1 (2006). Two things that files in the field do are read as
// well and said: all columns slipped by leading blanks, and fields that are parted by blanks with no regard to columns.
#include "engine/io/geometry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace ondo::geometry {

namespace {

struct Columns {
    std::size_t first;
    std::size_t last;
};

struct Layout {
    const char* name;
    // Of S and R.
    Columns line, point, index, code, depth, easting, northing, elevation;
    // Of X.
    Columns record, sourceLine, sourcePoint, sourceIndex, fromChannel, toChannel, channelStep, receiverLine,
        fromReceiver, toReceiver, receiverIndex;
};

constexpr std::array<Layout, 2> kLayouts = {
    {{"revision 0", {2, 17},  {18, 25}, {26, 26}, {27, 28}, {33, 36}, {47, 55}, {56, 65}, {66, 71}, {8, 11},
      {14, 29},     {30, 37}, {38, 38}, {39, 42}, {43, 46}, {47, 47}, {48, 63}, {64, 71}, {72, 79}, {80, 80}},
     {"revision 2.1", {2, 11},  {12, 21}, {24, 24}, {25, 26}, {31, 34}, {47, 55}, {56, 65}, {66, 71}, {8, 15},
      {18, 27},       {28, 37}, {38, 38}, {39, 43}, {44, 48}, {49, 49}, {50, 59}, {60, 69}, {70, 79}, {80, 80}}}};

constexpr std::size_t kSamples = 200; // records that choose the layout
constexpr std::size_t kMostShift = 2;

std::string_view take(std::string_view line, const Columns& c)
{
    return columns(line, c.first, c.last);
}

bool isRecord(char c)
{
    return c == 'S' || c == 'R' || c == 'X';
}

bool digitOrBlank(std::string_view text)
{
    return text.empty() || text == " " || std::isdigit(static_cast<unsigned char>(text[0])) != 0;
}

std::int32_t whole(std::string_view text, bool& good, std::int32_t standard)
{
    if (trimmed(text).empty()) {
        return standard;
    }
    const double v = numberOrZero(text, good);
    return v >= -2e9 && v <= 2e9 ? static_cast<std::int32_t>(v) : 0;
}

std::optional<GeometryPoint> pointAt(std::string_view line, const Layout& l, LineNames* names)
{
    const auto code = take(line, l.code);
    bool good = trimmed(code).empty() || std::isupper(static_cast<unsigned char>(code[0])) != 0;
    const auto easting = numberOf(take(line, l.easting));
    const auto northing = numberOf(take(line, l.northing));
    const auto number = numberOf(take(line, l.point));
    GeometryPoint p;
    p.depth = numberOrZero(take(line, l.depth), good);
    p.elevation = numberOrZero(take(line, l.elevation), good);
    good = good && easting && northing && number && digitOrBlank(take(line, l.index));
    if (!good) {
        return std::nullopt;
    }
    p.x = *easting;
    p.y = *northing;
    p.number = *number;
    p.index = whole(take(line, l.index), good, 1);
    p.line = names != nullptr ? names->index(take(line, l.line)) : -1;
    return p;
}

std::optional<GeometryRelation> relationAt(std::string_view line, const Layout& l, LineNames* names)
{
    const auto source = numberOf(take(line, l.sourcePoint));
    const auto from = numberOf(take(line, l.fromReceiver));
    const auto to = numberOf(take(line, l.toReceiver));
    const auto record = numberOf(take(line, l.record));
    bool good = source && from && to && record;
    GeometryRelation r;
    r.fromChannel = whole(take(line, l.fromChannel), good, 0);
    r.toChannel = whole(take(line, l.toChannel), good, 0);
    r.channelStep = whole(take(line, l.channelStep), good, 1);
    r.sourceIndex = whole(take(line, l.sourceIndex), good, 1);
    r.receiverIndex = whole(take(line, l.receiverIndex), good, 1);
    if (!good) {
        return std::nullopt;
    }
    r.record = static_cast<std::int64_t>(*record);
    r.sourcePoint = *source;
    r.fromReceiver = *from;
    r.toReceiver = *to;
    if (names != nullptr) {
        r.sourceLine = names->index(take(line, l.sourceLine));
        r.receiverLine = names->index(take(line, l.receiverLine));
    }
    return r;
}

// "20011G1": point 2001, index 1, code G1.
std::optional<GeometryPoint> pointByBlanks(std::string_view line, LineNames* names)
{
    const auto w = words(line, " \t\r");
    // Record and line, point with index and code, static, depth, datum, uphole time, water depth, easting, northing,
    // elevation, day with time.
    if (w.size() != 11 || w[1].size() < 4) {
        return std::nullopt;
    }
    const auto code = w[1].size() - 2;
    bool good = std::isupper(static_cast<unsigned char>(w[1][code])) != 0;
    const auto number = numberOf(w[1].substr(0, code - 1));
    GeometryPoint p;
    p.index = whole(w[1].substr(code - 1, 1), good, 1);
    p.depth = numberOrZero(w[3], good);
    p.x = numberOrZero(w[7], good);
    p.y = numberOrZero(w[8], good);
    p.elevation = numberOrZero(w[9], good);
    for (const std::size_t k : {2U, 4U, 5U, 6U, 10U}) {
        (void)numberOrZero(w[k], good);
    }
    if (!good || !number) {
        return std::nullopt;
    }
    p.number = *number;
    p.line = names != nullptr ? names->index(w[0].substr(1)) : -1;
    return p;
}

std::optional<GeometryRelation> relationByBlanks(std::string_view line, LineNames* names)
{
    const auto w = words(line, " \t\r");
    // Record and tape, field record with increment, instrument and source line, source point with index, first channel,
    // last channel with step and receiver line, first receiver, last receiver with index.
    if (w.size() != 7 || w[1].size() < 4 || w[2].size() < 2 || w[4].size() < 3 || w[6].size() < 2) {
        return std::nullopt;
    }
    bool good = true;
    GeometryRelation r;
    r.record = whole(w[1].substr(0, w[1].size() - 3), good, 0);
    r.sourcePoint = numberOrZero(w[2].substr(0, w[2].size() - 1), good);
    r.sourceIndex = whole(w[2].substr(w[2].size() - 1), good, 1);
    r.fromChannel = whole(w[3], good, 0);
    r.toChannel = whole(w[4].substr(0, w[4].size() - 2), good, 0);
    r.channelStep = whole(w[4].substr(w[4].size() - 2, 1), good, 1);
    r.fromReceiver = numberOrZero(w[5], good);
    r.toReceiver = numberOrZero(w[6].substr(0, w[6].size() - 1), good);
    r.receiverIndex = whole(w[6].substr(w[6].size() - 1), good, 1);
    if (!good) {
        return std::nullopt;
    }
    if (names != nullptr) {
        r.sourceLine = names->index(w[1].substr(w[1].size() - 1));
        r.receiverLine = names->index(w[4].substr(w[4].size() - 1));
    }
    return r;
}

struct Choice {
    const Layout* layout = nullptr; // null: fields parted by blanks
    std::size_t shift = 0;
    std::size_t right = 0; // of the sample, records that make sense
    std::size_t total = 0;
};

bool makesSense(std::string_view line, const Layout* layout)
{
    if (layout == nullptr) {
        return line[0] == 'X' ? relationByBlanks(line, nullptr).has_value() : pointByBlanks(line, nullptr).has_value();
    }
    return line[0] == 'X' ? relationAt(line, *layout, nullptr).has_value()
                          : pointAt(line, *layout, nullptr).has_value();
}

// The line from the letter of its record on; nothing for headers and blank lines.
std::string_view recordOf(std::string_view line, std::size_t& shift)
{
    shift = line.find_first_not_of(' ');
    if (shift > kMostShift || line.size() - shift < 40 || !isRecord(line[shift])) {
        return {};
    }
    return line.substr(shift);
}

Choice choose(const InputFilePtr& file)
{
    LineReader reader(file);
    std::string line;
    std::vector<std::string> sample;
    std::string head;
    std::size_t other = 0;
    std::size_t slipped = 0;
    while (sample.size() < kSamples && reader.next(line)) {
        std::size_t shift = 0;
        const auto record = recordOf(line, shift);
        if (!record.empty()) {
            sample.emplace_back(record);
            slipped = std::max(slipped, shift);
        } else if (line.starts_with('H')) {
            head += head.size() < 200 ? line.substr(0, 80) : "";
        } else if (!trimmed(line).empty() && ++other > 20) {
            break;
        }
    }
    Choice best;
    best.total = sample.size() + other;
    // Revision 2.1 first where the header names it: records can make sense in both.
    const bool two = head.find("SPS 2") != std::string::npos || head.find("SPS002") != std::string::npos;
    for (const Layout* layout : {&kLayouts[two ? 1 : 0], &kLayouts[two ? 0 : 1], static_cast<const Layout*>(nullptr)}) {
        const auto right = static_cast<std::size_t>(std::count_if(
            sample.begin(), sample.end(), [layout](const std::string& l) { return makesSense(l, layout); }));
        if (right > best.right) {
            best.layout = layout;
            best.right = right;
        }
    }
    best.shift = slipped;
    return best;
}

// H200 names the unit of the grid, H201 its factor to the metre (revision 2.1: H20 and H201 alike).
void readHeader(std::string_view line, GeometryFile& out)
{
    const auto value = line.size() > 32 ? line.substr(32) : std::string_view();
    std::string lower(value);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (line.starts_with("H201")) {
        const auto w = words(value, " \t\r,;");
        const auto factor = w.empty() ? std::nullopt : numberOf(w.front());
        if (factor && *factor > 1e-4 && *factor < 1e4) {
            out.unit = *factor;
            out.unitStated = true;
        }
    } else if (line.starts_with("H200") && !out.unitStated) {
        const bool feet = lower.find("feet") != lower.npos || lower.find("foot") != lower.npos;
        const bool american = lower.find("american") != lower.npos || lower.find("us") != lower.npos;
        if (feet) {
            out.unit = american ? 1200.0 / 3937.0 : 0.3048;
            out.unitStated = true;
        } else if (lower.find("met") != lower.npos) {
            out.unit = 1.0;
            out.unitStated = true;
        }
    } else if (line.starts_with("H00")) {
        if (const auto t = trimmed(value); !t.empty()) {
            out.description.push_back(fmt::format("header: {}", t.substr(0, t.find(';'))));
        }
    }
}

} // namespace

bool scoreSps(const InputFilePtr& file)
{
    const Choice c = choose(file);
    return c.right > 0 && 10 * c.right >= 9 * c.total;
}

Result<> readSps(const InputFilePtr& file, GeometryFile& out)
{
    const Choice choice = choose(file);
    out.format = "SPS";
    LineNames names(out);
    LineReader reader(file);
    std::string line;
    std::int64_t skipped = 0;
    std::int64_t firstSkipped = 0;
    while (reader.next(line)) {
        if (line.starts_with('H')) {
            readHeader(line, out);
            continue;
        }
        std::size_t shift = 0;
        const auto record = recordOf(line, shift);
        bool read = false;
        if (!record.empty() && record[0] == 'X') {
            const auto r = choice.layout != nullptr ? relationAt(record, *choice.layout, &names)
                                                    : relationByBlanks(record, &names);
            if (r) {
                out.relations.push_back(*r);
            }
            read = r.has_value();
        } else if (!record.empty()) {
            const auto p =
                choice.layout != nullptr ? pointAt(record, *choice.layout, &names) : pointByBlanks(record, &names);
            if (p) {
                (record[0] == 'S' ? out.sources : out.receivers).push_back(*p);
            }
            read = p.has_value();
        }
        if (!read && !trimmed(line).empty() && trimmed(line) != "\x1A") {
            firstSkipped = skipped == 0 ? reader.number() : firstSkipped;
            ++skipped;
        }
    }
    if (!reader.error()) {
        return reader.error();
    }
    out.description.push_back(
        choice.layout != nullptr
            ? fmt::format("columns of SPS {}{}", choice.layout->name,
                          choice.shift > 0 ? fmt::format(", all slipped to the right by {} blank", choice.shift) : "")
            : "fields parted by blanks, with no regard to the standard's columns");
    if (choice.layout == nullptr || choice.shift > 0) {
        out.warnings.emplace_back("the records do not keep the columns of the standard; look at first and last point "
                                  "below, and write the file again by the standard if they are wrong");
    }
    if (skipped > 0) {
        out.warnings.push_back(fmt::format("{} lines are no record of SPS and were left out, the first is line {}; "
                                           "correct or remove them",
                                           skipped, firstSkipped));
    }
    return {};
}

} // namespace ondo::geometry
