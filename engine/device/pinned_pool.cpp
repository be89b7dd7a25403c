#include "engine/device/pinned_pool.h"

#include <algorithm>
#include <atomic>

namespace ondo {

namespace {

std::atomic<std::size_t> g_idle{0};

} // namespace

std::size_t PinnedPool::idleBytes()
{
    return g_idle.load(std::memory_order_relaxed);
}

std::byte* PinnedPool::take(std::size_t bytes)
{
    bytes = std::max<std::size_t>(bytes, 1);
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_idle.lower_bound(bytes);
        if (found != m_idle.end() && found->first <= 2 * bytes) {
            std::byte* const memory = found->second;
            g_idle -= found->first;
            m_live.emplace(memory, found->first);
            m_idle.erase(found);
            return memory;
        }
    }
    trim();
    auto* const memory = static_cast<std::byte*>(m_backend.allocatePinned(bytes));
    const std::lock_guard lock(m_mutex);
    m_live.emplace(memory, bytes);
    return memory;
}

void PinnedPool::give(std::byte* memory) noexcept
{
    if (memory == nullptr) {
        return;
    }
    {
        const std::lock_guard lock(m_mutex);
        const auto found = m_live.find(memory);
        if (!m_backend.isHost() && found != m_live.end()) {
            g_idle += found->second;
            m_idle.emplace(found->second, memory);
            m_live.erase(found);
            return;
        }
        if (found != m_live.end()) {
            m_live.erase(found);
        }
    }
    m_backend.releasePinned(memory);
}

void PinnedPool::trim() noexcept
{
    std::multimap<std::size_t, std::byte*> idle;
    {
        const std::lock_guard lock(m_mutex);
        idle.swap(m_idle);
    }
    for (const auto& [bytes, memory] : idle) {
        g_idle -= bytes;
        m_backend.releasePinned(memory);
    }
}

} // namespace ondo
