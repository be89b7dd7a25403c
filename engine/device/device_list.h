// Which devices there are, which one a run gets, and why not another.
// The CUDA backend is a module (libondo_cuda13.so, libondo_cuda12.so) opened at run time after the driver's version was
// read; no driver, no module, no GPU, another CUDA major, another release are normal answers with a name.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"
#include "kernels/backend.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct DeviceChoice {
    std::shared_ptr<Device> device;
    std::string fallbackReason; // empty unless "auto" or a GPU was asked for and the CPU came: shown, logged, counted
};

struct DeviceSurvey {
    std::vector<kernels::DeviceFacts> devices; // the CPU first
    std::string cudaReason;                    // why there is no CUDA device; empty if there is one
    std::string cudaModule;                    // the module that was opened, or the ones that were looked for
    int driverVersion = 0;                     // as CUDA counts: 13000; 0: no driver
    std::vector<std::string> log;              // each thing tried, one line each
};

// Looks once and remembers; cheap afterwards. Any thread.
[[nodiscard]] const DeviceSurvey& surveyDevices();

// "auto": the first CUDA device, else the CPU with the reason. "cpu". "cuda:N": that device or an Error (NoDevice) that says
// what was found, what is needed and what to install. cpuThreads 0: all.
[[nodiscard]] Result<DeviceChoice> openDevice(const std::string& id, int cpuThreads = 0);

// Every fallback from a GPU (or the direct display) to something slower is counted by reason for the life of the process.
void countFallback(const std::string& reason);
[[nodiscard]] std::vector<std::pair<std::string, int>> fallbackCounts();

} // namespace ondo
