// The part of calibration that gradients need: what their parts cost on a device (GradientSpeed), and bytes on their way to
// host and disk (StagingCost). The engine's own waves are stepped under the clock, by themselves, without a tape. Of the disk,
// the folder for temporary files is measured. Any thread, one at a time for a device; throws BackendError.
#pragma once

#include "engine/device/device.h"
#include "engine/session/device_speed.h"

#include <functional>
#include <memory>

namespace ondo {

// Adds to `speed`, whose other parts are measured already, in about so many seconds. pause: asked between measurements, may
// throw.
void calibrateGradients(const std::shared_ptr<Device>& device, double seconds, const std::function<void()>& pause,
                        DeviceSpeed& speed);

} // namespace ondo
