// Blocks that lie in the host's memory or on disk, seen through a ring of windows on the device: one that is written or read
// now, the others on their way. Copies go on a stream of their own and the disk has a thread of its own, so that both go on
// beside the steps. What guards a window that is used anew:
//   - written again: the wave's stream waits until its copy to the host has ended (an event);
//   - loaded again: the copying stream waits until the wave's stream has read it for the last time (an event);
//   - the host's block that it is loaded from: this thread waits until its copy to the host has ended, for a backend reads
//     what it is given when copyToDevice() is called, not when the stream comes to it;
//   - its pinned block on the way to or from the disk: the file thread waits for the copy (an event), and the next copy is
//     not queued before the file thread is done (a task's number).
// The file thread does its tasks in order, so that nothing is read before it was written. All of it on the tape's thread,
// but for those tasks, which touch the file, one pinned block and one event.
#pragma once

#include "engine/session/task_thread.h"
#include "engine/tape/tape.h"
#include "engine/tape/tape_file.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace ondo {

struct ShelfRingShape {
    std::size_t blocks = 0, blockBytes = 0;
    std::size_t length = 1;  // blocks of a window
    std::size_t windows = 1; // of the ring
    std::size_t run = 1;     // blocks are read in runs of so many, each rising, the last run first
};

class ShelfRing {
public:
    // place: Host or Disk.
    [[nodiscard]] static Result<std::unique_ptr<ShelfRing>>
    make(TapedWave& wave, const ShelfRingShape& shape, Place place, const std::string& folder, const char* label);
    ~ShelfRing();
    ShelfRing(const ShelfRing&) = delete;
    ShelfRing& operator=(const ShelfRing&) = delete;

    // Where a block lies on the device until the next call. Written: the blocks of a window in one go; what it held is gone.
    [[nodiscard]] Result<std::byte*> writing(std::size_t block) { return at(block, true); }
    [[nodiscard]] Result<std::byte*> reading(std::size_t block) { return at(block, false); }

private:
    static constexpr std::size_t kNone = SIZE_MAX;

    struct Window {
        std::size_t index = kNone; // of the shelf's windows that it holds
        bool changed = false;      // since it was sent
        bool loading = false;      // from the disk; its copy to the device is not queued yet
        std::byte* device = nullptr;
        std::byte* pinned = nullptr; // on the way to or from the disk
        Event used, copied;          // by the wave's stream; by the copying stream
        std::uint64_t filed = 0;     // the last task with its pinned block
    };

    ShelfRing(TapedWave& wave, const ShelfRingShape& shape, Place place, const char* label);

    [[nodiscard]] Result<std::byte*> at(std::size_t block, bool written);
    // The wave's stream leaves a window; what changed in it is sent where it belongs.
    [[nodiscard]] Result<> leave(Window& window);
    [[nodiscard]] Result<> send(Window& window);
    // Begins to bring; ends bringing.
    [[nodiscard]] Result<> fetch(Window& window, std::size_t index);
    [[nodiscard]] Result<> settle(Window& window);
    [[nodiscard]] Result<> lookAhead(std::size_t block);
    [[nodiscard]] Window* find(std::size_t index);
    [[nodiscard]] Window& spare(const std::vector<std::size_t>& wanted);
    [[nodiscard]] std::size_t following(std::size_t block) const; // in the order of reading; kNone: none
    [[nodiscard]] std::size_t bytesOf(std::size_t index) const;
    [[nodiscard]] std::size_t offsetOf(std::size_t index) const { return index * m_shape.length * m_shape.blockBytes; }

    std::shared_ptr<Device> m_device;
    const Stream& m_stream;
    ShelfRingShape m_shape;
    Place m_place;
    Stream m_copies;
    Buffer<std::byte> m_blocks;
    Event m_sent;                  // the last copy to the host
    std::byte* m_pinned = nullptr; // all blocks, or the windows' on their way to the disk
    TapeFile m_file;
    std::vector<Window> m_windows;
    std::size_t m_current = 0;
    std::unique_ptr<TaskThread> m_thread; // last: its tasks use all of the above
};

} // namespace ondo
