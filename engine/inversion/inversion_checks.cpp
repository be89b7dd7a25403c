#include "engine/inversion/inversion_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ondo {

namespace {

constexpr double kMostAtBounds = 0.02; // of the nodes
constexpr double kDominant = 0.5;      // of the misfit, by one shot of more than two

// What its misfits are by.
const char* nameOf(const InversionRecord& r)
{
    return r.codes.empty() ? "shot" : "super-shot";
}

KernelCheck notZero(const InversionRecord& r)
{
    const bool any = std::any_of(r.gradient.begin(), r.gradient.end(), [](double v) { return v != 0.0; });
    if (any) {
        return {true, "The gradient is not zero", {}};
    }
    return {false,
            r.data == 0.0 ? "The gradient is zero: synthetic and observed traces are equal"
                          : "The gradient is zero everywhere though the misfit is not",
            r.data == 0.0 ? "give data of another model" : "look at windows, mutes and offsets: is anything left?"};
}

KernelCheck allHeard(const InversionRecord& r)
{
    std::string silent;
    int count = 0;
    for (std::size_t s = 0; s < r.misfits.size(); ++s) {
        const bool drawn = r.drawn.empty() || std::find(r.drawn.begin(), r.drawn.end(), s) != r.drawn.end();
        if (drawn && r.misfits[s] == 0.0) {
            silent += fmt::format("{}{}", count++ == 0 ? "" : ", ", s + 1);
        }
    }
    if (count == 0) {
        return {true, fmt::format("Every {} has a part in it", nameOf(r)), {}};
    }
    return {false,
            fmt::format("{} no part in it: {} {}",
                        count == 1 ? fmt::format("One {} has", nameOf(r)) : fmt::format("Some {}s have", nameOf(r)),
                        nameOf(r), silent),
            "look at their traces, windows and mutes"};
}

KernelCheck balanced(const InversionRecord& r)
{
    const double sum = std::accumulate(r.misfits.begin(), r.misfits.end(), 0.0);
    const auto most = std::max_element(r.misfits.begin(), r.misfits.end());
    if (r.misfits.size() <= 2 || sum <= 0.0 || *most <= kDominant * sum) {
        return {true, fmt::format("No {} outweighs all others", nameOf(r)), {}};
    }
    return {false,
            fmt::format("Of the {}s number {} has {:.0f} % of the misfit", nameOf(r), most - r.misfits.begin() + 1,
                        100.0 * *most / sum),
            "look at its traces; misfit correlation weighs shots alike"};
}

KernelCheck judged(const InversionRecord& r)
{
    if (r.unused == 0) {
        return {true, "Every trace could be judged", {}};
    }
    return {false, fmt::format("{} traces could not be judged and count as nothing", r.unused),
            "look for traces that are zero, or take another misfit"};
}

KernelCheck free(const InversionRecord& r, double low, double high)
{
    const auto at = std::count_if(r.speed.begin(), r.speed.end(), [&](float v) {
        return static_cast<double>(v) <= low || static_cast<double>(v) >= high;
    });
    const double share = static_cast<double>(at) / static_cast<double>(std::max<std::size_t>(1, r.speed.size()));
    const auto text =
        fmt::format("{:.1f} % of the nodes are at the bounds of {:.0f} and {:.0f} m/s", 100.0 * share, low, high);
    if (share <= kMostAtBounds) {
        return {true, text, {}};
    }
    return {false, text + ": they cannot follow the gradient", "widen slowest and fastest, or smooth more"};
}

} // namespace

std::vector<KernelCheck> checkIterate(const InversionRecord& record, const SimulationPlan* plan, double low,
                                      double high)
{
    std::vector<KernelCheck> checks = {notZero(record), allHeard(record), balanced(record), judged(record),
                                       free(record, low, high)};
    if (plan != nullptr) {
        checks.push_back(checkSampling(*plan));
    }
    KernelCheck spikes = checkSpikes(record.gradient);
    if (!spikes.passed) {
        spikes.remedy = "use illumination and smoothing, which the steps do, or lower the clip to see the rest";
    }
    checks.push_back(std::move(spikes));
    return checks;
}

} // namespace ondo
