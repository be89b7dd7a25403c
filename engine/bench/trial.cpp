#include "engine/bench/trial.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kSpacing = 10.0; // m
constexpr float kSpeed = 2000.0F; // m/s
// As engine/session/shot_runner.cpp queues; of short steps half of it, for trials are many.
constexpr double kBatchSeconds = 0.004, kShortBatchSeconds = 0.002;
constexpr double kShortStep = 50e-6;
constexpr int kLongestBatch = 4096;       // as there
constexpr int kBatches = 5;               // the second fastest counts
constexpr double kLongStepSeconds = 0.02; // a step that needs no more than two batches

double secondsSince(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

} // namespace

Result<std::shared_ptr<const SimulationPlan>> planTrial(const TrialShape& shape, const kernels::DeviceFacts& device,
                                                        const DeviceSpeed* speed)
{
    int n[3] = {shape.edge, shape.edge, shape.edge};
    RunDescription run;
    constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};
    for (int a = 0; a < 3; ++a) {
        const bool absorbs = shape.layerCells > 0 && shape.layered[a];
        n[a] -= absorbs ? 2 * shape.layerCells : 0;
        for (const Face face : kFaces[a]) {
            run.boundary.at(face) = absorbs ? FaceCondition::Absorbing : FaceCondition::Rigid;
        }
    }
    run.boundary.layerCells = std::max(1, shape.layerCells);
    run.boundary.frequency = 5.0;
    auto grid = shape.rank == 3 ? Grid::make3D(n[0], n[1], n[2], kSpacing, kSpacing, kSpacing)
                                : Grid::make2D(n[0], n[2], kSpacing, kSpacing);
    if (!grid) {
        return tl::unexpected<Error>(grid.error());
    }
    auto model = Model::constant(*grid, kSpeed);
    if (!model) {
        return tl::unexpected<Error>(model.error());
    }
    run.spaceOrder = shape.order;
    run.precision = shape.wide ? Precision::Float64 : Precision::Float32;
    run.shotsAtOnce = shape.together;
    // The scheme's own step is at most this long; a sample a step.
    run.duration = shape.steps * 0.7 * stableDistance(*grid, shape.order / 2) / static_cast<double>(kSpeed);
    const int middle[2] = {n[0] / 2, n[1] / 2};
    const double y = shape.rank == 3 ? middle[1] * kSpacing : 0.0;
    const double z = middle[0] * kSpacing;
    const double off = shape.sources > 0 ? 0.3 : 0.0; // cells
    for (int s = 0; s < shape.shots; ++s) {
        Shot shot;
        for (int i = 0; i < std::max(1, shape.sources); ++i) {
            const int node = n[2] / 4 + (2 * i + s) % (n[2] / 2);
            const double x = (node + off) * kSpacing;
            shot.sources.push_back({{x, y + (shape.rank == 3 ? off * kSpacing : 0.0), z + off * kSpacing},
                                    Wavelet::ricker(0.5 * static_cast<double>(kSpeed) / (10.0 * kSpacing))});
        }
        if (shape.receivers > 0) {
            const double between = shape.rank == 3 ? y + 0.4 * kSpacing : 0.0;
            shot.receivers = receiverLine({1.3 * kSpacing, between, 2.4 * kSpacing},
                                          {(n[2] - 2.3) * kSpacing, between, 2.4 * kSpacing}, shape.receivers);
        }
        run.survey.shots.push_back(std::move(shot));
    }
    return SimulationPlan::make(run, *model, device, speed);
}

Trial::Trial(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device, const std::atomic<bool>* stop)
    : m_plan(std::move(plan))
    , m_device(std::move(device))
    , m_stop(stop)
    , m_stream(m_device, kernels::StreamPriority::Solver)
{
    const auto from = Clock::now();
    m_propagator = Propagator::create(m_plan, m_device, m_stream);
    m_stream.synchronize();
    m_createSeconds = secondsSince(from);
    m_propagator->setAbandon(stop);
    m_propagator->begin(0, m_plan->run.shotsAtOnce);
}

double Trial::beginSeconds()
{
    m_stream.synchronize();
    const auto from = Clock::now();
    m_propagator->begin(0, m_plan->run.shotsAtOnce);
    m_stream.synchronize();
    return secondsSince(from);
}

double Trial::advanceSeconds(int steps)
{
    if (m_propagator->stepsDone() + steps > m_plan->time.innerSteps()) {
        m_propagator->begin(0, m_plan->run.shotsAtOnce);
    }
    m_stream.synchronize();
    const auto from = Clock::now();
    m_propagator->advance(steps, m_stop);
    m_stream.synchronize();
    return secondsSince(from) / steps;
}

double Trial::stepSeconds()
{
    const int most = std::min(kLongestBatch, m_plan->time.innerSteps());
    int batch = 1;
    double step = advanceSeconds(batch); // the first launch pays for loading, the first touch for the memory
    step = std::min(step, advanceSeconds(batch));
    // As the session finds its batch. Each length twice: the first time may pay for a plan or a graph, and batches that it
    // seems to fill would stay far too short.
    const auto filled = [&step] { return step < kShortStep ? kShortBatchSeconds : kBatchSeconds; };
    while (step * batch < 0.4 * filled() && batch < most && !stopped()) {
        batch = std::clamp(static_cast<int>(filled() / step), batch + 1, std::min(8 * batch, most));
        step = advanceSeconds(batch);
        step = std::min(step, advanceSeconds(batch));
    }
    std::vector<double> each = {step};
    const std::size_t wanted = step * batch > kLongStepSeconds ? 2 : kBatches;
    while (each.size() < wanted && !stopped()) {
        each.push_back(advanceSeconds(batch));
    }
    // Not the fastest, which may have been lucky; what else the machine does makes the others slower.
    std::sort(each.begin(), each.end());
    return each.size() > 2 ? each[1] : each[0];
}

} // namespace ondo
