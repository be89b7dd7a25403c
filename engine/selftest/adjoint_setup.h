// Small problems for the adjoint's cases: every face condition, points on and between nodes, near faces and in company; what
// is perturbed in a plan without its step or layers changing.
#pragma once

#include "engine/inversion/gradient.h"
#include "engine/selftest/shot.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

// The largest of some figures, and whose it is; one that is no number stays.
struct Worst {
    double figure = 0.0;
    std::string where;
    void add(double d, const std::string& what)
    {
        if (!(d <= figure)) {
            figure = d;
            where = what;
        }
    }
};

struct AdjointFaces {
    const char* name;
    std::array<FaceCondition, 6> by; // x low, x high, y low, y high, z low, z high
};
[[nodiscard]] const std::vector<AdjointFaces>& adjointFaces();

struct AdjointSetup {
    int rank = 2, order = 8;
    Precision precision = Precision::Float64;
    AdjointFaces faces;
    bool onNodes = false; // points; false: between nodes
    Equation equation = Equation::Acoustic;
    int ratio = 1;    // steps a sample
    int samples = 24; // after the one at t = 0
    int shots = 1, shotsAtOnce = 1;
    bool smooth = false; // a Ricker that the grid resolves; false: noise for wavelets
    bool receiverOnSource = false;
    std::uint64_t seed = 1;
};

// A source near a corner, one in the middle whose nodes meet another's, receivers near faces and beside the sources.
[[nodiscard]] std::shared_ptr<const SimulationPlan> adjointPlan(const AdjointSetup& a, const Device& device);

// The same plan, step and layers, with other speeds, densities or another survey.
[[nodiscard]] std::shared_ptr<const SimulationPlan> withSpeeds(const SimulationPlan& plan, std::vector<float> speeds);
[[nodiscard]] std::shared_ptr<const SimulationPlan> withDensities(const SimulationPlan& plan,
                                                                  std::vector<float> densities);
[[nodiscard]] std::shared_ptr<const SimulationPlan> withSurvey(const SimulationPlan& plan, Survey survey);

// Traces by shot in double, through the propagator of every other run.
[[nodiscard]] std::vector<TraceTable> tracesOf(const std::shared_ptr<const SimulationPlan>& plan,
                                               const std::shared_ptr<Device>& device);
// J of all shots.
[[nodiscard]] double misfitOf(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                              const MisfitFunction& misfit);
// Throws std::runtime_error with the refusal's words.
[[nodiscard]] Gradient gradientOf(const std::shared_ptr<const SimulationPlan>& plan,
                                  const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                  const GradientOptions& options = {});

// J = <weights, traces>, the weights noise: what a dot product is made with. Its gradient is the transpose of the weights.
[[nodiscard]] std::shared_ptr<const std::vector<TraceTable>> randomData(const SimulationPlan& plan, std::uint64_t seed);
[[nodiscard]] MisfitFunction innerProduct(std::shared_ptr<const std::vector<TraceTable>> weights);

[[nodiscard]] double dot(const std::vector<double>& a, const std::vector<double>& b);

} // namespace ondo
