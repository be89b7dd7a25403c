#include "engine/tape/shelf.h"

namespace ondo {

namespace {

// Floats as floats are what they are.
Storage asStored(Storage storage, std::size_t numberBytes)
{
    return storage == Storage::Float32 && numberBytes == sizeof(float) ? Storage::Exact : storage;
}

std::size_t blockBytes(std::size_t numbers, std::size_t numberBytes, Storage storage)
{
    return storage == Storage::Exact
               ? numbers * numberBytes
               : static_cast<std::size_t>(kernels::packedBytes(storage, static_cast<std::int64_t>(numberBytes),
                                                               static_cast<std::int64_t>(numbers)));
}

Buffer<std::byte> buffer(TapedWave& wave, std::size_t bytes, const char* label, BlockContent content)
{
    return bytes == 0 ? Buffer<std::byte>{}
                      : Buffer<std::byte>{wave.device(), bytes, label, BlockSize::Kept, content, wave.stream()};
}

} // namespace

Shelf::Shelf(TapedWave& wave, std::size_t blocks, std::size_t numbers, Storage storage, const char* label)
    : m_stream(wave.stream())
    , m_device(*wave.device())
    , m_storage(asStored(storage, wave.numberBytes()))
    , m_numbers(numbers)
    , m_numberBytes(wave.numberBytes())
    , m_blockBytes(blockBytes(numbers, m_numberBytes, m_storage))
    , m_blocks(buffer(wave, blocks * m_blockBytes, label, BlockContent::Uninitialised))
    // Zeros where rows have gaps that nobody writes: what lay there would share a scale with its neighbours.
    , m_open(buffer(wave, m_storage == Storage::Exact ? 0 : numbers * m_numberBytes, label, BlockContent::Zeroed))
{
}

std::size_t Shelf::bytes(std::size_t blocks, std::size_t numbers, std::size_t numberBytes, Storage storage)
{
    const Storage stored = asStored(storage, numberBytes);
    return blocks * blockBytes(numbers, numberBytes, stored) + (stored == Storage::Exact ? 0 : numbers * numberBytes);
}

void* Shelf::writing(std::size_t block) const
{
    return m_storage == Storage::Exact ? at(block) : m_open.data();
}

template<class T>
kernels::PackedValues<T> Shelf::packed(std::size_t block) const
{
    return {reinterpret_cast<T*>(m_open.data()), at(block), static_cast<std::int64_t>(m_numbers), m_storage};
}

void Shelf::wrote(std::size_t block) const
{
    if (m_storage == Storage::Exact || m_numbers == 0) {
        return;
    }
    if (m_numberBytes == sizeof(double)) {
        m_device.backend().pack(packed<double>(block), m_stream.handle());
    } else {
        m_device.backend().pack(packed<float>(block), m_stream.handle());
    }
}

const void* Shelf::reading(std::size_t block) const
{
    if (m_storage == Storage::Exact) {
        return at(block);
    }
    if (m_numbers > 0 && m_numberBytes == sizeof(double)) {
        m_device.backend().unpack(packed<double>(block), m_stream.handle());
    } else if (m_numbers > 0) {
        m_device.backend().unpack(packed<float>(block), m_stream.handle());
    }
    return m_open.data();
}

} // namespace ondo
