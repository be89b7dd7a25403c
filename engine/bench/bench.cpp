#include "engine/bench/bench.h"

#include "engine/core/nearest.h"
#include "engine/propagator/propagator.h"
#include "engine/session/guard.h"
#include "engine/session/simulation_plan.h"
#include "kernels/host/thread_team.h"
#include "kernels/reference/plain_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

double loadAverage()
{
    std::ifstream in("/proc/loadavg");
    double load = -1.0;
    in >> load;
    return load;
}

Spread spreadOf(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return {n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]), values.front()};
}

// Numbers in [0, 1), the same on every machine.
class Noise {
public:
    double operator()()
    {
        m_state ^= m_state << 13U;
        m_state ^= m_state >> 7U;
        m_state ^= m_state << 17U;
        return static_cast<double>(m_state >> 11U) * 0x1p-53;
    }

private:
    std::uint64_t m_state = 0x9E3779B97F4A7C15ULL;
};

constexpr double kSpacing = 10.0; // m

Model noisyModel(const BenchCase& which)
{
    const int n = which.nodes;
    const Grid grid = which.rank == 3 ? *Grid::make3D(n, n, n, kSpacing, kSpacing, kSpacing)
                                      : *Grid::make2D(n, n, kSpacing, kSpacing);
    Noise noise;
    std::vector<float> speed(static_cast<std::size_t>(grid.nodes()));
    std::generate(speed.begin(), speed.end(), [&noise] { return static_cast<float>(1500.0 + 3000.0 * noise()); });
    return *Model::make(grid, std::move(speed), which.name);
}

// A source that never falls silent keeps the fields away from zero for as long as it is measured.
RunDescription describe(const BenchCase& which, const Grid& grid, const BenchOptions& options)
{
    RunDescription run;
    run.boundary.layerCells = options.layerCells;
    run.boundary.frequency = 5.0;
    run.spaceOrder = which.order;
    run.shotsAtOnce = which.shots;
    const int middleRow = (grid.ny - 1) / 2;
    const double middle = middleRow * grid.dy;
    const double y = grid.rank == 3 ? middle : 0.0;
    const int receivers = std::min(options.receivers, grid.nx);
    // Between nodes, so that interpolation is paid for.
    const auto line =
        receiverLine({0.3 * grid.dx, y, 4.4 * grid.dz}, {(grid.nx - 1.3) * grid.dx, y, 4.4 * grid.dz}, receivers);
    Noise noise;
    std::vector<double> samples(4096);
    std::generate(samples.begin(), samples.end(), [&noise] { return noise() - 0.5; });
    const Wavelet wavelet = *Wavelet::sampled(std::move(samples), 0.01);
    for (int s = 0; s < which.shots; ++s) {
        const double x = grid.lengthX() * (s + 1.0) / (which.shots + 1.0);
        run.survey.shots.push_back({{{{x, y, 0.5 * grid.lengthZ()}, wavelet}}, line});
    }
    return run;
}

void fillWithNoise(Propagator& propagator, const SimulationPlan& plan, int shots)
{
    Noise noise;
    std::vector<double> present(static_cast<std::size_t>(plan.paddedNodes()));
    std::generate(present.begin(), present.end(), [&noise] { return noise() - 0.5; });
    for (int s = 0; s < shots; ++s) {
        propagator.writeState(s, present, present);
    }
}

// One case under measurement: steps are queued and waited for; a shot begins again when its time axis is used up.
class Bench {
public:
    Bench(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device)
        : m_plan(std::move(plan))
        , m_device(std::move(device))
        , m_stream(m_device, kernels::StreamPriority::Solver)
        , m_propagator(Propagator::create(m_plan, m_device, m_stream))
    {
        begin();
    }

    double seconds(int steps)
    {
        if (m_propagator->stepsDone() + steps > m_plan->time.innerSteps()) {
            begin();
        }
        m_stream.synchronize();
        const auto from = Clock::now();
        m_propagator->advance(steps);
        m_stream.synchronize();
        return secondsSince(from);
    }

    // All that a caller pays for `steps` steps: made anew, run, traces brought back.
    static double wholeSeconds(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                               int steps)
    {
        const auto from = Clock::now();
        const Stream stream(device, kernels::StreamPriority::Solver);
        const auto propagator = Propagator::create(plan, device, stream);
        propagator->begin(0, plan->run.shotsAtOnce);
        propagator->advance(steps);
        std::vector<float> traces;
        propagator->readTraces(0, propagator->samplesRecorded(), traces);
        return secondsSince(from);
    }

private:
    void begin()
    {
        m_propagator->begin(0, m_plan->run.shotsAtOnce);
        fillWithNoise(*m_propagator, *m_plan, m_plan->run.shotsAtOnce);
    }

    std::shared_ptr<const SimulationPlan> m_plan;
    std::shared_ptr<Device> m_device;
    Stream m_stream;
    std::unique_ptr<Propagator> m_propagator;
};

struct Lengths {
    int shortSteps = 1, longSteps = 2;
};

// Long enough that the clock and the last wait do not count, short enough for the case list.
Lengths lengthsFor(Bench& bench, bool host, const BenchOptions& options, int most)
{
    const double wanted = (options.quick ? 0.5 : 1.0) * (host ? 1.0 : 0.25); // s, of the long run
    int steps = 2;
    double seconds = bench.seconds(steps); // the first launch pays for loading
    seconds = bench.seconds(steps);
    while (seconds < 0.1 * wanted && steps < most / 4) {
        steps *= 2;
        seconds = bench.seconds(steps);
    }
    Lengths l;
    l.longSteps = static_cast<int>(std::clamp(wanted * steps / std::max(seconds, 1e-6), 4.0, 0.9 * most));
    l.shortSteps = std::max(1, l.longSteps / 4);
    return l;
}

int stepsOfAxis(const BenchCase& which)
{
    return which.rank == 3 ? 2000 : which.shots > 1 ? 4000 : 20000;
}

Result<std::shared_ptr<const SimulationPlan>> planFor(const BenchCase& which, const Device& device,
                                                      const BenchOptions& options)
{
    const Model model = noisyModel(which);
    RunDescription run = describe(which, model.grid(), options);
    // The scheme's own step, for as many steps as the measurement may want.
    run.duration = 1.0;
    auto first = SimulationPlan::make(run, model, device.facts());
    if (!first) {
        return first;
    }
    run.duration = stepsOfAxis(which) * (*first)->time.dt;
    return SimulationPlan::make(run, model, device.facts());
}

double plainLoopSeconds(const SimulationPlan& plan, const BenchCase& which, int threads, int steps, int repeats)
{
    if (!kernels::PlainLoop::serves(which.order)) {
        return 0.0;
    }
    kernels::PlainLoop loop(which.rank, plan.nz, plan.ny, plan.nx, which.order, threads);
    loop.step();
    std::vector<double> each;
    for (int i = 0; i < repeats; ++i) {
        const auto from = Clock::now();
        for (int k = 0; k < steps; ++k) {
            loop.step();
        }
        each.push_back(secondsSince(from) / steps);
    }
    return spreadOf(each).median;
}

BenchFigure measure(const BenchCase& which, const std::shared_ptr<Device>& device, const BenchOptions& options)
{
    BenchFigure figure;
    figure.which = which;
    auto plan = planFor(which, *device, options);
    if (!plan) {
        figure.skipped = plan.error().text();
        return figure;
    }
    figure.paddedNodes = (*plan)->paddedNodes();
    figure.userNodes = (*plan)->model.grid().nodes();
    figure.receivers = static_cast<int>((*plan)->run.survey.shots[0].receivers.size());
    {
        Bench bench(*plan, device);
        const Lengths lengths = lengthsFor(bench, device->isHost(), options, (*plan)->time.innerSteps() / 2);
        figure.shortSteps = lengths.shortSteps;
        figure.longSteps = lengths.longSteps;
        std::vector<double> marginal;
        for (int i = 0; i < std::max(options.repeats, 5) && !(options.stop && options.stop()); ++i) {
            const double a = bench.seconds(lengths.shortSteps);
            const double b = bench.seconds(lengths.longSteps);
            marginal.push_back(std::max(b - a, 1e-9) / (lengths.longSteps - lengths.shortSteps));
        }
        if (marginal.empty()) {
            figure.skipped = "stopped";
            return figure;
        }
        figure.pairs = static_cast<int>(marginal.size());
        figure.stepSeconds = spreadOf(marginal);
        figure.arenaBytes = device->arena().use().live;
    }
    if (device->isHost()) {
        const int steps = std::max(1, figure.longSteps / (2 * std::max(1, which.shots)));
        figure.plainSeconds =
            which.shots * plainLoopSeconds(**plan, which, device->facts().threads, steps, std::max(options.repeats, 5));
    }
    device->arena().trim();
    // A caller's time axis ends where the run ends.
    RunDescription shorter = (*plan)->run;
    shorter.duration = figure.longSteps * (*plan)->time.dt;
    const auto wholePlan = SimulationPlan::make(shorter, (*plan)->model, device->facts());
    if (!wholePlan) {
        return figure;
    }
    std::vector<double> whole;
    const int times = figure.paddedNodes * which.shots > 50'000'000 ? 1 : 3;
    for (int i = 0; i < times && !(options.stop && options.stop()); ++i) {
        whole.push_back(
            Bench::wholeSeconds(*wholePlan, device, std::min(figure.longSteps, (*wholePlan)->time.innerSteps())));
    }
    if (!whole.empty()) {
        figure.wholeSeconds = spreadOf(whole).median;
        figure.wholeSteps = std::min(figure.longSteps, (*wholePlan)->time.innerSteps());
    }
    device->arena().trim();
    return figure;
}

bool chosen(const BenchCase& which, const BenchOptions& options, bool host)
{
    if (options.only.empty()) {
        return options.quick ? which.inQuick && (!host || which.onHost) : !host || which.onHost;
    }
    for (std::size_t at = 0; at <= options.only.size();) {
        const std::size_t end = std::min(options.only.find(',', at), options.only.size());
        const std::string word = options.only.substr(at, end - at);
        if (!word.empty() && which.name.find(word) != std::string::npos) {
            return true;
        }
        at = end + 1;
    }
    return false;
}

// A step of 64 x 64 nodes: nothing but launches.
double launchSeconds(const std::shared_ptr<Device>& device, const BenchOptions& options)
{
    BenchOptions brief = options;
    brief.quick = true;
    brief.layerCells = 8;
    const BenchFigure tiny = measure({"launch", 2, 64, 8, 1, true, true}, device, brief);
    return tiny.skipped.empty() ? tiny.stepSeconds.least : 0.0;
}

Result<std::vector<BenchCase>> chooseCases(const BenchOptions& options, bool host)
{
    std::vector<BenchCase> cases;
    std::vector<std::string> names;
    for (const auto& which : benchCases()) {
        names.push_back(which.name);
        if (chosen(which, options, host)) {
            cases.push_back(which);
        }
    }
    if (cases.empty()) {
        const std::string near = nearestWord(options.only, names);
        return badInput(fmt::format("there is no case {}", options.only),
                        near.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                     : fmt::format("did you mean {}?", near));
    }
    return cases;
}

} // namespace

const std::vector<BenchCase>& benchCases()
{
    static const std::vector<BenchCase> kAll = {
        {"2d-1000-o8", 2, 1000, 8, 1, true, true},        {"2d-1000-o4", 2, 1000, 4, 1, true, false},
        {"2d-2048-o8", 2, 2048, 8, 1, true, false},       {"2d-2048-o4", 2, 2048, 4, 1, false, false},
        {"2d-4096-o8", 2, 4096, 8, 1, false, false},      {"2d-4096-o4", 2, 4096, 4, 1, false, false},
        {"2d-1000-o8-s32", 2, 1000, 8, 32, false, false}, {"3d-128-o8", 3, 128, 8, 1, true, true},
        {"3d-256-o8", 3, 256, 8, 1, true, false},         {"3d-256-o4", 3, 256, 4, 1, false, false},
        {"3d-512-o8", 3, 512, 8, 1, false, false},
    };
    return kAll;
}

double copyBandwidth(const std::shared_ptr<Device>& device, std::size_t bytes, int times)
{
    const Stream stream(device, kernels::StreamPriority::Solver);
    const Buffer<char> from(device, bytes, "bench copy", BlockSize::Exact, BlockContent::Zeroed, stream);
    const Buffer<char> to(device, bytes, "bench copy", BlockSize::Exact, BlockContent::Zeroed, stream);
    // On the host a single thread cannot ask for all that the memory gives.
    kernels::ThreadTeam team(device->isHost() ? device->facts().threads : 1);
    const auto once = [&] {
        if (!device->isHost()) {
            device->backend().copyOnDevice(to.data(), from.data(), bytes, stream.handle());
            return;
        }
        team.run([&](kernels::Share share) {
            const std::size_t first =
                bytes * static_cast<std::size_t>(share.index) / static_cast<std::size_t>(share.count);
            const std::size_t last =
                bytes * (static_cast<std::size_t>(share.index) + 1) / static_cast<std::size_t>(share.count);
            std::memcpy(to.data() + first, from.data() + first, last - first);
        });
    };
    const int together = device->isHost() ? 1 : 20; // so that a launch does not count
    double best = 0.0;
    once();
    device->backend().synchronize(stream.handle());
    for (int i = 0; i < times; ++i) {
        const auto begun = Clock::now();
        for (int k = 0; k < together; ++k) {
            once();
        }
        device->backend().synchronize(stream.handle());
        best = std::max(best, 2.0 * static_cast<double>(bytes) * together / secondsSince(begun));
    }
    return best;
}

Result<BenchReport> runBench(const std::shared_ptr<Device>& device, const BenchOptions& options)
{
    const bool host = device->isHost();
    auto cases = chooseCases(options, host);
    if (!cases) {
        return tl::unexpected<Error>(cases.error());
    }
    const auto tell = [&options](const std::string& what) {
        if (options.telling) {
            options.telling(what);
        }
    };
    BenchReport report;
    report.version = ONDO_VERSION;
    report.device = device->facts();
    report.host = host;
    report.loadBefore = loadAverage();
    report.copyBytes = (host ? std::size_t{256} : std::size_t{1024}) << 20U;
    const auto all = guarded([&]() -> Result<> {
        tell("copy bandwidth");
        report.copyBefore = copyBandwidth(device, report.copyBytes, 7);
        device->arena().trim();
        tell("launch overhead");
        report.launchSeconds = launchSeconds(device, options);
        for (const auto& which : *cases) {
            if (options.stop && options.stop()) {
                report.stopped = true;
                break;
            }
            tell(which.name);
            BenchFigure figure;
            const auto done = guarded([&]() -> Result<> {
                figure = measure(which, device, options);
                return {};
            });
            if (!done) {
                figure.which = which;
                figure.skipped = done.error().text();
            }
            report.figures.push_back(std::move(figure));
        }
        tell("copy bandwidth again");
        report.copyAfter = copyBandwidth(device, report.copyBytes, 7);
        return {};
    });
    if (!all) {
        return tl::unexpected<Error>(all.error());
    }
    report.loadAfter = loadAverage();
    for (const auto& figure : report.figures) {
        report.arenaPeak = std::max(report.arenaPeak, figure.arenaBytes);
    }
    device->arena().trim();
    return report;
}

} // namespace ondo
