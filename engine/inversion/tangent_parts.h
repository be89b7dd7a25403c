// What derivatives along a direction of the model have in common: its coordinates, a place on the device, pauses between steps.
// Internal to engine/inversion.
#pragma once

#include "engine/inversion/tangent_wave.h"

#include <chrono>

namespace ondo {

// Refuses what tangent.h says.
[[nodiscard]] Result<> checkDirection(const SimulationPlan& plan, const ModelDirection& direction);
// The same direction by speed and density: of an impedance z = rho c, drho = (dz - rho dc) / c.
[[nodiscard]] ModelDirection inSpeedAndDensity(const Model& model, const ModelDirection& direction);
// Refuses memory modes that the full Hessian cannot take.
[[nodiscard]] Result<> checkFullHessian(const TapeOptions& tape);
// The gradient that a product begins with.
[[nodiscard]] GradientOptions modelAlone(const HessianOptions& options);
[[nodiscard]] bool allFinite(const std::vector<double>& values);

// A domain with its model, and a direction of speed and density beside it.
template<class T>
struct TangentPlace {
    Stream stream;
    WaveDomain<T> domain;
    DirectionFields<T> along;

    TangentPlace(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                 const ModelDirection& direction)
        : stream(device, kernels::StreamPriority::Solver)
        , domain(plan, device, stream)
        , along(withModel(domain), direction)
    {
    }

private:
    static WaveDomain<T>& withModel(WaveDomain<T>& domain)
    {
        auto field = domain.field(domain.batch(), "field"); // the launch's own takes its place
        domain.upload(field);
        return domain;
    }
};

// Waits now and then, tells, and looks whether to stop.
class TangentPauses {
public:
    TangentPauses(Device& device, const Stream& stream, const GradientHooks& hooks, int shots)
        : m_device(device)
        , m_stream(stream)
        , m_hooks(hooks)
        , m_shots(shots)
    {
    }

    [[nodiscard]] Result<> at(int firstShot, bool backwards, int done, int steps);

private:
    Device& m_device;
    const Stream& m_stream;
    const GradientHooks& m_hooks;
    int m_shots;
    std::chrono::steady_clock::time_point m_told;
};

// Of the shots of a launch, appended. Refuses what is not finite.
template<class T>
[[nodiscard]] Result<> takeTables(const SimulationPlan& plan, const LaunchSurvey& survey, const TangentWave<T>& wave,
                                  Tangent& out);

extern template Result<> takeTables(const SimulationPlan&, const LaunchSurvey&, const TangentWave<float>&, Tangent&);
extern template Result<> takeTables(const SimulationPlan&, const LaunchSurvey&, const TangentWave<double>&, Tangent&);

} // namespace ondo
