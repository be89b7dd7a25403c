#include "app/cli/bench_view.h"

#include "app/cli/desktop_program.h"
#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"

#include "engine/bench/bench.h"
#include "engine/core/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo::cli {

namespace {

constexpr const char* kWindow = "1600x1000"; // pixels
constexpr double kWarmSeconds = 1.5;         // of ondoscope's, before it measures
constexpr int kOrder = 8;                    // of the run that it starts

// Cases that a window can show: one shot, of the window's order.
std::vector<BenchCase> viewCases()
{
    std::vector<BenchCase> cases;
    std::copy_if(benchCases().begin(), benchCases().end(), std::back_inserter(cases),
                 [](const BenchCase& c) { return c.shots == 1 && c.order == kOrder; });
    return cases;
}

Result<std::vector<BenchCase>> chooseCases(const std::string& only)
{
    const std::string wanted = only.empty() ? "2d-1000-o8,2d-4096-o8,3d-256-o8" : only;
    std::vector<BenchCase> chosen;
    std::vector<std::string> names;
    for (const auto& which : viewCases()) {
        names.push_back(which.name);
        if (isNamedBy(which.name, wanted)) {
            chosen.push_back(which);
        }
    }
    if (chosen.empty()) {
        const std::string near = nearestWord(only, names);
        return badInput(fmt::format("there is no case {} that a window can show", only),
                        near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                     : fmt::format("did you mean {}?", near));
    }
    return chosen;
}

// One run of the window's program; its line.
Result<ViewRun> look(const std::string& program, const ViewRequest& request, const BenchCase& which,
                     std::vector<std::string> more, double mostSeconds)
{
    std::vector<std::string> arguments = {"--size", kWindow, "--grid", fmt::format("{}^{}", which.nodes, which.rank)};
    if (request.device != "auto") {
        more.insert(more.end(), {"--device", request.device});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto outcome = runProgram(program, arguments, mostSeconds);
    if (!outcome) {
        return tl::unexpected<Error>(outcome.error());
    }
    const std::string said = outcome->err.substr(0, outcome->err.find_last_not_of('\n') + 1);
    if (outcome->code != 0) {
        return fail(ErrorKind::Internal,
                    fmt::format("ondoscope left with code {}: {}", outcome->code,
                                said.empty() ? "without a word" : said.substr(said.rfind('\n') + 1)));
    }
    return readViewRun(outcome->out);
}

Result<ViewFigure> measure(const std::string& program, const ViewRequest& request, const BenchCase& which)
{
    const double seconds = request.quick ? 2.0 : 4.0; // that are measured of each run
    constexpr double kStart = 120.0;                  // s, for a window to open and a large model to be made
    ViewFigure figure;
    figure.caseName = which.name;
    // How many steps are in so many seconds; a step may be long, so there must be time for some.
    const auto trial =
        look(program, request, which, {"--measure", request.quick ? "1.5" : "3", "--display", "none"}, kStart);
    if (!trial) {
        return tl::unexpected<Error>(trial.error());
    }
    const double wanted = std::clamp(trial->stepsPerSecond * (kWarmSeconds + seconds), 20.0, 5e8);
    const std::string steps = std::to_string(static_cast<long long>(wanted));
    for (const int rate : kViewRates) {
        std::vector<std::string> how = {"--measure-steps", steps};
        if (rate == 0) {
            how.insert(how.end(), {"--display", "none"});
        } else {
            how.insert(how.end(), {"--views", std::to_string(rate)});
        }
        auto run = look(program, request, which, how, kStart + 20.0 * (kWarmSeconds + seconds));
        if (!run) {
            return tl::unexpected<Error>(run.error());
        }
        figure.runs.push_back(std::move(*run));
    }
    return figure;
}

} // namespace

Result<ViewReport> runViewBench(const ViewRequest& request)
{
    const auto cases = chooseCases(request.only);
    if (!cases) {
        return tl::unexpected<Error>(cases.error());
    }
    if (auto display = checkDisplay(); !display) {
        return tl::unexpected<Error>(display.error());
    }
    const auto program = findDesktopProgram();
    if (!program) {
        return tl::unexpected<Error>(program.error());
    }
    watchInterrupts();
    ProgressLine line(false);
    ViewReport report;
    report.version = ONDO_VERSION;
    report.loadBefore = loadAverage();
    for (const auto& which : *cases) {
        line.show("measuring " + which.name + " with and without a view");
        auto figure = measure(*program, request, which);
        if (!figure && figure.error().kind == ErrorKind::Cancelled) {
            report.stopped = true;
            break;
        }
        report.figures.push_back(figure ? std::move(*figure) : ViewFigure{which.name, figure.error().text(), {}});
    }
    line.clear();
    report.loadAfter = loadAverage();
    const bool none = std::all_of(report.figures.begin(), report.figures.end(),
                                  [](const ViewFigure& f) { return !f.skipped.empty(); });
    if (none && !report.figures.empty()) {
        return fail(ErrorKind::Internal, report.figures.front().skipped);
    }
    return report;
}

} // namespace ondo::cli
