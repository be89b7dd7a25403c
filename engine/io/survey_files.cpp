#include "engine/io/survey_files.h"

#include "engine/io/geometry_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ondo {

namespace {

// "19248.00" and "19248" are one line.
std::string lineKey(const GeometryFile& file, std::int32_t line)
{
    if (line < 0) {
        return {};
    }
    const std::string& name = file.lines[static_cast<std::size_t>(line)];
    const auto number = geometry::numberOf(name);
    return number ? fmt::format("{:.10g}", *number) : name;
}

struct Numbered {
    double number;
    std::uint32_t index;
};

// Points of each line by their number.
using ByLine = std::map<std::string, std::vector<Numbered>>;

ByLine byLine(const GeometryFile& file, const std::vector<GeometryPoint>& points)
{
    ByLine out;
    for (std::size_t i = 0; i < points.size(); ++i) {
        out[lineKey(file, points[i].line)].push_back({points[i].number, static_cast<std::uint32_t>(i)});
    }
    for (auto& [line, all] : out) {
        std::stable_sort(all.begin(), all.end(),
                         [](const Numbered& a, const Numbered& b) { return a.number < b.number; });
    }
    return out;
}

std::span<const Numbered> between(const ByLine& points, const std::string& line, double from, double to)
{
    const auto found = points.find(line);
    if (found == points.end()) {
        return {};
    }
    const auto& all = found->second;
    const auto [low, high] = std::minmax(from, to);
    const auto first =
        std::lower_bound(all.begin(), all.end(), low, [](const Numbered& a, double v) { return a.number < v; });
    const auto last =
        std::upper_bound(first, all.end(), high, [](double v, const Numbered& a) { return v < a.number; });
    return {first, last};
}

const std::vector<GeometryPoint>& pointsOf(const GeometryFile& file, bool sources)
{
    const auto& own = sources ? file.sources : file.receivers;
    return own.empty() ? file.places : own;
}

class Placing {
public:
    explicit Placing(const SurveyFiles& files)
        : m_files(files)
    {
    }
    Result<PlacedSurvey> place();

private:
    Result<GeometryFile> open(const std::string& path, const std::string& columns);
    Result<> take(const GeometryFile& file, bool sources);
    Result<> relate(const GeometryFile* sources, const GeometryFile* receivers);
    Result<> byRelations(const GeometryFile& x, const GeometryFile& sources, const GeometryFile& receivers);
    void note(std::string text) { m_out.notes.push_back(std::move(text)); }

    const SurveyFiles& m_files;
    PlacedSurvey m_out;
};

Result<GeometryFile> Placing::open(const std::string& path, const std::string& columns)
{
    auto file = readGeometry(path, {m_files.unit, columns, {}, {}});
    if (file) {
        note(fmt::format("{}: {}; {}", path, file->format, fmt::join(file->description, "; ")));
        for (const auto& w : file->warnings) {
            note(fmt::format("{}: {}", path, w));
        }
    }
    return file;
}

Result<> Placing::take(const GeometryFile& file, bool sources)
{
    const auto& points = pointsOf(file, sources);
    const char* what = sources ? "sources" : "receivers";
    if (points.empty()) {
        return badInput(fmt::format("{}: there are no {} in it, but {} {}", file.path, what,
                                    sources ? file.receivers.size() : file.sources.size(),
                                    sources ? "receivers" : "sources"),
                        fmt::format("name the file of the {}", what));
    }
    const auto depth = sources ? m_files.sourceDepth : m_files.receiverDepth;
    auto& out = sources ? m_out.sources : m_out.receivers;
    out.reserve(points.size());
    for (const auto& p : points) {
        out.push_back(projected(p, m_files.projection, depth));
    }
    note(fmt::format("{} {} from {}{}", points.size(), what, file.path,
                     depth ? fmt::format(", all at z = {:g} m as stated", *depth) : ""));
    return {};
}

Result<> Placing::byRelations(const GeometryFile& x, const GeometryFile& sources, const GeometryFile& receivers)
{
    const ByLine from = byLine(sources, pointsOf(sources, true));
    const ByLine to = byLine(receivers, pointsOf(receivers, false));
    m_out.spreads.assign(m_out.sources.size(), {});
    std::int64_t lost = 0;
    std::int64_t uneven = 0;
    for (const auto& r : x.relations) {
        const auto shots = between(from, lineKey(x, r.sourceLine), r.sourcePoint, r.sourcePoint);
        const auto spread = between(to, lineKey(x, r.receiverLine), r.fromReceiver, r.toReceiver);
        lost += shots.empty() || spread.empty() ? 1 : 0;
        const auto channels =
            static_cast<std::size_t>(std::abs(r.toChannel - r.fromChannel) / std::max(1, r.channelStep) + 1);
        uneven += !spread.empty() && spread.size() != channels ? 1 : 0;
        for (const auto& shot : shots) {
            for (const auto& receiver : spread) {
                m_out.spreads[shot.index].push_back(receiver.index);
            }
        }
    }
    if (lost == static_cast<std::int64_t>(x.relations.size())) {
        return badInput(fmt::format("{}: none of its {} relations names points of {} and {}", x.path, lost,
                                    sources.path, receivers.path),
                        "look whether lines and points are numbered alike");
    }
    note(fmt::format("{} relations from {}", x.relations.size(), x.path));
    if (lost > 0) {
        note(fmt::format("{} relations name points that are in neither file and were left out", lost));
    }
    if (uneven > 0) {
        note(fmt::format("{} relations count other channels than there are receivers between their ends", uneven));
    }
    return {};
}

Result<> Placing::relate(const GeometryFile* sources, const GeometryFile* receivers)
{
    if (m_files.relations.empty()) {
        const bool own = sources != nullptr && receivers != nullptr && sources->path == receivers->path &&
                         (!sources->spreads.empty() || !sources->relations.empty());
        if (sources != nullptr && !m_out.receivers.empty() && m_out.sources.size() > 1) {
            note(fmt::format(
                "every one of the {} shots is heard by all {} receivers{}", m_out.sources.size(),
                m_out.receivers.size(),
                own ? "; set geometry.relations to the same file to give each shot the receivers that it names" : ""));
        }
        return {};
    }
    if (sources == nullptr || receivers == nullptr) {
        return badInput(
            fmt::format("geometry.relations = \"{}\" without source.file and receivers.file", m_files.relations),
            "relations name points of those two files");
    }
    if (m_files.relations == sources->path && sources->path == receivers->path && !sources->spreads.empty()) {
        m_out.spreads = sources->spreads;
        note(fmt::format("each shot is heard by the receivers that {} names with it", sources->path));
    } else {
        auto x = m_files.relations == sources->path ? Result<GeometryFile>(*sources) : open(m_files.relations, {});
        if (!x) {
            return tl::unexpected<Error>(x.error());
        }
        if (x->relations.empty()) {
            return badInput(x->path + ": there are no relations in it", "name a file of X records of SPS");
        }
        if (auto r = byRelations(*x, *sources, *receivers); !r) {
            return r;
        }
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < m_out.spreads.size(); ++i) {
        if (!m_out.spreads[i].empty()) {
            m_out.sources[kept] = m_out.sources[i];
            std::swap(m_out.spreads[kept], m_out.spreads[i]);
            ++kept;
        }
    }
    if (kept < m_out.sources.size()) {
        note(fmt::format("{} of {} sources are heard by nobody and were left out", m_out.sources.size() - kept,
                         m_out.sources.size()));
        m_out.sources.resize(kept);
        m_out.spreads.resize(kept);
    }
    return {};
}

Result<PlacedSurvey> Placing::place()
{
    std::optional<GeometryFile> sources;
    std::optional<GeometryFile> receivers;
    if (!m_files.sources.empty()) {
        auto file = open(m_files.sources, m_files.sourceColumns);
        if (!file) {
            return tl::unexpected<Error>(file.error());
        }
        sources = std::move(*file);
    }
    if (!m_files.receivers.empty() && m_files.receivers == m_files.sources &&
        m_files.receiverColumns == m_files.sourceColumns) {
        receivers = sources;
    } else if (!m_files.receivers.empty()) {
        auto file = open(m_files.receivers, m_files.receiverColumns);
        if (!file) {
            return tl::unexpected<Error>(file.error());
        }
        receivers = std::move(*file);
    }
    for (const bool isSource : {true, false}) {
        const auto& file = isSource ? sources : receivers;
        if (!file) {
            continue;
        }
        if (auto r = take(*file, isSource); !r) {
            return tl::unexpected<Error>(r.error());
        }
    }
    note(m_files.projection.describe());
    if (auto r = relate(sources ? &*sources : nullptr, receivers ? &*receivers : nullptr); !r) {
        return tl::unexpected<Error>(r.error());
    }
    return std::move(m_out);
}

} // namespace

Result<PlacedSurvey> placeSurvey(const SurveyFiles& files)
{
    return Placing(files).place();
}

} // namespace ondo
