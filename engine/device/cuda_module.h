// Finding and opening the CUDA module that fits this machine's driver. Each way it can fail has a sentence: what was found,
// what is needed, what to install. Used by device_list.cpp; apart from it so that tests can stand in for the machine.
#pragma once

#include "kernels/backend.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct CudaDriver {
    int version = 0;     // the newest CUDA it serves, as CUDA counts: 12020 = 12.2; 0: no driver
    std::string release; // "535.261.03"; empty if the system does not say
    std::string why;     // why there is none
};

// Opens libcuda.so.1 and asks. ONDO_FAKE_DRIVER_VERSION (a number like 12020, 0 for none) stands in for it in tests.
[[nodiscard]] CudaDriver findCudaDriver();

// Next to the program, ../lib/ondoscope, each folder of $ONDO_MODULE_PATH (first), and lib/ondoscope of a build tree that the
// program stands in.
[[nodiscard]] std::vector<std::filesystem::path> moduleFolders();

struct CudaModule {
    std::shared_ptr<void> library; // closed when the last owner goes
    kernels::BackendModule* module = nullptr;
    int devices = 0;
    std::string file;   // the one opened, or the ones found
    std::string reason; // why there is none; empty if module is set
    std::vector<std::string> log;
};

[[nodiscard]] CudaModule openCudaModule(const CudaDriver& driver, const std::vector<std::filesystem::path>& folders,
                                        const std::string& release);

// "12.2" from 12020.
[[nodiscard]] std::string cudaVersionText(int version);

} // namespace ondo
