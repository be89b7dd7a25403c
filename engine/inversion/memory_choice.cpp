#include "engine/inversion/memory_choice.h"

#include "engine/inversion/gradient_needs.h"
#include "engine/tape/binomial.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo {

namespace {

// Of what is free: the arena rounds up, and other programs want some.
constexpr double kShare = 0.9;
constexpr int kManyRepeats = 8; // of a step, where states are few
// Where no speed was measured: of a forward run, for the way there and back.
constexpr double kStaged = 0.2, kFiled = 1.0;

Result<> checkAutomatic(const TapeOptions& tape)
{
    if (tape.chunk > 0) {
        return badInput(fmt::format("chunks of {} steps with the memory mode \"auto\"", tape.chunk),
                        "name the mode that they are of, or leave the length out");
    }
    if (tape.checkpoints + tape.hostCheckpoints + tape.diskCheckpoints > 0) {
        return badInput("a number of checkpoints with the memory mode \"auto\"",
                        "use the mode \"binomial\", or leave the number out");
    }
    TapeOptions any = tape;
    any.mode = tapeKinds().front().name;
    if (auto ok = findTape(any); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return {};
}

// Steps of the mode "boundary" whose layers are in hand when the run ends and need not be stepped again: as many as there is
// room for, all of them at most. 0: for no more than what needs the least memory.
int mostInHand(const SimulationPlan& plan, GradientOptions options, const TapeKind& kind, const FreeMemory& free)
{
    const auto fits = [&](int chunk) {
        options.tape.chunk = chunk;
        return !free.lacks(plan, gradientMemory(plan, options, kind), kShare);
    };
    const int all = gradientNeeds(plan, options.tape, 1).steps;
    if (fits(all)) {
        return all;
    }
    int most = all / 2; // fewer are hardly worth another way
    if (!fits(most)) {
        return 0;
    }
    for (int beyond = all; beyond - most > 1;) {
        const int middle = most + (beyond - most) / 2;
        (fits(middle) ? most : beyond) = middle;
    }
    return most;
}

// For the order of the ways.
double costOf(const MemoryWay& way)
{
    return way.memory.seconds > 0.0 ? way.memory.seconds
                                    : 1.0 + way.memory.forwardRuns + (way.memory.host > 0 ? kStaged : 0.0) +
                                          (way.memory.disk > 0 ? kFiled : 0.0);
}

std::string placesText(const GradientMemory& memory)
{
    std::string text = bytesOf(memory.total());
    text += memory.host > 0 ? fmt::format(", {} in the host's memory", bytesOf(memory.host)) : std::string();
    text += memory.disk > 0 ? fmt::format(", {} on disk", bytesOf(memory.disk)) : std::string();
    return text;
}

// Device: anywhere.
bool isAt(const MemoryWay& way, Place place)
{
    return place == Place::Device || way.tape.place == place;
}

const MemoryWay* fastest(const std::vector<MemoryWay>& ways, Place place, const FreeMemory& free, std::size_t below)
{
    const MemoryWay* best = nullptr;
    for (const auto& way : ways) {
        if (isAt(way, place) && way.lacks.empty() && free.needed(way.memory) < below &&
            (best == nullptr || costOf(way) < costOf(*best))) {
            best = &way;
        }
    }
    return best;
}

std::string reasonFor(const MemoryWay& best, const std::vector<MemoryWay>& ways, const FreeMemory& free)
{
    std::string why = fmt::format("{}: {}{}, {}", best.name(), placesText(best.memory),
                                  free.device > 0 ? fmt::format(" of {} free", bytesOf(free.device)) : std::string(),
                                  best.memory.seconds > 0.0
                                      ? "about " + timeOf(best.memory.seconds)
                                      : std::string("the least computed twice (the speed of this device is not known: "
                                                    "ondo calibrate measures it)"));
    const MemoryWay* better = nullptr;
    for (const auto& way : ways) {
        if (!way.lacks.empty() && costOf(way) < costOf(best) && (better == nullptr || costOf(way) < costOf(*better))) {
            better = &way;
        }
    }
    return why + (better != nullptr ? fmt::format("; {} would need {}", better->name(), placesText(better->memory))
                                    : std::string("; no other is faster"));
}

} // namespace

std::string MemoryWay::name() const
{
    const int states = tape.checkpoints;
    return fmt::format("{} {}{}{}", tape.mode,
                       tape.place == Place::Device ? "on the device"
                       : tape.place == Place::Host ? "in the host's memory"
                                                   : "on disk",
                       states > 0 ? fmt::format(", {} states", states) : std::string(),
                       tape.chunk > 0 ? fmt::format(", layers of {} steps", tape.chunk) : std::string());
}

std::vector<MemoryWay> memoryWays(const SimulationPlan& plan, const GradientOptions& options)
{
    const FreeMemory free = FreeMemory::of(plan, options.tape.folder);
    std::vector<MemoryWay> ways;
    const auto named = [](std::string_view name) -> const TapeKind& {
        return *std::find_if(tapeKinds().begin(), tapeKinds().end(), [&](const TapeKind& k) { return k.name == name; });
    };
    const auto add = [&](const TapeKind& kind, Place place, int states, int chunk) {
        MemoryWay way;
        way.tape = options.tape;
        way.tape.mode = kind.name;
        way.tape.chunk = chunk;
        way.tape.hostCheckpoints = way.tape.diskCheckpoints = 0;
        way.tape.checkpoints = states;
        way.tape.place = place;
        way.tape.storage = kind.stored ? options.tape.storage : Storage::Exact;
        GradientOptions one = options;
        one.tape = way.tape;
        way.memory = gradientMemory(plan, one, kind);
        way.error = tapeError(way.tape, plan.run.precision == Precision::Float64 ? sizeof(double) : sizeof(float));
        if (const auto lacks = free.lacks(plan, way.memory, kShare)) {
            way.lacks = lacks->what;
        }
        ways.push_back(std::move(way));
    };
    for (const auto& kind : tapeKinds()) {
        for (const auto& place : placeKinds()) {
            // The CPU's memory is the host's: only where it is asked for.
            if (place.place != Place::Host || !free.onHost || options.tape.place == Place::Host) {
                add(kind, place.place, 0, 0);
            }
        }
    }
    const int few = std::max(2, binomialStates(gradientNeeds(plan, options.tape, 1).steps, kManyRepeats));
    add(named("binomial"), Place::Device, few, 0);
    GradientOptions boundary = options;
    boundary.tape.mode = "boundary";
    boundary.tape.hostCheckpoints = boundary.tape.diskCheckpoints = boundary.tape.checkpoints = 0;
    boundary.tape.place = Place::Device;
    if (const int inHand = mostInHand(plan, boundary, named("boundary"), free); inHand > 0) {
        add(named("boundary"), Place::Device, 0, inHand);
    }
    return ways;
}

const MemoryWay* lesserWay(const std::vector<MemoryWay>& ways, const SimulationPlan& plan, const GradientMemory& memory)
{
    const FreeMemory free = FreeMemory::of(plan, {});
    return fastest(ways, Place::Device, free, free.needed(memory));
}

Result<MemoryChoice> chooseMemory(const SimulationPlan& plan, const GradientOptions& options)
{
    MemoryChoice out{options, {}, {}, {}};
    const std::size_t bytes = plan.run.precision == Precision::Float64 ? sizeof(double) : sizeof(float);
    if (options.tape.mode != kAutomaticTape) {
        const auto memory = checkGradient(plan, options);
        if (!memory) {
            return tl::unexpected<Error>(memory.error());
        }
        out.memory = *memory;
        out.error = tapeError(options.tape, bytes);
        return out;
    }
    if (auto ok = checkAutomatic(options.tape); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    out.options.tape.mode = tapeKinds().front().name;
    if (!options.speed) { // no tape at all
        out.options.tape.place = Place::Device;
        return chooseMemory(plan, out.options);
    }
    const auto ways = memoryWays(plan, options);
    const FreeMemory free = FreeMemory::of(plan, options.tape.folder);
    const MemoryWay* best = fastest(ways, options.tape.place, free, SIZE_MAX);
    if (best == nullptr) {
        const Place place = options.tape.place;
        const auto least = std::min_element(ways.begin(), ways.end(), [&](const MemoryWay& a, const MemoryWay& b) {
            return isAt(a, place) != isAt(b, place) ? isAt(a, place) : free.needed(a.memory) < free.needed(b.memory);
        });
        return fail(ErrorKind::OutOfMemory,
                    fmt::format("no memory mode fits: {} needs least, and {}", least->name(), least->lacks),
                    "use fewer shots at once, a coarser grid, a shorter run or another device");
    }
    out.options.tape = best->tape;
    out.why = reasonFor(*best, ways, free);
    // What is refused for other reasons than memory.
    const auto memory = checkGradient(plan, out.options);
    if (!memory) {
        return tl::unexpected<Error>(memory.error());
    }
    out.memory = *memory;
    out.error = best->error;
    for (const MemoryWay* next = best; next != nullptr;) {
        next = fastest(ways, options.tape.place, free, free.needed(next->memory));
        if (next != nullptr) {
            out.options.instead.push_back(next->tape);
        }
    }
    return out;
}

std::string describeWays(const std::vector<MemoryWay>& ways, const TapeOptions& chosen)
{
    std::string s = fmt::format("modes     {:<32} {:>10} {:>10} {:>10} {:>8} {:>9} {:>8}\n", "", "device", "host",
                                "disk", "forwards", "time", "error");
    for (const auto& way : ways) {
        const auto bytes = [](std::size_t b) { return b > 0 ? bytesOf(b) : std::string("-"); };
        s += fmt::format("        {} {:<32} {:>10} {:>10} {:>10} {:>8.2f} {:>9} {:>8}{}\n",
                         way.tape == chosen ? "*" : " ", way.name(), bytes(way.memory.total()), bytes(way.memory.host),
                         bytes(way.memory.disk), 1.0 + way.memory.forwardRuns,
                         way.memory.seconds > 0.0 ? timeOf(way.memory.seconds) : "?",
                         way.error.most > 0.0 ? fmt::format("{:.0e}", way.error.most) : "none",
                         way.lacks.empty() ? "" : "  no room");
    }
    return s;
}

} // namespace ondo
