#include "engine/bench/view_report.h"

#include "engine/core/json.h"
#include "engine/core/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr std::size_t kFirst = 0;
constexpr std::size_t kLast = kViewRates.size() - 1;
constexpr double kSteady = 0.03; // drift up to which a loss of a few per cent can be told

std::string runText(const ViewFigure& f, std::size_t i)
{
    const ViewRun& run = f.runs[i];
    const bool view = kViewRates[i] > 0;
    std::string s =
        fmt::format("{:<15} {:>6} {:>8} {:>9}", i == 0 ? f.caseName : "", view ? std::to_string(kViewRates[i]) : "none",
                    view ? run.display : "-", view ? fmt::format("{:.1f}", run.viewsPerSecond) : "-");
    s += fmt::format(" {:>9} {:>12.4g}",
                     view && run.glMilliseconds >= 0.0 ? fmt::format("{:.2f}", run.glMilliseconds) : "-",
                     run.stepsPerSecond);
    return s + (view ? fmt::format(" {:>8.1f}% {:>6.1f}%\n", 100.0 * f.kept(i), 100.0 * (1.0 - f.kept(i)))
                     : std::string("\n"));
}

std::string tracesText(const ViewFigure& f)
{
    const ViewRun& seen = f.runs[1];
    const std::string what = seen.tracesLargest > 0.0 ? fmt::format("largest {:.3g} Pa", seen.tracesLargest)
                                                      : std::string("silent so far, which says little");
    return fmt::format("{:<15} traces {} with and without a view ({} samples each, {}, hash {}); no view drifted by "
                       "{:.1f}%\n",
                       "", f.sameTraces() ? "bit-identical" : "DIFFER", seen.samples, what, seen.tracesHash,
                       100.0 * f.drift());
}

std::string runJson(const ViewFigure& f, std::size_t i)
{
    const ViewRun& run = f.runs[i];
    json::Object o;
    o.add("views_asked", json::number(kViewRates[i])).add("display", json::text(run.display));
    o.add("reason", json::text(run.reason)).add("views_per_second", json::number(run.viewsPerSecond));
    o.add("gl_ms_per_view", run.glMilliseconds >= 0.0 ? json::number(run.glMilliseconds) : "null");
    o.add("steps_per_second", json::number(run.stepsPerSecond)).add("solver_share", json::number(f.kept(i)));
    o.add("steps", json::number(run.steps)).add("seconds", json::number(run.seconds));
    o.add("picture_bytes_to_host", json::number(run.pictureBytes));
    o.add("field_bytes_to_host", json::number(run.fieldBytes));
    o.add("traces_largest_pa", json::number(run.tracesLargest));
    return o.add("traces_hash", json::text(run.tracesHash)).str();
}

} // namespace

Result<ViewRun> readViewRun(std::string_view line)
{
    const auto root = json::parse(line);
    if (!root) {
        return badInput("ondoscope's line is no JSON: " + root.error().what);
    }
    ViewRun run;
    run.device = root->textAt("device");
    run.grid = root->textAt("grid");
    run.window = root->textAt("window");
    run.view = root->textAt("view");
    run.display = root->textAt("display");
    run.reason = root->textAt("reason");
    run.tracesHash = root->textAt("traces_hash");
    run.tracesLargest = root->numberAt("traces_largest_pa", 0.0);
    run.order = static_cast<int>(std::clamp(root->numberAt("order", 0.0), 0.0, 1e3));
    run.steps = root->numberAt("steps", 0.0);
    run.samples = root->numberAt("samples", 0.0);
    run.seconds = root->numberAt("seconds", 0.0);
    run.stepsPerSecond = root->numberAt("steps_per_second", 0.0);
    run.viewsPerSecond = root->numberAt("views_per_second", 0.0);
    run.glMilliseconds = root->numberAt("gl_ms_per_view", -1.0);
    run.pictureBytes = root->numberAt("picture_bytes_to_host", 0.0);
    run.fieldBytes = root->numberAt("field_bytes_to_host", 0.0);
    if (!(run.stepsPerSecond > 0.0) || run.display.empty()) {
        return badInput("ondoscope's line tells no speed of the solver", "use an ondoscope of this version");
    }
    return run;
}

double ViewFigure::baseline() const
{
    return runs.size() == kViewRates.size() ? 0.5 * (runs[kFirst].stepsPerSecond + runs[kLast].stepsPerSecond) : 0.0;
}

double ViewFigure::drift() const
{
    return baseline() > 0.0 ? std::abs(runs[kLast].stepsPerSecond - runs[kFirst].stepsPerSecond) / baseline() : 0.0;
}

double ViewFigure::kept(std::size_t run) const
{
    return baseline() > 0.0 ? runs[run].stepsPerSecond / baseline() : 0.0;
}

bool ViewFigure::sameTraces() const
{
    return !runs.empty() && !runs[0].tracesHash.empty() &&
           std::all_of(runs.begin(), runs.end(), [this](const ViewRun& run) {
               return run.tracesHash == runs[0].tracesHash && run.steps == runs[0].steps &&
                      run.samples == runs[0].samples;
           });
}

std::string ViewReport::text() const
{
    std::string s = fmt::format("ondo {} bench --view\n", version);
    s += fmt::format("load       {:.2f} before, {:.2f} after (one minute)\n", loadBefore, loadAfter);
    s += "protocol   runs of ondoscope, all of the same number of steps: no view, 30 views a second at most, 60, no "
         "view\n"
         "           again; kept: steps a second over the mean of the two without; GL time: of a view, on the GPU\n\n";
    s += fmt::format("{:<15} {:>6} {:>8} {:>9} {:>9} {:>12} {:>9} {:>7}\n", "case", "views", "display", "reached/s",
                     "GL ms", "steps/s", "kept", "loss");
    for (const auto& f : figures) {
        if (!f.skipped.empty()) {
            s += fmt::format("{:<15} not measured: {}\n", f.caseName, f.skipped);
            continue;
        }
        for (std::size_t i = 0; i < f.runs.size(); ++i) {
            s += runText(f, i);
        }
        const ViewRun& seen = f.runs[1];
        s += fmt::format("{:<15} {} steps on {}, {} nodes in a view of {} (window {})\n", "", seen.steps, seen.device,
                         seen.grid, seen.view, seen.window);
        s += tracesText(f);
        if (f.drift() > kSteady) {
            s += fmt::format("{:<15} so much drift hides a loss of this size: measure again on a quiet machine\n", "");
        }
        if (!seen.reason.empty()) {
            s += fmt::format("{:<15} display {}: {}\n", "", seen.display, seen.reason);
        }
    }
    return s + (stopped ? "stopped: the cases above are all that was measured\n" : "");
}

std::string ViewReport::json() const
{
    std::vector<std::string> cases;
    for (const auto& f : figures) {
        json::Object o;
        o.add("name", json::text(f.caseName));
        if (!f.skipped.empty()) {
            cases.push_back(o.add("skipped", json::text(f.skipped)).str());
            continue;
        }
        std::vector<std::string> runs;
        for (std::size_t i = 0; i < f.runs.size(); ++i) {
            runs.push_back(runJson(f, i));
        }
        const ViewRun& seen = f.runs[1];
        o.add("device", json::text(seen.device)).add("grid", json::text(seen.grid));
        o.add("order", json::number(seen.order)).add("window", json::text(seen.window));
        o.add("view", json::text(seen.view)).add("same_traces", json::boolean(f.sameTraces()));
        o.add("drift", json::number(f.drift())).add("runs", json::array(runs));
        cases.push_back(o.str());
    }
    json::Object o;
    o.add("program", json::text("ondo bench --view")).add("schema", json::number(kSchema));
    o.add("version", json::text(version)).add("stopped", json::boolean(stopped));
    o.add("load_before", json::number(loadBefore)).add("load_after", json::number(loadAfter));
    return o.add("cases", json::array(cases)).str();
}

} // namespace ondo
