// The gradient of a misfit of traces, by the exact transpose of the discrete forward operator (derived in
// kernels/equations/scalar_adjoint.h): layers, faces, points between nodes, inner steps and all.
//   (1/c^2) p_tt - rho div (1/rho grad p) = f(t) delta(x - xs), rho constant or the model's (engine/model/equation.h)
// What is held fixed: the plan, that is the time step and the layers' profiles, which it chose from the fastest speed.
// Refused rather than answered by zeros: see checkGradient().
#pragma once

#include "engine/device/device.h"
#include "engine/frame/picture.h"
#include "engine/inversion/misfit.h"
#include "engine/session/simulation_plan.h"
#include "engine/tape/tape.h"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ondo {

struct GradientOptions {
    TapeOptions tape;  // of the mode kAutomaticTape: memory_choice.h
    bool speed = true; // and density, where it varies; off: no tape, no image: the rest alone
    bool sourcePositions = true, receiverPositions = true;
    ModelParameters parameters = ModelParameters::SpeedDensity; // SpeedImpedance: where density varies
    // Where to go, one after the other, when memory runs out in the middle; empty: nowhere. Of a mode that was named it stays
    // empty: who names one is told, and nothing else is computed.
    std::vector<TapeOptions> instead;
    bool operator==(const GradientOptions&) const = default;
};

// Derivatives of the misfit J with respect to what a source is. Coordinates that the grid has not are 0.
struct SourceGradient {
    std::vector<double> series;       // per f(n dt), n = 0 .. inner steps - 1, dt the scheme's own step
    std::vector<double> recorded;     // per recorded sample of a sampled wavelet; empty for closed forms
    double amplitude = 0.0;           // per Wavelet::amplitude
    std::optional<Position> position; // J / m; none unless asked for
};

struct ShotGradient {
    double misfit = 0.0;
    std::vector<SourceGradient> sources;
    std::vector<Position> receivers; // J / m, one a receiver; empty unless asked for
};

struct Gradient {
    double misfit = 0.0;       // J, of all shots
    std::vector<double> speed; // J / (m/s) of each node's speed, (z, y, x), x fastest, as Model; empty unless asked for
    // Where density varies, one of both: J / (kg/m^3) at fixed speed, and `speed` is at fixed density; J / (kg/(m^2 s)) at
    // fixed speed, and `speed` is at fixed impedance.
    std::vector<double> density, impedance;
    std::vector<ShotGradient> shots;
    std::vector<TraceTable> synthetic; // the forward run's traces, by shot
    // Of `every` > 1: how far `speed` may be from that of every step, of its norm (image_sampling.h); 0: it is that.
    double declaredError = 0.0;
    // Of a tail: what is left of the adjoint field where imaging ends, of its largest norm (tail.h).
    double tailLeft = 0.0;
    std::size_t peakBytes = 0; // on the device
    double seconds = 0.0;
    TapeOptions tape;               // that it was computed with
    std::string why;                // that one, where it was chosen; empty: it was named
    std::vector<std::string> notes; // what a person should know: a residual that is zero everywhere, ...
};

struct GradientProgress {
    int shot = 0, shots = 1; // shots done before this launch, of all
    bool backwards = false;
    int step = 0, steps = 0; // of this direction
};

enum class GradientLook { Nothing, AdjointField, SpeedGradient };

// What a gradient looks like on its way backwards, on the model's grid: the adjoint field (the misfit's derivative by the
// wavelet of a source at each node; in the unit of the residuals, times m^(2 - rank)), or the speed gradient so far.
struct GradientFrame {
    GradientLook look = GradientLook::Nothing;
    int shot = 0; // the first of the launch
    FieldFrame field;
};

struct GradientHooks {
    std::function<void(const GradientProgress&)> progress; // now and then; may be empty
    const std::atomic<bool>* stop = nullptr;               // looked at between steps; may be null
    // What a person should know at once: that memory ran out, and how it goes on. May be empty; Gradient::notes has it too.
    std::function<void(const std::string&)> note;
    // While it runs backwards, at most ten times a second and a tenth of the time; nothing is copied otherwise. `look`, asked
    // before each: what to bring. Both or neither.
    std::function<void(GradientFrame)> picture;
    const std::atomic<GradientLook>* look = nullptr;
};

// Bytes on the device in the largest launch, by what they are for; pure arithmetic.
struct GradientMemory {
    std::size_t forward = 0, adjoint = 0, tape = 0;
    std::size_t host = 0, disk = 0; // of the tape, elsewhere
    double forwardRuns = 0.0;       // that are computed once more
    double seconds = 0.0;           // of the whole gradient; 0: the device's speed is not known
    double touched = 0.0;           // of these: the first touch of memory, which a second gradient finds there
    [[nodiscard]] std::size_t total() const { return forward + adjoint + tape; }
};

// Of the automatic mode: of what it would choose.
// Refuses (BadInput): shots without receivers, a run of no step, memory modes that are none, `every` beyond what the
// wavelets' band allows; (OutOfMemory): more than the plan's device, the host or the tape's disk has free, with the mode that would fit.
[[nodiscard]] Result<GradientMemory> checkGradient(const SimulationPlan& plan, const GradientOptions& options);

// The plan in words, for a person: several lines.
[[nodiscard]] std::string describeGradient(const SimulationPlan& plan, const GradientOptions& options,
                                           const GradientMemory& memory);

// Shot after shot in launches of plan->run.shotsAtOnce; what comes out does not depend on that, to the bit, nor on the
// threads or the memory mode (of those that take steps back, to rounding). Where memory runs out in the middle it begins again
// in the next mode of options.instead, and says so. Failures as Error: what checkGradient refuses, the misfit's own, Cancelled, the device's.
// Blocks until done; any thread, one call at a time a device.
[[nodiscard]] Result<Gradient> computeGradient(const std::shared_ptr<const SimulationPlan>& plan,
                                               const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                               const GradientOptions& options, const GradientHooks& hooks = {});

} // namespace ondo
