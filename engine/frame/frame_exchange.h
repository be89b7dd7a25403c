// Pictures from the session's thread to the display's: three slots, the newest wins, neither side waits.
// A slot's pixels lie on the device (Direct: a CUDA kernel writes them into a GL texture, nothing crosses to the host)
// or in pinned host memory (Host: an ordinary texture upload).
// One producer (the session), one consumer (the display thread).
#pragma once

#include "engine/frame/picture.h"
#include "kernels/backend.h"

#include <cstdint>
#include <mutex>

namespace ondo {

enum class FrameTransport { Host, Direct };

struct PaintedFrame {
    FrameTransport transport = FrameTransport::Host;
    const std::uint32_t* pixels = nullptr; // device memory (Direct) or host memory (Host); no padding, top row first
    PictureFrame shows;                    // what was on the screen when it was asked for; by now that may be another
    kernels::EventHandle ready = nullptr;  // Direct: what the display must wait on, on the device
    std::int64_t step = 0;
    double time = 0.0;        // s
    double clip = 0.0;        // Pa
    std::uint64_t number = 0; // pictures published before this one
};

class FrameExchange {
public:
    static constexpr int kSlots = 3;

    // Producer: a slot that nobody reads, or -1. Publish makes it the newest; an older unread one becomes free.
    [[nodiscard]] int beginWrite();
    void publish(int slot, const PaintedFrame& frame);
    void abandon(int slot);

    // Consumer: the newest unread slot, or -1; it stays valid until endRead.
    [[nodiscard]] int beginRead(PaintedFrame& frame);
    void endRead(int slot);

    // Is there an unread picture?
    [[nodiscard]] bool unread() const;
    [[nodiscard]] std::uint64_t published() const;
    [[nodiscard]] std::uint64_t dropped() const; // overwritten unread, or no slot free
    // Forgets unread pictures. Returns only when no slot is being read; afterwards slot memory may be freed.
    void drain();

private:
    enum class State { Free, Writing, Ready, Reading };
    mutable std::mutex m_mutex;
    State m_state[kSlots] = {State::Free, State::Free, State::Free};
    PaintedFrame m_frame[kSlots];
    int m_newest = -1;
    std::uint64_t m_published = 0, m_dropped = 0;
};

} // namespace ondo
