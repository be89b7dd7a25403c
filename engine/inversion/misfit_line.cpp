#include "engine/inversion/misfit_line.h"

#include "engine/inversion/inversion.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

constexpr double kRipple = 1e-3; // of a curve's range

std::vector<float> between(const std::vector<float>& a, const std::vector<float>& b, double t)
{
    std::vector<float> v(a.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        const auto from = static_cast<double>(a[i]);
        v[i] = static_cast<float>(from + t * (static_cast<double>(b[i]) - from));
    }
    return v;
}

// Linear in t, so that the ends of the line have the extremes.
Result<std::pair<double, double>> speedsOn(const Model& a, const Model& b, const MisfitLineRequest& request)
{
    std::pair<double, double> range{INFINITY, -INFINITY};
    for (const double t : {request.from, request.to, 0.0, 1.0}) {
        if (t < request.from || t > request.to) {
            continue;
        }
        for (const float v : between(a.velocity().samples(), b.velocity().samples(), t)) {
            const auto speed = static_cast<double>(v);
            if (!(speed > 0.0) || !std::isfinite(speed)) {
                return badInput(fmt::format("at t = {:g} a node of the line has a speed of {:g} m/s", t, speed),
                                "let the line begin later or end earlier");
            }
            range = {std::min(range.first, speed), std::max(range.second, speed)};
        }
    }
    return range;
}

Result<> checkRequest(const Model& a, const Model& b, const MisfitLineRequest& request)
{
    if (!(a.grid() == b.grid())) {
        return badInput(fmt::format("the line's models lie on {} and {}", a.grid().describe(), b.grid().describe()),
                        "give two models on one grid");
    }
    if (a.hasDensity() && b.hasDensity() && a.density().samples() != b.density().samples()) {
        return badInput("the line's models have different densities, and the line is of speeds alone",
                        "give models of one density; where one has none, the other's holds");
    }
    if (request.points < 3 || request.points > 100000) {
        return badInput(fmt::format("a line of {} points", request.points), "give 3 to 100000");
    }
    if (!(request.to > request.from) || !std::isfinite(request.to - request.from)) {
        return badInput(fmt::format("a line from t = {:g} to {:g}", request.from, request.to), "give from < to");
    }
    if (request.kinds.empty()) {
        return badInput("a line without a misfit", "name one, l2 for instance");
    }
    return {};
}

// How far the curve rises on one side of a point before it falls below it; infinity where it never falls below.
double wallBeside(const std::vector<double>& values, std::size_t at, int way)
{
    double wall = 0.0;
    for (auto i = static_cast<std::ptrdiff_t>(at) + way; i >= 0 && i < static_cast<std::ptrdiff_t>(values.size());
         i += way) {
        const double here = values[static_cast<std::size_t>(i)];
        if (here < values[at]) {
            return wall;
        }
        wall = std::max(wall, here - values[at]);
    }
    return wall;
}

LineMinimum refined(const std::vector<double>& t, const std::vector<double>& values, std::size_t at)
{
    const double left = values[at - 1] - values[at];
    const double right = values[at + 1] - values[at];
    const double bend = left + right;
    const double shift = bend > 0.0 ? 0.5 * (left - right) / bend : 0.0; // in points
    return {t[at] + shift * (t[at + 1] - t[at]), values[at] - 0.25 * (left - right) * shift};
}

std::string listed(const std::vector<LineMinimum>& minima)
{
    std::string text;
    for (std::size_t i = 0; i < minima.size(); ++i) {
        text += i == 0 ? "" : i + 1 == minima.size() ? " and " : ", ";
        text += fmt::format("{:.2f}", minima[i].t);
    }
    return text;
}

} // namespace

Result<std::shared_ptr<const SimulationPlan>> planMisfitLine(const RunDescription& run, const Model& a, const Model& b,
                                                             const kernels::DeviceFacts& device,
                                                             const MisfitLineRequest& request)
{
    if (auto ok = checkRequest(a, b, request); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const auto range = speedsOn(a, b, request);
    if (!range) {
        return tl::unexpected<Error>(range.error());
    }
    auto plan = planWithin(run, a, device, range->first, range->second);
    if (!plan) {
        return tl::unexpected<Error>(plan.error());
    }
    for (const auto& kind : request.kinds) {
        DataMisfitOptions options = request.data;
        options.kind = kind;
        if (auto ok = checkDataMisfit((*plan)->time, options); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
    }
    return std::shared_ptr<const SimulationPlan>(std::move(*plan));
}

namespace {

Result<> withCommonSource(const SimulationPlan& plan, const std::vector<TraceTable>& observed,
                          const MisfitLineRequest& request, const std::vector<TraceTable>& traces,
                          MisfitFunction& misfit)
{
    const auto filter = commonSourceFilter(plan, observed, request.data, traces);
    if (!filter) {
        return tl::unexpected<Error>(filter.error());
    }
    auto made = dataMisfit(plan, observed, request.data, nullptr, *filter);
    if (!made) {
        return tl::unexpected<Error>(made.error());
    }
    misfit = std::move(*made);
    return {};
}

} // namespace

Result<MisfitLine> computeMisfitLine(const SimulationPlan& plan, const std::shared_ptr<Device>& device,
                                     const std::vector<TraceTable>& observed, const Model& b,
                                     const MisfitLineRequest& request, const MisfitLineHooks& hooks)
{
    MisfitLine line;
    std::vector<MisfitFunction> misfits;
    for (const auto& kind : request.kinds) {
        DataMisfitOptions options = request.data;
        options.kind = kind;
        auto misfit = dataMisfit(plan, observed, options);
        if (!misfit) {
            return tl::unexpected<Error>(misfit.error());
        }
        misfits.push_back(std::move(*misfit));
        line.curves.push_back({kind, std::string((*findTraceMisfit(kind))->unit), {}});
    }
    const auto& start = plan.model.velocity().samples();
    for (int i = 0; i < request.points; ++i) {
        const double t = request.from + (request.to - request.from) * i / (request.points - 1);
        auto at = std::make_shared<SimulationPlan>(plan);
        auto model = plan.model.withVelocity(between(start, b.velocity().samples(), t));
        if (!model) {
            return tl::unexpected<Error>(model.error());
        }
        at->model = std::move(*model);
        ForwardHooks forward;
        forward.stop = hooks.stop;
        if (hooks.progress) {
            forward.progress = [&](double fraction) { hooks.progress((i + fraction) / request.points); };
        }
        const auto traces = computeTraces(at, device, forward);
        if (!traces) {
            return tl::unexpected<Error>(traces.error());
        }
        for (std::size_t m = 0; m < misfits.size(); ++m) {
            if (request.data.sourceFilter == "common") { // another one for each model
                auto ok = withCommonSource(plan, observed, request, *traces, misfits[m]);
                if (!ok) {
                    return within(ok.error(), fmt::format("at t = {:g} of the line", t));
                }
            }
            double sum = 0.0;
            for (std::size_t s = 0; s < traces->size(); ++s) {
                const auto residual = misfits[m](static_cast<int>(s), (*traces)[s]);
                if (!residual) {
                    return within(residual.error(), fmt::format("at t = {:g} of the line", t));
                }
                sum += residual->misfit;
            }
            line.curves[m].values.push_back(sum);
        }
        line.t.push_back(t);
        if (hooks.grown) {
            hooks.grown(line);
        }
    }
    return line;
}

std::vector<LineMinimum> minimaOf(const std::vector<double>& t, const std::vector<double>& values)
{
    std::vector<LineMinimum> minima;
    if (values.size() < 3 || t.size() < values.size()) {
        return minima;
    }
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    const double least = kRipple * (*high - *low);
    for (std::size_t i = 1; i + 1 < values.size(); ++i) {
        // Of equal points beside each other the first stands for all.
        if (values[i] < values[i - 1] && values[i] <= values[i + 1] && wallBeside(values, i, -1) > least &&
            wallBeside(values, i, 1) > least) {
            minima.push_back(refined(t, values, i));
        }
    }
    return minima;
}

double descentFrom(double start, const std::vector<double>& t, const std::vector<double>& values)
{
    const auto count = static_cast<std::ptrdiff_t>(std::min(t.size(), values.size()));
    if (count == 0) {
        return start;
    }
    std::ptrdiff_t at = 0;
    for (std::ptrdiff_t i = 0; i < count; ++i) {
        at = std::abs(t[static_cast<std::size_t>(i)] - start) < std::abs(t[static_cast<std::size_t>(at)] - start) ? i
                                                                                                                  : at;
    }
    const auto value = [&](std::ptrdiff_t i) {
        return i < 0 || i >= count ? INFINITY : values[static_cast<std::size_t>(i)];
    };
    while (value(at - 1) < value(at) || value(at + 1) < value(at)) {
        at += value(at - 1) < value(at + 1) ? -1 : 1;
    }
    return t[static_cast<std::size_t>(at)];
}

std::string describeCurve(const MisfitLine& line, const MisfitCurve& curve)
{
    const auto minima = minimaOf(line.t, curve.values);
    if (minima.empty()) {
        return fmt::format("{}: no minimum inside the line: it only rises or falls", curve.kind);
    }
    if (minima.size() == 1) {
        return fmt::format("{}: 1 minimum, at t = {:.2f}", curve.kind, minima.front().t);
    }
    const auto lowest =
        std::min_element(minima.begin(), minima.end(), [](const auto& a, const auto& b) { return a.value < b.value; });
    const double end = descentFrom(0.0, line.t, curve.values);
    const double spacing = line.t[1] - line.t[0];
    return fmt::format("{}: {} minima, at t = {}: cycle skipping; a descent from t = 0 ends at t = {:.2f}, {}",
                       curve.kind, minima.size(), listed(minima), end,
                       std::abs(end - lowest->t) <= spacing ? "the lowest of them" : "not at the lowest");
}

std::string tableText(const MisfitLine& line)
{
    std::string text = "t";
    for (const auto& curve : line.curves) {
        text += fmt::format(",{} ({})", curve.kind, curve.unit);
    }
    text += "\n";
    for (std::size_t i = 0; i < line.t.size(); ++i) {
        text += fmt::format("{}", line.t[i]);
        for (const auto& curve : line.curves) {
            text += i < curve.values.size() ? fmt::format(",{}", curve.values[i]) : std::string(",");
        }
        text += "\n";
    }
    return text;
}

} // namespace ondo
