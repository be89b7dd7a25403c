// Seconds of a gradient, from what calibration measured of its parts.
#include "engine/inversion/gradient_needs.h"
#include "engine/session/device_speed.h"

#include <algorithm>

namespace ondo {

namespace {

using Part = GradientSpeed::Part;

// Parts of steps that go out by themselves, or many a call.
struct Pace {
    Part step, keep, back, image;
};
constexpr Pace kOneByOne{Part::Step, Part::Keep, Part::Back, Part::Image};
constexpr Pace kManyACall{Part::StepOfMany, Part::KeepOfMany, Part::BackOfMany, Part::ImageOfMany};

Pace paceOf(const GradientOptions& options, const TapeKind& kind, std::size_t numberBytes)
{
    const Storage storage = options.tape.storage;
    const bool exact = storage == Storage::Exact || (storage == Storage::Float32 && numberBytes == sizeof(float));
    // What is kept step by step of the mode "chunks" lies on the device wherever its checkpoints do.
    const bool here = options.tape.place == Place::Device || kind.chunked;
    return !options.speed || (kind.spans && exact && here && options.tape.tail == 0) ? kManyACall : kOneByOne;
}

// What a tape does of a launch, less what goes on beside it.
struct TapeSeconds {
    double computed = 0.0, beside = 0.0;
};

TapeSeconds tapeSeconds(const TapeWork& work, const LaunchWork& launch, const GradientSpeed& parts, Pace pace,
                        const StagingCost& staging, Storage storage, bool cached)
{
    const bool scaled = storage == Storage::Float16 || storage == Storage::Int8;
    TapeSeconds s;
    s.computed = work.again * parts.seconds(pace.step, launch) + work.kept * parts.seconds(pace.keep, launch) +
                 work.shellNodes * parts.seconds(Part::Shell, launch) +
                 work.rewound * parts.seconds(Part::Rewind, launch) + work.gathered * staging.gathered +
                 work.packed * (scaled ? staging.packedScaled : staging.packed) + work.copied * staging.copied;
    s.beside = std::max(work.staged * staging.staged, work.filed * (cached ? staging.filedCached : staging.filed));
    return s;
}

} // namespace

double touchSeconds(const SimulationPlan& plan, const GradientMemory& memory)
{
    constexpr double kFieldsBytes = 8.0; // a node of CallCost::fieldPoint
    return plan.speed == nullptr
               ? 0.0
               : static_cast<double>(memory.adjoint + memory.tape) * plan.speed->call.fieldPoint / kFieldsBytes;
}

double gradientSeconds(const SimulationPlan& plan, const GradientOptions& options, const TapeKind& kind,
                       const GradientMemory& memory)
{
    constexpr double kCached =
        0.1; // of free memory: what the system's page cache takes before writers wait for the disk
    if (plan.speed == nullptr) {
        return 0.0;
    }
    const DeviceSpeed& speed = *plan.speed;
    const GradientSpeed& parts = speed.rank[plan.model.grid().rank - 2].gradient;
    if (parts.empty()) {
        return 0.0;
    }
    const FreeMemory free = FreeMemory::of(plan, {});
    const bool cached = static_cast<double>(memory.disk) < kCached * static_cast<double>(free.host);
    const PlanWork work = workOf(plan);
    const Pace pace = paceOf(options, kind, plan.run.precision == Precision::Float64 ? sizeof(double) : sizeof(float));
    double seconds = speed.callSeconds(work);
    seconds += touchSeconds(plan, memory);
    for (const LaunchWork& launch : work.launches) {
        const auto steps = static_cast<double>(launch.steps);
        const double samples = steps / launch.ratio;
        // Receivers record and send back; sources add, and are recorded on the way back.
        double one =
            steps * (parts.seconds(pace.step, launch) + parts.seconds(pace.back, launch)) +
            samples * speed.recordSeconds(launch, launch.receiverNodes) +
            speed.rank[launch.rank - 2].sourceNode * (steps * launch.sourceNodes + samples * launch.receiverNodes) +
            steps * speed.recordSeconds(launch, launch.sourceNodes);
        one += launch.points * speed.staging.gradientPoint;
        if (options.speed) {
            const TapeNeeds needs = gradientNeeds(plan, options.tape, static_cast<std::size_t>(launch.shots));
            one += static_cast<double>(needs.steps) / options.tape.every * parts.seconds(pace.image, launch);
            const TapeSeconds tape = tapeSeconds(kind.work(needs, options.tape), launch, parts, pace, speed.staging,
                                                 options.tape.storage, cached);
            // Between memory and memory the CPU copies itself; states of few checkpoints are waited for.
            const bool beside = kind.stored && (!free.onHost || options.tape.place == Place::Disk);
            one = beside ? std::max(one + tape.computed, tape.beside) : one + tape.computed + tape.beside;
        }
        seconds += one;
    }
    return seconds;
}

} // namespace ondo
