// What was measured of a device, kept in the user's cache folder ($XDG_CACHE_HOME/ondoscope, or ~/.cache/ondoscope): JSON,
// one file for each device and build of the program, written whole or not at all. The key is the device (name with threads
// and instruction set, GPU, driver) and the program (release, kernels, compiler, build type); a file of another key, or one
// that cannot be read, is as good as none and is told of. Any thread.
#pragma once

#include "engine/bench/calibration.h"
#include "engine/core/result.h"
#include "engine/session/device_speed.h"
#include "kernels/backend.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct KnownSpeed {
    std::shared_ptr<const DeviceSpeed> speed; // null: not known
    std::vector<std::string> notes;           // a file that was not good, one that could not be written
};

[[nodiscard]] std::string speedKey(const kernels::DeviceFacts& device);
// Empty: neither XDG_CACHE_HOME nor HOME names a folder.
[[nodiscard]] std::string speedFile(const kernels::DeviceFacts& device);

[[nodiscard]] std::string speedText(const DeviceSpeed& speed); // JSON
[[nodiscard]] Result<DeviceSpeed> parseSpeed(const std::string& text);

[[nodiscard]] KnownSpeed readSpeed(const kernels::DeviceFacts& device);
// Measures, and keeps what was measured; where nothing can be written it holds for this process, with a note.
[[nodiscard]] Result<KnownSpeed> measureSpeed(const std::shared_ptr<Device>& device, const CalibrationOptions& options);

} // namespace ondo
