#include "engine/bench/calibration.h"

#include "engine/bench/bench.h"
#include "engine/bench/gradient_calibration.h"
#include "engine/bench/trial.h"
#include "engine/propagator/domain.h"
#include "engine/propagator/point_table.h"
#include "engine/session/guard.h"
#include "engine/session/session.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <span>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLayerCells = 20;        // as runs have them
constexpr int kOrders[] = {2, 4, 8};   // the last one is measured to the largest sizes and for everything else
constexpr int kLayerOrders[] = {2, 8}; // in between on a straight line
constexpr int kGeneralOrders[] = {12, 20};
constexpr int kShots = 8;                          // at once
constexpr double kGradients = 1.0, kAllOfIt = 2.2; // of the seconds asked: what gradients take, and what all takes
constexpr double kSetupSeconds = 6e-9;             // s a node: a guess of what making a trial costs, until one was made
constexpr double kStepGuess = 4e-9;                // s a node, the same
constexpr double kStepsATrial = 6.0;               // of a grid so large that its steps count one by one
constexpr double kMostSteps = 8.0;
constexpr int kSectionBeyond = 2088, kVolumeBeyond = 168; // nodes an axis: 50 MB of fields and model
constexpr double kLeastTrial = 0.010;                     // s
constexpr double kCheapTrial = 0.025;                     // s: what is measured twice
constexpr std::size_t kMandatory = 2;                     // sizes of a curve that are measured whatever they take

double secondsSince(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

struct Cancelled {};

double pointsOf(int rank, int edge)
{
    return std::pow(static_cast<double>(edge), rank);
}

struct Sample {
    TrialShape shape;
    double seconds = 0.0; // a step
    double cost = 0.0;    // s: of measuring it

    [[nodiscard]] double points() const { return pointsOf(shape.rank, shape.edge) * shape.together; }
};

bool isPlain(const TrialShape& shape)
{
    return shape.layerCells == 0 && !shape.wide && shape.together == 1;
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
    void allot(double share) { m_until = share * m_options.seconds; }
    [[nodiscard]] bool timeFor(const TrialShape& shape, std::size_t measured, double weight) const;
    void pause(); // tells how far it is; throws Cancelled
    Trial trial(const TrialShape& shape);
    double step(TrialShape shape);

    void warmUp();
    void take(const TrialShape& shape);
    // The shape at rising sizes, as long as the time lasts.
    void sweep(TrialShape shape, const std::vector<int>& edges);
    void sweepOrders(TrialShape shape, const std::vector<int>& edges, std::span<const int> orders);
    void measureRank(int rank);
    void again();

    template<class Which>
    [[nodiscard]] SpeedCurve curveOf(int rank, int order, const Which& which) const;
    [[nodiscard]] static double plainStep(const RankSpeed& speed, const Sample& sample);
    [[nodiscard]] double layerShare(const RankSpeed& speed, const Sample& sample) const;
    [[nodiscard]] RankSpeed derive(int rank) const;
    [[nodiscard]] std::vector<SpeedCurve> shotCurves(const RankSpeed& speed, int rank) const;
    void points(RankSpeed& speed, int rank, int edge);
    void call(CallCost& cost, const RankSpeed& rank2);
    [[nodiscard]] double traceSample(const RankSpeed& speed);
    [[nodiscard]] double sessionSeconds(const std::shared_ptr<const SimulationPlan>& plan);

    std::shared_ptr<Device> m_device;
    const CalibrationOptions& m_options;
    Clock::time_point m_begun;
    double m_until = 0.0; // s since the beginning
    double m_setup = kSetupSeconds, m_pointStep = kStepGuess;
    double m_receiverBegin = 0.0; // s a node: lists of receivers
    std::vector<Sample> m_samples;
};

bool Calibrator::timeFor(const TrialShape& shape, std::size_t measured, double weight) const
{
    const double points = pointsOf(shape.rank, shape.edge) * shape.together;
    const double most = 0.45 * static_cast<double>(m_device->facts().memoryFree);
    if (most > 0.0 && points * (shape.wide ? 48.0 : 24.0) > most) { // bytes; doubled by the arena's rounding
        return false;
    }
    const double cost = std::max(kLeastTrial, points * (m_setup + kStepsATrial * m_pointStep));
    // Without one size that no cache holds, everything large would be guessed.
    const bool beyondCaches = shape.edge == (shape.rank == 3 ? kVolumeBeyond : kSectionBeyond) && shape.together == 1 &&
                              !shape.wide && shape.order != kOrders[1];
    return measured < (isPlain(shape) ? kMandatory + 1 : kMandatory) ||
           (beyondCaches && points * kMostSteps * m_pointStep < 1.0) || secondsSince(m_begun) + cost * weight < m_until;
}

void Calibrator::pause()
{
    if (m_options.telling) {
        m_options.telling(std::min(1.0, secondsSince(m_begun) / (kAllOfIt * m_options.seconds)));
    }
    if (m_options.stop != nullptr && m_options.stop->load()) {
        throw Cancelled{};
    }
}

Trial Calibrator::trial(const TrialShape& shape)
{
    pause();
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

// Clocks that rest go up, threads find their cores, modules are loaded.
void Calibrator::warmUp()
{
    const auto from = Clock::now();
    Trial t = trial({.edge = 400, .steps = 20000});
    do {
        (void)t.stepSeconds();
    } while (secondsSince(from) < 0.04 * m_options.seconds && !t.stopped());
}

void Calibrator::take(const TrialShape& shape)
{
    const auto from = Clock::now();
    const double seconds = step(shape);
    m_samples.push_back({shape, seconds, secondsSince(from)});
}

void Calibrator::sweep(TrialShape shape, const std::vector<int>& edges)
{
    sweepOrders(shape, edges, std::span(&shape.order, 1));
}

// All orders of a size before the next size, so that they end together when time is short; order 8 goes on longest.
void Calibrator::sweepOrders(TrialShape shape, const std::vector<int>& edges, std::span<const int> orders)
{
    std::vector<std::size_t> measured(orders.size(), 0);
    for (const int edge : edges) {
        for (std::size_t i = orders.size(); i-- > 0;) {
            TrialShape one = shape;
            one.edge = edge;
            one.order = orders[i];
            if (timeFor(one, measured[i], i + 1 == orders.size() ? 1.0 : 2.0)) {
                take(one);
                ++measured[i];
            }
        }
    }
}

void Calibrator::measureRank(int rank)
{
    using Edges = std::vector<int>;
    const bool flat = rank == 2;
    const double begun = flat ? 0.04 : 0.46; // share of the time
    const TrialShape plain{.rank = rank};
    const TrialShape layered{.rank = rank, .layerCells = kLayerCells};
    allot(begun + (flat ? 0.20 : 0.24));
    sweepOrders(plain,
                flat ? Edges{64, 120, 136, 240, 400, 660, 1040, 1440, 2088, 2900, 4136}
                     : Edges{24, 40, 64, 104, 136, 168, 232, 296},
                kOrders);
    allot(begun + (flat ? 0.28 : 0.34));
    // What the layers across each axis cost, of one grid.
    for (int a = 0; a < 3; ++a) {
        if (a != 1 || !flat) {
            TrialShape one = layered;
            one.edge = flat ? 400 : 96;
            for (int b = 0; b < 3; ++b) {
                one.layered[b] = b == a;
            }
            take(one);
        }
    }
    sweepOrders(layered, flat ? Edges{120, 240, 400, 1040, 2088, 4136} : Edges{64, 104, 168, 232, 296}, kLayerOrders);
    allot(begun + (flat ? 0.34 : 0.39));
    sweep({.rank = rank, .wide = true}, flat ? Edges{240, 400, 740, 1040, 2088, 2900} : Edges{40, 64, 104, 168, 232});
    take({.rank = rank, .edge = flat ? 400 : 96, .layerCells = kLayerCells, .wide = true});
    allot(begun + (flat ? 0.42 : 0.46));
    sweepOrders({.rank = rank, .shots = kShots, .together = kShots},
                flat ? Edges{64, 400, 660, 1040, 2088} : Edges{24, 64, 104, 168}, kLayerOrders);
    for (const int order : kGeneralOrders) {
        take({.rank = rank, .edge = flat ? 240 : 64, .order = order});
        take({.rank = rank, .edge = flat ? 240 : 64, .order = order, .layerCells = kLayerCells});
    }
}

// Other programs, and threads that share a core for a moment, only make it slower: cheap trials get a second chance.
void Calibrator::again()
{
    for (Sample& sample : m_samples) {
        if (sample.cost < kCheapTrial && secondsSince(m_begun) < m_until) {
            sample.seconds = std::min(sample.seconds, step(sample.shape));
        }
    }
}

template<class Which>
SpeedCurve Calibrator::curveOf(int rank, int order, const Which& which) const
{
    SpeedCurve curve{rank, order, {}};
    for (const Sample& sample : m_samples) {
        if (sample.shape.rank == rank && sample.shape.order == order && which(sample.shape)) {
            curve.at.push_back({sample.points(), sample.seconds});
        }
    }
    return curve;
}

double plainOf(const RankSpeed& speed, int rank, int order, double points)
{
    DeviceSpeed only;
    only.rank[rank - 2].plain = speed.plain;
    only.rank[rank - 2].general = speed.general;
    LaunchWork launch;
    launch.rank = rank;
    launch.order = order;
    launch.points = points;
    return only.stepSeconds(launch);
}

bool allLayered(const TrialShape& shape)
{
    return shape.layerCells > 0 && shape.layered[0] && shape.layered[1] && shape.layered[2];
}

// Of the same grid without layers.
double Calibrator::plainStep(const RankSpeed& speed, const Sample& sample)
{
    const double plain = plainOf(speed, sample.shape.rank, sample.shape.order, sample.points());
    return sample.shape.wide ? plain * speed.wide.level(sample.points()) : plain;
}

// Seconds a layer node that a trial takes more than the same grid without layers.
double Calibrator::layerShare(const RankSpeed& speed, const Sample& sample) const
{
    const TrialShape& shape = sample.shape;
    double nodes = 0.0;
    for (int a = 0; a < 3; ++a) {
        const bool there = shape.layered[a] && (a != 1 || shape.rank == 3);
        nodes += there ? sample.points() / shape.edge * (2 * shape.layerCells + shape.order) : 0.0;
    }
    return std::max(0.0, sample.seconds - plainStep(speed, sample)) / nodes;
}

// A grid that takes much longer than a larger one, or than the same one at a higher order, was disturbed by other programs:
// its neighbours know better.
void leaveOutDisturbed(std::vector<SpeedCurve>& curves)
{
    constexpr double kMuch = 1.25;
    for (std::size_t c = 0; c < curves.size(); ++c) {
        std::vector<SpeedPoint>& at = curves[c].at;
        for (std::size_t i = at.size(); i-- > 0 && at.size() > kMandatory;) {
            const SpeedPoint point = at[i];
            bool disturbed = std::any_of(at.begin() + static_cast<std::ptrdiff_t>(i), at.end(),
                                         [&](const SpeedPoint& p) { return point.seconds > kMuch * p.seconds; });
            for (std::size_t higher = c + 1; higher < curves.size(); ++higher) {
                const auto& others = curves[higher].at;
                disturbed = disturbed || std::any_of(others.begin(), others.end(), [&](const SpeedPoint& p) {
                                return p.points == point.points && point.seconds > kMuch * p.seconds;
                            });
            }
            if (disturbed) {
                at.erase(at.begin() + static_cast<std::ptrdiff_t>(i));
            }
        }
    }
}

// Over one shot on the same grid.
std::vector<SpeedCurve> Calibrator::shotCurves(const RankSpeed& speed, int rank) const
{
    std::vector<SpeedCurve> curves;
    for (const int order : kLayerOrders) {
        SpeedCurve curve = curveOf(rank, order, [](const TrialShape& t) { return t.together == kShots; });
        for (SpeedPoint& p : curve.at) {
            p.points /= kShots;
            p.seconds /= plainOf(speed, rank, order, p.points);
        }
        curves.push_back(std::move(curve));
    }
    return curves;
}

RankSpeed Calibrator::derive(int rank) const
{
    RankSpeed speed;
    for (const int order : kOrders) {
        speed.plain.push_back(curveOf(rank, order, isPlain));
    }
    leaveOutDisturbed(speed.plain);
    const auto ratio = [&](SpeedCurve curve) {
        for (SpeedPoint& p : curve.at) {
            p.seconds /= plainOf(speed, rank, 8, p.points);
        }
        return curve;
    };
    speed.wide = ratio(curveOf(rank, 8, [](const TrialShape& t) { return t.wide && t.layerCells == 0; }));
    speed.eightShots = shotCurves(speed, rank);
    double weight[3] = {0.0, 0.0, 0.0};
    for (const int order : kLayerOrders) {
        speed.layered.push_back({rank, order, {}});
    }
    for (const Sample& sample : m_samples) {
        const TrialShape& shape = sample.shape;
        if (shape.rank != rank) {
            continue;
        }
        if (shape.order > kOrders[2]) {
            if (shape.layerCells == 0) {
                speed.general.push_back(
                    {static_cast<double>(shape.order), sample.seconds / plainOf(speed, rank, 8, sample.points())});
            }
        } else if (allLayered(shape) && !shape.wide) {
            SpeedCurve& curve = speed.layered[shape.order == kLayerOrders[0] ? 0 : 1];
            curve.at.push_back({sample.points(), layerShare(speed, sample)});
        } else if (shape.layerCells > 0 && !shape.wide) {
            weight[shape.layered[0] ? 0 : shape.layered[1] ? 1 : 2] = layerShare(speed, sample);
        }
    }
    const double sum = weight[0] + weight[1] + weight[2];
    for (int a = 0; a < 3 && sum > 0.0; ++a) {
        speed.slabWeight[a] = weight[a] * rank / sum;
    }
    for (const Sample& sample : m_samples) {
        const TrialShape& shape = sample.shape;
        const bool general = shape.order > kOrders[2];
        if (shape.rank == rank && shape.layerCells > 0 && (shape.wide || general)) {
            const double more = layerShare(speed, sample) * sample.points() / plainStep(speed, sample);
            if (general) {
                speed.generalLayered.push_back({static_cast<double>(shape.order), more});
            } else {
                speed.wideLayered = {rank, 8, {{sample.points(), more}}};
            }
        }
    }
    return speed;
}

// Receivers and sources: few and many of them on one grid, each against none in the same moment.
void Calibrator::points(RankSpeed& speed, int rank, int edge)
{
    constexpr int kSteps = 2000, kSources = 16, kRounds = 3;
    const double each = rank == 3 ? 512.0 : 64.0; // nodes of a point between nodes
    const double few = rank == 3 ? 16.0 : 64.0;
    const double many = rank == 3 ? 128.0 : 512.0;
    const auto with = [&](double receivers, int sources) {
        return trial({.rank = rank,
                      .edge = edge,
                      .receivers = std::min(static_cast<int>(receivers), 4 * edge),
                      .sources = sources,
                      .steps = kSteps});
    };
    Trial none = with(0, 0);
    Trial some = with(few, 0);
    Trial all = with(many, 0);
    Trial fed = with(0, kSources);
    double least[4] = {1e9, 1e9, 1e9, 1e9};
    for (int i = 0; i < kRounds; ++i) {
        double* one = least;
        for (Trial* t : {&none, &some, &all, &fed}) {
            *one = std::min(*one, t->stepSeconds());
            ++one;
        }
    }
    ReceiverCost cost;
    cost.points = pointsOf(rank, edge);
    cost.node = std::max(0.0, least[2] - least[1]) / ((many - few) * each);
    cost.sample = std::max(0.0, least[1] - least[0] - cost.node * few * each);
    const bool first = speed.receivers.empty();
    speed.receivers.push_back(cost);
    if (first) {
        speed.sourceNode = std::max(0.0, least[3] - least[0]) / (kSources * each);
    }
    if (first && rank == 2) {
        // The lists made afresh, as for the first shot: begin() keeps them for the next ones.
        std::vector<PlacedPoint> points;
        for (const Receiver& receiver : all.plan().run.survey.shots[0].receivers) {
            points.push_back({0, receiver.position, 0});
        }
        const auto making = Clock::now();
        (void)makeRecording(all.plan(), makeLayout(all.plan()), points);
        m_receiverBegin = secondsSince(making) / (many * each);
    }
}

// The session brings traces, sorts them by receiver, and looks whether all are numbers, in part while the device goes on: runs
// with and without receivers, less what is known of these.
double Calibrator::traceSample(const RankSpeed& speed)
{
    constexpr int kReceivers = 128; // as many as lines have: what they take is hidden in part, of thousands less
    constexpr double kSeconds = 0.1, kNodes = 64.0;
    const ReceiverCost& known = speed.receivers.front();
    const double step = plainOf(speed, 2, 8, known.points);
    const int steps = static_cast<int>(std::clamp(kSeconds / step, 200.0, 30000.0));
    const auto session = [&](int receivers) {
        const int edge = static_cast<int>(std::lround(std::sqrt(known.points)));
        const auto plan =
            planTrial({.rank = 2, .edge = edge, .receivers = receivers, .steps = steps}, m_device->facts());
        double least = 1e9;
        for (int i = 0; plan && i < 2; ++i) {
            least = std::min(least, sessionSeconds(*plan));
        }
        return least;
    };
    const double without = session(0);
    const double recording = steps * (known.sample + known.node * kReceivers * kNodes);
    const double lists = m_receiverBegin * kReceivers * kNodes;
    return std::max(0.0, session(kReceivers) - without - recording - lists) / (static_cast<double>(steps) * kReceivers);
}

double Calibrator::sessionSeconds(const std::shared_ptr<const SimulationPlan>& plan)
{
    Session s;
    s.setViewing(false);
    const auto begun = Clock::now();
    if (!s.start(plan, m_device, {})) {
        return 1e9;
    }
    s.waitUntilIdle();
    return secondsSince(begun);
}

void Calibrator::call(CallCost& cost, const RankSpeed& rank2)
{
    constexpr int kEdge = 1000, kTogether = 4;
    constexpr double kPoints = 1e6;
    m_device->arena().trim(); // as for a run that is the first of its size
    {
        Trial many = trial({.rank = 2, .edge = kEdge, .shots = kTogether, .together = kTogether, .steps = 16});
        cost.fieldPoint = many.createSeconds();
    }
    m_device->arena().trim();
    {
        Trial one = trial({.rank = 2, .edge = kEdge, .steps = 16});
        cost.fieldPoint = std::max(0.0, cost.fieldPoint - one.createSeconds()) / ((kTogether - 1) * kPoints);
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
    cost.traceSample = traceSample(rank2);
    // What is left is the same for every run: a session over next to nothing, once with one launch and once with nine.
    const auto session = [this](int shots) {
        const auto plan = planTrial({.rank = 2, .edge = 64, .shots = shots, .steps = 4}, m_device->facts());
        double least = 1e9;
        for (int i = 0; plan && i < 3; ++i) {
            least = std::min(least, sessionSeconds(*plan));
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
    for (const int rank : {2, 3}) {
        measureRank(rank);
    }
    allot(1.1);
    again();
    for (const int rank : {2, 3}) {
        speed.rank[rank - 2] = derive(rank);
        points(speed.rank[rank - 2], rank, rank == 2 ? 340 : 64);
        // Where another way is taken than on small grids, and the largest where none is.
        for (const int edge : rank == 2 ? std::vector<int>{1040, 2088} : std::vector<int>{136, 168}) {
            allot(1.2);
            if (timeFor({.rank = rank, .edge = edge}, kMandatory, 5.0)) {
                points(speed.rank[rank - 2], rank, edge);
            }
        }
    }
    call(speed.call, speed.rank[0]);
    calibrateGradients(
        m_device, kGradients * m_options.seconds, [this] { pause(); }, speed);
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
