// The results of a run in one HDF5 file that any HDF5 reader understands. One thread at a time; atomic: the file takes
// its name when it is complete.
//   /                    attributes: format, format_version, program, version, device, created, complete, title
//   /model/velocity      float32 (z, x) or (z, y, x); unit, axes, spacing, origin (m, in the order of the axes)
//   /shots/0000/traces   float32 (receiver, sample); unit, axes, sample_interval, first_time (s), recorded
//   /shots/0000/receivers, /shots/0000/sources   float64 (n, 3), columns x y z; unit m
//   /shots/0000/wavelets float64 (source, sample), what was injected; sample_interval
//   /field/pressure      float32, the last field; axes, spacing, origin, step, time
//   /provenance          text datasets: plan, run_file, device, version, created
#pragma once

#include "engine/frame/gather.h"
#include "engine/model/model.h"
#include "engine/project/run_description.h"

#include <optional>
#include <string>
#include <vector>

namespace ondo {

struct LastField {
    std::vector<float> pressure; // (z, y, x), x fastest
    int nz = 0, ny = 1, nx = 0;
    long long step = 0;
    double time = 0.0; // s
    // Where the field's first node lies and how far its nodes are apart; 0: as the model's.
    double dz = 0.0, dy = 0.0, dx = 0.0;
};

struct RunResult {
    Model model;
    RunDescription description;
    std::vector<Gather> gathers;
    std::optional<LastField> field;
    bool complete = true;    // false: stopped, the traces end early
    std::string device;      // "CPU, 2 threads" "NVIDIA ..."
    std::string planText;    // SimulationPlan in words
    std::string runFileText; // empty: made from the description
    std::string created;     // ISO 8601; empty: now
};

[[nodiscard]] Result<> writeResults(const std::string& path, const RunResult& result);
[[nodiscard]] Result<> writeModelHdf5(const std::string& path, const Model& model);
// False in a build without HDF5: the two above then refuse.
[[nodiscard]] bool canWriteHdf5();

} // namespace ondo
