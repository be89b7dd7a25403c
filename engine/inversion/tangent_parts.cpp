#include "engine/inversion/tangent_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kQueued = 64; // steps that a device is given before it is waited for

Result<> checkValues(const std::vector<double>& values, std::size_t nodes, const char* what)
{
    if (values.size() != nodes) {
        return badInput(fmt::format("a direction of {} {} for a model of {} nodes", values.size(), what, nodes),
                        "give one a node, z slowest and x fastest");
    }
    const auto odd = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    if (odd != values.end()) {
        return badInput(fmt::format("one of the direction's {}, at node {}, is not a finite number", what,
                                    odd - values.begin() + 1),
                        "repair it");
    }
    return {};
}

Result<> checkTables(const TraceTable& traces, const TraceTable& tangent, int shot)
{
    if (allFinite(traces.values) && allFinite(tangent.values)) {
        return {};
    }
    return fail(ErrorKind::Unstable, fmt::format("the run of shot {} grew beyond all bounds", shot + 1),
                "use a smaller Courant fraction, or a smaller direction");
}

} // namespace

Result<> checkDirection(const SimulationPlan& plan, const ModelDirection& direction)
{
    const auto nodes = static_cast<std::size_t>(plan.model.grid().nodes());
    const bool second = !direction.density.empty() || !direction.impedance.empty();
    if (second && !plan.variableDensity()) {
        return badInput("a direction of density or impedance for the equation \"acoustic\", which has no density",
                        "set equation = \"variable-density\" and a density, or give a direction of the speed alone");
    }
    if (!direction.density.empty() && !direction.impedance.empty()) {
        return badInput("a direction of density and of impedance", "give one of both beside the speed's");
    }
    auto ok = checkValues(direction.speed, nodes, "speeds");
    if (ok && !direction.density.empty()) {
        ok = checkValues(direction.density, nodes, "densities");
    }
    if (ok && !direction.impedance.empty()) {
        ok = checkValues(direction.impedance, nodes, "impedances");
    }
    return ok;
}

ModelDirection inSpeedAndDensity(const Model& model, const ModelDirection& direction)
{
    ModelDirection out{direction.speed, direction.density, {}};
    for (std::size_t i = 0; i < direction.impedance.size(); ++i) {
        const auto c = static_cast<double>(model.velocity().samples()[i]);
        const auto rho = static_cast<double>(model.density().samples()[i]);
        out.density.push_back((direction.impedance[i] - rho * direction.speed[i]) / c);
    }
    return out;
}

Result<> TangentPauses::at(int firstShot, bool backwards, int done, int steps)
{
    if (m_hooks.stop != nullptr && m_hooks.stop->load(std::memory_order_relaxed)) {
        m_device.backend().synchronize(m_stream.handle());
        return fail(ErrorKind::Cancelled, "the derivative was stopped before it was complete");
    }
    if (done % kQueued == 0) {
        m_device.backend().synchronize(m_stream.handle());
        if (m_hooks.progress && Clock::now() - m_told > std::chrono::milliseconds(100)) {
            m_told = Clock::now();
            m_hooks.progress({firstShot, m_shots, backwards, done, steps});
        }
    }
    return {};
}

Result<> checkFullHessian(const TapeOptions& tape)
{
    if (tape.mode == kAutomaticTape || tape.tail > 0) {
        return badInput(fmt::format("the memory mode \"{}\"{} for a Hessian product", tape.mode,
                                    tape.tail > 0 ? " with a tail" : ""),
                        "name one that keeps all steps: \"full\", \"chunks\" or \"binomial\"");
    }
    const auto kind = findTape(tape);
    if (!kind) {
        return tl::unexpected<Error>(kind.error());
    }
    if ((*kind)->rewinds) {
        return badInput(fmt::format("the memory mode \"{}\" for a Hessian product: a perturbed field cannot be stepped "
                                    "backwards without the field that it is a perturbation of",
                                    tape.mode),
                        "use \"full\", \"chunks\" or \"binomial\"");
    }
    return {};
}

GradientOptions modelAlone(const HessianOptions& options)
{
    GradientOptions out;
    out.tape = options.tape;
    out.sourcePositions = out.receiverPositions = false;
    if (options.gaussNewton) {
        out.instead = options.instead;
    }
    return out;
}

bool allFinite(const std::vector<double>& values)
{
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

template<class T>
Result<> takeTables(const SimulationPlan& plan, const LaunchSurvey& survey, const TangentWave<T>& wave, Tangent& out)
{
    const auto traces = wave.run().traces();
    const auto changes = wave.change().traces();
    for (int s = 0; s < survey.count; ++s) {
        const auto [from, to] = survey.receiversOf(s);
        out.synthetic.push_back(tableOf(traces, survey.receivers.size(), from, to - from, plan.time));
        out.tangent.push_back(tableOf(changes, survey.receivers.size(), from, to - from, plan.time));
        if (auto ok = checkTables(out.synthetic.back(), out.tangent.back(), survey.first + s); !ok) {
            return ok;
        }
    }
    return {};
}

template Result<> takeTables(const SimulationPlan&, const LaunchSurvey&, const TangentWave<float>&, Tangent&);
template Result<> takeTables(const SimulationPlan&, const LaunchSurvey&, const TangentWave<double>&, Tangent&);

} // namespace ondo
