// Blocks of equal size on the device, each in as many bits a number as wanted. What is written and read are numbers as they
// are computed: blocks kept exactly are written and read where they lie, others go through one more such block.
#pragma once

#include "engine/tape/tape.h"

#include <cstddef>

namespace ondo {

class Shelf {
public:
    // numbers: of a block; may be 0.
    Shelf(TapedWave& wave, std::size_t blocks, std::size_t numbers, Storage storage, const char* label);

    [[nodiscard]] static std::size_t bytes(std::size_t blocks, std::size_t numbers, std::size_t numberBytes,
                                           Storage storage);

    // Where the numbers of a block are to be written; then wrote(block) before anything else is asked.
    [[nodiscard]] void* writing(std::size_t block) const;
    void wrote(std::size_t block) const;
    // Valid until the next call.
    [[nodiscard]] const void* reading(std::size_t block) const;

private:
    template<class T>
    [[nodiscard]] kernels::PackedValues<T> packed(std::size_t block) const;
    [[nodiscard]] std::byte* at(std::size_t block) const { return m_blocks.data() + block * m_blockBytes; }

    const Stream& m_stream;
    Device& m_device;
    Storage m_storage;
    std::size_t m_numbers, m_numberBytes, m_blockBytes;
    Buffer<std::byte> m_blocks, m_open;
};

} // namespace ondo
