#include "engine/device/device.h"

namespace ondo {

Device::Device(std::unique_ptr<kernels::Backend> backend, std::shared_ptr<void> module)
    : m_module(std::move(module))
    , m_backend(std::move(backend))
    , m_arena(std::make_unique<DeviceArena>(*m_backend))
    , m_facts(m_backend->facts())
{
}

Device::~Device() = default;

Stream::Stream(std::shared_ptr<Device> device, kernels::StreamPriority priority)
    : m_device(std::move(device))
    , m_handle(m_device->backend().createStream(priority))
{
}

Stream::Stream(Stream&& other) noexcept
    : m_device(std::move(other.m_device))
    , m_handle(std::exchange(other.m_handle, nullptr))
{
}

Stream& Stream::operator=(Stream&& other) noexcept
{
    Stream gone(std::move(other));
    std::swap(m_device, gone.m_device);
    std::swap(m_handle, gone.m_handle);
    return *this;
}

Stream::~Stream()
{
    if (m_handle != nullptr) {
        m_device->backend().destroyStream(m_handle);
    }
}

void Stream::synchronize()
{
    if (m_device != nullptr) {
        m_device->backend().synchronize(m_handle);
    }
}

Event::Event(std::shared_ptr<Device> device, bool timed)
    : m_device(std::move(device))
    , m_handle(m_device->backend().createEvent(timed))
{
}

Event::Event(Event&& other) noexcept
    : m_device(std::move(other.m_device))
    , m_handle(std::exchange(other.m_handle, nullptr))
{
}

Event& Event::operator=(Event&& other) noexcept
{
    Event gone(std::move(other));
    std::swap(m_device, gone.m_device);
    std::swap(m_handle, gone.m_handle);
    return *this;
}

Event::~Event()
{
    if (m_handle != nullptr) {
        m_device->backend().destroyEvent(m_handle);
    }
}

void Event::record(const Stream& stream)
{
    m_device->backend().record(m_handle, stream.handle());
}

bool Event::isDone() const
{
    return m_handle == nullptr || m_device->backend().isDone(m_handle);
}

void Event::wait() const
{
    if (m_handle != nullptr) {
        m_device->backend().wait(m_handle);
    }
}

} // namespace ondo
