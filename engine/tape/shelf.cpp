#include "engine/tape/shelf.h"

#include <algorithm>
#include <utility>

namespace ondo {

namespace {

// Floats as floats are what they are.
Storage asStored(Storage storage, std::size_t numberBytes)
{
    return storage == Storage::Float32 && numberBytes == sizeof(float) ? Storage::Exact : storage;
}

// Of a window: large enough that a copy is not all beginning; but no more than an eighth of the blocks, lest little be left to
// lie elsewhere.
constexpr std::size_t kWindowBytes = std::size_t{4} << 20;

Buffer<std::byte> buffer(TapedWave& wave, std::size_t bytes, const char* label, BlockContent content)
{
    return bytes == 0 ? Buffer<std::byte>{}
                      : Buffer<std::byte>{wave.device(), bytes, label, BlockSize::Kept, content, wave.stream()};
}

} // namespace

std::size_t Shelf::blockBytes(std::size_t numbers, std::size_t numberBytes, Storage storage)
{
    const Storage stored = asStored(storage, numberBytes);
    return stored == Storage::Exact
               ? numbers * numberBytes
               : static_cast<std::size_t>(kernels::packedBytes(stored, static_cast<std::int64_t>(numberBytes),
                                                               static_cast<std::int64_t>(numbers)));
}

ShelfRingShape Shelf::shapeOf(Size size, std::size_t numberBytes, const TapeOptions& options)
{
    ShelfRingShape shape;
    shape.blocks = size.blocks;
    shape.blockBytes = blockBytes(size.numbers, numberBytes, options.storage);
    shape.run = std::max<std::size_t>(size.run, 1);
    const std::size_t chosen = std::min(kWindowBytes / std::max<std::size_t>(shape.blockBytes, 1), size.blocks / 8);
    shape.length =
        std::clamp<std::size_t>(size.length > 0 ? size.length : chosen, 1, std::max<std::size_t>(size.blocks, 1));
    shape.windows = std::clamp<std::size_t>((size.blocks + shape.length - 1) / shape.length, 1, size.windows);
    return shape;
}

TapeBytes Shelf::bytes(Size size, std::size_t numberBytes, const TapeOptions& options)
{
    const ShelfRingShape shape = shapeOf(size, numberBytes, options);
    const std::size_t all = size.blocks * shape.blockBytes;
    const std::size_t ring = size.blocks > 0 ? shape.windows * shape.length * shape.blockBytes : 0;
    TapeBytes bytes;
    bytes.device = options.place == Place::Device ? all : ring;
    bytes.device += asStored(options.storage, numberBytes) != Storage::Exact ? size.numbers * numberBytes : 0;
    bytes.host = options.place == Place::Host ? all : options.place == Place::Disk ? ring : 0;
    bytes.disk = options.place == Place::Disk ? all : 0;
    return bytes;
}

TapeWork Shelf::work(Size size, std::size_t numberBytes, const TapeOptions& options, std::size_t read)
{
    const auto times = static_cast<double>(size.blocks + read);
    TapeWork work;
    if (asStored(options.storage, numberBytes) != Storage::Exact) {
        work.packed = times * static_cast<double>(size.numbers);
    }
    if (options.place != Place::Device) {
        work.staged = times * static_cast<double>(blockBytes(size.numbers, numberBytes, options.storage));
        work.filed = options.place == Place::Disk ? work.staged : 0.0;
    }
    return work;
}

Shelf::Shelf(TapedWave& wave, Size size, const TapeOptions& options, const char* label)
    : m_stream(&wave.stream())
    , m_device(wave.device())
    , m_storage(asStored(options.storage, wave.numberBytes()))
    , m_size(size)
    , m_numberBytes(wave.numberBytes())
    , m_blockBytes(blockBytes(size.numbers, m_numberBytes, m_storage))
    , m_blocks(buffer(wave, options.place == Place::Device ? size.blocks * m_blockBytes : 0, label,
                      BlockContent::Uninitialised))
    // Zeros where rows have gaps that nobody writes: what lay there would share a scale with its neighbours.
    , m_open(buffer(wave, m_storage == Storage::Exact ? 0 : size.numbers * m_numberBytes, label, BlockContent::Zeroed))
{
}

Result<Shelf> Shelf::make(TapedWave& wave, Size size, const TapeOptions& options, const char* label)
{
    Shelf made(wave, size, options, label);
    if (options.place != Place::Device && size.blocks * made.m_blockBytes > 0) {
        auto ring =
            ShelfRing::make(wave, shapeOf(size, made.m_numberBytes, options), options.place, options.folder, label);
        if (!ring) {
            return tl::unexpected<Error>(ring.error());
        }
        made.m_ring = std::move(*ring);
    }
    return made;
}

Result<void*> Shelf::writing(std::size_t block)
{
    const auto at =
        m_ring != nullptr ? m_ring->writing(block) : Result<std::byte*>(m_blocks.data() + block * m_blockBytes);
    if (!at) {
        return tl::unexpected<Error>(at.error());
    }
    m_at = *at;
    return m_storage == Storage::Exact ? m_at : m_open.data();
}

template<class T>
kernels::PackedValues<T> Shelf::packed() const
{
    return {reinterpret_cast<T*>(m_open.data()), m_at, static_cast<std::int64_t>(m_size.numbers), m_storage};
}

void Shelf::wrote(std::size_t /*block*/)
{
    if (m_storage == Storage::Exact || m_size.numbers == 0) {
        return;
    }
    if (m_numberBytes == sizeof(double)) {
        m_device->backend().pack(packed<double>(), m_stream->handle());
    } else {
        m_device->backend().pack(packed<float>(), m_stream->handle());
    }
}

Result<const void*> Shelf::reading(std::size_t block)
{
    const auto at =
        m_ring != nullptr ? m_ring->reading(block) : Result<std::byte*>(m_blocks.data() + block * m_blockBytes);
    if (!at) {
        return tl::unexpected<Error>(at.error());
    }
    m_at = *at;
    if (m_storage == Storage::Exact) {
        return m_at;
    }
    if (m_size.numbers > 0 && m_numberBytes == sizeof(double)) {
        m_device->backend().unpack(packed<double>(), m_stream->handle());
    } else if (m_size.numbers > 0) {
        m_device->backend().unpack(packed<float>(), m_stream->handle());
    }
    return m_open.data();
}

} // namespace ondo
