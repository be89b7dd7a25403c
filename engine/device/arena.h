// All memory of one device, in one place: every allocation has a label, belongs to a stream, and is counted.
//   - released blocks are kept and reused: those of one size for what comes again as it was (fields, layer memories), those
//     of power-of-two buckets for what is small or changes its size (staging, pictures); what lives long (models) goes back.
//     A reused block is zeroed when the caller asks for zeros, never by luck. When a shape is new and more lies idle than
//     is live, what lies idle is of shapes of the past and goes back too.
//   - stream-ordered: a block released on one stream is given to another only behind an event.
//   - live and peak bytes by label; a soft cap that refuses before the device does; trim() gives idle blocks back.
// Failures name the label, the bytes asked for, what is live by label, and the cap or the device's free bytes.
// Any thread. The arena must outlive its blocks (Device sees to that), and the stream of an allocation the block's release.
#pragma once

#include "engine/device/pinned_pool.h"
#include "kernels/backend.h"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace ondo {

enum class BlockSize {
    Exact,  // as asked; given back to the device
    Kept,   // as asked; kept for the next one of this size
    Bucket, // the next power of two; kept for whatever fits it
};
enum class BlockContent { Uninitialised, Zeroed };

struct ArenaUse {
    std::size_t live = 0, peak = 0;             // bytes the callers asked for
    std::size_t reserved = 0, reservedPeak = 0; // bytes taken from the device, idle blocks and rounding included
    std::size_t idle = 0;                       // of these: kept, in nobody's use
    std::size_t cap = 0;                        // 0: none
    std::uint64_t allocations = 0, reuses = 0, refusals = 0;
    std::map<std::string, std::pair<std::size_t, std::size_t>> byLabel; // live, peak
};

class DeviceArena {
public:
    explicit DeviceArena(kernels::Backend& backend)
        : m_backend(backend)
        , m_pinned(backend)
    {
    }
    ~DeviceArena();
    DeviceArena(const DeviceArena&) = delete;
    DeviceArena& operator=(const DeviceArena&) = delete;

    // What an allocation of so many bytes takes from the device.
    [[nodiscard]] static std::size_t taken(std::size_t bytes, BlockSize size);

    // Throws kernels::BackendError (OutOfMemory).
    void* allocate(std::size_t bytes, std::string_view label, BlockSize size, BlockContent content,
                   kernels::StreamHandle stream);
    void release(void* memory, kernels::StreamHandle stream) noexcept;

    void setCap(std::size_t bytes);
    void trim() noexcept; // pinned memory of the host, too
    [[nodiscard]] PinnedPool& pinned() { return m_pinned; }
    void forgetPeaks(); // peaks are those since this call
    [[nodiscard]] ArenaUse use() const;

private:
    struct Block {
        std::size_t asked = 0, taken = 0;
        std::string label;
        BlockSize size = BlockSize::Exact;
    };
    struct IdleBlock {
        void* memory = nullptr;
        kernels::StreamHandle stream = nullptr;
        kernels::EventHandle released = nullptr;
    };

    // With m_mutex held.
    void* takeIdle(std::size_t bytes, kernels::StreamHandle stream);
    void* takeFresh(std::size_t bytes, std::string_view label, kernels::StreamHandle stream);
    std::size_t releaseIdle() noexcept;
    [[nodiscard]] std::string describeLive() const;

    kernels::Backend& m_backend;
    PinnedPool m_pinned;
    mutable std::mutex m_mutex;
    std::map<void*, Block> m_live;
    std::map<std::size_t, std::vector<IdleBlock>> m_idle; // by bytes
    ArenaUse m_use;
};

} // namespace ondo
