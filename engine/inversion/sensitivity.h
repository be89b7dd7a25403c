// The sensitivity kernel of one source and one receiver: how a number read off a window of that trace changes with the speed
// at every node. By the exact gradient of the discrete run (gradient.h), not by rays or Born's approximation.
//   Energy:      J = 1/2 integral of (w d)^2 dt                                       Pa^2 s
//   Travel time: T, the shift by which the windowed trace comes later, measured by cross-correlation with itself:
//                dT = - integral of x' w dd dt / integral of x'^2 dt, x = w d          s
// w is 1 in the window, 0 outside of it, and rises and falls as a cosine over the window's first and last tenth, but for an
// end that is the trace's own. Value types, any thread.
#pragma once

#include "engine/inversion/memory_choice.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

enum class KernelMeasure { Energy, TravelTime };

struct KernelRequest {
    int shot = 0, receiver = 0; // of the survey and of the shot, from 0
    KernelMeasure measure = KernelMeasure::Energy;
    double from = 0.0, to = 0.0; // s; to = 0: to the trace's end
    TapeOptions tape;
    bool operator==(const KernelRequest&) const = default;
    // The same number of the same pair, whatever memory mode.
    [[nodiscard]] bool samePair(const KernelRequest& other) const;
};

// What the request comes to, before anything is computed.
struct KernelPlan {
    std::shared_ptr<const SimulationPlan> plan; // of the one shot with the one receiver
    double from = 0.0, to = 0.0;                // s, in force
    GradientOptions options;                    // the memory mode that is taken
    GradientMemory memory;
    double error = 0.0; // that the memory mode declares, of the kernel's norm
    std::string reason; // of that error
    std::string why;    // that mode, where it was chosen; empty: it was named
};

// A reason for a kernel that is zero, noisy or striped, looked for and found or not.
struct KernelCheck {
    bool passed = true;
    std::string what;
    std::string remedy; // of one that did not pass
};

struct SensitivityKernel {
    KernelRequest request;
    KernelPlan plan;
    std::vector<double> values; // by each node's speed, (z, y, x), x fastest: kernelUnit()
    TraceTable trace;           // of the receiver
    double measured = 0.0;      // J; 0 for a travel time, which is measured against itself
    std::size_t peakBytes = 0;  // on the device
    double seconds = 0.0;
    TapeOptions tape;               // that it was computed with
    std::vector<std::string> notes; // of the gradient
    std::vector<KernelCheck> checks;
};

[[nodiscard]] std::string kernelUnit(KernelMeasure measure);
[[nodiscard]] std::string adjointUnit(KernelMeasure measure, int rank);

// The taper w of a window at samples k dt.
[[nodiscard]] std::vector<double> windowTaper(double from, double to, double dt, int samples);
// Of one trace: the measure and its derivative by each sample.
[[nodiscard]] MisfitFunction windowMeasure(KernelMeasure measure, double from, double to);

// Refuses (BadInput): a shot or receiver that is none, a window that ends before it begins, lies outside of the trace or has
// fewer than four samples; and what SimulationPlan::make and checkGradient refuse. plan: of the whole survey.
[[nodiscard]] Result<KernelPlan> planKernel(const SimulationPlan& plan, const KernelRequest& request);

// Blocks until done; one call at a time a device. Failures: planKernel's and computeGradient's.
[[nodiscard]] Result<SensitivityKernel> computeKernel(const SimulationPlan& plan, const std::shared_ptr<Device>& device,
                                                      const KernelRequest& request, const GradientHooks& hooks = {});

// Why a kernel may be zero, noisy or striped; one entry each, passed or not.
[[nodiscard]] std::vector<KernelCheck> checkKernel(const SensitivityKernel& kernel);

// Of those, the ones that hold for any gradient by speed.
[[nodiscard]] KernelCheck checkSampling(const SimulationPlan& plan);
[[nodiscard]] KernelCheck checkSpikes(const std::vector<double>& values);

// |a - b| / |b| in the L2 norm; 0 where both are zero, infinity where b alone is. Of equal length.
[[nodiscard]] double relativeDifference(const std::vector<double>& a, const std::vector<double>& b);

} // namespace ondo
