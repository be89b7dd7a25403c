// Copies between a device and memory of the host that anybody may own. They go through page-locked memory of ours, filled
// and emptied by a few threads: CUDA's own way for such memory is one thread's, a fifth as fast or less, and does not
// promise when it has read what it was given. Small copies follow each other in it, so that none waits for the device.
// Any thread; one copy at a time.
#pragma once

#include "kernels/host/thread_team.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <mutex>
#include <optional>

namespace ondo::kernels::cuda {

class Staging {
public:
    Staging() = default;
    ~Staging() { forget(); }
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    // The device is current in the calling thread. `from` has been read when the call returns.
    void toDevice(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
    // Into page-locked memory, or little: queued. Else `to` has been written when the call returns.
    void toHost(void* to, const void* from, std::size_t bytes, cudaStream_t stream);
    // With the device idle.
    void forget() noexcept;

private:
    static constexpr std::size_t kChunkBytes = std::size_t{2} << 20;
    static constexpr std::size_t kChunks = 8;
    // Below this one thread has copied before another has woken up.
    static constexpr std::size_t kWorthThreads = std::size_t{1} << 18;

    struct Chunk {
        char* memory = nullptr;
        cudaEvent_t done = nullptr; // what the device was last asked to do with it
        cudaStream_t stream = nullptr;
        std::size_t used = 0; // bytes
    };
    // With m_mutex held. The next chunk, done with and empty.
    Chunk& fresh(cudaStream_t stream);
    void copy(char* to, const char* from, std::size_t bytes);

    std::mutex m_mutex;
    Chunk m_chunks[kChunks];
    std::size_t m_current = 0;
    std::optional<ThreadTeam> m_team;
};

} // namespace ondo::kernels::cuda
