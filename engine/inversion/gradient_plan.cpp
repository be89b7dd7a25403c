// What a gradient needs, before anything is allocated: checkGradient, describeGradient.
#include "engine/inversion/gradient_needs.h"
#include "engine/inversion/image_sampling.h"
#include "engine/inversion/launch_waves.h"
#include "engine/inversion/memory_choice.h"
#include "engine/survey/off_grid.h"
#include "engine/tape/tape_file.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo {

namespace {

constexpr double kMostFolded = 0.05; // of the image

} // namespace

LaunchBytes::LaunchBytes(const SimulationPlan& plan)
    : field(static_cast<std::size_t>(makeLayout(plan).shotStride))
    , image(static_cast<std::size_t>(compactLayout(plan).shotStride))
    , kept(KeptParts(plan, 1).numbers())
    , sourceSamples(static_cast<std::size_t>(plan.time.innerSteps()))
    , element(plan.run.precision == Precision::Float64 ? sizeof(double) : sizeof(float))
{
    for (int a = 0; a < 3; ++a) {
        memories += 2 * slabNumbers(plan, a);
    }
    for (std::size_t* numbers : {&field, &memories, &image, &kept}) {
        *numbers *= element;
    }
}

LaunchPoints::LaunchPoints(const SimulationPlan& plan)
{
    const auto& shots = plan.run.survey.shots;
    const auto together = static_cast<std::size_t>(plan.run.shotsAtOnce);
    const auto nodes = [&](const Position& p) {
        return static_cast<std::size_t>(
            pointWeightCount(plan.model.grid(), plan.run.boundary, plan.layerLow, plan.layerHigh, p));
    };
    for (std::size_t first = 0; first < shots.size(); first += together) {
        std::size_t here[4] = {};
        for (std::size_t s = first; s < std::min(first + together, shots.size()); ++s) {
            here[0] += shots[s].sources.size();
            here[1] += shots[s].receivers.size();
            for (const auto& one : shots[s].sources) {
                here[2] += nodes(one.position);
            }
            for (const auto& one : shots[s].receivers) {
                here[3] += nodes(one.position);
            }
        }
        sources = std::max(sources, here[0]);
        receivers = std::max(receivers, here[1]);
        sourceNodes = std::max(sourceNodes, here[2]);
        receiverNodes = std::max(receiverNodes, here[3]);
    }
}

std::size_t shotsTogether(const SimulationPlan& plan)
{
    return std::min<std::size_t>(static_cast<std::size_t>(plan.run.shotsAtOnce), plan.run.survey.shots.size());
}

TapeNeeds gradientNeeds(const SimulationPlan& plan, const TapeOptions& options, std::size_t shots)
{
    const LaunchBytes b(plan);
    const int steps = plan.time.innerSteps();
    return {options.tail > 0 ? std::min(options.tail, steps) : steps, b.element, shots * b.kept,
            shots * (2 * b.field + b.memories), splitSizes(plan, shots, shots * b.memories / b.element)};
}

GradientMemory gradientMemory(const SimulationPlan& plan, const GradientOptions& options, const TapeKind& kind)
{
    const LaunchBytes b(plan);
    const LaunchPoints points(plan);
    const std::size_t shots = shotsTogether(plan);
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
        const TapeNeeds needs = gradientNeeds(plan, options.tape, shots);
        const TapeBytes bytes = kind.bytes(needs, options.tape);
        m.tape = bytes.device;
        m.host = bytes.host;
        m.disk = bytes.disk;
        m.forwardRuns = kind.forwardRuns(needs, options.tape) * needs.steps / plan.time.innerSteps();
    }
    m.seconds = gradientSeconds(plan, options, kind, m);
    m.touched = m.seconds > 0.0 ? touchSeconds(plan, m) : 0.0;
    return m;
}

std::string timeOf(double seconds)
{
    return seconds >= 120.0 ? fmt::format("{:.3g} min", seconds / 60.0) : fmt::format("{:.2g} s", seconds);
}

std::string bytesOf(std::size_t bytes)
{
    return bytes >= 1'000'000'000 ? fmt::format("{:.3g} GB", static_cast<double>(bytes) / 1e9)
                                  : fmt::format("{:.3g} MB", static_cast<double>(bytes) / 1e6);
}

FreeMemory FreeMemory::of(const SimulationPlan& plan, const std::string& folder)
{
    FreeMemory free;
    free.device = plan.device.memoryFree;
    free.host = kernels::makeHostBackend(1)->facts().memoryFree + PinnedPool::idleBytes();
    free.disk = TapeFile::room(folder);
    free.onHost = plan.device.backend == "host";
    return free;
}

std::optional<Error> FreeMemory::lacks(const SimulationPlan& plan, const GradientMemory& memory, double share) const
{
    const auto most = [share](std::size_t bytes) {
        return static_cast<std::size_t>(share * static_cast<double>(bytes));
    };
    const auto refusal = [](const std::string& what, const std::string& remedy) {
        return Error{ErrorKind::OutOfMemory, what, remedy, {}};
    };
    if (memory.disk > 0 && !disk) {
        return disk.error();
    }
    if (memory.disk > 0 && memory.disk > most(*disk)) {
        return refusal(
            fmt::format("the tape on disk needs {}, and {} are free there", bytesOf(memory.disk), bytesOf(*disk)),
            "name another folder for it, or keep less of it on disk");
    }
    if (memory.host > 0 && !onHost && memory.host > most(host)) {
        return refusal(fmt::format("the tape needs {} of the host's memory, which has {} free", bytesOf(memory.host),
                                   bytesOf(host)),
                       "keep more of it on the device or on disk");
    }
    if (device > 0 && needed(memory) > most(device)) {
        return refusal(fmt::format("the gradient needs {} on {}, which has {} free", bytesOf(needed(memory)),
                                   plan.device.name, bytesOf(device)),
                       {});
    }
    return std::nullopt;
}

namespace {

// As ways are looked for.
GradientOptions exactSomewhere(GradientOptions options)
{
    options.tape.storage = Storage::Exact;
    options.tape.chunk = 0;
    options.tape.checkpoints = options.tape.hostCheckpoints = options.tape.diskCheckpoints = 0;
    return options;
}

} // namespace

Result<GradientMemory> checkGradient(const SimulationPlan& plan, const GradientOptions& options)
{
    if (options.tape.mode == kAutomaticTape) {
        return chooseMemory(plan, options).map([](const MemoryChoice& choice) { return choice.memory; });
    }
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
    const GradientMemory memory = gradientMemory(plan, options, **kind);
    if (auto lacks = FreeMemory::of(plan, options.tape.folder).lacks(plan, memory, 1.0)) {
        if (lacks->remedy.empty()) { // the device: what would fit instead
            const auto ways = memoryWays(plan, exactSomewhere(options));
            const MemoryWay* other = lesserWay(ways, plan, memory);
            lacks->remedy = other != nullptr
                                ? fmt::format("use the memory mode \"auto\", or \"{}\": {} needs {}", other->tape.mode,
                                              other->name(), bytesOf(other->memory.total()))
                                : "use fewer shots at once, a coarser grid, a shorter run or another device";
        }
        return tl::unexpected<Error>(*lacks);
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
    if (options.speed && options.tape.tail > 0) {
        s += fmt::format("tail      the last {} of {} steps are imaged, {:.3g} s\n",
                         std::min(options.tape.tail, plan.time.innerSteps()), plan.time.innerSteps(),
                         std::min(options.tape.tail, plan.time.innerSteps()) * plan.time.innerStep());
    }
    s += memory.seconds > 0.0 ? fmt::format("takes     about {}\n", timeOf(memory.seconds))
                              : std::string("takes     not known: ondo calibrate measures this device\n");
    s += fmt::format("bytes     {} forward, {} adjoint, {} tape: {}\n", bytesOf(memory.forward),
                     bytesOf(memory.adjoint), bytesOf(memory.tape), bytesOf(memory.total()));
    if (memory.host + memory.disk > 0) {
        s += fmt::format("          {} of the tape in the host's memory, {} on disk\n", bytesOf(memory.host),
                         bytesOf(memory.disk));
    }
    return s;
}

} // namespace ondo
