#include "engine/bench/gradient_bench.h"

#include "engine/bench/bench.h"
#include "engine/bench/trial.h"
#include "engine/core/json.h"
#include "engine/inversion/gradient.h"
#include "engine/session/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr int kLayerCells = 20, kReceivers = 101, kOrder = 8;
// Of the shorter run: long beside what a run costs once, memory and its first touch with it.
constexpr double kSecondsOnHost = 0.05, kSecondsOnGpu = 0.2;
constexpr int kFewest = 24, kMost = 4000;
constexpr int kWholeWavelet = 240; // steps; cut off it has frequencies that imaging now and then would fold

struct GradientCase {
    const char* name;
    int rank, nodes; // along an axis, layers not counted
    bool onHost, quick;
};

constexpr GradientCase kCases[] = {
    {"gradient-2d-300", 2, 300, true, false},    {"gradient-2d-1000", 2, 1000, true, true},
    {"gradient-2d-4096", 2, 4096, false, false}, {"gradient-3d-64", 3, 64, true, true},
    {"gradient-3d-128", 3, 128, true, false},    {"gradient-3d-256", 3, 256, false, true},
    {"gradient-3d-512", 3, 512, false, false},
};

bool chosen(const GradientCase& which, const GradientBenchOptions& options, bool host)
{
    if (options.only.empty()) {
        return (which.onHost || !host) && (which.quick || !options.quick);
    }
    return isNamedBy(which.name, options.only);
}

TrialShape shapeOf(const GradientCase& which, int steps)
{
    TrialShape shape;
    shape.rank = which.rank;
    shape.edge = which.nodes + 2 * kLayerCells;
    shape.order = kOrder;
    shape.layerCells = kLayerCells;
    shape.receivers = std::min(kReceivers, which.nodes);
    shape.sources = 1;
    shape.steps = steps;
    return shape;
}

// Data that are zero: the residual is the synthetic trace itself.
MisfitFunction againstSilence(const SimulationPlan& plan)
{
    TraceTable silence;
    silence.receivers = static_cast<int>(plan.run.survey.shots.front().receivers.size());
    silence.samples = plan.time.count;
    silence.dt = plan.time.dt;
    silence.values.assign(static_cast<std::size_t>(silence.receivers) * static_cast<std::size_t>(silence.samples), 0.0);
    return leastSquares(std::make_shared<std::vector<TraceTable>>(1, std::move(silence)));
}

struct Measured {
    double seconds = 0.0;
    int steps = 0;
    std::size_t peak = 0, predicted = 0;
    double predictedSeconds = 0.0;
};

class Measurement {
public:
    Measurement(const GradientCase& which, const GradientMode& mode, const std::shared_ptr<Device>& device,
                const GradientBenchOptions& options)
        : m_which(which)
        , m_mode(mode)
        , m_device(device)
        , m_options(options)
    {
    }

    // The least of some runs of so many steps.
    Result<Measured> run(int steps, int rounds) const
    {
        const auto plan = planTrial(shapeOf(m_which, steps), m_device->facts(), m_options.speed.get());
        if (!plan) {
            return tl::unexpected<Error>(plan.error());
        }
        GradientOptions options;
        options.tape = m_mode.tape;
        options.sourcePositions = options.receiverPositions = false;
        const auto memory = checkGradient(**plan, options);
        if (!memory) {
            return tl::unexpected<Error>(memory.error());
        }
        Measured best;
        for (int i = 0; i < rounds && !(m_options.stop && m_options.stop()); ++i) {
            const auto gradient = computeGradient(*plan, m_device, againstSilence(**plan), options);
            if (!gradient) {
                return tl::unexpected<Error>(gradient.error());
            }
            best.seconds = i == 0 ? gradient->seconds : std::min(best.seconds, gradient->seconds);
            best.peak = gradient->peakBytes;
        }
        best.steps = static_cast<int>((*plan)->time.innerSteps());
        best.predicted = memory->total();
        best.predictedSeconds = memory->seconds - memory->touched; // runs before it have touched its memory
        return best;
    }

    // What more steps cost, so that what a run costs once is out.
    Result<> measure(GradientFigure& figure) const
    {
        const int rounds = m_options.quick ? 2 : 4;
        const int fewest = m_mode.tape.every > 1 ? kWholeWavelet : kFewest;
        const auto first = run(fewest, 2); // memory is there from now on
        const auto second = first ? run(3 * fewest, 2) : first;
        if (!second) {
            return tl::unexpected<Error>(second.error());
        }
        const double guess = std::max((second->seconds - first->seconds) / (second->steps - first->steps), 1e-6);
        const double least = m_device->isHost() ? kSecondsOnHost : kSecondsOnGpu;
        int steps = std::clamp(static_cast<int>(least / guess), fewest, kMost);
        Result<Measured> longer = run(3 * steps, rounds);
        while (!longer && longer.error().kind == ErrorKind::OutOfMemory && steps > fewest) {
            steps = std::max(fewest, steps / 2);
            longer = run(3 * steps, rounds);
        }
        if (!longer) {
            return tl::unexpected<Error>(longer.error());
        }
        const auto shorter = run(steps, rounds);
        if (!shorter) {
            return tl::unexpected<Error>(shorter.error());
        }
        figure.predictedSeconds =
            (longer->predictedSeconds - shorter->predictedSeconds) / (longer->steps - shorter->steps);
        figure.gradientSeconds = (longer->seconds - shorter->seconds) / (longer->steps - shorter->steps);
        figure.steps = longer->steps;
        figure.peakBytes = longer->peak;
        figure.predictedBytes = longer->predicted;
        return {};
    }

private:
    const GradientCase& m_which;
    const GradientMode& m_mode;
    std::shared_ptr<Device> m_device;
    const GradientBenchOptions& m_options;
};

Result<double> forwardStep(const GradientCase& which, const std::shared_ptr<Device>& device)
{
    const double points = std::pow(which.nodes + 2.0 * kLayerCells, which.rank);
    const auto plan =
        planTrial(shapeOf(which, static_cast<int>(std::clamp(8e9 / points, 64.0, 16384.0))), device->facts());
    if (!plan) {
        return tl::unexpected<Error>(plan.error());
    }
    double seconds = 0.0;
    auto done = guarded([&]() -> Result<> {
        seconds = Trial(*plan, device, nullptr).stepSeconds();
        return {};
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    return seconds;
}

std::string micro(double seconds)
{
    return fmt::format("{:.3g} us", seconds * 1e6);
}

} // namespace

const std::vector<GradientMode>& gradientBenchModes()
{
    static const std::vector<GradientMode> kModes = [] {
        std::vector<GradientMode> modes(10);
        modes[0].name = "full";
        modes[1].name = "full, every 4";
        modes[1].tape.every = 4;
        modes[2].name = "boundary";
        modes[2].tape.mode = "boundary";
        modes[3].name = "boundary, bfloat16";
        modes[3].tape.mode = "boundary";
        modes[3].tape.storage = Storage::BFloat16;
        modes[4].name = "chunks";
        modes[4].tape.mode = "chunks";
        modes[5].name = "segments";
        modes[5].tape.mode = "segments";
        modes[6].name = "binomial";
        modes[6].tape.mode = "binomial";
        modes[7].name = "boundary, on disk";
        modes[7].tape.mode = "boundary";
        modes[7].tape.place = Place::Disk;
        modes[8].name = "boundary, layers kept";
        modes[8].tape.mode = "boundary";
        modes[8].tape.chunk = 1 << 30; // all steps
        modes[9].name = "boundary, in the host's memory";
        modes[9].tape.mode = "boundary";
        modes[9].tape.place = Place::Host;
        return modes;
    }();
    return kModes;
}

Result<GradientReport> benchGradients(const std::shared_ptr<Device>& device, const GradientBenchOptions& options)
{
    GradientReport report;
    report.version = ONDO_VERSION;
    report.device = device->facts().name;
    report.loadBefore = loadAverage();
    std::vector<GradientMode> modes = gradientBenchModes();
    if (!options.memory.empty()) {
        std::erase_if(modes, [&](const GradientMode& m) { return !isNamedBy(m.name, options.memory); });
    }
    if (modes.empty()) {
        return badInput(fmt::format("there is no memory mode {} to measure", options.memory),
                        fmt::format("a mode is named like {}", gradientBenchModes().front().name));
    }
    bool any = false;
    for (const auto& which : kCases) {
        if (!chosen(which, options, device->isHost())) {
            continue;
        }
        any = true;
        const auto forward = forwardStep(which, device);
        for (const auto& mode : modes) {
            if (options.stop && options.stop()) {
                report.stopped = true;
                break;
            }
            if (options.telling) {
                options.telling(fmt::format("{}, {}", which.name, mode.name));
            }
            GradientFigure figure;
            figure.caseName = which.name;
            figure.mode = mode.name;
            figure.forwardSeconds = forward.value_or(0.0);
            const auto done = forward ? Measurement(which, mode, device, options).measure(figure)
                                      : Result<>(tl::unexpected<Error>(forward.error()));
            figure.skipped = done ? std::string() : done.error().text();
            report.figures.push_back(std::move(figure));
        }
    }
    if (!any) {
        return badInput(fmt::format("there is no case {}", options.only),
                        fmt::format("a case is named like {}", kCases[0].name));
    }
    device->arena().trim();
    report.loadAfter = loadAverage();
    return report;
}

std::string GradientReport::text() const
{
    std::string s = fmt::format("ondo {} bench --gradient on {}\n", version, device);
    s += fmt::format("load       {:.2f} before, {:.2f} after (one minute)\n", loadBefore, loadAfter);
    s += "protocol   order 8, layers of 20 cells, one shot, 101 receivers. Both a step more of a longer run: forward "
         "as ondo\n"
         "           bench measures it; gradient: forward, adjoint and image, positions left out, the least of some "
         "runs\n\n";
    s += fmt::format("{:<18} {:<20} {:>12} {:>12} {:>12} {:>7} {:>12} {:>12} {:>7}\n", "case", "memory", "forward",
                     "gradient", "predicted", "ratio", "peak MB", "predicted", "steps");
    for (const auto& f : figures) {
        if (!f.skipped.empty()) {
            s += fmt::format("{:<18} {:<20} not measured: {}\n", f.caseName, f.mode, f.skipped);
            continue;
        }
        s +=
            fmt::format("{:<18} {:<20} {:>12} {:>12} {:>12} {:>7.2f} {:>12.1f} {:>12.1f} {:>7}\n", f.caseName, f.mode,
                        micro(f.forwardSeconds), micro(f.gradientSeconds),
                        f.predictedSeconds > 0.0 ? micro(f.predictedSeconds) : std::string("?"), f.ratio(),
                        static_cast<double>(f.peakBytes) * 1e-6, static_cast<double>(f.predictedBytes) * 1e-6, f.steps);
    }
    return s + (stopped ? "stopped: the cases above are all that was measured\n" : "");
}

std::string GradientReport::json() const
{
    std::vector<std::string> cases;
    for (const auto& f : figures) {
        json::Object o;
        o.add("name", json::text(f.caseName)).add("memory", json::text(f.mode));
        if (!f.skipped.empty()) {
            cases.push_back(o.add("skipped", json::text(f.skipped)).str());
            continue;
        }
        o.add("forward_step_seconds", json::number(f.forwardSeconds));
        o.add("gradient_step_seconds", json::number(f.gradientSeconds)).add("ratio", json::number(f.ratio()));
        o.add("predicted_step_seconds", json::number(f.predictedSeconds));
        o.add("peak_bytes", json::number(static_cast<double>(f.peakBytes)));
        o.add("predicted_bytes", json::number(static_cast<double>(f.predictedBytes)));
        cases.push_back(o.add("steps", json::number(f.steps)).str());
    }
    json::Object o;
    o.add("program", json::text("ondo bench --gradient")).add("schema", json::number(kSchema));
    o.add("version", json::text(version)).add("device", json::text(device)).add("stopped", json::boolean(stopped));
    o.add("load_before", json::number(loadBefore)).add("load_after", json::number(loadAfter));
    return o.add("cases", json::array(cases)).str();
}

} // namespace ondo
