// What derivatives along a direction need, before anything is allocated: checkTangent, checkHessianProduct.
#include "engine/inversion/gradient_needs.h"
#include "engine/inversion/memory_choice.h"
#include "engine/inversion/tangent_parts.h"

#include <fmt/format.h>

namespace ondo {

namespace {

// A run, its derivative beside it, p(n - 1), and the direction.
std::size_t tangentBytes(const SimulationPlan& plan, bool density)
{
    const LaunchBytes b(plan);
    const LaunchPoints points(plan);
    const std::size_t entry = sizeof(std::int64_t) + b.element; // of a point's node
    const std::size_t injected = entry + sizeof(std::int64_t) + sizeof(int);
    const auto samples = static_cast<std::size_t>(plan.time.count);
    return plan.deviceBytes + shotsTogether(plan) * (3 * b.field + b.memories) + (density ? 2 : 1) * b.field +
           points.receivers * samples * b.element + points.receiverNodes * entry +
           points.sourceNodes * injected * (density ? 2 : 1);
}

// q, its derivative, both with images and what sources record, and q(n + 1).
std::size_t secondAdjointBytes(const SimulationPlan& plan)
{
    const LaunchBytes b(plan);
    const LaunchPoints points(plan);
    const std::size_t injected = 2 * sizeof(std::int64_t) + sizeof(int) + b.element;
    const std::size_t fields = 5 * b.field + 2 * b.memories + (plan.variableDensity() ? 4 : 2) * b.image;
    return shotsTogether(plan) * fields +
           2 * (points.receivers * static_cast<std::size_t>(plan.time.count) * b.element +
                points.receiverNodes * injected + points.sources * b.sourceSamples * b.element +
                (plan.variableDensity() ? points.sourceNodes * (injected + b.element) : 0));
}

// Of W and the state of both runs.
TapeNeeds doubled(TapeNeeds needs)
{
    needs.keptBytes *= 2;
    needs.stateBytes *= 2;
    return needs;
}

Result<> fits(const SimulationPlan& plan, const GradientMemory& memory, const std::string& folder, const char* what,
              const char* remedy)
{
    auto lacks = FreeMemory::of(plan, folder).lacks(plan, memory, 1.0);
    if (!lacks) {
        return {};
    }
    if (lacks->remedy.empty()) {
        lacks->remedy = remedy;
    }
    return tl::unexpected<Error>(within(std::move(*lacks), what));
}

GradientMemory larger(const GradientMemory& a, const GradientMemory& b)
{
    return a.total() + a.host < b.total() + b.host ? b : a;
}

} // namespace

Result<GradientMemory> checkTangent(const SimulationPlan& plan, bool density)
{
    const auto& shots = plan.run.survey.shots;
    for (std::size_t s = 0; s < shots.size(); ++s) {
        if (shots[s].receivers.empty()) {
            return badInput(
                fmt::format("shot {} has no receivers, so that there are no traces to differentiate", s + 1),
                "add receivers to it or leave the shot out");
        }
    }
    GradientMemory memory;
    memory.forward = tangentBytes(plan, density);
    if (auto ok = fits(plan, memory, {}, "for a derivative along a direction",
                       "use fewer shots at once, a coarser grid or another device");
        !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return memory;
}

Result<GradientMemory> checkHessianProduct(const SimulationPlan& plan, const HessianOptions& options, bool density)
{
    if (auto ok = options.gaussNewton ? Result<>{} : checkFullHessian(options.tape); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const auto gradient = checkGradient(plan, modelAlone(options));
    if (!gradient) {
        return tl::unexpected<Error>(gradient.error());
    }
    const auto tangent = checkTangent(plan, density);
    if (!tangent) {
        return tl::unexpected<Error>(tangent.error());
    }
    if (options.gaussNewton) {
        return larger(*gradient, *tangent);
    }
    GradientMemory memory = *tangent;
    memory.adjoint = secondAdjointBytes(plan);
    const TapeKind& kind = **findTape(options.tape);
    const TapeBytes bytes = kind.bytes(doubled(gradientNeeds(plan, options.tape, shotsTogether(plan))), options.tape);
    memory.tape = bytes.device;
    memory.host = bytes.host;
    memory.disk = bytes.disk;
    if (auto ok = fits(plan, memory, options.tape.folder, "for a Hessian product",
                       "use the memory mode \"binomial\", fewer shots at once, or Gauss-Newton");
        !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return larger(*gradient, memory);
}

} // namespace ondo
