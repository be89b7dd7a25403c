#include "ui/inversion/inversion_setup.h"

#include "engine/device/device_list.h"
#include "engine/io/inversion_keys.h"

#include <utility>

namespace ondo {

Result<InversionSettings> settingsOf(const InversionOrder& order)
{
    auto settings = readInversionSettings({}, order.assignments);
    if (settings) {
        settings->gradient.tape = order.tape;
    }
    return settings;
}

Result<InversionSetup> setUpInversion(const InversionOrder& order)
{
    auto settings = settingsOf(order);
    if (!settings) {
        return tl::unexpected<Error>(settings.error());
    }
    auto choice = openDevice(order.run.device);
    if (!choice) {
        return tl::unexpected<Error>(choice.error());
    }
    auto plan = planInversion(order.run, order.start, choice->device->facts(), *settings);
    if (!plan) {
        return tl::unexpected<Error>(plan.error());
    }
    return InversionSetup{std::move(*settings), std::move(*plan), std::move(choice->device)};
}

Result<InversionWithData> setUpWithData(const InversionOrder& order)
{
    auto setup = setUpInversion(order);
    if (!setup) {
        return tl::unexpected<Error>(setup.error());
    }
    if (order.observed.empty()) {
        return badInput("no file of observed data is chosen", "choose one under Invert, Data");
    }
    auto observed = readObserved(order.observed, *setup->plan.plan);
    if (!observed) {
        return tl::unexpected<Error>(observed.error());
    }
    return InversionWithData{std::move(*setup), std::move(*observed)};
}

std::shared_ptr<const SimulationPlan> planAt(const SimulationPlan& plan, const Model& model, int shot)
{
    auto at = std::make_shared<SimulationPlan>(plan);
    at->model = model;
    if (shot >= 0) {
        at->run.survey.shots = {plan.run.survey.shots.at(static_cast<std::size_t>(shot))};
        at->run.shotsAtOnce = 1;
    }
    return at;
}

} // namespace ondo
