// First and second derivatives along a direction of the model: Born traces J v, and products with the Hessian. A step is linear
// in its field and its c2 only multiplies, so that the perturbation of a run is a run of the same kernels and one product a node
// and step besides (kernels/common/curvature.h): the exact derivative of the discrete operator, layers, faces, points between
// nodes and all, in whatever way the device steps. Of the adjoint run as well (second-order adjoint; Fichtner & Trampert 2011).
// What a perturbed density does besides is kernels/equations/scalar_tangent.h.
//   held fixed: what gradient.h holds fixed
#pragma once

#include "engine/inversion/gradient.h"

#include <memory>
#include <vector>

namespace ondo {

// Per node of the model, (z, y, x), x fastest. Where density varies, also one of both: the speed's is then at fixed density, or at
// fixed impedance. Of what depends on a model, its derivatives by each.
struct ModelDirection {
    std::vector<double> speed;     // m/s
    std::vector<double> density;   // kg/m^3; empty: none
    std::vector<double> impedance; // rho c, kg/(m^2 s); empty: none
};

// By shot.
struct Tangent {
    std::vector<TraceTable> synthetic; // the traces
    std::vector<TraceTable> tangent;   // their derivative along the direction, Pa
    std::size_t peakBytes = 0;         // on the device
    double seconds = 0.0;
};

// Bytes on the device in the largest launch. density: of a direction of density or impedance. Refuses shots without receivers;
// (OutOfMemory) more than the plan's device has free.
[[nodiscard]] Result<GradientMemory> checkTangent(const SimulationPlan& plan, bool density);

// Refuses what checkTangent does, and (BadInput) a direction of another size than the model's, numbers that are not finite, density beside impedance, and
// either for the equation of one density. Of the hooks `progress` and `stop`. Blocks until done; any thread, one call at a time a device.
[[nodiscard]] Result<Tangent> computeTangent(const std::shared_ptr<const SimulationPlan>& plan,
                                             const std::shared_ptr<Device>& device, const ModelDirection& direction,
                                             const GradientHooks& hooks = {});

struct HessianOptions {
    // J^T M J v alone, M the misfit's second derivative by the traces: for a misfit that is convex in them never negative along v.
    bool gaussNewton = false;
    TapeOptions
        tape; // as a gradient's; the full Hessian needs twice a step's numbers and takes no mode that steps back
    std::vector<TapeOptions> instead; // of Gauss-Newton, as GradientOptions has it
};

// Bytes of the larger of both parts: of Gauss-Newton a Born run and a gradient, else a gradient and the second-order adjoint.
// Refuses what computeHessianProduct does before it looks at the direction.
[[nodiscard]] Result<GradientMemory> checkHessianProduct(const SimulationPlan& plan, const HessianOptions& options,
                                                         bool density);

struct HessianProduct {
    // H v, of each node's speed: J / (m/s); where density varies, of its density, J / (kg/m^3), or, of a direction with
    // impedances, of its impedance, J / (kg/(m^2 s)), as the gradient's are.
    std::vector<double> speed, density, impedance;
    ModelDirection gradient; // of the same misfit, by the same; empty for Gauss-Newton
    double misfit = 0.0;
    double curvature = 0.0;    // v . H v
    std::size_t peakBytes = 0; // on the device
    double seconds = 0.0;
};

// The misfit is asked at traces beside the model's own, along their derivative: a difference of its residuals is M J v (exact to
// rounding for least squares, else to 1e-8 of it). The full Hessian costs a gradient and about two more, of one density;
// Gauss-Newton a Born run and a gradient. Refuses what computeTangent and checkGradient do, and (BadInput) the full one in
// the memory modes "auto", "boundary" and "segments".
[[nodiscard]] Result<HessianProduct>
computeHessianProduct(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                      const MisfitFunction& misfit, const ModelDirection& direction, const HessianOptions& options = {},
                      const GradientHooks& hooks = {});

} // namespace ondo
