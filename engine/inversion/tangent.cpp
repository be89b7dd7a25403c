#include "engine/inversion/tangent.h"

#include "engine/inversion/tangent_parts.h"
#include "engine/session/guard.h"

#include <algorithm>
#include <chrono>

namespace ondo {

namespace {

template<class T>
Result<> tangentAll(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const ModelDirection& direction, const GradientHooks& hooks, Tangent& out)
{
    TangentPlace<T> place(plan, device, direction);
    const int shots = static_cast<int>(plan->run.survey.shots.size());
    TangentPauses pauses(*device, place.stream, hooks, shots);
    for (int first = 0; first < shots; first += plan->run.shotsAtOnce) {
        const LaunchSurvey survey(*plan, first, std::min(plan->run.shotsAtOnce, shots - first));
        TangentWave<T> wave(place.domain, survey, place.along);
        wave.record(0);
        for (int n = 0; n < wave.steps(); ++n) {
            if (auto ok = pauses.at(first, false, n, wave.steps()); !ok) {
                return ok;
            }
            wave.step(n, nullptr);
            if ((n + 1) % plan->time.ratio == 0) {
                wave.record((n + 1) / plan->time.ratio);
            }
        }
        if (auto ok = takeTables(*plan, survey, wave, out); !ok) {
            return ok;
        }
    }
    return {};
}

} // namespace

Result<Tangent> computeTangent(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                               const ModelDirection& direction, const GradientHooks& hooks)
{
    if (auto ok = checkDirection(*plan, direction); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const bool density = !direction.density.empty() || !direction.impedance.empty();
    if (const auto needs = checkTangent(*plan, density); !needs) {
        return tl::unexpected<Error>(needs.error());
    }
    const auto begun = std::chrono::steady_clock::now();
    const auto along = inSpeedAndDensity(plan->model, direction);
    Tangent out;
    device->arena().forgetPeaks();
    const auto done = guarded([&]() -> Result<> {
        return plan->run.precision == Precision::Float64 ? tangentAll<double>(plan, device, along, hooks, out)
                                                         : tangentAll<float>(plan, device, along, hooks, out);
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    out.peakBytes = device->arena().use().peak;
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
    return out;
}

} // namespace ondo
