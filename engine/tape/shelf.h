// Blocks of equal size, each in as many bits a number as wanted, on the device, in the host's memory (pinned, so that a GPU
// writes it directly) or on disk. What is written and read are numbers on the device as they are computed: blocks kept exactly
// are written and read where they lie there, others go through one more such block. Blocks that lie elsewhere pass through a
// ring of windows on the device (shelf_ring.h), beside the steps. Session's thread; all other work is queued on the wave's
// stream.
#pragma once

#include "engine/tape/shelf_ring.h"
#include "engine/tape/tape.h"

#include <cstddef>
#include <memory>

namespace ondo {

class Shelf {
public:
    // Blocks of so many numbers each; either may be 0. Where they lie elsewhere: they are read in runs of so many, each
    // rising, the last run first; so many windows are on the device, of so many blocks (0: chosen).
    struct Size {
        std::size_t blocks = 0, numbers = 0, run = 1, windows = 3, length = 0;
    };

    // Blocks that lie elsewhere are written once, one after the other from the first to the last, and then read.
    [[nodiscard]] static Result<Shelf> make(TapedWave& wave, Size size, const TapeOptions& options, const char* label);
    [[nodiscard]] static TapeBytes bytes(Size size, std::size_t numberBytes, const TapeOptions& options);
    // Of each block written once, and so many read once.
    [[nodiscard]] static TapeWork work(Size size, std::size_t numberBytes, const TapeOptions& options,
                                       std::size_t read);
    // Of a block among many.
    [[nodiscard]] static std::size_t blockBytes(std::size_t numbers, std::size_t numberBytes, Storage storage);

    // Where the numbers of a block are to be written; then wrote(block) before anything else is asked.
    [[nodiscard]] Result<void*> writing(std::size_t block);
    void wrote(std::size_t block);
    // Valid until the next call.
    [[nodiscard]] Result<const void*> reading(std::size_t block);
    // Where blocks lie one behind the other, to be written and read as they are; null: they do not.
    [[nodiscard]] std::byte* plain() const
    {
        return m_ring == nullptr && m_storage == Storage::Exact ? m_blocks.data() : nullptr;
    }
    [[nodiscard]] std::size_t blockBytes() const { return m_blockBytes; }

private:
    Shelf(TapedWave& wave, Size size, const TapeOptions& options, const char* label);

    [[nodiscard]] static ShelfRingShape shapeOf(Size size, std::size_t numberBytes, const TapeOptions& options);
    template<class T>
    [[nodiscard]] kernels::PackedValues<T> packed() const;

    const Stream* m_stream;
    std::shared_ptr<Device> m_device;
    Storage m_storage;
    Size m_size;
    std::size_t m_numberBytes, m_blockBytes;
    Buffer<std::byte> m_blocks, m_open; // all, on the device; the numbers of one that is packed
    std::unique_ptr<ShelfRing> m_ring;  // in the place of m_blocks
    std::byte* m_at = nullptr;          // the block in hand
};

} // namespace ondo
