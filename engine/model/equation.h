// The wave equations that are solved, a row each: what a run file calls it, what it steps, what it is made of, what a gradient
// of it keeps of each step and what it refuses. Schemes are in kernels/equations/scalar.h. Any thread.
#pragma once

#include "engine/core/result.h"

#include <string_view>
#include <vector>

namespace ondo {

enum class Equation { Acoustic, VariableDensity };

struct EquationKind {
    Equation equation = Equation::Acoustic;
    std::string_view name; // as in a run file
    std::string_view formula;
    std::string_view unknowns;
    std::vector<std::string_view> parameters; // of a model; in a gradient each with the others held
    std::string_view keeps;                   // of each forward step, for a gradient
    std::string_view refuses;                 // and why
};

[[nodiscard]] const std::vector<EquationKind>& equationKinds();
[[nodiscard]] const EquationKind& equationKind(Equation equation);
// Refuses (BadInput) a name that is none, with those that are.
[[nodiscard]] Result<Equation> findEquation(std::string_view name);

// What a gradient of a model with density is by: each at the other held.
enum class ModelParameters { SpeedDensity, SpeedImpedance };
[[nodiscard]] Result<ModelParameters> findParameters(std::string_view name); // "speed,density", "speed,impedance"

} // namespace ondo
