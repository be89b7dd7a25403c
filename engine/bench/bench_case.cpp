#include "engine/bench/bench_case.h"

#include "engine/propagator/domain.h"
#include "engine/propagator/propagator.h"
#include "engine/session/simulation_plan.h"
#include "kernels/reference/plain_loop.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

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

// The plain loop beside ours, on the host.
class Plain {
public:
    Plain(const SimulationPlan& plan, const BenchCase& which, int threads)
        : m_loop(which.rank, plan.nz, plan.ny, plan.nx, which.order, threads)
    {
        m_loop.step();
    }

    double secondsAStep(int steps)
    {
        const auto from = Clock::now();
        for (int k = 0; k < steps; ++k) {
            m_loop.step();
        }
        const double seconds = secondsSince(from) / steps;
        // OpenMP's threads go on spinning for a while, which our next run would pay for.
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        return seconds;
    }

private:
    kernels::PlainLoop m_loop;
};

bool stopped(const BenchOptions& options)
{
    return options.stop && options.stop();
}

// The case with what it needs from one measurement to the next.
struct Subject {
    std::shared_ptr<Device> device;
    BenchOptions options;
    std::shared_ptr<const SimulationPlan> plan;
    BenchFigure figure;
};

Subject prepare(const BenchCase& which, const std::shared_ptr<Device>& device, const BenchOptions& options)
{
    Subject s{device, options, nullptr, {}};
    s.figure.which = which;
    auto plan = planFor(which, *device, options);
    if (!plan) {
        s.figure.skipped = plan.error().text();
        return s;
    }
    s.plan = *plan;
    s.figure.paddedNodes = s.plan->paddedNodes();
    s.figure.userNodes = s.plan->model.grid().nodes();
    s.figure.layerNodes = layerNodes(*s.plan);
    s.figure.receivers = static_cast<int>(s.plan->run.survey.shots[0].receivers.size());
    return s;
}

// Ours and, if wanted, the plain loop, by turns.
void takeSteps(Subject& s, bool besidePlain)
{
    BenchFigure& f = s.figure;
    Bench bench(s.plan, s.device);
    const Lengths lengths = lengthsFor(bench, s.device->isHost(), s.options, s.plan->time.innerSteps() / 2);
    f.shortSteps = lengths.shortSteps;
    f.longSteps = lengths.longSteps;
    std::optional<Plain> plain;
    if (besidePlain && kernels::PlainLoop::serves(f.which.order)) {
        plain.emplace(*s.plan, f.which, s.device->facts().threads);
    }
    std::vector<double> marginal;
    std::vector<double> plainSteps;
    for (int i = 0; i < std::max(s.options.repeats, 5) && !stopped(s.options); ++i) {
        const double a = bench.seconds(lengths.shortSteps);
        const double b = bench.seconds(lengths.longSteps);
        marginal.push_back(std::max(b - a, 1e-9) / (lengths.longSteps - lengths.shortSteps));
        if (plain) {
            plainSteps.push_back(plain->secondsAStep(std::max(1, f.longSteps / (2 * f.which.shots))));
        }
    }
    if (marginal.empty()) {
        f.skipped = "stopped";
        return;
    }
    f.pairs = static_cast<int>(marginal.size());
    f.stepSeconds = spreadOf(marginal);
    if (!plainSteps.empty()) {
        const Spread one = spreadOf(plainSteps);
        f.plainSeconds = {f.which.shots * one.median, f.which.shots * one.least};
    }
}

// Its time axis ends where the run ends, as a caller's does.
std::shared_ptr<const SimulationPlan> wholePlan(const Subject& s)
{
    const double most = s.options.quick ? s.options.wholeSeconds / 6.0 : s.options.wholeSeconds;
    const double fit = std::clamp(most / s.figure.stepSeconds.median, 1.0, 1e9);
    RunDescription run = s.plan->run;
    run.duration = std::min(s.options.wholeSteps, static_cast<int>(fit)) * s.plan->time.dt;
    const auto plan = SimulationPlan::make(run, s.plan->model, s.device->facts());
    return plan ? *plan : nullptr;
}

void takeWhole(Subject& s, const std::shared_ptr<const SimulationPlan>& plan)
{
    constexpr double kBrief = 10.0; // s, of a call that is repeated
    BenchFigure& f = s.figure;
    const int steps = plan->time.innerSteps();
    s.device->arena().trim();
    f.wholeFirstSeconds = Bench::wholeSeconds(plan, s.device, steps);
    f.wholeSteps = steps;
    std::vector<double> whole;
    const int times = f.wholeFirstSeconds < kBrief ? 3 : 1;
    for (int i = 0; i < times && !stopped(s.options); ++i) {
        whole.push_back(Bench::wholeSeconds(plan, s.device, steps));
    }
    f.wholeTimes = static_cast<int>(whole.size());
    f.wholeSeconds = whole.empty() ? f.wholeFirstSeconds : spreadOf(whole).median;
}

// In a run of its own, so that asking does not count as time.
void takeMemory(Subject& s, const std::shared_ptr<const SimulationPlan>& plan, std::size_t freeBefore)
{
    constexpr int kSteps = 64; // enough for whatever a device prepares at its first steps
    DeviceArena& arena = s.device->arena();
    arena.trim();
    arena.forgetPeaks();
    const Stream stream(s.device, kernels::StreamPriority::Solver);
    const auto propagator = Propagator::create(plan, s.device, stream);
    propagator->begin(0, plan->run.shotsAtOnce);
    propagator->advance(std::min(kSteps, plan->time.innerSteps()));
    s.device->backend().synchronize(stream.handle());
    const ArenaUse use = arena.use();
    const auto traces = use.byLabel.find("traces");
    BenchMemory& memory = s.figure.memory;
    memory.peak = use.reservedPeak;
    memory.traces = traces == use.byLabel.end() ? 0 : traces->second.second;
    memory.state = stateBytes(*plan);
    if (!s.device->isHost()) {
        const std::size_t freeNow = s.device->backend().facts().memoryFree;
        memory.device = freeBefore > freeNow ? freeBefore - freeNow : 0;
    }
}

} // namespace

BenchFigure measureSteps(const BenchCase& which, const std::shared_ptr<Device>& device, const BenchOptions& options)
{
    Subject s = prepare(which, device, options);
    if (s.plan) {
        takeSteps(s, false);
    }
    return s.figure;
}

BenchFigure measureCase(const BenchCase& which, const std::shared_ptr<Device>& device, const BenchOptions& options,
                        std::size_t freeBefore)
{
    Subject s = prepare(which, device, options);
    if (s.plan) {
        takeSteps(s, device->isHost());
    }
    if (s.figure.skipped.empty() && options.wholeSteps > 0 && !stopped(options)) {
        if (const auto plan = wholePlan(s)) {
            takeWhole(s, plan);
            takeMemory(s, plan, freeBefore);
        }
    }
    device->arena().trim();
    return s.figure;
}

} // namespace ondo
