// Why a sensitivity kernel may be zero, noisy or striped: what can be told from the numbers at hand, each with its remedy.
#include "engine/inversion/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ondo {

namespace {

constexpr double kSilence = 1e-6;    // of the trace's largest value: single precision's own noise
constexpr double kCut = 0.2;         // of the window's largest value, at an end of it
constexpr double kFewestPoints = 4;  // a wavelength
constexpr double kMostStored = 0.01; // error of the memory mode
constexpr double kSpikes = 100.0;    // largest value to the one that 99 % lie below

double largestIn(const TraceTable& trace, double from, double to)
{
    double largest = 0.0;
    for (int k = 0; k < trace.samples; ++k) {
        if (k * trace.dt >= from && k * trace.dt <= to) {
            largest = std::max(largest, std::abs(trace.at(0, k)));
        }
    }
    return largest;
}

// The wave cannot be there before: straight, at the model's fastest speed.
struct Reach {
    double distance = 0.0, time = 0.0; // m, s
};

Reach reachOf(const SimulationPlan& plan)
{
    const Shot& shot = plan.run.survey.shots.front();
    const Position& r = shot.receivers.front().position;
    Reach reach{std::numeric_limits<double>::infinity(), 0.0};
    for (const Source& s : shot.sources) {
        reach.distance =
            std::min(reach.distance, std::hypot(r.x - s.position.x, r.y - s.position.y, r.z - s.position.z));
    }
    reach.time = reach.distance / plan.vMax;
    return reach;
}

KernelCheck inReach(const SimulationPlan& plan, const Reach& reach)
{
    const double end = plan.time.duration();
    const auto facts = fmt::format("{:.4g} m in {:.3g} s at {:.4g} m/s, the trace ends at {:.3g} s", reach.distance,
                                   reach.time, plan.vMax, end);
    if (reach.time < end) {
        return {true, "The wave can reach the receiver: " + facts, {}};
    }
    return {false, "No wave can reach the receiver: " + facts, "lengthen the run or pick a nearer receiver"};
}

KernelCheck afterArrival(const KernelPlan& plan, const Reach& reach)
{
    if (plan.to > reach.time) {
        return {true,
                fmt::format("The window ends at {:.3g} s, after the earliest arrival at {:.3g} s", plan.to, reach.time),
                {}};
    }
    return {false,
            fmt::format("The window ends at {:.3g} s, before anything can arrive at {:.3g} s", plan.to, reach.time),
            "move the window to a later time"};
}

KernelCheck notSilent(const SensitivityKernel& kernel, double inside, double all)
{
    if (inside > kSilence * all) {
        return {true, fmt::format("The window's largest value is {:.3g} % of the trace's", 100.0 * inside / all), {}};
    }
    return {false,
            all > 0.0 ? "The trace is silent in the window: the kernel is zero or rounding noise"
                      : "The trace is zero everywhere: so is the kernel",
            kernel.request.measure == KernelMeasure::TravelTime
                ? "move the window onto an arrival: the travel time of silence is not defined"
                : "move the window onto an arrival"};
}

KernelCheck notCut(const SensitivityKernel& kernel, double inside)
{
    const double end = kernel.plan.plan->time.duration();
    const double dt = kernel.trace.dt;
    double cut = 0.0;
    double where = 0.0;
    for (const double edge : {kernel.plan.from, kernel.plan.to}) {
        if (edge > 0.0 && edge < end - 0.5 * dt) {
            const double there = largestIn(kernel.trace, edge - dt, edge + dt);
            if (there > cut) {
                cut = there;
                where = edge;
            }
        }
    }
    if (inside == 0.0 || cut <= kCut * inside) {
        return {true, "The window's ends lie where the trace is quiet", {}};
    }
    return {false,
            fmt::format("The window cuts through the signal at {:.3g} s, at {:.0f} % of its largest value: rings",
                        where, 100.0 * cut / inside),
            "move that end to a quiet instant"};
}

KernelCheck stored(const KernelPlan& plan)
{
    const auto text = plan.error > 0.0
                          ? fmt::format("The memory mode's error is at most {:.2g} % of the kernel", 100.0 * plan.error)
                          : std::string("The memory mode keeps every bit");
    if (plan.error <= kMostStored) {
        return {true, text, {}};
    }
    return {false, text + ": noise", "store exactly, or in more bits"};
}

} // namespace

KernelCheck checkSampling(const SimulationPlan& plan)
{
    if (plan.pointsPerWavelength >= kFewestPoints) {
        return {true, fmt::format("{:.1f} nodes in the shortest wavelength", plan.pointsPerWavelength), {}};
    }
    return {false,
            fmt::format("{:.1f} nodes in the shortest wavelength: dispersion makes stripes", plan.pointsPerWavelength),
            "use a finer grid, a lower frequency or a higher space order"};
}

// The points themselves stand out: not an error, but a picture clipped at the largest value looks empty.
KernelCheck checkSpikes(const std::vector<double>& values)
{
    std::vector<double> sizes;
    std::transform(values.begin(), values.end(), std::back_inserter(sizes), [](double v) { return std::abs(v); });
    if (sizes.empty()) {
        return {};
    }
    const auto at = sizes.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), at, sizes.end());
    const double most = *at;
    const double largest = *std::max_element(at, sizes.end());
    if (largest <= kSpikes * most || largest == 0.0) {
        return {true, "Source and receiver do not outshine the rest", {}};
    }
    return {false,
            most > 0.0
                ? fmt::format("The largest value, at the source or receiver, is {:.0f} times what 99 % of nodes have",
                              largest / most)
                : std::string("All but a hundredth of the nodes are zero"),
            "lower the clip to see the rest"};
}

std::vector<KernelCheck> checkKernel(const SensitivityKernel& kernel)
{
    const Reach reach = reachOf(*kernel.plan.plan);
    const double all = largestIn(kernel.trace, 0.0, std::numeric_limits<double>::infinity());
    const double inside = largestIn(kernel.trace, kernel.plan.from, kernel.plan.to);
    return {inReach(*kernel.plan.plan, reach), afterArrival(kernel.plan, reach),
            notSilent(kernel, inside, all),    notCut(kernel, inside),
            checkSampling(*kernel.plan.plan),  stored(kernel.plan),
            checkSpikes(kernel.values)};
}

} // namespace ondo
