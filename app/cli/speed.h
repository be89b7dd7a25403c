// The speed of a device as the commands want it: kept from before, or measured now and said so. Main thread.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"
#include "engine/io/speed_file.h"

#include <memory>

namespace ondo::cli {

// What is known of it, whatever was wrong told as notes; null: nothing.
[[nodiscard]] std::shared_ptr<const DeviceSpeed> speedAtHand(const kernels::DeviceFacts& device, bool quiet);
// Four seconds, with a line of progress; Ctrl-C ends it (Cancelled).
[[nodiscard]] Result<std::shared_ptr<const DeviceSpeed>> measureNow(const std::shared_ptr<Device>& device, bool quiet);

} // namespace ondo::cli
