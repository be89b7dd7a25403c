#include "kernels/cuda/staging.h"

#include "kernels/cuda/cuda_check.h"

#include <algorithm>
#include <cstring>
#include <thread>

namespace ondo::kernels::cuda {

namespace {

constexpr std::size_t kAlign = 256; // bytes: where a copy begins
// That fill a bus of 50 GB/s with what a core copies; more would be taken from others.
constexpr int kMostThreads = 4;

} // namespace

void Staging::forget() noexcept
{
    for (Chunk& chunk : m_chunks) {
        if (chunk.memory != nullptr) {
            ONDO_CUDA_NOTHROW(cudaEventDestroy(chunk.done));
            ONDO_CUDA_NOTHROW(cudaFreeHost(chunk.memory));
        }
        chunk = {};
    }
    m_team.reset();
}

Staging::Chunk& Staging::fresh(cudaStream_t stream)
{
    m_current = (m_current + 1) % kChunks;
    Chunk& chunk = m_chunks[m_current];
    if (chunk.memory == nullptr) {
        cudaEvent_t done = nullptr;
        ONDO_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
        void* memory = nullptr;
        const cudaError_t error = cudaHostAlloc(&memory, kChunkBytes, cudaHostAllocDefault);
        if (error != cudaSuccess) {
            ONDO_CUDA_NOTHROW(cudaEventDestroy(done));
            throwCudaError(error, "pinning " + std::to_string(kChunkBytes) + " bytes of host memory for copies");
        }
        chunk.memory = static_cast<char*>(memory);
        chunk.done = done;
    } else {
        ONDO_CUDA(cudaEventSynchronize(chunk.done));
    }
    chunk.stream = stream;
    chunk.used = 0;
    return chunk;
}

void Staging::copy(char* to, const char* from, std::size_t bytes)
{
    if (bytes < kWorthThreads) {
        std::memcpy(to, from, bytes);
        return;
    }
    if (!m_team) {
        m_team.emplace(std::clamp(static_cast<int>(std::thread::hardware_concurrency() / 2), 1, kMostThreads));
    }
    m_team->run([to, from, bytes](Share share) {
        const auto at = [bytes, &share](int part) {
            const std::size_t place = bytes * static_cast<std::size_t>(part) / static_cast<std::size_t>(share.count);
            return part == share.count ? bytes : place / kAlign * kAlign;
        };
        const std::size_t first = at(share.index);
        std::memcpy(to + first, from + first, at(share.index + 1) - first);
    });
}

void Staging::toDevice(void* to, const void* from, std::size_t bytes, cudaStream_t stream)
{
    const std::lock_guard lock(m_mutex);
    auto* target = static_cast<char*>(to);
    const auto* source = static_cast<const char*>(from);
    while (bytes > 0) {
        const std::size_t part = std::min(bytes, kChunkBytes);
        Chunk* chunk = &m_chunks[m_current];
        // An event tells of one stream only.
        if (chunk->memory == nullptr || chunk->stream != stream || chunk->used + part > kChunkBytes) {
            chunk = &fresh(stream);
        }
        char* const place = chunk->memory + chunk->used;
        copy(place, source, part);
        ONDO_CUDA(cudaMemcpyAsync(target, place, part, cudaMemcpyHostToDevice, stream));
        chunk->used += (part + kAlign - 1) / kAlign * kAlign;
        ONDO_CUDA(cudaEventRecord(chunk->done, stream));
        target += part;
        source += part;
        bytes -= part;
    }
}

void Staging::toHost(void* to, const void* from, std::size_t bytes, cudaStream_t stream)
{
    bool staged = bytes >= kWorthThreads;
    if (staged) {
        cudaPointerAttributes attributes = {};
        ONDO_CUDA(cudaPointerGetAttributes(&attributes, to));
        staged = attributes.type == cudaMemoryTypeUnregistered;
    }
    if (!staged) {
        ONDO_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
        return;
    }
    const std::lock_guard lock(m_mutex);
    auto* const target = static_cast<char*>(to);
    const auto* const source = static_cast<const char*>(from);
    const std::size_t parts = (bytes + kChunkBytes - 1) / kChunkBytes;
    const auto size = [bytes](std::size_t part) { return std::min(kChunkBytes, bytes - part * kChunkBytes); };
    const Chunk* held[kChunks] = {};
    std::size_t asked = 0;
    for (std::size_t got = 0; got < parts; ++got) {
        for (; asked < parts && asked - got < kChunks; ++asked) {
            Chunk& chunk = fresh(stream);
            chunk.used = kChunkBytes;
            ONDO_CUDA(cudaMemcpyAsync(chunk.memory, source + asked * kChunkBytes, size(asked), cudaMemcpyDeviceToHost,
                                      stream));
            ONDO_CUDA(cudaEventRecord(chunk.done, stream));
            held[asked % kChunks] = &chunk;
        }
        const Chunk& chunk = *held[got % kChunks];
        ONDO_CUDA(cudaEventSynchronize(chunk.done));
        copy(target + got * kChunkBytes, chunk.memory, size(got));
    }
}

} // namespace ondo::kernels::cuda
