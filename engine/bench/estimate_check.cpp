#include "engine/bench/estimate_check.h"

#include "engine/bench/bench.h"
#include "engine/bench/trial.h"
#include "engine/inversion/memory_choice.h"
#include "engine/session/plan_work.h"
#include "engine/session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLayerCells = 20;
constexpr int kReceivers = 101; // a shot
constexpr double kFewestSteps = 8.0, kMostSteps = 40000.0;
constexpr double kWorthAgain = 1.05;             // slower than predicted by more: was it disturbed?
constexpr std::int64_t kQuickPoints = 3'000'000; // of a launch, in a quick look

std::vector<EstimateCase> makeCases()
{
    std::vector<EstimateCase> cases;
    const auto add = [&cases](int rank, int nodes) {
        for (const int order : {2, 4, 8}) {
            for (const bool layers : {true, false}) {
                for (const int shots : {1, 8}) {
                    cases.push_back({rank, nodes, order, layers, shots, false, {}});
                }
            }
        }
    };
    for (const int nodes : {300, 500, 1000, 2048, 4096}) {
        add(2, nodes);
    }
    for (const int nodes : {64, 128, 256}) {
        add(3, nodes);
    }
    // What is derived: an order between, a run-time radius, double precision.
    cases.push_back({2, 700, 6, true, 1, false, {}});
    cases.push_back({2, 700, 10, true, 1, false, {}});
    cases.push_back({2, 400, 16, true, 1, false, {}});
    cases.push_back({2, 700, 8, true, 1, true, {}});
    cases.push_back({3, 90, 6, true, 1, false, {}});
    cases.push_back({3, 90, 8, true, 1, true, {}});
    for (const int rank : {2, 3}) {
        for (const auto& kind : tapeKinds()) {
            cases.push_back({rank, rank == 2 ? 500 : 80, 8, true, 1, false, std::string(kind.name)});
        }
        cases.push_back({rank, rank == 2 ? 500 : 80, 4, true, 1, false, "boundary"});
        cases.push_back({rank, rank == 2 ? 500 : 80, 8, true, 1, false, "boundary on disk"});
    }
    return cases;
}

bool chosen(const EstimateCase& which, const EstimateOptions& options)
{
    if (options.only.empty()) {
        const auto edge = static_cast<std::int64_t>(which.nodes + (which.layers ? 2 * kLayerCells : 0));
        const std::int64_t points = edge * edge * (which.rank == 3 ? edge : 1) * which.shots;
        return !options.quick || (points <= kQuickPoints && which.order != 4);
    }
    return isNamedBy(which.name(), options.only);
}

TrialShape shapeOf(const EstimateCase& which)
{
    TrialShape shape;
    shape.rank = which.rank;
    shape.edge = which.nodes + (which.layers ? 2 * kLayerCells : 0);
    shape.order = which.order;
    shape.layerCells = which.layers ? kLayerCells : 0;
    shape.wide = which.wide;
    shape.shots = shape.together = which.shots;
    shape.receivers = std::min(kReceivers, which.nodes);
    shape.sources = 1;
    return shape;
}

// One run of the session: its time, and what it held at most.
Result<> runOnce(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                 EstimateFigure& figure)
{
    device->arena().trim(); // as for the first run of its size
    const std::size_t before = device->arena().use().live;
    Session session;
    session.setViewing(false);
    const auto begun = Clock::now();
    if (auto ok = session.start(plan, device, {}); !ok) {
        return ok;
    }
    session.waitUntilIdle();
    const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    figure.measuredSeconds = figure.runs++ == 0 ? seconds : std::min(figure.measuredSeconds, seconds);
    for (const auto& event : session.takeEvents()) {
        if (const auto* progress = std::get_if<Progressed>(&event)) {
            figure.measuredBytes = std::max(figure.measuredBytes, progress->deviceBytes - before);
        } else if (const auto* failed = std::get_if<Failed>(&event)) {
            return tl::unexpected<Error>(failed->error);
        }
    }
    return {};
}

// "boundary on disk"
GradientOptions gradientOf(const EstimateCase& which)
{
    GradientOptions options;
    options.sourcePositions = options.receiverPositions = false;
    const auto end = which.gradient.find(" on ");
    options.tape.mode = which.gradient.substr(0, end);
    options.tape.place = end == std::string::npos ? Place::Device : Place::Disk;
    return options;
}

Result<> gradientOnce(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                      EstimateFigure& figure)
{
    device->arena().trim();
    const MisfitFunction itself = [](int, const TraceTable& trace) -> Result<Residual> {
        return Residual{1.0, trace.values};
    };
    const auto gradient = computeGradient(plan, device, itself, gradientOf(figure.which));
    if (!gradient) {
        return tl::unexpected<Error>(gradient.error());
    }
    figure.measuredSeconds =
        figure.runs++ == 0 ? gradient->seconds : std::min(figure.measuredSeconds, gradient->seconds);
    figure.measuredBytes = gradient->peakBytes;
    return {};
}

// As many steps as take about so long.
Result<std::shared_ptr<const SimulationPlan>> planOf(TrialShape shape, const EstimateCase& which, const Device& device,
                                                     const DeviceSpeed& speed, double seconds)
{
    auto plan = planTrial(shape, device.facts(), &speed);
    if (!plan) {
        return plan;
    }
    double step = speed.stepSeconds(workOf(**plan).launches.front());
    if (!which.gradient.empty()) {
        const auto memory = checkGradient(**plan, gradientOf(which));
        if (!memory) {
            return tl::unexpected<Error>(memory.error());
        }
        step = memory->seconds / (*plan)->time.innerSteps();
    }
    shape.steps = static_cast<int>(step > 0.0 ? std::clamp(seconds / step, kFewestSteps, kMostSteps) : kFewestSteps);
    return planTrial(shape, device.facts(), &speed);
}

EstimateFigure measure(const EstimateCase& which, const std::shared_ptr<Device>& device, const DeviceSpeed& speed,
                       const EstimateOptions& options)
{
    EstimateFigure figure;
    figure.which = which;
    const auto plan = planOf(shapeOf(which), which, *device, speed, options.seconds);
    if (!plan) {
        figure.skipped = plan.error().text();
        return figure;
    }
    figure.steps = (*plan)->time.innerSteps();
    figure.predictedSeconds = (*plan)->secondsEstimate;
    figure.predictedBytes = (*plan)->deviceBytes;
    const bool gradient = !which.gradient.empty();
    if (gradient) {
        const auto memory = checkGradient(**plan, gradientOf(which));
        if (!memory) {
            figure.skipped = memory.error().text();
            return figure;
        }
        figure.predictedSeconds = memory->seconds;
        figure.predictedBytes = memory->total();
    }
    do {
        if (const auto ok = gradient ? gradientOnce(*plan, device, figure) : runOnce(*plan, device, figure); !ok) {
            figure.skipped = ok.error().text();
            return figure;
        }
    } while (figure.measuredSeconds > kWorthAgain * figure.predictedSeconds && figure.runs < options.attempts &&
             !(options.stop && options.stop()));
    return figure;
}

double ratioError(double predicted, double measured)
{
    return measured > 0.0 ? predicted / measured - 1.0 : 0.0;
}

} // namespace

std::string EstimateCase::name() const
{
    std::string mode = gradient.empty() ? std::string() : "-gradient-" + gradient;
    std::replace(mode.begin(), mode.end(), ' ', '-');
    return fmt::format("{}d-{}-o{}{}{}{}{}", rank, nodes, order, wide ? "-double" : "", layers ? "-layers" : "",
                       shots > 1 ? fmt::format("-s{}", shots) : std::string(), mode);
}

double toleranceOf(const EstimateFigure& figure)
{
    return figure.which.gradient.empty() ? kEstimateTolerance : kGradientTolerance;
}

double EstimateFigure::timeError() const
{
    return ratioError(predictedSeconds, measuredSeconds);
}

double EstimateFigure::memoryError() const
{
    return ratioError(static_cast<double>(predictedBytes), static_cast<double>(measuredBytes));
}

double EstimateReport::worstTime() const
{
    double worst = 0.0;
    for (const auto& f : figures) {
        worst = f.skipped.empty() ? std::max(worst, std::abs(f.timeError())) : worst;
    }
    return worst;
}

double EstimateReport::worstMemory() const
{
    double worst = 0.0;
    for (const auto& f : figures) {
        worst = f.skipped.empty() ? std::max(worst, std::abs(f.memoryError())) : worst;
    }
    return worst;
}

bool EstimateReport::good() const
{
    return worstMemory() <= kEstimateTolerance && std::all_of(figures.begin(), figures.end(), [](const auto& f) {
               return !f.skipped.empty() || std::abs(f.timeError()) <= toleranceOf(f);
           });
}

std::string EstimateReport::text() const
{
    std::string s = fmt::format("estimates against runs on {}\n", device);
    s += fmt::format("load       {:.2f} before, {:.2f} after (one minute)\n", loadBefore, loadAfter);
    s += "protocol   whole runs of the session; one that is slower than predicted is done again, the least counts: "
         "other\n"
         "           programs only make it slower\n\n";
    s += fmt::format("{:<40} {:>4} {:>7} {:>12} {:>12} {:>8}  {:>12} {:>12} {:>8}\n", "case", "runs", "steps",
                     "predicted s", "measured s", "off", "predicted MB", "held MB", "off");
    int beyond = 0;
    int run = 0;
    for (const auto& f : figures) {
        if (!f.skipped.empty()) {
            s += fmt::format("{:<40} not run: {}\n", f.which.name(), f.skipped);
            continue;
        }
        const bool bad = std::abs(f.timeError()) > toleranceOf(f) || std::abs(f.memoryError()) > kEstimateTolerance;
        ++run;
        beyond += bad ? 1 : 0;
        s += fmt::format("{:<40} {:>4} {:>7} {:>12.4f} {:>12.4f} {:>+7.1f}%  {:>12.3f} {:>12.3f} {:>+7.2f}%{}\n",
                         f.which.name(), f.runs, f.steps, f.predictedSeconds, f.measuredSeconds, 100.0 * f.timeError(),
                         static_cast<double>(f.predictedBytes) / 1e6, static_cast<double>(f.measuredBytes) / 1e6,
                         100.0 * f.memoryError(), bad ? "  <--" : "");
    }
    s += fmt::format(
        "\nworst      time {:.1f} %, memory {:.2f} %; {} of {} cases beyond {:.0f} % (time of gradients: {:.0f} %)\n",
        100.0 * worstTime(), 100.0 * worstMemory(), beyond, run, 100.0 * kEstimateTolerance,
        100.0 * kGradientTolerance);
    return stopped ? s + "stopped: the cases above are all that was run\n" : s;
}

const std::vector<EstimateCase>& estimateCases()
{
    static const std::vector<EstimateCase> kAll = makeCases();
    return kAll;
}

Result<EstimateReport> checkEstimates(const std::shared_ptr<Device>& device, const DeviceSpeed& speed,
                                      const EstimateOptions& options)
{
    EstimateReport report;
    report.device = device->facts().name;
    report.loadBefore = loadAverage();
    std::size_t cases = 0;
    for (const auto& which : estimateCases()) {
        if (!chosen(which, options)) {
            continue;
        }
        ++cases;
        if (options.stop && options.stop()) {
            report.stopped = true;
            break;
        }
        if (options.telling) {
            options.telling(which.name());
        }
        report.figures.push_back(measure(which, device, speed, options));
    }
    if (cases == 0) {
        return badInput(fmt::format("there is no case {}", options.only),
                        fmt::format("a case is named like {} or {}", estimateCases().front().name(),
                                    estimateCases().back().name()));
    }
    device->arena().trim();
    report.loadAfter = loadAverage();
    return report;
}

} // namespace ondo
