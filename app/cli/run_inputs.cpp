#include "app/cli/run_inputs.h"

#include "app/cli/interrupt.h"
#include "app/cli/speed.h"
#include "app/cli/terminal.h"

#include "engine/device/device_list.h"
#include "engine/io/run_outputs.h"

namespace ondo::cli {

Result<OpenedRun> openRun(const RunInputs& inputs, bool measure)
{
    auto loaded = loadRun(inputs.file, inputs.assignments);
    if (!loaded) {
        return tl::unexpected<Error>(loaded.error());
    }
    RunDescription& description = loaded->description;
    if (!inputs.device.empty()) {
        description.device = inputs.device;
    }
    // What the description would have a run write is not written here.
    description.output = {};
    description.output.results = inputs.out;
    if (auto ok = checkOutputs(description, inputs.file, {inputs.observed}); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    for (const auto& line : loaded->notes) {
        note(line, inputs.quiet);
    }
    auto choice = openDevice(description.device, inputs.threads);
    if (!choice) {
        return tl::unexpected<Error>(choice.error());
    }
    if (!choice->fallbackReason.empty()) {
        note("running on the CPU: " + choice->fallbackReason, inputs.quiet);
    }
    auto speed = speedAtHand(choice->device->facts(), inputs.quiet);
    if (speed == nullptr && measure && inputs.dryRun) { // as for ondo run: a plan tells its time
        watchInterrupts();
        const auto measured = measureNow(choice->device, inputs.quiet);
        if (!measured && measured.error().kind == ErrorKind::Cancelled) {
            return tl::unexpected<Error>(measured.error());
        }
        speed = measured.value_or(nullptr);
    }
    return OpenedRun{std::move(description), std::move(loaded->model), choice->device, std::move(speed)};
}

Result<ObservedTraces> readData(const RunInputs& inputs, const SimulationPlan& plan, const std::string& command)
{
    if (inputs.observed.empty()) {
        return badInput(command + ": there are no observed data", "give --observed FILE");
    }
    auto observed = readObserved(inputs.observed, plan);
    if (observed) {
        for (const auto& text : observed->notes) {
            note(text, inputs.quiet);
        }
    }
    return observed;
}

} // namespace ondo::cli
