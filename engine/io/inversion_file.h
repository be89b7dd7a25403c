// An inversion's history in one HDF5 file that grows by a record at a time. Each append goes to a copy beside the
// file, which
// then takes its name: whatever ends the program, and whenever, there is the file with the records before or with one
// more,
// and who reads it meanwhile sees one of the two. The price is a copy of the file each iteration, at the disk's speed.
//   /iterations/0000/velocity      m/s, (z, (y,) x); gradient: of the objective, per m/s; illumination: where a stage
// begins
//                  /density or impedance with its _gradient, where it moves; held_density of 0000, where it does not (format 3)
//                  /misfits, source_factors by shot; drawn_shots, shot_codes, source_filters, wavelets; attributes: stage, objective, step, seconds ...
//   /identity                      a line for each thing that decides the iterates: settings, run, data, start model
//   /provenance                    plan, device, version; settings: a line "inversion.key = value" each (format 2)
// One thread at a time (HDF5).
#pragma once

#include "engine/inversion/inversion.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

struct InversionFileFacts {
    const InversionPlan& plan;
    const InversionSettings& settings;
    std::vector<std::string> identity; // see identityOf()
    std::string description;           // of the plan, for a person
    std::string observed;              // the file of the data
};

// Settings, run, data and start model: two inversions with the same lines give the same iterates on the same device.
[[nodiscard]] std::vector<std::string> identityOf(const InversionPlan& plan, const InversionSettings& settings,
                                                  const std::vector<TraceTable>& observed);

class InversionFile final : public InversionHistory {
public:
    // A new file without records, in the place of what was there.
    [[nodiscard]] static Result<std::unique_ptr<InversionFile>> create(const std::string& path,
                                                                       const InversionFileFacts& facts);
    // Refuses (BadInput) files that are none, and others than `identity` tells of, with the first line that differs.
    // last: the record to go on from, those after it are dropped; -1: the last one there is.
    [[nodiscard]] static Result<std::unique_ptr<InversionFile>>
    open(const std::string& path, const std::vector<std::string>& identity, const Grid& grid, int last = -1);

    [[nodiscard]] int count() const override { return m_count; }
    [[nodiscard]] Result<InversionRecord> read(int index) override;
    [[nodiscard]] Result<> append(const InversionRecord& record) override;

private:
    InversionFile(std::string path, Grid grid, InvertedParameters parameters, int count)
        : m_path(std::move(path))
        , m_grid(grid)
        , m_parameters(parameters)
        , m_count(count)
    {
    }

    std::string m_path;
    Grid m_grid;
    InvertedParameters m_parameters;
    int m_count = 0;
};

} // namespace ondo
