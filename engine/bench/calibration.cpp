#include "engine/bench/calibration.h"

#include "engine/bench/trial.h"
#include "engine/session/guard.h"
#include "engine/session/session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <fstream>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLayerCells = 20;        // as runs have them
constexpr double kSetupSeconds = 6e-9; // s a node: a guess of what making a trial costs, until one was made
constexpr double kStepGuess = 4e-9;    // s a node, the same
constexpr double kStepsATrial = 6.0;   // of a grid so large that its steps count one by one
constexpr double kLeastTrial = 0.012;  // s: three batches
constexpr std::size_t kMandatory = 2;  // sizes of a curve that are measured whatever they take

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

struct Cancelled {};

double pointsOf(int rank, int edge)
{
    return std::pow(static_cast<double>(edge), rank);
}

class Calibrator {
public:
    Calibrator(std::shared_ptr<Device> device, const CalibrationOptions& options)
        : m_device(std::move(device))
        , m_options(options)
        , m_begun(Clock::now())
    {
    }

    DeviceSpeed measure();

private:
    // What is measured next may last until this share of the whole time.
    void allot(double share);
    [[nodiscard]] bool timeFor(int rank, int edge, int shots, std::size_t measured) const;
    Trial trial(const TrialShape& shape);
    double step(TrialShape shape);

    void warmUp();
    void plain(RankSpeed& speed, int rank, const std::vector<int>& edges);
    void layered(RankSpeed& speed, int rank, const std::vector<int>& edges, int splitEdge);
    double layerShare(const RankSpeed& speed, const TrialShape& shape, double* perStep = nullptr);
    void wide(RankSpeed& speed, int rank, const std::vector<int>& edges, int layeredEdge);
    void general(RankSpeed& speed, int rank, int edge);
    void shots(RankSpeed& speed, int rank, const std::vector<int>& edges);
    void points(RankSpeed& speed, int rank, int edge);
    void call(CallCost& cost);
    [[nodiscard]] double plainOf(const RankSpeed& speed, int rank, int order, double points) const;

    std::shared_ptr<Device> m_device;
    const CalibrationOptions& m_options;
    Clock::time_point m_begun;
    double m_until = 0.0; // s since the beginning
    double m_setup = kSetupSeconds, m_pointStep = kStepGuess;
    double m_receiverBegin = 0.0; // s a node: lists of receivers
    double m_traceSample = 0.0;
};

void Calibrator::allot(double share)
{
    m_until = share * m_options.seconds;
}

bool Calibrator::timeFor(int rank, int edge, int shots, std::size_t measured) const
{
    const double points = pointsOf(rank, edge) * shots;
    const double most = 0.45 * static_cast<double>(m_device->facts().memoryFree);
    if (most > 0.0 && points * 24.0 > most) { // bytes; doubled by the arena's rounding
        return false;
    }
    const double cost = std::max(kLeastTrial, points * (m_setup + kStepsATrial * m_pointStep));
    return measured < kMandatory || secondsSince(m_begun) + cost < m_until;
}

Trial Calibrator::trial(const TrialShape& shape)
{
    if (m_options.telling) {
        m_options.telling(std::min(1.0, secondsSince(m_begun) / (1.1 * m_options.seconds)));
    }
    if (m_options.stop != nullptr && m_options.stop->load()) {
        throw Cancelled{};
    }
    auto plan = planTrial(shape, m_device->facts());
    if (!plan) {
        throw kernels::BackendError(kernels::BackendFailure::OutOfMemory, plan.error().text());
    }
    return {*plan, m_device, m_options.stop};
}

double Calibrator::step(TrialShape shape)
{
    const double points = pointsOf(shape.rank, shape.edge) * shape.together;
    shape.steps = static_cast<int>(std::clamp(4e9 / points, 64.0, 16384.0));
    const auto from = Clock::now();
    Trial t = trial(shape);
    const double setup = secondsSince(from);
    const double seconds = t.stepSeconds();
    if (t.stopped()) {
        throw Cancelled{};
    }
    if (points > 2e5) { // what the next larger one will cost
        m_setup = setup / points;
        m_pointStep = seconds / points;
    }
    return seconds;
}

// Clocks that rest go up, threads wake, modules are loaded.
void Calibrator::warmUp()
{
    const auto from = Clock::now();
    TrialShape shape;
    shape.edge = 400;
    shape.steps = 20000;
    Trial t = trial(shape);
    while (secondsSince(from) < 0.03 * m_options.seconds) {
        (void)t.stepSeconds();
    }
}

double Calibrator::plainOf(const RankSpeed& speed, int rank, int order, double points) const
{
    DeviceSpeed so;
    so.rank[rank - 2].plain = speed.plain;
    LaunchWork launch;
    launch.rank = rank;
    launch.order = order;
    launch.points = points;
    return so.stepSeconds(launch);
}

// All orders of a size before the next size, so that they end together when time is short.
void Calibrator::plain(RankSpeed& speed, int rank, const std::vector<int>& edges)
{
    for (const int order : {2, 4, 8}) {
        speed.plain.push_back({rank, order, {}});
    }
    for (const int edge : edges) {
        for (auto curve = speed.plain.rbegin(); curve != speed.plain.rend(); ++curve) {
            // The others go on from their last size as order 8 does.
            const int weight = curve->order == 8 ? 1 : 2;
            if (timeFor(rank, edge, weight, curve->at.size())) {
                curve->at.push_back({pointsOf(rank, edge), step({.rank = rank, .edge = edge, .order = curve->order})});
            }
        }
    }
}

// Seconds a layer node that a trial takes more than the same grid without layers.
double Calibrator::layerShare(const RankSpeed& speed, const TrialShape& shape, double* perStep)
{
    const double seconds = step(shape);
    if (perStep != nullptr) {
        *perStep = seconds;
    }
    const double points = pointsOf(shape.rank, shape.edge);
    double nodes = 0.0;
    for (int a = 0; a < 3; ++a) {
        const bool there = shape.layered[a] && (a != 1 || shape.rank == 3);
        nodes += there ? points / shape.edge * (2 * shape.layerCells + shape.order) : 0.0;
    }
    const double more = seconds - plainOf(speed, shape.rank, shape.order, points);
    return std::max(0.0, more) / nodes;
}

void Calibrator::layered(RankSpeed& speed, int rank, const std::vector<int>& edges, int splitEdge)
{
    for (const int order : {2, 8}) {
        speed.layered.push_back({rank, order, {}});
    }
    // What the layers across each axis cost, of one grid.
    double weight[3] = {0.0, 0.0, 0.0};
    double sum = 0.0;
    for (int a = 0; a < 3; ++a) {
        if (a != 1 || rank == 3) {
            TrialShape shape{.rank = rank, .edge = splitEdge, .layerCells = kLayerCells};
            for (int b = 0; b < 3; ++b) {
                shape.layered[b] = b == a;
            }
            weight[a] = layerShare(speed, shape);
            sum += weight[a];
        }
    }
    for (int a = 0; a < 3 && sum > 0.0; ++a) {
        speed.slabWeight[a] = weight[a] * rank / sum;
    }
    for (const int edge : edges) {
        for (auto curve = speed.layered.rbegin(); curve != speed.layered.rend(); ++curve) {
            if (timeFor(rank, edge, curve->order == 8 ? 1 : 2, curve->at.size())) {
                const TrialShape shape{.rank = rank, .edge = edge, .order = curve->order, .layerCells = kLayerCells};
                curve->at.push_back({pointsOf(rank, edge), layerShare(speed, shape)});
            }
        }
    }
}

void Calibrator::wide(RankSpeed& speed, int rank, const std::vector<int>& edges, int layeredEdge)
{
    for (const int edge : edges) {
        if (timeFor(rank, edge, 2, speed.wide.at.size())) {
            const double points = pointsOf(rank, edge);
            const double seconds = step({.rank = rank, .edge = edge, .wide = true});
            speed.wide.at.push_back({points, seconds / plainOf(speed, rank, 8, points)});
        }
    }
    const double points = pointsOf(rank, layeredEdge);
    const TrialShape shape{.rank = rank, .edge = layeredEdge, .layerCells = kLayerCells, .wide = true};
    const double nodes = points / layeredEdge * (2 * kLayerCells + shape.order) * rank;
    const double more = step(shape) - plainOf(speed, rank, 8, points) * speed.wide.level(points);
    const double single = speed.layered.back().level(points) * nodes;
    speed.wideLayered.at = {{points, single > 0.0 ? std::max(0.0, more) / single : 1.0}};
}

void Calibrator::general(RankSpeed& speed, int rank, int edge)
{
    for (const int order : {12, 20}) {
        const double seconds = step({.rank = rank, .edge = edge, .order = order});
        speed.general.push_back({static_cast<double>(order), seconds / plainOf(speed, rank, 8, pointsOf(rank, edge))});
    }
}

void Calibrator::shots(RankSpeed& speed, int rank, const std::vector<int>& edges)
{
    for (const int edge : edges) {
        if (timeFor(rank, edge, 8, speed.eightShots.at.size())) {
            const double points = pointsOf(rank, edge) * 8.0;
            const double seconds = step({.rank = rank, .edge = edge, .shots = 8, .together = 8});
            speed.eightShots.at.push_back({points, seconds / plainOf(speed, rank, 8, points)});
        }
    }
}

// Receivers and sources: few and many of them on one small grid, each against none in the same moment.
void Calibrator::points(RankSpeed& speed, int rank, int edge)
{
    constexpr int kSteps = 2000;
    const double each = rank == 3 ? 512.0 : 64.0; // nodes of a point between nodes
    const double few = rank == 3 ? 16.0 : 64.0;
    const double many = rank == 3 ? 128.0 : 512.0;
    const auto with = [&](double receivers, int sources) {
        return trial({.rank = rank,
                      .edge = edge,
                      .receivers = static_cast<int>(receivers),
                      .sources = sources,
                      .steps = kSteps});
    };
    Trial none = with(0, 0);
    const double noneSeconds = none.stepSeconds();
    const double fewSeconds = with(few, 0).stepSeconds();
    Trial all = with(many, 0);
    const double manySeconds = all.stepSeconds();
    speed.receivers.node = std::max(0.0, manySeconds - fewSeconds) / ((many - few) * each);
    speed.receivers.step = std::max(0.0, fewSeconds - noneSeconds - speed.receivers.node * few * each);
    constexpr int kSources = 16;
    const double sourceSeconds = with(0, kSources).stepSeconds();
    speed.sources.node = std::max(0.0, sourceSeconds - noneSeconds) / (kSources * each);
    if (rank == 2) {
        m_receiverBegin = std::max(0.0, all.beginSeconds() - none.beginSeconds()) / (many * each);
        all.propagator().advance(kSteps / 2);
        std::vector<float> traces;
        const auto from = Clock::now();
        all.propagator().readTraces(0, kSteps / 2, traces);
        // The session brings them, sorts them by receiver, and looks whether all are numbers.
        m_traceSample = 3.0 * secondsSince(from) / (many * kSteps / 2);
    }
}

void Calibrator::call(CallCost& cost)
{
    constexpr int kEdge = 1000, kShots = 4;
    constexpr double kPoints = 1e6;
    m_device->arena().trim(); // as for a run that is the first of its size
    {
        Trial many = trial({.rank = 2, .edge = kEdge, .shots = kShots, .together = kShots, .steps = 16});
        cost.fieldPoint = many.createSeconds();
    }
    m_device->arena().trim();
    {
        Trial one = trial({.rank = 2, .edge = kEdge, .steps = 16});
        cost.fieldPoint = std::max(0.0, cost.fieldPoint - one.createSeconds()) / ((kShots - 1) * kPoints);
        cost.modelPoint = std::max(0.0, one.createSeconds() / kPoints - cost.fieldPoint);
        cost.clearPoint = std::min(one.beginSeconds(), one.beginSeconds()) / kPoints;
        FieldFrame frame;
        const auto from = Clock::now();
        one.propagator().readField(0, frame);
        cost.readPoint = secondsSince(from) / kPoints;
    }
    m_device->arena().trim();
    const auto from = Clock::now();
    constexpr int kSamples = 20000;
    (void)Wavelet::ricker(10.0).samples(1e-3, kSamples);
    cost.waveletSample = secondsSince(from) / kSamples;
    cost.receiverNode = m_receiverBegin;
    cost.traceSample = m_traceSample;
    // What is left is the same for every run: a session over next to nothing, once with one launch and once with nine.
    const auto session = [this](int shots) {
        const auto plan = planTrial({.rank = 2, .edge = 64, .shots = shots, .steps = 4}, m_device->facts());
        double least = 1e9;
        for (int i = 0; plan && i < 3; ++i) {
            Session s;
            s.setViewing(false);
            const auto begun = Clock::now();
            if (s.start(*plan, m_device, {})) {
                s.waitUntilIdle();
                least = std::min(least, secondsSince(begun));
            }
        }
        return least;
    };
    const double once = session(1);
    cost.launch = std::max(0.0, session(9) - once) / 8.0;
    cost.fixed = std::max(0.0, once - cost.launch);
}

DeviceSpeed Calibrator::measure()
{
    DeviceSpeed speed;
    speed.device = m_device->facts().name;
    speed.when = fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::gmtime(std::time(nullptr)));
    speed.load = loadAverage();
    warmUp();
    allot(0.28);
    plain(speed.rank[0], 2, {64, 100, 140, 200, 340, 540, 800, 1040, 1440, 2088, 2900, 4136});
    allot(0.52);
    plain(speed.rank[1], 3, {24, 40, 64, 104, 168, 232, 296});
    allot(0.64);
    layered(speed.rank[0], 2, {100, 200, 340, 540, 1040, 2088, 4136}, 400);
    allot(0.80);
    layered(speed.rank[1], 3, {64, 104, 168, 232, 296}, 96);
    allot(0.88);
    wide(speed.rank[0], 2, {200, 540, 1440, 2900}, 340);
    wide(speed.rank[1], 3, {40, 104, 168, 232}, 96);
    allot(0.92);
    shots(speed.rank[0], 2, {40, 120, 340, 1040});
    shots(speed.rank[1], 3, {20, 52, 104});
    general(speed.rank[0], 2, 300);
    general(speed.rank[1], 3, 56);
    points(speed.rank[0], 2, 340);
    points(speed.rank[1], 3, 64);
    call(speed.call);
    speed.took = secondsSince(m_begun);
    return speed;
}

} // namespace

Result<DeviceSpeed> calibrate(const std::shared_ptr<Device>& device, const CalibrationOptions& options)
{
    DeviceSpeed speed;
    bool cancelled = false;
    const auto done = guarded([&]() -> Result<> {
        try {
            speed = Calibrator(device, options).measure();
        } catch (const Cancelled&) {
            cancelled = true;
        }
        return {};
    });
    device->arena().trim();
    if (cancelled) {
        return fail(ErrorKind::Cancelled, "measuring the speed of " + device->facts().name + " was cancelled");
    }
    if (!done) {
        return within(done.error(), "while measuring the speed of " + device->facts().name);
    }
    return speed;
}

} // namespace ondo
