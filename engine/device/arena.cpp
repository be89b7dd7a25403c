#include "engine/device/arena.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace ondo {

namespace {

constexpr std::size_t kSmallest = 256;              // what a device aligns to
constexpr std::size_t kMost = std::size_t{1} << 62; // more than any device has

std::string humanBytes(std::size_t bytes)
{
    constexpr double kKi = 1024.0;
    const auto b = static_cast<double>(bytes);
    if (b < kKi) {
        return fmt::format("{} B", bytes);
    }
    if (b < kKi * kKi) {
        return fmt::format("{:.1f} KiB", b / kKi);
    }
    if (b < kKi * kKi * kKi) {
        return fmt::format("{:.1f} MiB", b / kKi / kKi);
    }
    return fmt::format("{:.2f} GiB", b / kKi / kKi / kKi);
}

constexpr const char* kRemedy = "use a smaller grid, single precision or fewer shots at once, or close other programs "
                                "that use the device";

} // namespace

DeviceArena::~DeviceArena()
{
    trim();
    for (const auto& [memory, block] : m_live) {
        m_backend.release(memory, nullptr);
    }
}

std::size_t DeviceArena::taken(std::size_t bytes, BlockSize size)
{
    const std::size_t atLeast = std::max(bytes, kSmallest);
    if (atLeast > kMost) {
        return atLeast; // refused by allocate(); rounded up it would not be a number any more
    }
    return size == BlockSize::Bucket ? std::bit_ceil(atLeast) : (atLeast + kSmallest - 1) / kSmallest * kSmallest;
}

void* DeviceArena::allocate(std::size_t bytes, std::string_view label, BlockSize size, BlockContent content,
                            kernels::StreamHandle stream)
{
    if (bytes > kMost) {
        throw kernels::BackendError(kernels::BackendFailure::OutOfMemory,
                                    fmt::format("no memory for \"{}\": {} asked, more than any device has; {}", label,
                                                humanBytes(bytes), kRemedy));
    }
    const std::size_t taking = taken(bytes, size);
    void* memory = nullptr;
    {
        const std::lock_guard lock(m_mutex);
        memory = size == BlockSize::Exact ? nullptr : takeIdle(taking, stream);
        if (memory == nullptr) {
            if (size != BlockSize::Exact && m_use.idle > m_use.live + taking) {
                releaseIdle();
            }
            memory = takeFresh(taking, label, stream);
        }
        m_live.emplace(memory, Block{bytes, taking, std::string(label), size});
        ++m_use.allocations;
        m_use.live += bytes;
        m_use.peak = std::max(m_use.peak, m_use.live);
        auto& [live, peak] = m_use.byLabel[std::string(label)];
        live += bytes;
        peak = std::max(peak, live);
    }
    if (content == BlockContent::Zeroed) {
        try {
            m_backend.fillZero(memory, bytes, stream);
        } catch (...) {
            release(memory, stream);
            throw;
        }
    }
    return memory;
}

// A released block of that size, ordered behind the work that used it; one of the same stream if there is one, because
// the wait is then free.
void* DeviceArena::takeIdle(std::size_t bytes, kernels::StreamHandle stream)
{
    const auto found = m_idle.find(bytes);
    if (found == m_idle.end() || found->second.empty()) {
        return nullptr;
    }
    auto& blocks = found->second;
    auto pick = std::find_if(blocks.rbegin(), blocks.rend(), [&](const IdleBlock& b) { return b.stream == stream; });
    if (pick == blocks.rend()) {
        pick = std::find_if(blocks.rbegin(), blocks.rend(),
                            [&](const IdleBlock& b) { return m_backend.isDone(b.released); });
    }
    if (pick == blocks.rend()) {
        pick = blocks.rbegin();
    }
    // Also for the same handle: the stream may have been destroyed since and the handle given to a new one.
    m_backend.waitOn(stream, pick->released);
    m_backend.destroyEvent(pick->released);
    void* memory = pick->memory;
    blocks.erase(std::next(pick).base());
    m_use.idle -= bytes;
    ++m_use.reuses;
    return memory;
}

void* DeviceArena::takeFresh(std::size_t bytes, std::string_view label, kernels::StreamHandle stream)
{
    const auto overCap = [&] { return m_use.cap != 0 && m_use.reserved + bytes > m_use.cap; };
    if (overCap()) {
        releaseIdle();
    }
    if (overCap()) {
        ++m_use.refusals;
        throw kernels::BackendError(kernels::BackendFailure::OutOfMemory,
                                    fmt::format("no memory for \"{}\": {} asked, {} live ({}), the cap is {}; {}, or "
                                                "raise the cap",
                                                label, humanBytes(bytes), humanBytes(m_use.live), describeLive(),
                                                humanBytes(m_use.cap), kRemedy));
    }
    for (int attempt = 0;; ++attempt) {
        try {
            void* memory = m_backend.allocate(bytes, stream);
            m_use.reserved += bytes;
            m_use.reservedPeak = std::max(m_use.reservedPeak, m_use.reserved);
            return memory;
        } catch (const kernels::BackendError& error) {
            if (error.failure() != kernels::BackendFailure::OutOfMemory) {
                throw;
            }
            if (attempt == 0) {
                releaseIdle();
                m_backend.trim();
                continue;
            }
            ++m_use.refusals;
            throw kernels::BackendError(kernels::BackendFailure::OutOfMemory,
                                        fmt::format("no memory for \"{}\": {} asked, {} live ({}): {}; {}", label,
                                                    humanBytes(bytes), humanBytes(m_use.live), describeLive(),
                                                    error.what(), kRemedy));
        }
    }
}

void DeviceArena::release(void* memory, kernels::StreamHandle stream) noexcept
{
    if (memory == nullptr) {
        return;
    }
    const std::lock_guard lock(m_mutex);
    const auto found = m_live.find(memory);
    if (found == m_live.end()) {
        return;
    }
    auto node = m_live.extract(found);
    Block& block = node.mapped();
    m_use.live -= block.asked;
    if (const auto entry = m_use.byLabel.find(block.label); entry != m_use.byLabel.end()) {
        entry->second.first -= block.asked;
    }
    if (block.size != BlockSize::Exact) {
        kernels::EventHandle released = nullptr;
        try {
            released = m_backend.createEvent(false);
            m_backend.record(released, stream);
            m_idle[block.taken].push_back({memory, stream, released});
            m_use.idle += block.taken;
            return;
        } catch (...) {
            // No event, no safe reuse: the block goes back to the device instead.
            if (released != nullptr) {
                m_backend.destroyEvent(released);
            }
        }
    }
    m_use.reserved -= block.taken;
    m_backend.release(memory, stream);
}

std::size_t DeviceArena::releaseIdle() noexcept
{
    std::size_t bytes = 0;
    for (auto& [size, blocks] : m_idle) {
        for (const IdleBlock& block : blocks) {
            // On the default stream, because the block's own stream may be gone.
            try {
                m_backend.waitOn(nullptr, block.released);
            } catch (const kernels::BackendError&) {
                // A lost device: nothing runs there any more, so nothing can still use the block.
            }
            m_backend.destroyEvent(block.released);
            m_backend.release(block.memory, nullptr);
            bytes += size;
        }
    }
    m_idle.clear();
    m_use.idle = 0;
    m_use.reserved -= bytes;
    return bytes;
}

void DeviceArena::setCap(std::size_t bytes)
{
    const std::lock_guard lock(m_mutex);
    m_use.cap = bytes;
}

void DeviceArena::trim() noexcept
{
    const std::lock_guard lock(m_mutex);
    releaseIdle();
    m_pinned.trim();
    m_backend.trim();
}

void DeviceArena::forgetPeaks()
{
    const std::lock_guard lock(m_mutex);
    m_use.peak = m_use.live;
    m_use.reservedPeak = m_use.reserved;
    for (auto& [label, bytes] : m_use.byLabel) {
        bytes.second = bytes.first;
    }
}

ArenaUse DeviceArena::use() const
{
    const std::lock_guard lock(m_mutex);
    return m_use;
}

std::string DeviceArena::describeLive() const
{
    std::vector<std::pair<std::size_t, std::string>> parts;
    for (const auto& [label, bytes] : m_use.byLabel) {
        if (bytes.first > 0) {
            parts.emplace_back(bytes.first, label);
        }
    }
    std::sort(parts.rbegin(), parts.rend());
    std::string text;
    for (const auto& [bytes, label] : parts) {
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", label, humanBytes(bytes));
    }
    return text.empty() ? "nothing" : text;
}

} // namespace ondo
