// How the commands that start from a run and its observed data read both. Main thread.
#pragma once

#include "engine/io/observed_reader.h"
#include "engine/io/run_loader.h"
#include "engine/io/speed_file.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo::cli {

struct RunInputs {
    std::string file, observed, out, device; // empty: none, or the run file's
    std::vector<std::string> assignments;
    int threads = 0;
    bool dryRun = false, quiet = false;
};

struct OpenedRun {
    RunDescription description; // without outputs of its own
    Model model;
    std::shared_ptr<Device> device;
    std::shared_ptr<const DeviceSpeed> speed; // null: not known
};

// The description, its model, and the device, with notes of every guess. measure: a dry run tells its time, so that the device
// is measured where it has not been. Refuses outputs that are in the way of what is read.
[[nodiscard]] Result<OpenedRun> openRun(const RunInputs& inputs, bool measure);

// The data, with their notes. Refuses (BadInput) where none were given; `command` is named then.
[[nodiscard]] Result<ObservedTraces> readData(const RunInputs& inputs, const SimulationPlan& plan,
                                              const std::string& command);

} // namespace ondo::cli
