#include "engine/model/equation.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace ondo {

const std::vector<EquationKind>& equationKinds()
{
    static const std::vector<EquationKind> kKinds = {
        {Equation::Acoustic,
         "acoustic",
         "p_tt = c^2 lap p + source",
         "pressure",
         {"speed"},
         "the sum of second derivatives at each node",
         "a density, which it has no place for"},
        {Equation::VariableDensity,
         "variable-density",
         "p_tt = kappa div(1/rho grad p) + source, kappa = rho c^2",
         "pressure",
         {"speed", "density", "impedance"},
         "the sum of second derivatives at each node, the pressure, and the layers' first memories",
         "orders above 18, for which no bound covers all densities"},
    };
    return kKinds;
}

const EquationKind& equationKind(Equation equation)
{
    const auto& kinds = equationKinds();
    return *std::find_if(kinds.begin(), kinds.end(), [&](const EquationKind& k) { return k.equation == equation; });
}

Result<Equation> findEquation(std::string_view name)
{
    std::string names;
    for (const auto& kind : equationKinds()) {
        if (kind.name == name) {
            return kind.equation;
        }
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    }
    return badInput(fmt::format("\"{}\" is no equation", name), "use one of: " + names);
}

Result<ModelParameters> findParameters(std::string_view name)
{
    if (name == "speed,density") {
        return ModelParameters::SpeedDensity;
    }
    if (name == "speed,impedance") {
        return ModelParameters::SpeedImpedance;
    }
    return badInput(fmt::format("\"{}\" are no parameters of a gradient", name),
                    "use speed,density or speed,impedance");
}

} // namespace ondo
