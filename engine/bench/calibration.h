// Measures a device for the planner, in about two seconds and two more for gradients (gradient_calibration.h): small real runs of the engine (Propagator on the device, the
// session's batches of steps) over sizes that lie in every cache and beyond, in two and three dimensions, of a few orders,
// with and without layers, in both precisions, with receivers, sources and several shots. Sizes go on as long as the time
// allotted to their kind lasts, so that a fast device is measured to larger ones than a slow one. What comes out is
// engine/session/device_speed.h; who keeps it is engine/io/speed_file.h.
// It queues work on a stream of its own; a run on the same device at the same time would spoil both. Any thread, one at a
// time for a device.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"
#include "engine/session/device_speed.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string>

namespace ondo {

struct CalibrationOptions {
    double seconds =
        2.0; // about, and as many for gradients; at least a few cases of each kind are measured in any case
    const std::atomic<bool>* stop = nullptr;   // ends it within a step: Error of kind Cancelled. May be null
    std::function<void(double share)> telling; // how far it is, 0 ... 1; may be empty
};

// `key` of the result is left empty. Refused (Internal, OutOfMemory) if the device fails at the smallest cases.
[[nodiscard]] Result<DeviceSpeed> calibrate(const std::shared_ptr<Device>& device, const CalibrationOptions& options);

} // namespace ondo
