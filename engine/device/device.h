// A device that a run can use: its backend, its arena, and typed memory on it.
#pragma once

#include "engine/core/result.h"
#include "engine/device/arena.h"
#include "kernels/backend.h"

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace ondo {

// Owned through shared_ptr: buffers keep their device alive.
class Device : public std::enable_shared_from_this<Device> {
public:
    Device(std::unique_ptr<kernels::Backend> backend, std::shared_ptr<void> module);
    ~Device();
    Device(const Device&) = delete;
    Device& operator=(const Device&) = delete;

    [[nodiscard]] kernels::Backend& backend() { return *m_backend; }
    [[nodiscard]] DeviceArena& arena() { return *m_arena; }
    [[nodiscard]] const kernels::DeviceFacts& facts() const
    {
        return m_facts;
    } // as opened; memoryFree is of that moment
    [[nodiscard]] bool isHost() const { return m_backend->isHost(); }

private:
    std::shared_ptr<void> m_module; // the opened library: unloaded last
    std::unique_ptr<kernels::Backend> m_backend;
    std::unique_ptr<DeviceArena> m_arena;
    kernels::DeviceFacts m_facts;
};

// An order of work on a device. Move-only.
class Stream {
public:
    Stream() = default;
    Stream(std::shared_ptr<Device> device, kernels::StreamPriority priority);
    Stream(Stream&& other) noexcept;
    Stream& operator=(Stream&& other) noexcept;
    ~Stream();
    [[nodiscard]] kernels::StreamHandle handle() const { return m_handle; }
    void synchronize();

private:
    std::shared_ptr<Device> m_device;
    kernels::StreamHandle m_handle = nullptr;
};

// A mark in a stream. Move-only.
class Event {
public:
    Event() = default;
    explicit Event(std::shared_ptr<Device> device, bool timed = false);
    Event(Event&& other) noexcept;
    Event& operator=(Event&& other) noexcept;
    ~Event();
    [[nodiscard]] kernels::EventHandle handle() const { return m_handle; }
    void record(const Stream& stream);
    [[nodiscard]] bool isDone() const;
    void wait() const;

private:
    std::shared_ptr<Device> m_device;
    kernels::EventHandle m_handle = nullptr;
};

// Memory on a device, in elements of T. Move-only; released on the stream it was made for.
template<class T>
class Buffer {
public:
    Buffer() = default;
    Buffer(std::shared_ptr<Device> device, std::size_t count, std::string_view label, BlockSize size,
           BlockContent content, const Stream& stream)
        : m_device(std::move(device))
        , m_stream(stream.handle())
        , m_count(count)
    {
        m_data = static_cast<T*>(m_device->arena().allocate(count * sizeof(T), label, size, content, m_stream));
    }
    Buffer(Buffer&& other) noexcept { swap(other); }
    Buffer& operator=(Buffer&& other) noexcept
    {
        Buffer gone(std::move(other));
        swap(gone);
        return *this;
    }
    ~Buffer()
    {
        if (m_data != nullptr) {
            m_device->arena().release(m_data, m_stream);
        }
    }
    [[nodiscard]] T* data() const { return m_data; }
    [[nodiscard]] std::size_t size() const { return m_count; }
    [[nodiscard]] std::size_t bytes() const { return m_count * sizeof(T); }

private:
    void swap(Buffer& other) noexcept
    {
        std::swap(m_device, other.m_device);
        std::swap(m_stream, other.m_stream);
        std::swap(m_data, other.m_data);
        std::swap(m_count, other.m_count);
    }

    std::shared_ptr<Device> m_device;
    kernels::StreamHandle m_stream = nullptr;
    T* m_data = nullptr;
    std::size_t m_count = 0;
};

} // namespace ondo
