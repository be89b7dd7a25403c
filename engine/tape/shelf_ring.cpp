#include "engine/tape/shelf_ring.h"

#include <algorithm>

namespace ondo {

using kernels::CopyPurpose;

ShelfRing::ShelfRing(TapedWave& wave, const ShelfRingShape& shape, Place place, const char* label)
    : m_device(wave.device())
    , m_stream(wave.stream())
    , m_shape(shape)
    , m_place(place)
    , m_copies(m_device, kernels::StreamPriority::Solver)
    , m_blocks(m_device, shape.windows * shape.length * shape.blockBytes, label, BlockSize::Kept,
               BlockContent::Uninitialised, m_stream)
{
}

Result<std::unique_ptr<ShelfRing>> ShelfRing::make(TapedWave& wave, const ShelfRingShape& shape, Place place,
                                                   const std::string& folder, const char* label)
{
    std::unique_ptr<ShelfRing> made(new ShelfRing(wave, shape, place, label));
    const std::size_t all = shape.blocks * shape.blockBytes;
    if (place == Place::Disk) {
        auto file = TapeFile::make(folder, all);
        if (!file) {
            return tl::unexpected<Error>(file.error());
        }
        made->m_file = std::move(*file);
        made->m_thread = std::make_unique<TaskThread>();
    }
    const std::size_t pinned = place == Place::Disk ? made->m_blocks.bytes() : all;
    made->m_pinned = made->m_device->arena().pinned().take(pinned);
    made->m_sent = Event(made->m_device);
    made->m_sent.record(made->m_copies);
    made->m_windows.resize(shape.windows);
    for (std::size_t i = 0; i < shape.windows; ++i) {
        Window& window = made->m_windows[i];
        const std::size_t offset = made->offsetOf(i);
        window.device = made->m_blocks.data() + offset;
        window.pinned = made->m_pinned + (place == Place::Disk ? offset : 0);
        window.used = Event(made->m_device);
        window.copied = Event(made->m_device);
        window.used.record(wave.stream()); // the block is there
        window.copied.record(made->m_copies);
    }
    return made;
}

ShelfRing::~ShelfRing()
{
    m_thread.reset(); // after its last task
    if (m_pinned != nullptr) {
        try { // copies may be under way
            m_copies.synchronize();
            m_device->backend().synchronize(m_stream.handle());
        } catch (const kernels::BackendError&) { // the device is lost, and with it the copies
        }
        m_device->arena().pinned().give(m_pinned);
    }
}

std::size_t ShelfRing::bytesOf(std::size_t index) const
{
    return std::min(m_shape.length, m_shape.blocks - index * m_shape.length) * m_shape.blockBytes;
}

std::size_t ShelfRing::following(std::size_t block) const
{
    const std::size_t run = block / m_shape.run;
    if (block + 1 < std::min((run + 1) * m_shape.run, m_shape.blocks)) {
        return block + 1;
    }
    return run == 0 ? kNone : (run - 1) * m_shape.run;
}

ShelfRing::Window* ShelfRing::find(std::size_t index)
{
    const auto found =
        std::find_if(m_windows.begin(), m_windows.end(), [index](const Window& w) { return w.index == index; });
    return found == m_windows.end() ? nullptr : &*found;
}

// One that holds nothing that is wanted, the next after the current one first.
ShelfRing::Window& ShelfRing::spare(const std::vector<std::size_t>& wanted)
{
    for (std::size_t i = 1; i < m_windows.size(); ++i) {
        Window& window = m_windows[(m_current + i) % m_windows.size()];
        if (std::find(wanted.begin(), wanted.end(), window.index) == wanted.end()) {
            return window;
        }
    }
    return m_windows[m_current];
}

Result<> ShelfRing::leave(Window& window)
{
    window.used.record(m_stream);
    return window.changed ? send(window) : Result<>{};
}

Result<> ShelfRing::send(Window& window)
{
    auto& backend = m_device->backend();
    window.changed = false;
    std::byte* to = m_pinned + offsetOf(window.index);
    if (m_place == Place::Disk) {
        if (auto ok = m_thread->waitFor(window.filed); !ok) { // what its pinned block held is on the disk
            return ok;
        }
        to = window.pinned;
    }
    const std::size_t bytes = bytesOf(window.index);
    backend.waitOn(m_copies.handle(), window.used.handle());
    backend.copyToHost(to, window.device, bytes, m_copies.handle(), CopyPurpose::Field);
    window.copied.record(m_copies);
    m_sent.record(m_copies);
    if (m_place == Place::Disk) {
        window.filed = m_thread->give([this, &window, to, bytes, offset = offsetOf(window.index)]() -> Result<> {
            window.copied.wait();
            return m_file.write(offset, to, bytes);
        });
    }
    return {};
}

Result<> ShelfRing::fetch(Window& window, std::size_t index)
{
    auto& backend = m_device->backend();
    window.index = index;
    if (m_place == Place::Disk) {
        window.loading = true;
        window.filed = m_thread->give([this, &window, bytes = bytesOf(index), offset = offsetOf(index)]() -> Result<> {
            window.copied.wait(); // its pinned block is read by nobody any more
            return m_file.read(offset, window.pinned, bytes);
        });
        return {};
    }
    m_sent.wait();
    backend.waitOn(m_copies.handle(), window.used.handle());
    backend.copyToDevice(window.device, m_pinned + offsetOf(index), bytesOf(index), m_copies.handle(),
                         CopyPurpose::Field);
    window.copied.record(m_copies);
    return {};
}

Result<> ShelfRing::settle(Window& window)
{
    if (!window.loading) {
        return {};
    }
    window.loading = false;
    if (auto ok = m_thread->waitFor(window.filed); !ok) {
        return ok;
    }
    m_device->backend().waitOn(m_copies.handle(), window.used.handle());
    m_device->backend().copyToDevice(window.device, window.pinned, bytesOf(window.index), m_copies.handle(),
                                     CopyPurpose::Field);
    window.copied.record(m_copies);
    return {};
}

// What will be read next, as far as there are windows for it.
Result<> ShelfRing::lookAhead(std::size_t block)
{
    std::vector<std::size_t> wanted = {m_windows[m_current].index};
    for (std::size_t next = following(block); next != kNone && wanted.size() < m_windows.size();
         next = following(next)) {
        const std::size_t index = next / m_shape.length;
        if (std::find(wanted.begin(), wanted.end(), index) == wanted.end()) {
            wanted.push_back(index);
        }
    }
    for (const std::size_t index : wanted) {
        if (find(index) == nullptr) {
            Window& window = spare(wanted);
            if (auto ok = settle(window); !ok) { // brought for nothing
                return ok;
            }
            if (auto ok = fetch(window, index); !ok) {
                return ok;
            }
        }
    }
    return {};
}

Result<std::byte*> ShelfRing::at(std::size_t block, bool written)
{
    const std::size_t index = block / m_shape.length;
    if (m_windows[m_current].index != index) {
        Window* next = find(index);
        if (m_windows[m_current].index != kNone) {
            if (auto ok = leave(m_windows[m_current]); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
        if (next == nullptr) {
            next = &spare({});
            if (auto ok = settle(*next); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
            next->index = index;
            if (auto ok = written ? Result<>{} : fetch(*next, index); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
        if (auto ok = settle(*next); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        m_device->backend().waitOn(m_stream.handle(), next->copied.handle());
        m_current = static_cast<std::size_t>(next - m_windows.data());
        if (auto ok = written ? Result<>{} : lookAhead(block); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
    }
    Window& window = m_windows[m_current];
    window.changed = window.changed || written;
    return window.device + block % m_shape.length * m_shape.blockBytes;
}

} // namespace ondo
