#include "engine/io/array_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

// A peak that is reached several times in a row is cut off; twice happens by chance where samples are few bits.
constexpr std::int64_t kClippedRun = 5;
constexpr std::int64_t kShortest = 20; // samples of a trace that can be judged
// From air to the deepest mantle there is nothing slower or faster.
constexpr double kSlowest = 300.0;
constexpr double kFastest = 14000.0;

} // namespace

void TraceChecks::add(std::span<const double> samples)
{
    for (const double v : samples) {
        if (m_at == 0) {
            m_constant = true;
            m_begin = v;
            m_peak = 0.0;
            m_run = m_longest = 0;
        }
        m_constant = m_constant && v == m_begin;
        const double size = std::abs(v);
        if (size > m_peak) {
            m_peak = size;
            m_run = m_longest = 1;
        } else if (size == m_peak && size > 0.0) {
            m_run = m_at > 0 && v == m_before ? m_run + 1 : 1;
            m_longest = std::max(m_longest, m_run);
        } else {
            m_run = 0;
        }
        m_before = v;
        if (++m_at == m_length) {
            endTrace();
        }
    }
}

void TraceChecks::endTrace()
{
    if (m_constant && m_begin == 0.0) {
        m_dead.at(m_trace);
    } else if (m_constant && m_length >= kShortest) {
        m_flat.at(m_trace);
    } else if (m_longest >= kClippedRun && m_length >= kShortest) {
        m_clipped.at(m_trace);
    }
    ++m_trace;
    m_at = 0;
}

std::vector<std::string> TraceChecks::findings() const
{
    std::vector<std::string> out;
    const auto tell = [&](const Found& found, const char* what, const char* remedy) {
        if (found.count > 0) {
            out.push_back(fmt::format("{} of {} traces {}, the first is trace {}; {}", found.count, m_trace, what,
                                      found.first + 1, remedy));
        }
    };
    tell(m_dead, "are dead (all samples zero)", "leave them out of a misfit, or kill them in the file");
    tell(m_flat, "have one value throughout", "leave them out of a misfit");
    tell(m_clipped, "stay at their peak for several samples, as clipped ones do",
         "lower the gain and record again, or mute that part");
    return out;
}

std::vector<std::string> checkModel(const Model& model)
{
    struct Kind {
        const char* what;
        const char* remedy;
        std::int64_t count = 0;
        std::int64_t first = 0;
    };
    Kind kinds[] = {
        {"are NaN or infinite", "fill them before a run"},
        {"are zero or negative", "fill them: a speed must be positive"},
        {"are slower than 300 m/s", "state model.unit or model.quantity if they are no metres a second"},
        {"are faster than 14000 m/s", "state model.unit (ft/s?) or model.quantity if they are no metres a second"}};
    const auto& v = model.velocity().samples();
    bool constant = true;
    for (std::size_t i = 0; i < v.size(); ++i) {
        const double speed = static_cast<double>(v[i]);
        Kind* k = !std::isfinite(speed) ? &kinds[0]
                  : speed <= 0.0        ? &kinds[1]
                  : speed < kSlowest    ? &kinds[2]
                  : speed > kFastest    ? &kinds[3]
                                        : nullptr;
        if (k != nullptr && k->count++ == 0) {
            k->first = static_cast<std::int64_t>(i);
        }
        constant = constant && v[i] == v[0];
    }
    const Grid& g = model.grid();
    std::vector<std::string> out;
    for (const Kind& k : kinds) {
        if (k.count == 0) {
            continue;
        }
        const std::int64_t plane = std::int64_t{g.ny} * g.nx;
        const std::int64_t row = k.first / plane;
        const std::int64_t column = k.first % g.nx;
        const double z = g.origin.z + g.dz * static_cast<double>(row);
        const double x = g.origin.x + g.dx * static_cast<double>(column);
        out.push_back(fmt::format("{} of {} nodes {}, the first at x = {:g} m, z = {:g} m; {}", k.count, g.nodes(),
                                  k.what, x, z, k.remedy));
    }
    if (constant && v.size() > 1 && std::isfinite(v[0])) {
        out.push_back(fmt::format("every node has the speed {:g} m/s: nothing in it reflects; look whether the right "
                                  "variable was read",
                                  v[0]));
    }
    return out;
}

} // namespace ondo
