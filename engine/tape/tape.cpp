#include "engine/tape/tape.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace ondo {

namespace {

// What the mode has no use for.
Result<> checkUse(const TapeKind& kind, const TapeOptions& options)
{
    if (options.chunk > 0 && !kind.chunked) {
        return badInput(fmt::format("chunks of {} steps in the memory mode \"{}\"", options.chunk, kind.name),
                        "leave the length out or use the mode \"chunks\", \"boundary\" or \"segments\"");
    }
    if (options.storage != Storage::Exact && !kind.stored) {
        return badInput(fmt::format("storage {} in the memory mode \"{}\", which keeps no step but the one in hand",
                                    storageName(options.storage), kind.name),
                        "leave the storage out or use another mode");
    }
    const int states = options.checkpoints + options.hostCheckpoints + options.diskCheckpoints;
    if (options.place != Place::Device && states > 0) {
        return badInput(
            fmt::format("the place \"{}\" for {} checkpoints whose places are given", placeName(options.place), states),
            "say either how many checkpoints lie where, or where all of them lie");
    }
    if (states > 0 && kind.name != "binomial") {
        return badInput(fmt::format("{} checkpoints in the memory mode \"{}\"", states, kind.name),
                        "leave them out or use the mode \"binomial\"");
    }
    return {};
}

} // namespace

void TapedWave::advance(int n, const KeptSpan& span)
{
    auto* to = static_cast<std::byte*>(span.first);
    for (int i = 0; i < span.steps; ++i) {
        const bool kept = to != nullptr && i >= span.until && (i - span.until) % span.every == 0;
        step(n + i, kept ? to : nullptr);
        to += kept ? span.stride : 0;
    }
}

Result<KeptSpan> Tape::beforeSteps(int n, int /*most*/)
{
    const auto to = beforeStep(n);
    return to ? Result<KeptSpan>(KeptSpan{1, *to, 0, 1, 0}) : tl::unexpected<Error>(to.error());
}

Result<> Tape::afterSteps(int n, int /*steps*/)
{
    return afterStep(n);
}

Result<KeptSpan> Tape::keptOfSteps(int n, int /*most*/)
{
    const auto there = kept(n);
    return there ? Result<KeptSpan>(KeptSpan{1, const_cast<void*>(*there), 0, 1, 0})
                 : tl::unexpected<Error>(there.error());
}

TapeNeeds needsOf(TapedWave& wave)
{
    TapeNeeds needs{wave.steps(), wave.numberBytes(), wave.keptBytes(), wave.stateBytes(), {}};
    if (const SplitWave* split = wave.split()) {
        needs.split = split->sizes();
    }
    return needs;
}

TapeWork& TapeWork::operator+=(const TapeWork& other)
{
    again += other.again;
    kept += other.kept;
    shellNodes += other.shellNodes;
    rewound += other.rewound;
    gathered += other.gathered;
    packed += other.packed;
    copied += other.copied;
    staged += other.staged;
    filed += other.filed;
    return *this;
}

const std::vector<TapeKind>& tapeKinds()
{
    static const std::vector<TapeKind> kKinds = {fullTape(), chunkTape(), boundaryTape(), segmentTape(),
                                                 binomialTape()};
    return kKinds;
}

Result<const TapeKind*> findTape(const TapeOptions& options)
{
    if (options.every < 1) {
        return badInput(fmt::format("imaging every {} steps", options.every), "give 1 or more");
    }
    if (options.chunk < 0) {
        return badInput(fmt::format("chunks of {} steps", options.chunk),
                        "give 1 or more, or 0 to have the length chosen");
    }
    for (const int states : {options.checkpoints, options.hostCheckpoints, options.diskCheckpoints}) {
        if (states < 0) {
            return badInput(fmt::format("{} checkpoints", states), "give 0 or more");
        }
    }
    if (options.tail < 0) {
        return badInput(fmt::format("the last {} steps", options.tail), "give 1 or more, or 0 for all");
    }
    std::string names(kAutomaticTape);
    for (const auto& kind : tapeKinds()) {
        if (kind.name == options.mode) {
            if (auto ok = checkUse(kind, options); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
            return &kind;
        }
        names += ", " + std::string(kind.name);
    }
    return badInput(fmt::format("\"{}\" is no memory mode", options.mode), "use one of: " + names);
}

const std::vector<StorageKind>& storageKinds()
{
    // Held by the gradient matrix of engine/selftest.
    static const std::vector<StorageKind> kKinds = {
        {"exact", Storage::Exact, 0.0, {}},
        {"float32", Storage::Float32, 1e-6,
         "24 significant bits; in boundary mode the rounding of the steps taken back, too"},
        {"bfloat16", Storage::BFloat16, 2e-3, "8 significant bits: half a last place is 2e-3"},
        {"float16", Storage::Float16, 3e-4, "11 significant bits: half a last place is 2.4e-4"},
        {"int8", Storage::Int8, 6e-3, "a 127th of the largest of 256 numbers"}};
    return kKinds;
}

const std::vector<PlaceKind>& placeKinds()
{
    static const std::vector<PlaceKind> kKinds = {
        {"device", Place::Device}, {"host", Place::Host}, {"disk", Place::Disk}};
    return kKinds;
}

// Steps taken back in single precision err by the last place of p, of which W, a second derivative, has some 40: that averages
// out over the image, unless the residuals are noise that the grid does not resolve either (5e-6, were they random).
TapeError tapeError(const TapeOptions& options, std::size_t numberBytes)
{
    const auto& kinds = storageKinds();
    const auto kind =
        std::find_if(kinds.begin(), kinds.end(), [&](const StorageKind& k) { return k.storage == options.storage; });
    if (kind != kinds.end() && kind->error > 0.0) {
        return {kind->error, kind->reason};
    }
    const auto mode = findTape(options);
    if (mode && (*mode)->rewinds) {
        return {numberBytes == sizeof(double) ? 1e-12 : 1e-6, "the rounding of the steps taken back"};
    }
    return {0.0, "the same operations on the same numbers: bit for bit"};
}

std::string_view storageName(Storage storage)
{
    const auto& kinds = storageKinds();
    return std::find_if(kinds.begin(), kinds.end(), [storage](const StorageKind& k) { return k.storage == storage; })
        ->name;
}

std::string_view placeName(Place place)
{
    const auto& kinds = placeKinds();
    return std::find_if(kinds.begin(), kinds.end(), [place](const PlaceKind& k) { return k.place == place; })->name;
}

namespace {

// The row of a table by that name.
template<class Kind>
Result<const Kind*> byName(const std::vector<Kind>& kinds, std::string_view name, const char* isNone)
{
    std::string names;
    for (const Kind& kind : kinds) {
        if (kind.name == name) {
            return &kind;
        }
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    }
    return badInput(fmt::format("\"{}\" is no {}", name, isNone), "use one of: " + names);
}

} // namespace

Result<Storage> findStorage(std::string_view name)
{
    return byName(storageKinds(), name, "way to store").map([](const StorageKind* kind) { return kind->storage; });
}

Result<Place> findPlace(std::string_view name)
{
    return byName(placeKinds(), name, "place for a tape").map([](const PlaceKind* kind) { return kind->place; });
}

TapeOptions exactly(TapeOptions options)
{
    options.storage = Storage::Exact;
    return options;
}

TapeOptions onDevice(TapeOptions options)
{
    options.place = Place::Device;
    return options;
}

} // namespace ondo
