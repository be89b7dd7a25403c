#include "engine/inversion/data_misfit.h"

#include "engine/core/fourier.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

namespace ondo {

namespace {

// From 0 at the edge to 1 a taper further in.
double ramp(double inside, double taper)
{
    if (inside < 0.0) {
        return 0.0;
    }
    return taper > 0.0 && inside < taper ? 0.5 - 0.5 * std::cos(std::numbers::pi * inside / taper) : 1.0;
}

Result<> checkWindow(const TraceWindow& w, const TimeAxis& time)
{
    const double end = w.to.value_or(time.duration());
    if (!(w.from >= 0.0) || !(end > w.from) || !std::isfinite(end)) {
        return badInput(fmt::format("a window from {:g} s to {:g} s", w.from, end),
                        fmt::format("give 0 <= from < to; the traces end at {:g} s", time.duration()));
    }
    if (!(w.taper >= 0.0) || 2.0 * w.taper > end - w.from) {
        return badInput(fmt::format("a taper of {:g} s", w.taper),
                        fmt::format("give 0 to {:g} s, half the window", 0.5 * (end - w.from)));
    }
    if (!(w.nearest >= 0.0) || (w.farthest && !(*w.farthest >= w.nearest))) {
        return badInput(fmt::format("offsets from {:g} m to {:g} m", w.nearest, w.farthest.value_or(INFINITY)),
                        "give 0 <= nearest <= farthest");
    }
    if (!(w.muteSpeed >= 0.0) || !std::isfinite(w.muteSpeed) || !std::isfinite(w.muteDelay)) {
        return badInput(fmt::format("a mute of {:g} m/s after {:g} s", w.muteSpeed, w.muteDelay),
                        "give a positive speed, or 0 for none");
    }
    return {};
}

double offsetOf(const Shot& shot, std::size_t receiver)
{
    const Position& a = shot.sources.front().position;
    const Position& b = shot.receivers[receiver].position;
    return std::hypot(b.x - a.x, b.y - a.y, b.z - a.z);
}

// A shot's data as they are compared: filtered, then weighted.
struct PreparedShot {
    TraceTable observed;
    std::vector<double> weights;
    std::vector<bool> live; // traces with a weight
};

Result<> checkTable(std::size_t shot, const TraceTable& t, const SimulationPlan& plan)
{
    const auto receivers = static_cast<int>(plan.run.survey.shots[shot].receivers.size());
    if (t.receivers != receivers || t.samples != plan.time.count ||
        std::abs(t.dt - plan.time.dt) > 1e-6 * plan.time.dt ||
        t.values.size() != static_cast<std::size_t>(t.receivers) * static_cast<std::size_t>(t.samples)) {
        return badInput(fmt::format("the observed data of shot {} are {} traces of {} samples every {:g} s, the run "
                                    "records {} of {} every {:g} s",
                                    shot + 1, t.receivers, t.samples, t.dt, receivers, plan.time.count, plan.time.dt),
                        "set the run's duration and sample interval to those of the data, one trace a receiver");
    }
    for (std::size_t i = 0; i < t.values.size(); ++i) {
        if (!std::isfinite(t.values[i])) {
            const auto samples = static_cast<std::size_t>(t.samples);
            return badInput(fmt::format("sample {} of observed trace {} of shot {} is not a finite number",
                                        i % samples + 1, i / samples + 1, shot + 1),
                            "repair the data");
        }
    }
    return {};
}

void filterAll(std::vector<double>& values, const TimeAxis& time, double corner)
{
    if (corner > 0.0) {
        lowPass(values, static_cast<std::size_t>(time.count), time.dt, corner);
    }
}

Result<PreparedShot> prepare(std::size_t shot, const TraceTable& observed, const SimulationPlan& plan,
                             const DataMisfitOptions& options)
{
    if (auto ok = checkTable(shot, observed, plan); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    PreparedShot p;
    p.observed = observed;
    filterAll(p.observed.values, plan.time, options.lowPass);
    p.weights = windowWeights(plan.run.survey.shots[shot], plan.time, options.window);
    const auto n = static_cast<std::size_t>(plan.time.count);
    for (std::size_t at = 0; at < p.weights.size(); at += n) {
        p.live.push_back(std::any_of(p.weights.begin() + static_cast<std::ptrdiff_t>(at),
                                     p.weights.begin() + static_cast<std::ptrdiff_t>(at + n),
                                     [](double w) { return w > 0.0; }));
    }
    if (std::none_of(p.live.begin(), p.live.end(), [](bool v) { return v; })) {
        return badInput(fmt::format("windows and mutes leave nothing of shot {}", shot + 1),
                        "widen the offsets or the window, or leave the shot out");
    }
    for (std::size_t i = 0; i < p.weights.size(); ++i) {
        p.observed.values[i] *= p.weights[i];
    }
    return p;
}

Result<std::vector<PreparedShot>> prepareAll(const SimulationPlan& plan, const std::vector<TraceTable>& observed,
                                             const DataMisfitOptions& options)
{
    const auto& shots = plan.run.survey.shots;
    if (observed.size() != shots.size()) {
        return badInput(
            fmt::format("there are observed data of {} shots, the survey has {}", observed.size(), shots.size()),
            "give the data of every shot of the survey");
    }
    std::vector<PreparedShot> prepared;
    for (std::size_t s = 0; s < shots.size(); ++s) {
        auto one = prepare(s, observed[s], plan, options);
        if (!one) {
            return tl::unexpected<Error>(one.error());
        }
        prepared.push_back(std::move(*one));
    }
    return prepared;
}

// Synthetic traces as they are compared: filtered, then weighted.
std::vector<double> compared(const PreparedShot& p, const TraceTable& synthetic, const TimeAxis& time,
                             const DataMisfitOptions& options)
{
    std::vector<double> s = synthetic.values;
    filterAll(s, time, options.lowPass);
    for (std::size_t i = 0; i < s.size(); ++i) {
        s[i] *= p.weights[i];
    }
    return s;
}

tl::unexpected<Error> noSource(const std::string& whose)
{
    return badInput(
        fmt::format("no source can be estimated: the synthetic traces {} are zero where they are compared", whose),
        "look at the duration, the windows and the receivers");
}

class Judge {
public:
    Judge(const TraceMisfitKind& kind, DataMisfitOptions options, TimeAxis time, std::vector<PreparedShot> shots,
          std::shared_ptr<DataMisfitReport> report, SourceFilter common)
        : m_kind(kind)
        , m_options(std::move(options))
        , m_time(time)
        , m_shots(std::move(shots))
        , m_report(std::move(report))
        , m_common(std::move(common))
    {
    }

    [[nodiscard]] Result<Residual> operator()(int shot, const TraceTable& synthetic) const
    {
        const PreparedShot& p = m_shots[static_cast<std::size_t>(shot)];
        if (synthetic.values.size() != p.weights.size()) {
            return fail(ErrorKind::Internal, "synthetic traces of another shape than the plan's");
        }
        std::vector<double> s = compared(p, synthetic, m_time, m_options);
        if (m_options.sourceFilter != "none") {
            return filtered(shot, s);
        }
        const double factor = m_options.sourceScale ? nearestFactor(s, p.observed.values) : 1.0;
        if (!(factor > 0.0) || !std::isfinite(factor)) {
            return badInput(fmt::format("no positive factor brings the synthetic traces of shot {} near the observed "
                                        "ones: the least-squares one is {:g}",
                                        shot + 1, factor),
                            "look for traces that are zero, of the wrong polarity, or later by half a period");
        }
        for (double& v : s) {
            v *= factor;
        }
        Residual r;
        r.values.assign(s.size(), 0.0);
        const auto n = static_cast<std::size_t>(m_time.count);
        int used = 0;
        int unused = 0;
        for (std::size_t trace = 0; trace < p.live.size(); ++trace) {
            if (!p.live[trace]) {
                continue;
            }
            const auto part = [&](std::vector<double>& v) { return std::span(v).subspan(trace * n, n); };
            const auto data = std::span(p.observed.values).subspan(trace * n, n);
            const auto one = m_kind.judge(part(s), data, m_time.dt, m_options.trace, part(r.values));
            r.misfit += one.value;
            ++(one.used ? used : unused);
        }
        if (used == 0) {
            return badInput(fmt::format("none of the {} traces of shot {} can be judged by {}: observed or synthetic "
                                        "traces are zero, or their correlation has no maximum",
                                        unused, shot + 1, m_kind.name),
                            "look at the data, or leave the shot out");
        }
        // The transpose of what was done to s. The factor's own derivative is nothing: it is the best one already.
        for (double& v : r.values) {
            v *= factor;
        }
        takeBack(p, r);
        if (m_report != nullptr) {
            m_report->unused[static_cast<std::size_t>(shot)] = unused;
            m_report->factor[static_cast<std::size_t>(shot)] = factor;
        }
        return r;
    }

private:
    // Weights and low-pass, transposed.
    void takeBack(const PreparedShot& p, Residual& r) const
    {
        for (std::size_t i = 0; i < r.values.size(); ++i) {
            r.values[i] *= p.weights[i];
        }
        filterAll(r.values, m_time, m_options.lowPass);
    }

    [[nodiscard]] Result<Residual> filtered(int shot, const std::vector<double>& s) const
    {
        const PreparedShot& p = m_shots[static_cast<std::size_t>(shot)];
        const auto n = static_cast<std::size_t>(m_time.count);
        SourceFilter filter = m_common;
        if (m_options.sourceFilter == "shot") {
            SourceFit fit(n, m_options.sourceWater);
            fit.add(s, p.observed.values);
            filter = fit.solve();
        }
        if (!filter.any()) {
            return noSource(fmt::format("of shot {}", shot + 1));
        }
        Residual r;
        r.values.assign(s.size(), 0.0);
        r.misfit = judgeFiltered(filter, m_options.sourceWater, n, m_time.dt, s, p.observed.values, r.values);
        takeBack(p, r);
        if (m_report != nullptr) {
            m_report->unused[static_cast<std::size_t>(shot)] = 0;
            m_report->filter[static_cast<std::size_t>(shot)] = std::move(filter);
        }
        return r;
    }

    static double nearestFactor(const std::vector<double>& s, const std::vector<double>& d)
    {
        double product = 0.0;
        double square = 0.0;
        for (std::size_t i = 0; i < s.size(); ++i) {
            product += s[i] * d[i];
            square += s[i] * s[i];
        }
        return square > 0.0 ? product / square : 0.0;
    }

    const TraceMisfitKind& m_kind;
    DataMisfitOptions m_options;
    TimeAxis m_time;
    std::vector<PreparedShot> m_shots;
    std::shared_ptr<DataMisfitReport> m_report;
    SourceFilter m_common;
};

Result<> checkSource(const DataMisfitOptions& o)
{
    const auto& names = sourceFilterNames();
    if (std::find(names.begin(), names.end(), o.sourceFilter) == names.end()) {
        return badInput(fmt::format("a source filter \"{}\"", o.sourceFilter),
                        fmt::format("use one of: {}", fmt::join(names, ", ")));
    }
    const bool filters = o.sourceFilter != "none";
    if ((o.sourceScale || filters) && o.kind != "l2") {
        return badInput(fmt::format("a source {} with the misfit \"{}\"", filters ? "filter" : "scale", o.kind),
                        filters ? "use l2, whose best filter is known, or leave it out"
                                : "use l2, whose best factor is known, or leave the scale out");
    }
    if (o.sourceScale && filters) {
        return badInput("a source scale and a source filter",
                        "leave the scale out: the filter has a factor in it already");
    }
    if (filters && !(o.sourceWater > 0.0 && o.sourceWater <= 1.0)) {
        return badInput(fmt::format("a source filter's water level of {:g}", o.sourceWater),
                        "give a share of the traces' mean power, above 0 and at most 1");
    }
    return {};
}

} // namespace

void lowPass(std::span<double> traces, std::size_t samples, double dt, double corner)
{
    Spectrum x(fourierLength(2 * samples));
    std::vector<double> response(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double bin = static_cast<double>(std::min(k, x.size() - k));
        const double f = bin / (static_cast<double>(x.size()) * dt);
        response[k] = 1.0 / (1.0 + std::pow(f / corner, 8));
    }
    // Two at a time, one of them as imaginary part: the response is real and even, so that they do not mix.
    for (std::size_t at = 0; at < traces.size(); at += 2 * samples) {
        const auto one = traces.subspan(at, samples);
        const auto other = traces.subspan(at + samples, at + samples < traces.size() ? samples : 0);
        std::fill(x.begin(), x.end(), 0.0);
        for (std::size_t i = 0; i < samples; ++i) {
            x[i] = {one[i], other.empty() ? 0.0 : other[i]};
        }
        fourier(x);
        std::transform(x.begin(), x.end(), response.begin(), x.begin(), std::multiplies<>());
        fourier(x, true);
        for (std::size_t i = 0; i < samples; ++i) {
            one[i] = x[i].real();
            if (!other.empty()) {
                other[i] = x[i].imag();
            }
        }
    }
}

std::vector<double> windowWeights(const Shot& shot, const TimeAxis& time, const TraceWindow& window)
{
    std::vector<double> out;
    out.reserve(shot.receivers.size() * static_cast<std::size_t>(time.count));
    // Half a sample of slack: a window that ends on a sample holds it.
    const double slack = 0.5 * time.dt;
    for (std::size_t r = 0; r < shot.receivers.size(); ++r) {
        const double offset = offsetOf(shot, r);
        const bool far = offset < window.nearest || offset > window.farthest.value_or(INFINITY);
        const double arrival = window.muteSpeed > 0.0 ? offset / window.muteSpeed + window.muteDelay : -INFINITY;
        for (int k = 0; k < time.count; ++k) {
            const double t = k * time.dt;
            double w = far ? 0.0 : 1.0;
            if (window.from > 0.0) {
                w *= ramp(t - window.from + slack, window.taper);
            }
            if (window.to) {
                w *= ramp(*window.to - t + slack, window.taper);
            }
            if (window.muteSpeed > 0.0) {
                w *= ramp(t - arrival + slack, window.taper);
            }
            out.push_back(w);
        }
    }
    return out;
}

Result<> checkDataMisfit(const TimeAxis& time, const DataMisfitOptions& options)
{
    const auto kind = findTraceMisfit(options.kind);
    if (!kind) {
        return tl::unexpected<Error>(kind.error());
    }
    if (auto ok = checkWindow(options.window, time); !ok) {
        return ok;
    }
    const double nyquist = 0.5 / time.dt;
    if (!(options.lowPass >= 0.0) || options.lowPass >= nyquist) {
        return badInput(fmt::format("a low-pass at {:g} Hz", options.lowPass),
                        fmt::format("give less than {:g} Hz, half the samples a second; 0 for none", nyquist));
    }
    if (auto ok = checkSource(options); !ok) {
        return ok;
    }
    if (!(options.trace.huberThreshold > 0.0) || !(options.trace.envelopeFloor > 0.0)) {
        return badInput(fmt::format("a Huber threshold of {:g} and an envelope floor of {:g}",
                                    options.trace.huberThreshold, options.trace.envelopeFloor),
                        "give positive shares of the observed trace's root mean square");
    }
    if (!(options.trace.transportSharpness > 0.0 && options.trace.transportSharpness <= 100.0)) {
        return badInput(fmt::format("a transport sharpness of {:g}", options.trace.transportSharpness),
                        "give a number above 0, at most 100; 1 to 5 is usual");
    }
    return {};
}

Result<MisfitFunction> dataMisfit(const SimulationPlan& plan, const std::vector<TraceTable>& observed,
                                  const DataMisfitOptions& options, std::shared_ptr<DataMisfitReport> report,
                                  const SourceFilter& common)
{
    if (auto ok = checkDataMisfit(plan.time, options); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const auto kind = findTraceMisfit(options.kind);
    if (!kind) {
        return tl::unexpected<Error>(kind.error());
    }
    auto prepared = prepareAll(plan, observed, options);
    if (!prepared) {
        return tl::unexpected<Error>(prepared.error());
    }
    if (report != nullptr) {
        report->unused.assign(prepared->size(), 0);
        report->factor.assign(prepared->size(), 1.0);
        report->filter.assign(prepared->size(), {});
    }
    return MisfitFunction(Judge(**kind, options, plan.time, std::move(*prepared), std::move(report), common));
}

Result<SourceFilter> commonSourceFilter(const SimulationPlan& plan, const std::vector<TraceTable>& observed,
                                        const DataMisfitOptions& options, const std::vector<TraceTable>& synthetic)
{
    if (options.sourceFilter != "common") {
        return SourceFilter();
    }
    if (auto ok = checkDataMisfit(plan.time, options); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const auto prepared = prepareAll(plan, observed, options);
    if (!prepared) {
        return tl::unexpected<Error>(prepared.error());
    }
    if (synthetic.size() != prepared->size()) {
        return fail(ErrorKind::Internal, "synthetic traces of another number of shots than the plan's");
    }
    SourceFit fit(static_cast<std::size_t>(plan.time.count), options.sourceWater);
    for (std::size_t s = 0; s < synthetic.size(); ++s) {
        fit.add(compared((*prepared)[s], synthetic[s], plan.time, options), (*prepared)[s].observed.values);
    }
    SourceFilter filter = fit.solve();
    if (!filter.any()) {
        return noSource("of all shots");
    }
    return filter;
}

} // namespace ondo
