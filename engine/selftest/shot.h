// One shot for a case: described in a few words, planned, run without a session, traces in double.
#pragma once

#include "engine/device/device.h"
#include "engine/propagator/propagator.h"
#include "engine/selftest/case.h"
#include "engine/session/simulation_plan.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct ShotSetup {
    Grid grid;
    std::vector<float> velocity; // one value: constant
    std::vector<float> density;  // as velocity; empty: the equation of one density
    Boundary boundary;
    int order = 8;
    Precision precision = Precision::Float32;
    double dt = 0.0; // s, the scheme's own step, taken as it is (also beyond the limit)
    int steps = 0;
    int shotsAtOnce = 1;
    std::vector<Shot> shots; // empty: one silent source in the middle

    void setAllFaces(FaceCondition condition) { boundary.faces.fill(condition); }
    void addShot(const std::vector<Source>& sources, const std::vector<Position>& receivers);
};

// Throws std::runtime_error with the plan's own words when it refuses.
[[nodiscard]] std::shared_ptr<const SimulationPlan> planOf(const ShotSetup& setup, const Device& device);

// Traces of one shot: [receiver][sample], sample k at k dt.
struct ShotTraces {
    double dt = 0.0;
    std::vector<std::vector<double>> p;
};
[[nodiscard]] std::vector<ShotTraces> runShots(const ShotSetup& setup, const std::shared_ptr<Device>& device);
[[nodiscard]] ShotTraces runShot(const ShotSetup& setup, const std::shared_ptr<Device>& device);

// A propagator under a case's own hand.
struct HeldShot {
    HeldShot(const ShotSetup& setup, std::shared_ptr<Device> on);
    void step(std::int64_t count);
    [[nodiscard]] std::vector<double> now(int shot = 0);
    [[nodiscard]] std::size_t index(int z, int y, int x) const; // of the computed domain

    std::shared_ptr<const SimulationPlan> plan;
    std::shared_ptr<Device> device;
    Stream stream;
    std::unique_ptr<Propagator> propagator;
};

// A wavelet given by its samples f(n dt) on the scheme's own step.
[[nodiscard]] Wavelet sampledWavelet(const std::vector<double>& values, double dt);

// Repeatable noise in -1 .. 1.
[[nodiscard]] std::vector<double> noise(std::size_t count, std::uint64_t seed);

[[nodiscard]] SelftestOutcome judged(double figure, double tolerance, const std::string& unit,
                                     const std::string& reason, const std::string& text = {});
[[nodiscard]] SelftestOutcome skipped(const std::string& why);
[[nodiscard]] inline const char* precisionName(Precision p)
{
    return p == Precision::Float64 ? "double" : "float";
}

} // namespace ondo
