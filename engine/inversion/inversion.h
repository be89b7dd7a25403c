// An inversion: from a start model downhill on
//   J(v) = D(v) / D0 + roughness(v)     D: the misfit of the data, D0: D where the stage began; v: each node's speed
// within bounds, in stages of rising frequency. What is held fixed: the time step and the layers' profiles, planned
// for the
// fastest speed that the bounds allow, so that no step of the model makes the scheme unstable.
// All there is to know of a run is its history of records: whoever goes on from one gets the iterates of a run that
// was never
// broken off, to the bit, on the same device.
#pragma once

#include "engine/inversion/data_misfit.h"
#include "engine/inversion/fired_shots.h"
#include "engine/inversion/memory_choice.h"
#include "engine/inversion/model_terms.h"
#include "engine/inversion/model_vector.h"
#include "engine/inversion/optimiser.h"

#include <cstdint>
#include <optional>

namespace ondo {

struct InversionStage {
    double lowPass = 0.0; // Hz, of traces on both sides; 0: none
    int iterations = 10;
    bool operator==(const InversionStage&) const = default;
};

struct InversionSettings {
    std::vector<InversionStage> stages = {{}};
    DataMisfitOptions data; // lowPass: the stage's
    double tikhonov = 0.0, totalVariation = 0.0, epsilon = 0.1;
    std::optional<double> slowest, fastest; // m/s; none: a fifth beyond the start model's
    // Where density varies it may move, or impedance in its stead; scaled as model_vector.h says.
    InvertedParameters parameters = InvertedParameters::Speed;
    std::optional<double> secondLow, secondHigh; // kg/m^3 or kg/(m^2 s), likewise
    double secondTikhonov = 0.0, secondTotalVariation = 0.0;
    double fixedDepth = 0.0;  // m below the grid's top: nodes above do not move
    double fixedSpeed = 0.0;  // m/s: nor those that are no faster at the start (water); 0: none
    bool illumination = true; // computed where a stage begins
    double water = 0.05;      // of its mean
    double smoothing = 0.0;   // m, of the gradient
    OptimiserOptions optimiser;
    int shotsPerIteration = 0; // drawn anew each time; 0: all. adam alone
    int encodedShots = 0;      // super-shots of all shots (fired_shots.h), signs anew each time; 0: none. adam alone
    std::uint64_t seed = 1;
    GradientOptions gradient = {{}, true, false, false, ModelParameters::SpeedDensity, {}}; // its tape may be chosen
};

// What is known at one iterate. Record 0 is the start model; each stage begins with one of the model that it found.
struct InversionRecord {
    int stage = 0, iteration = 0;       // of the stage, 0: where it began
    std::vector<float> speed;           // m/s
    std::vector<double> gradient;       // dJ / d speed
    std::vector<float> second;          // density, kg/m^3, or impedance, kg/(m^2 s); empty: the speed moves alone
    std::vector<double> secondGradient; // dJ / d that at fixed speed, and `gradient` is at fixed that
    std::vector<float> held;            // of the first record alone: a density that does not move, kg/m^3
    double objective = 0.0;             // J
    double data = 0.0;                  // D, in the misfit's unit
    double reference = 0.0;             // D0
    double roughness = 0.0;
    std::vector<double> misfits; // by shot; 0 for shots that were not drawn. With codes: by super-shot
    std::vector<double> factors; // of the sources, likewise
    // With a source filter, one a shot fired or one for all: the filter (source_filter.h), and what it makes of the run's
    // wavelet (of a shot's first source), a sample for each of a trace's; what lies before time 0 is in the filter alone.
    std::vector<double> filters, wavelets;
    std::vector<double> drawn;        // indices of the shots drawn; empty: all
    std::vector<double> codes;        // of encoded shots (FiredShots); empty: none
    std::vector<double> illumination; // of the first record of a stage
    int unused = 0;                   // traces that the misfit could not judge
    bool restarted = false;           // the optimiser forgot what it knew before this step
    double step = 0.0;                // of the direction
    double change = 0.0;              // m/s, the largest of a node
    int evaluations = 0;
    double seconds = 0.0;
};

class InversionHistory {
public:
    virtual ~InversionHistory() = default;
    [[nodiscard]] virtual int count() const = 0;
    [[nodiscard]] virtual Result<InversionRecord> read(int index) = 0;
    [[nodiscard]] virtual Result<> append(const InversionRecord& record) = 0; // in place when this returns
};

// Held in memory.
class InversionMemory final : public InversionHistory {
public:
    [[nodiscard]] int count() const override { return static_cast<int>(records.size()); }
    [[nodiscard]] Result<InversionRecord> read(int index) override { return records[static_cast<std::size_t>(index)]; }
    [[nodiscard]] Result<> append(const InversionRecord& record) override
    {
        records.push_back(record);
        return {};
    }
    std::vector<InversionRecord> records;
};

struct InversionProgress {
    int stage = 0, stages = 1, iteration = 0, iterations = 0, evaluation = 0;
    GradientProgress gradient;
};

struct InversionHooks {
    std::function<void(const InversionProgress&)> progress; // now and then; may be empty
    std::function<void(const InversionRecord&)> recorded;   // after each append; may be empty
    std::function<void(const std::string&)> note;           // what a person should know; may be empty
    const std::atomic<bool>* stop = nullptr;
    // Of each gradient on its way backwards: as GradientHooks has them.
    std::function<void(GradientFrame)> picture;
    const std::atomic<GradientLook>* look = nullptr;
};

// What an inversion works with: the plan for the fastest speed allowed, with the start model in it.
struct InversionPlan {
    std::shared_ptr<const SimulationPlan> plan;
    SpeedBounds bounds;
    SpeedBounds second; // of density or impedance; where one moves
    GradientMemory memory;
    GradientMemory curvature; // of a Born run; gauss-newton alone
    GradientOptions gradient; // the settings', in the memory mode that is taken
    std::string why;          // that mode, where it was chosen; empty: it was named
    int records = 0;          // one for each iteration and each stage's beginning
    double gradients = 0.0;   // that are computed if no step has to be tried twice
};

// The plan for every model with speeds from low to high, and with densities in a range: the step and the layers of the
// fastest; `model` is in it. densities: none where they are the model's.
[[nodiscard]] Result<std::shared_ptr<SimulationPlan>> planWithin(const RunDescription& run, const Model& model,
                                                                 const kernels::DeviceFacts& device, double low,
                                                                 double high, const DeviceSpeed* speed = nullptr,
                                                                 std::optional<ValueRange> densities = std::nullopt);

// Refuses (BadInput): settings out of range, bounds that the start model's moving nodes lie outside of; what
// SimulationPlan::make and checkGradient refuse.
[[nodiscard]] Result<InversionPlan> planInversion(const RunDescription& run, const Model& start,
                                                  const kernels::DeviceFacts& device, const InversionSettings& settings,
                                                  const DeviceSpeed* speed = nullptr);
[[nodiscard]] std::string describeInversion(const InversionPlan& plan, const InversionSettings& settings);

// Goes on from `history` (from the start model, if it is empty) until the last stage's iterations are done, or no
// lower value is
// found in it. A stop comes back as Cancelled; what was recorded stays. Blocks; any thread, one call at a time a
// device.
[[nodiscard]] Result<> runInversion(const InversionPlan& plan, const std::shared_ptr<Device>& device,
                                    const std::vector<TraceTable>& observed, const InversionSettings& settings,
                                    InversionHistory& history, const InversionHooks& hooks = {});

} // namespace ondo
