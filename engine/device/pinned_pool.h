// Pinned memory of the host, which a device copies to and from by itself. Pinning a gigabyte takes some tenths of a second, as
// long as a step of 512^3 with its strips takes a hundred times over; so what is given back is kept for the next tape, which
// wants as much. Any thread. Failures throw kernels::BackendError.
#pragma once

#include "kernels/backend.h"

#include <cstddef>
#include <map>
#include <mutex>

namespace ondo {

class PinnedPool {
public:
    // The host's backend has no use for pinned memory: there a block goes back at once.
    explicit PinnedPool(kernels::Backend& backend)
        : m_backend(backend)
    {
    }
    ~PinnedPool() { trim(); }
    PinnedPool(const PinnedPool&) = delete;
    PinnedPool& operator=(const PinnedPool&) = delete;

    // Not zeroed. What is kept and is of no use for it goes back first, so that the two never stand side by side.
    [[nodiscard]] std::byte* take(std::size_t bytes);
    void give(std::byte* memory) noexcept; // nothing on its way to or from it
    void trim() noexcept;

    // Kept by all pools of the process in nobody's use: the system counts it as taken, a planner may count on it.
    [[nodiscard]] static std::size_t idleBytes();

private:
    kernels::Backend& m_backend;
    std::mutex m_mutex;
    std::map<std::byte*, std::size_t> m_live;
    std::multimap<std::size_t, std::byte*> m_idle; // by bytes
};

} // namespace ondo
