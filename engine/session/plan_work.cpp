#include "engine/session/plan_work.h"

#include "engine/device/arena.h"
#include "engine/propagator/domain.h"
#include "engine/survey/off_grid.h"

#include <algorithm>

namespace ondo {

namespace {

int axisNodes(const SimulationPlan& plan, int axis)
{
    return axis == 0 ? plan.nz : axis == 1 ? plan.ny : plan.nx;
}

bool absorbs(const SimulationPlan& plan, int axis)
{
    return plan.layerLow[axis] + plan.layerHigh[axis] > 0;
}

// Points of one launch and the nodes that they touch.
struct LaunchPoints {
    std::size_t shots = 0;
    std::size_t sources = 0, receivers = 0;
    std::size_t sourceNodes = 0, receiverNodes = 0;
};

std::size_t nodesOf(const SimulationPlan& plan, const Position& position)
{
    return static_cast<std::size_t>(
        pointWeightCount(plan.model.grid(), plan.run.boundary, plan.layerLow, plan.layerHigh, position));
}

std::vector<LaunchPoints> launchesOf(const SimulationPlan& plan)
{
    const auto& shots = plan.run.survey.shots;
    const auto together = static_cast<std::size_t>(std::max(1, plan.run.shotsAtOnce));
    std::vector<LaunchPoints> launches((shots.size() + together - 1) / together);
    for (std::size_t s = 0; s < shots.size(); ++s) {
        LaunchPoints& launch = launches[s / together];
        ++launch.shots;
        launch.sources += shots[s].sources.size();
        launch.receivers += shots[s].receivers.size();
        for (const auto& source : shots[s].sources) {
            launch.sourceNodes += nodesOf(plan, source.position);
        }
        for (const auto& receiver : shots[s].receivers) {
            launch.receiverNodes += nodesOf(plan, receiver.position);
        }
    }
    return launches;
}

class Blocks {
public:
    void add(std::size_t bytes, BlockSize size, std::size_t times = 1)
    {
        m_sum.held += bytes * times;
        m_sum.taken += DeviceArena::taken(bytes, size) * times;
    }
    [[nodiscard]] const PlanMemory& sum() const { return m_sum; }

private:
    PlanMemory m_sum;
};

// As PropagatorOf allocates: tst_plan_memory holds the two together.
PlanMemory shotMemory(const SimulationPlan& plan, std::size_t batch, std::size_t element)
{
    Blocks blocks;
    const auto field = static_cast<std::size_t>(makeLayout(plan).shotStride) * element;
    blocks.add(field * batch, BlockSize::Kept, 2);
    blocks.add(field, BlockSize::Exact, static_cast<std::size_t>(modelArrays(plan)));
    for (int a = 0; a < 3; ++a) {
        if (!absorbs(plan, a)) {
            continue;
        }
        blocks.add(4 * static_cast<std::size_t>(axisNodes(plan, a) + 2 * plan.radius) * element, BlockSize::Bucket);
        blocks.add(slabNumbers(plan, a) * batch * element, BlockSize::Kept, 2);
    }
    return blocks.sum();
}

PlanMemory pointMemory(const SimulationPlan& plan, const LaunchPoints& launch, std::size_t element)
{
    Blocks blocks;
    // At least one element of each: an empty list is a list.
    const auto list = [&blocks](std::size_t count, std::size_t bytes, BlockSize size = BlockSize::Bucket) {
        blocks.add(std::max<std::size_t>(count, 1) * bytes, size);
    };
    list(launch.sources * static_cast<std::size_t>(plan.time.innerSteps()), element); // wavelets
    // The lists of each kind in one block. Sources that share nodes share their entries: with such, this is more than is held.
    constexpr std::size_t kNode = sizeof(std::int64_t), kInt = sizeof(int);
    list(launch.sourceNodes * (2 * kNode + element + 2 * kInt) + kInt, 1);
    list(launch.receiverNodes * (kNode + element) + (launch.receivers + 1) * kInt, 1, BlockSize::Kept);
    if (launch.receivers > 0) {
        blocks.add(launch.receivers * static_cast<std::size_t>(plan.time.count) * element, BlockSize::Exact);
    }
    return blocks.sum();
}

} // namespace

PlanWork workOf(const SimulationPlan& plan)
{
    PlanWork work;
    work.modelPoints = static_cast<double>(plan.paddedNodes());
    work.userPoints = static_cast<double>(plan.model.grid().nodes());
    for (const LaunchPoints& points : launchesOf(plan)) {
        LaunchWork launch;
        launch.rank = plan.model.grid().rank;
        launch.order = plan.run.spaceOrder;
        launch.wide = plan.run.precision == Precision::Float64;
        launch.shots = static_cast<int>(points.shots);
        launch.points = work.modelPoints * launch.shots;
        for (int a = 0; a < 3; ++a) {
            const int low = plan.layerLow[a] > 0 ? plan.layerLow[a] + plan.radius : 0;
            const int high = plan.layerHigh[a] > 0 ? plan.layerHigh[a] + plan.radius : 0;
            const int n = axisNodes(plan, a);
            launch.slab[a] = launch.points / n * std::min(low + high, n);
        }
        launch.receiverNodes = static_cast<double>(points.receiverNodes);
        launch.sourceNodes = static_cast<double>(points.sourceNodes);
        launch.receivers = static_cast<double>(points.receivers);
        launch.steps = plan.time.innerSteps();
        launch.ratio = plan.time.ratio;
        launch.samples = plan.time.count;
        launch.waveletSamples = static_cast<double>(points.sources) * static_cast<double>(launch.steps);
        work.launches.push_back(launch);
    }
    return work;
}

PlanMemory memoryOf(const SimulationPlan& plan)
{
    const std::size_t element = plan.run.precision == Precision::Float64 ? sizeof(double) : sizeof(float);
    const auto launches = launchesOf(plan);
    PlanMemory most;
    std::size_t batch = 0;
    for (const LaunchPoints& launch : launches) {
        const PlanMemory points = pointMemory(plan, launch, element);
        most.held = std::max(most.held, points.held);
        most.taken = std::max(most.taken, points.taken);
        batch = std::max(batch, launch.shots);
    }
    const PlanMemory shots = shotMemory(plan, batch, element);
    return {most.held + shots.held, most.taken + shots.taken};
}

} // namespace ondo
