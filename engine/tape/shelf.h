// Blocks of equal size, each in as many bits a number as wanted, on the device, in the host's memory (pinned, so that a GPU
// writes it directly) or on disk. What is written and read are numbers on the device as they are computed: blocks kept exactly
// are written and read where they lie there, others go through one more such block. Blocks that lie elsewhere pass through a
// window of several on the device, so that few large copies are made. Session's thread; all work is queued on the wave's
// stream.
#pragma once

#include "engine/tape/tape.h"
#include "engine/tape/tape_file.h"

#include <cstddef>

namespace ondo {

class Shelf {
public:
    // Blocks of so many numbers each; either may be 0. window: how many pass together where they lie elsewhere.
    struct Size {
        std::size_t blocks = 0, numbers = 0, window = 1;
    };

    // Blocks that lie elsewhere are written once, one after the other from the first to the last, and then read.
    [[nodiscard]] static Result<Shelf> make(TapedWave& wave, Size size, const TapeOptions& options, const char* label);
    [[nodiscard]] static TapeBytes bytes(Size size, std::size_t numberBytes, const TapeOptions& options);
    // Of each block written once, and so many read once.
    [[nodiscard]] static TapeWork work(Size size, std::size_t numberBytes, const TapeOptions& options,
                                       std::size_t read);
    // Of a block among many.
    [[nodiscard]] static std::size_t blockBytes(std::size_t numbers, std::size_t numberBytes, Storage storage);

    Shelf(Shelf&& other) noexcept;
    Shelf& operator=(Shelf&&) = delete;
    ~Shelf();

    // Where the numbers of a block are to be written; then wrote(block) before anything else is asked.
    [[nodiscard]] Result<void*> writing(std::size_t block);
    void wrote(std::size_t block);
    // Valid until the next call.
    [[nodiscard]] Result<const void*> reading(std::size_t block);

private:
    Shelf(TapedWave& wave, Size size, const TapeOptions& options, const char* label);

    // The window stands over the blocks [m_window * m_length, ...) from here on; what it held is put where it belongs.
    [[nodiscard]] Result<> open(std::size_t block, bool load);
    [[nodiscard]] Result<> putAway();
    [[nodiscard]] std::size_t windowBytes(std::size_t window) const;
    template<class T>
    [[nodiscard]] kernels::PackedValues<T> packed(std::size_t block) const;
    [[nodiscard]] std::byte* at(std::size_t block) const { return m_blocks.data() + block % m_length * m_blockBytes; }
    // Of a window in the host's memory.
    [[nodiscard]] std::byte* hostPlace(std::size_t window) const
    {
        return m_pinned + (m_place == Place::Disk ? 0 : window * m_length * m_blockBytes);
    }

    const Stream& m_stream;
    std::shared_ptr<Device> m_device;
    Storage m_storage;
    Place m_place;
    Size m_size;
    std::size_t m_numberBytes, m_blockBytes;
    std::size_t m_length; // blocks of the window; on the device all
    Buffer<std::byte> m_blocks, m_open;
    std::byte* m_pinned = nullptr;
    TapeFile m_file;
    std::size_t m_window = 0;
    bool m_changed = false; // the window, since it was put away
};

} // namespace ondo
