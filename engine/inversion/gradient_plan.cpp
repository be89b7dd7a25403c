// What a gradient needs, before anything is allocated: checkGradient, describeGradient.
#include "engine/inversion/gradient.h"
#include "engine/inversion/image_sampling.h"
#include "engine/inversion/launch_waves.h"
#include "engine/survey/off_grid.h"
#include "engine/tape/tape_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo {

namespace {

constexpr double kMostFolded = 0.05; // of the image

struct LaunchBytes {
    std::size_t field = 0, memories = 0, image = 0, kept = 0; // of one shot
    std::size_t sourceSamples = 0;                            // of one source: steps
    std::size_t element = 4;
};

LaunchBytes bytesOf(const SimulationPlan& plan)
{
    LaunchBytes b;
    b.element = plan.run.precision == Precision::Float64 ? sizeof(double) : sizeof(float);
    b.field = static_cast<std::size_t>(makeLayout(plan).shotStride) * b.element;
    b.image = static_cast<std::size_t>(compactLayout(plan).shotStride) * b.element;
    b.kept = KeptParts(plan, 1).numbers() * b.element;
    for (int a = 0; a < 3; ++a) {
        b.memories += 2 * slabNumbers(plan, a) * b.element;
    }
    b.sourceSamples = static_cast<std::size_t>(plan.time.innerSteps());
    return b;
}

// Points of the launch that has most of them.
struct LaunchPoints {
    std::size_t sources = 0, receivers = 0, sourceNodes = 0, receiverNodes = 0;
};

LaunchPoints mostPoints(const SimulationPlan& plan)
{
    LaunchPoints most;
    const auto& shots = plan.run.survey.shots;
    const auto together = static_cast<std::size_t>(plan.run.shotsAtOnce);
    const auto nodes = [&](const Position& p) {
        return static_cast<std::size_t>(
            pointWeightCount(plan.model.grid(), plan.run.boundary, plan.layerLow, plan.layerHigh, p));
    };
    for (std::size_t first = 0; first < shots.size(); first += together) {
        LaunchPoints here;
        for (std::size_t s = first; s < std::min(first + together, shots.size()); ++s) {
            here.sources += shots[s].sources.size();
            here.receivers += shots[s].receivers.size();
            for (const auto& one : shots[s].sources) {
                here.sourceNodes += nodes(one.position);
            }
            for (const auto& one : shots[s].receivers) {
                here.receiverNodes += nodes(one.position);
            }
        }
        most.sources = std::max(most.sources, here.sources);
        most.receivers = std::max(most.receivers, here.receivers);
        most.sourceNodes = std::max(most.sourceNodes, here.sourceNodes);
        most.receiverNodes = std::max(most.receiverNodes, here.receiverNodes);
    }
    return most;
}

GradientMemory memoryOf(const SimulationPlan& plan, const GradientOptions& options, const TapeKind& tape)
{
    const LaunchBytes b = bytesOf(plan);
    const LaunchPoints points = mostPoints(plan);
    const auto shots =
        std::min<std::size_t>(static_cast<std::size_t>(plan.run.shotsAtOnce), plan.run.survey.shots.size());
    const auto rank = static_cast<std::size_t>(plan.model.grid().rank);
    const auto samples = static_cast<std::size_t>(plan.time.count);
    const std::size_t entry = sizeof(std::int64_t) + b.element; // of a point's node
    GradientMemory m;
    m.forward = plan.deviceBytes + points.sourceNodes * (entry + sizeof(std::int64_t) + sizeof(int));
    if (options.receiverPositions) {
        m.forward += rank * (points.receiverNodes * entry + points.receivers * samples * b.element);
    }
    m.adjoint = shots * (2 * b.field + b.memories) + points.receivers * samples * b.element +
                points.receiverNodes * (entry + sizeof(std::int64_t) + sizeof(int)) +
                points.sources * b.sourceSamples * b.element * (1 + (options.sourcePositions ? rank : 0));
    if (options.speed) {
        m.adjoint += shots * b.image;
        if (plan.variableDensity()) {
            // Another image, and that of the sources: a number a node, and their lists.
            m.adjoint +=
                shots * b.image + points.sourceNodes * (entry + b.element + sizeof(std::int64_t) + sizeof(int));
        }
        const TapeNeeds needs{plan.time.innerSteps(), b.element, shots * b.kept, shots * (2 * b.field + b.memories),
                              splitSizes(plan, shots, shots * b.memories / b.element)};
        const TapeBytes bytes = tape.bytes(needs, options.tape);
        m.tape = bytes.device;
        m.host = bytes.host;
        m.disk = bytes.disk;
        m.forwardRuns = tape.forwardRuns(needs, options.tape);
    }
    return m;
}

std::string bytesText(std::size_t bytes)
{
    return bytes >= 1'000'000'000 ? fmt::format("{:.3g} GB", static_cast<double>(bytes) / 1e9)
                                  : fmt::format("{:.3g} MB", static_cast<double>(bytes) / 1e6);
}

// Of the device's memory. The CPU's is the host's.
std::size_t needed(const SimulationPlan& plan, const GradientMemory& m)
{
    return m.total() + (plan.device.backend == "host" ? m.host : 0);
}

// What would fit instead, for the sentence that refuses.
std::string remedyFor(const SimulationPlan& plan, const GradientOptions& options)
{
    for (const auto& kind : tapeKinds()) {
        GradientOptions other = options;
        other.tape = TapeOptions{};
        other.tape.mode = kind.name;
        other.tape.every = options.tape.every;
        const GradientMemory m = memoryOf(plan, other, kind);
        if (needed(plan, m) <= plan.device.memoryFree) {
            return fmt::format("use the memory mode \"{}\", which needs {}", kind.name, bytesText(m.total()));
        }
    }
    return "use fewer shots at once, a coarser grid, a shorter run or another device";
}

} // namespace

Result<GradientMemory> checkGradient(const SimulationPlan& plan, const GradientOptions& options)
{
    const auto kind = findTape(options.tape);
    if (!kind) {
        return tl::unexpected<Error>(kind.error());
    }
    if (!plan.variableDensity() && options.parameters == ModelParameters::SpeedImpedance) {
        return badInput("a gradient by impedance for the equation \"acoustic\", which has no density",
                        "set equation = \"variable-density\" and a density, or leave the parameters out");
    }
    const auto& shots = plan.run.survey.shots;
    for (std::size_t s = 0; s < shots.size(); ++s) {
        if (shots[s].receivers.empty()) {
            return badInput(fmt::format("shot {} has no receivers, so its misfit depends on nothing", s + 1),
                            "add receivers to it or leave the shot out");
        }
    }
    if (plan.time.innerSteps() < 1) {
        return badInput(fmt::format("a run of {} samples has no step to differentiate", plan.time.count),
                        "lengthen the run");
    }
    if (options.speed && options.tape.every > 1) {
        const double folded = foldedShare(plan, options.tape.every);
        if (folded > kMostFolded) {
            int good = options.tape.every - 1;
            while (good > 1 && foldedShare(plan, good) > kMostFolded) {
                --good;
            }
            return badInput(
                fmt::format("imaging every {} steps of {:.3g} ms folds {:.2g} of the image onto it", options.tape.every,
                            plan.time.innerStep() * 1e3, folded),
                fmt::format("image every {} or more often", good == 1 ? "step" : fmt::format("{} steps", good)));
        }
    }
    const GradientMemory memory = memoryOf(plan, options, **kind);
    if (memory.disk > 0) {
        const auto room = TapeFile::room(options.tape.folder);
        if (!room) {
            return tl::unexpected<Error>(room.error());
        }
        if (memory.disk > *room) {
            return fail(ErrorKind::OutOfMemory,
                        fmt::format("the checkpoints on disk need {}, and {} are free there", bytesText(memory.disk),
                                    bytesText(*room)),
                        "name another folder for them, or keep fewer of them on disk");
        }
    }
    if (memory.host > 0 && plan.device.backend != "host") {
        const std::size_t free = kernels::makeHostBackend(1)->facts().memoryFree;
        if (memory.host > free) {
            return fail(ErrorKind::OutOfMemory,
                        fmt::format("the tape needs {} of the host's memory, which has {} free", bytesText(memory.host),
                                    bytesText(free)),
                        "keep more of it on the device or on disk");
        }
    }
    if (plan.device.memoryFree > 0 && needed(plan, memory) > plan.device.memoryFree) {
        return fail(ErrorKind::OutOfMemory,
                    fmt::format("the gradient needs {} on {}, which has {} free", bytesText(needed(plan, memory)),
                                plan.device.name, bytesText(plan.device.memoryFree)),
                    remedyFor(plan, options));
    }
    return memory;
}

std::string describeGradient(const SimulationPlan& plan, const GradientOptions& options, const GradientMemory& memory)
{
    const bool impedance = options.parameters == ModelParameters::SpeedImpedance;
    const char* const model = !plan.variableDensity() ? "speed, "
                              : impedance             ? "speed, impedance, "
                                                      : "speed, density, ";
    std::string s = fmt::format("gradient  of {}wavelets{}{}\n", options.speed ? model : "",
                                options.sourcePositions ? ", source positions" : "",
                                options.receiverPositions ? ", receiver positions" : "");
    s += fmt::format("equation  {} refuses {}\n", equationKind(plan.run.equation).name,
                     equationKind(plan.run.equation).refuses);
    if (options.speed) {
        s += fmt::format(
            "memory    mode {}{}, imaged every {}; forward computed {:.2f} times\n", options.tape.mode,
            options.tape.storage == Storage::Exact ? std::string()
                                                   : fmt::format(" stored as {}", storageName(options.tape.storage)),
            options.tape.every == 1 ? "step" : fmt::format("{} steps", options.tape.every), 1.0 + memory.forwardRuns);
        if (options.tape.every > 1) {
            s += fmt::format("error     at most {:.2g} of the image, folded onto it by imaging every {} steps\n",
                             foldedShare(plan, options.tape.every), options.tape.every);
        }
    }
    s += fmt::format("bytes     {} forward, {} adjoint, {} tape: {}\n", bytesText(memory.forward),
                     bytesText(memory.adjoint), bytesText(memory.tape), bytesText(memory.total()));
    if (memory.host + memory.disk > 0) {
        s += fmt::format("          {} of the tape in the host's memory, {} on disk\n", bytesText(memory.host),
                         bytesText(memory.disk));
    }
    return s;
}

} // namespace ondo
