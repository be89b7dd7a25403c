// What a gradient remembers of the forward run: at each step W(n) (kernels/equations/scalar_adjoint.h), or what it takes to
// compute it once more. A tape knows no equation, only blocks of numbers on the device. Another way to remember is another
// class and a row in tapeKinds(). All that keep numbers as they were computed give the same W(n) to the bit, but for the one
// that runs the interior backwards, which gives it to rounding. Session's thread; failures of the device throw BackendError.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"
#include "kernels/common/tape_ops.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ondo {

using kernels::Storage;

// In the place of a mode's name: the planner takes the fastest one that fits (engine/inversion/memory_choice.h). No tape has
// it.
inline constexpr std::string_view kAutomaticTape = "auto";

// Where what is kept of the whole run lies.
enum class Place { Device, Host, Disk };

// Numbers of one launch, all its shots, that a wave in two parts keeps. Inside: nodes of the interior, beside the layers;
// outside: the same beyond its edge.
struct SplitSizes {
    std::size_t rim = 0;        // inside, as deep as a stencil reaches
    std::size_t edge = 0;       // outside, as deep
    std::size_t shell = 0;      // nodes of the layers and the reach of their stencils
    std::size_t shellKept = 0;  // what imaging needs of a step there
    std::size_t shellState = 0; // fields and memories there
    std::size_t fields = 0;     // of two fields of its own, in which the shell is stepped again
};

// A wave whose interior can run backwards, for there nothing is lost; the layers cannot, and are stepped again apart.
class SplitWave {
public:
    virtual ~SplitWave() = default;
    [[nodiscard]] virtual SplitSizes sizes() const = 0;
    // During the forward run, before step n.
    virtual void saveRim(void* to) = 0;   // p(n)
    virtual void saveShell(void* to) = 0; // p(n), p(n - 1), memories
    // After a step of the run, or of the shell, that left what is kept of it at `whole`: that of the shell (`kept` may be null),
    // and p(n) of the edge.
    virtual void keepShell(bool ofShell, const void* whole, void* kept, void* edge) = 0;
    // After the forward run: the layers alone, in fields of their own.
    virtual void restoreShell(const void* from) = 0;
    virtual void stepShell(int n, const void* rim, void* whole) = 0; // p(n) -> p(n + 1); W(n) there to `whole`, or null
    // The run's fields hold p(n + 1) and p(n), at first those of its end; then p(n) and p(n - 1) of the interior. W(n) of the
    // interior goes to `to`, that of the shell too, as it was kept; null: neither is wanted.
    virtual void rewind(int n, const void* edge, const void* shell, void* to) = 0;
    // Can the adjoint's step take the interior's back under itself (Backend::rewind)? Then W(n) of the interior is never stored:
    // layForRewind() does what comes before that step, with W(n) of the shell in its place at `to`.
    [[nodiscard]] virtual bool rewindsWithin() const { return false; }
    virtual void layForRewind(const void* /*edge*/, const void* /*shell*/, void* /*to*/) {}
};

// Steps one behind the other that can be done in one call, and where those that are kept leave W(n) on the device, or have it:
// every `every`-th after the first `until`, each `stride` bytes on from the one before it in the order of the steps.
struct KeptSpan {
    int steps = 1;
    void* first = nullptr; // null: none is kept
    std::ptrdiff_t stride = 0;
    int every = 1, until = 0;
    // Forwards: W(n) is wanted of the layers alone. Backwards, of one step: it is there of the layers alone, and the step takes
    // that of the run back in the interior.
    bool ofShell = false;
};

// The forward run of one launch as a tape sees it. All work is queued on its stream.
class TapedWave {
public:
    virtual ~TapedWave() = default;
    [[nodiscard]] virtual int steps() const = 0;               // of the whole run
    [[nodiscard]] virtual std::size_t numberBytes() const = 0; // of a number: 4 or 8
    [[nodiscard]] virtual std::size_t keptBytes() const = 0;   // of one W(n), all shots of the launch
    [[nodiscard]] virtual std::size_t stateBytes() const = 0;  // fields and memories
    virtual void step(int n, void* kept) = 0; // p(n) -> p(n+1); sources, no receivers; W(n) to `kept`, or null
    // span.steps steps from n on. One by one, unless the wave knows better.
    virtual void advance(int n, const KeptSpan& span);
    virtual void save(void* to) = 0; // the state to the device
    virtual void restore(const void* from) = 0;
    [[nodiscard]] virtual SplitWave* split() { return nullptr; } // null: it has no such parts
    [[nodiscard]] virtual const std::shared_ptr<Device>& device() const = 0;
    [[nodiscard]] virtual const Stream& stream() const = 0;
};

struct TapeOptions {
    std::string mode = "full"; // a name of tapeKinds()
    int every = 1;             // W(n) of every so many steps, each standing for all of them
    int chunk = 0; // "chunks", "boundary", "segments": steps between checkpoints; 0: what needs the least memory
    int tail = 0;  // W(n) of the last so many steps alone; 0: of all. A wave of so many steps to the tape (PartWave)
    Storage storage = Storage::Exact; // of what is kept step by step; checkpoints are always exact
    // "binomial": states on the device, in the host's memory, on disk; all 0: at `place`, so that no step is done more than
    // four times.
    int checkpoints = 0, hostCheckpoints = 0, diskCheckpoints = 0;
    Place place = Place::Device; // of what is kept of the whole run
    std::string folder;          // of files on disk; empty: the system's for temporary files
    bool operator==(const TapeOptions&) const = default;
};

// Steps of the run forwards, then W(n) in any falling order of n.
class Tape {
public:
    virtual ~Tape() = default;
    // Where the step is to leave its W(n), on the device; null: it is not needed.
    [[nodiscard]] virtual Result<void*> beforeStep(int n) = 0;
    [[nodiscard]] virtual Result<> afterStep(int n) = 0;
    // On the device, valid until the next call; null: not one of every so many. May step the wave.
    [[nodiscard]] virtual Result<const void*> kept(int n) = 0;

    // The same of several steps, at most `most` of them: n, n + 1, ... forwards, n, n - 1, ... backwards. One, unless what they
    // keep lies as a KeptSpan says.
    [[nodiscard]] virtual Result<KeptSpan> beforeSteps(int n, int most);
    [[nodiscard]] virtual Result<> afterSteps(int n, int steps);
    [[nodiscard]] virtual Result<KeptSpan> keptOfSteps(int n, int most);
};

// Sizes that decide what a tape holds.
struct TapeNeeds {
    int steps = 0;
    std::size_t numberBytes = 4, keptBytes = 0, stateBytes = 0;
    SplitSizes split; // numbers
};
[[nodiscard]] TapeNeeds needsOf(TapedWave& wave);

struct TapeBytes {
    std::size_t device = 0, host = 0, disk = 0;

    TapeBytes& operator+=(const TapeBytes& other)
    {
        device += other.device;
        host += other.host;
        disk += other.disk;
        return *this;
    }
};

// What a tape does of a whole run, beside the run forwards and the imaging: what its time depends on.
struct TapeWork {
    double again = 0.0;      // steps of the whole wave done once more
    double kept = 0.0;       // W(n) of the whole wave
    double shellNodes = 0.0; // nodes of the layers stepped apart, times steps; their W and edge with them
    double rewound = 0.0;    // steps of the interior taken back
    double gathered = 0.0;   // numbers to blocks or back, beside those of shellNodes
    double packed = 0.0;     // numbers to fewer bits or back
    double copied = 0.0;     // bytes within the device
    double staged = 0.0;     // bytes between device and host: on their way to the disk, too
    double filed = 0.0;      // bytes to the disk and back

    TapeWork& operator+=(const TapeWork& other);
};

struct TapeKind {
    std::string_view name;
    std::string_view summary; // what it keeps and what it costs, for a person
    bool stored = false;      // step by step: TapeOptions::storage means something
    bool chunked = false;     // TapeOptions::chunk does
    bool rewinds = false;     // takes steps back: W(n) to rounding
    bool spans = false;       // of numbers kept exactly on the device: steps go out many a call, both ways (KeptSpan)
    TapeBytes (*bytes)(const TapeNeeds& needs, const TapeOptions& options);
    double (*forwardRuns)(const TapeNeeds& needs, const TapeOptions& options); // beyond the first one
    TapeWork (*work)(const TapeNeeds& needs, const TapeOptions& options);
    Result<std::unique_ptr<Tape>> (*make)(TapedWave& wave, const TapeOptions& options);
};

[[nodiscard]] const std::vector<TapeKind>& tapeKinds();
// Refuses (BadInput) a mode that is none, numbers below their least, and what the mode has no use for.
[[nodiscard]] Result<const TapeKind*> findTape(const TapeOptions& options);

struct StorageKind {
    std::string_view name;
    Storage storage = Storage::Exact;
    double error = 0.0; // of a gradient's norm, at most; 0: none beyond the mode's own
    std::string_view reason;
};
[[nodiscard]] const std::vector<StorageKind>& storageKinds();
[[nodiscard]] std::string_view storageName(Storage storage);
[[nodiscard]] Result<Storage> findStorage(std::string_view name);

struct PlaceKind {
    std::string_view name;
    Place place = Place::Device;
};
[[nodiscard]] const std::vector<PlaceKind>& placeKinds();
[[nodiscard]] std::string_view placeName(Place place);
[[nodiscard]] Result<Place> findPlace(std::string_view name);

// The same options with what is kept as it was computed, or on the device whatever they say.
[[nodiscard]] TapeOptions exactly(TapeOptions options);
[[nodiscard]] TapeOptions onDevice(TapeOptions options);

// How far a gradient may be from that of the full tape that keeps its numbers exactly, of its norm, and why.
struct TapeError {
    double most = 0.0;
    std::string_view reason;
};
[[nodiscard]] TapeError tapeError(const TapeOptions& options, std::size_t numberBytes);

// The kinds, one file each.
[[nodiscard]] TapeKind fullTape();
[[nodiscard]] TapeKind chunkTape();
[[nodiscard]] TapeKind boundaryTape();
[[nodiscard]] TapeKind segmentTape();
[[nodiscard]] TapeKind binomialTape();

} // namespace ondo
