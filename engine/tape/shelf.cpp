#include "engine/tape/shelf.h"

#include <algorithm>
#include <utility>

namespace ondo {

using kernels::CopyPurpose;

namespace {

// Floats as floats are what they are.
Storage asStored(Storage storage, std::size_t numberBytes)
{
    return storage == Storage::Float32 && numberBytes == sizeof(float) ? Storage::Exact : storage;
}

std::size_t windowOf(const Shelf::Size& size, Place place)
{
    return std::max<std::size_t>(place == Place::Device ? size.blocks : std::min(size.blocks, size.window), 1);
}

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

TapeBytes Shelf::bytes(Size size, std::size_t numberBytes, const TapeOptions& options)
{
    const std::size_t block = blockBytes(size.numbers, numberBytes, options.storage);
    const std::size_t window = std::min(size.blocks, windowOf(size, options.place));
    const bool open = asStored(options.storage, numberBytes) != Storage::Exact;
    TapeBytes bytes;
    bytes.device = window * block + (open ? size.numbers * numberBytes : 0);
    bytes.host = options.place == Place::Host ? size.blocks * block : options.place == Place::Disk ? window * block : 0;
    bytes.disk = options.place == Place::Disk ? size.blocks * block : 0;
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
    : m_stream(wave.stream())
    , m_device(wave.device())
    , m_storage(asStored(options.storage, wave.numberBytes()))
    , m_place(options.place)
    , m_size(size)
    , m_numberBytes(wave.numberBytes())
    , m_blockBytes(blockBytes(size.numbers, m_numberBytes, m_storage))
    , m_length(windowOf(size, m_place))
    , m_blocks(buffer(wave, std::min(size.blocks, m_length) * m_blockBytes, label, BlockContent::Uninitialised))
    // Zeros where rows have gaps that nobody writes: what lay there would share a scale with its neighbours.
    , m_open(buffer(wave, m_storage == Storage::Exact ? 0 : size.numbers * m_numberBytes, label, BlockContent::Zeroed))
{
}

Result<Shelf> Shelf::make(TapedWave& wave, Size size, const TapeOptions& options, const char* label)
{
    Shelf made(wave, size, options, label);
    const std::size_t all = size.blocks * made.m_blockBytes;
    if (made.m_place == Place::Device || all == 0) {
        return made;
    }
    if (made.m_place == Place::Disk) {
        auto file = TapeFile::make(options.folder, all);
        if (!file) {
            return tl::unexpected<Error>(file.error());
        }
        made.m_file = std::move(*file);
    }
    const std::size_t pinned = made.m_place == Place::Disk ? made.m_blocks.bytes() : all;
    made.m_pinned = static_cast<std::byte*>(made.m_device->backend().allocatePinned(pinned));
    return made;
}

Shelf::Shelf(Shelf&& other) noexcept
    : m_stream(other.m_stream)
    , m_device(std::move(other.m_device))
    , m_storage(other.m_storage)
    , m_place(other.m_place)
    , m_size(other.m_size)
    , m_numberBytes(other.m_numberBytes)
    , m_blockBytes(other.m_blockBytes)
    , m_length(other.m_length)
    , m_blocks(std::move(other.m_blocks))
    , m_open(std::move(other.m_open))
    , m_pinned(std::exchange(other.m_pinned, nullptr))
    , m_file(std::move(other.m_file))
    , m_window(other.m_window)
    , m_changed(other.m_changed)
{
}

Shelf::~Shelf()
{
    if (m_pinned != nullptr) {
        try {
            m_device->backend().synchronize(m_stream.handle()); // copies to it may be under way
        } catch (const kernels::BackendError&) {                // the device is lost, and with it the copies
        }
        m_device->backend().releasePinned(m_pinned);
    }
}

std::size_t Shelf::windowBytes(std::size_t window) const
{
    return std::min(m_length, m_size.blocks - window * m_length) * m_blockBytes;
}

Result<> Shelf::putAway()
{
    if (!m_changed || m_pinned == nullptr) {
        return {};
    }
    m_changed = false;
    auto& backend = m_device->backend();
    const std::size_t bytes = windowBytes(m_window);
    // Queued: what is written to the window next waits for it.
    backend.copyToHost(hostPlace(m_window), m_blocks.data(), bytes, m_stream.handle(), CopyPurpose::Field);
    if (m_place != Place::Disk) {
        return {};
    }
    backend.synchronize(m_stream.handle());
    return m_file.write(m_window * m_length * m_blockBytes, m_pinned, bytes);
}

Result<> Shelf::open(std::size_t block, bool load)
{
    const std::size_t window = block / m_length;
    if (window == m_window) {
        return {};
    }
    if (auto ok = putAway(); !ok) {
        return ok;
    }
    m_window = window;
    if (!load || m_pinned == nullptr) {
        return {};
    }
    auto& backend = m_device->backend();
    backend.synchronize(m_stream.handle()); // what is loaded may be on its way to the host yet
    const std::size_t bytes = windowBytes(window);
    if (m_place == Place::Disk) {
        if (auto ok = m_file.read(window * m_length * m_blockBytes, m_pinned, bytes); !ok) {
            return ok;
        }
    }
    backend.copyToDevice(m_blocks.data(), hostPlace(window), bytes, m_stream.handle(), CopyPurpose::Field);
    return {};
}

Result<void*> Shelf::writing(std::size_t block)
{
    if (auto ok = open(block, false); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    m_changed = true;
    return m_storage == Storage::Exact ? at(block) : m_open.data();
}

template<class T>
kernels::PackedValues<T> Shelf::packed(std::size_t block) const
{
    return {reinterpret_cast<T*>(m_open.data()), at(block), static_cast<std::int64_t>(m_size.numbers), m_storage};
}

void Shelf::wrote(std::size_t block)
{
    if (m_storage == Storage::Exact || m_size.numbers == 0) {
        return;
    }
    if (m_numberBytes == sizeof(double)) {
        m_device->backend().pack(packed<double>(block), m_stream.handle());
    } else {
        m_device->backend().pack(packed<float>(block), m_stream.handle());
    }
}

Result<const void*> Shelf::reading(std::size_t block)
{
    if (auto ok = open(block, true); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    if (m_storage == Storage::Exact) {
        return at(block);
    }
    if (m_size.numbers > 0 && m_numberBytes == sizeof(double)) {
        m_device->backend().unpack(packed<double>(block), m_stream.handle());
    } else if (m_size.numbers > 0) {
        m_device->backend().unpack(packed<float>(block), m_stream.handle());
    }
    return m_open.data();
}

} // namespace ondo
