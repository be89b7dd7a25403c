// What an inversion, or anything computed of one, works with, made from what the window knows: the run, its start model, the
// settings and the data's file. For workers: opens a device of its own, so that runs and kernels go on meanwhile.
#pragma once

#include "engine/device/device.h"
#include "engine/inversion/inversion.h"
#include "engine/io/observed_reader.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct InversionOrder {
    RunDescription run;
    Model start;
    std::string observed;                 // file
    std::vector<std::string> assignments; // "inversion.key=value"
    TapeOptions tape;
};

[[nodiscard]] Result<InversionSettings> settingsOf(const InversionOrder& order);

struct InversionSetup {
    InversionSettings settings;
    InversionPlan plan;
    std::shared_ptr<Device> device;
};
[[nodiscard]] Result<InversionSetup> setUpInversion(const InversionOrder& order);

struct InversionWithData {
    InversionSetup setup;
    ObservedTraces observed;
};
[[nodiscard]] Result<InversionWithData> setUpWithData(const InversionOrder& order);

// The same plan with another model in it, and one shot alone (-1: all).
[[nodiscard]] std::shared_ptr<const SimulationPlan> planAt(const SimulationPlan& plan, const Model& model, int shot);

} // namespace ondo
