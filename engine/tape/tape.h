// What a gradient remembers of the forward run: at each step W(n) (kernels/equations/scalar_adjoint.h), or what it takes to
// compute it once more. A tape knows no equation, only blocks of bytes on the device. Another way to remember is another
// class and a row in tapeKinds(): boundaries, host and disk tiers, fewer bits. All must give the same W(n) to the bit, or
// say how far from it they are. Session's thread; failures throw BackendError.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ondo {

// The forward run of one launch as a tape sees it. All work is queued on its stream.
class TapedWave {
public:
    virtual ~TapedWave() = default;
    [[nodiscard]] virtual int steps() const = 0;              // of the whole run
    [[nodiscard]] virtual std::size_t keptBytes() const = 0;  // of one W(n), all shots of the launch
    [[nodiscard]] virtual std::size_t stateBytes() const = 0; // fields and memories
    virtual void step(int n) = 0;                             // p(n) -> p(n+1); sources, no receivers
    virtual void keep(int n, void* to) = 0;                   // W(n), of the step just done, to the device
    virtual void save(void* to) = 0;                          // the state to the device
    virtual void restore(const void* from) = 0;
    [[nodiscard]] virtual const std::shared_ptr<Device>& device() const = 0;
    [[nodiscard]] virtual const Stream& stream() const = 0;
};

struct TapeOptions {
    std::string mode = "full"; // a name of tapeKinds()
    int every = 1;             // W(n) of every so many steps, each standing for all of them
    int chunk = 0;             // "chunks": steps between checkpoints; 0: what needs the least memory
    bool operator==(const TapeOptions&) const = default;
};

// Steps of the run forwards, then W(n) in any falling order of n.
class Tape {
public:
    virtual ~Tape() = default;
    virtual void beforeStep(int n) = 0;
    virtual void afterStep(int n) = 0;
    // On the device, valid until the next call; null: not one of every so many. May step the wave.
    [[nodiscard]] virtual const void* kept(int n) = 0;
};

// Sizes that decide what a tape holds.
struct TapeNeeds {
    int steps = 0;
    std::size_t keptBytes = 0, stateBytes = 0;
};

struct TapeKind {
    std::string_view name;
    std::string_view summary; // what it keeps and what it costs, for a person
    std::size_t (*bytes)(const TapeNeeds& needs, const TapeOptions& options);  // on the device
    double (*forwardRuns)(const TapeNeeds& needs, const TapeOptions& options); // beyond the first one
    std::unique_ptr<Tape> (*make)(TapedWave& wave, const TapeOptions& options);
};

[[nodiscard]] const std::vector<TapeKind>& tapeKinds();
// Refuses (BadInput) a mode that is none, and numbers below their least.
[[nodiscard]] Result<const TapeKind*> findTape(const TapeOptions& options);

// The kinds, one file each.
[[nodiscard]] TapeKind fullTape();
[[nodiscard]] TapeKind chunkTape();

} // namespace ondo
