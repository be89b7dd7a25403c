// A device whose work is done late, for tests of who waits for what.
#pragma once

#include "tests/unit/fake_backend.h"

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace ondo::test {

// A device whose every stream but the first does nothing before somebody waits for it: whoever forgets to wait reads or
// overwrites what is not there yet. Copies to the device read the host's memory when they are called.
class LateBackend final : public FakeBackend {
public:
    using FakeBackend::record;
    void copyToHost(void* to, const void* from, std::size_t bytes, kernels::StreamHandle stream,
                    kernels::CopyPurpose /*purpose*/) override
    {
        later(stream, [=] { std::memcpy(to, from, bytes); });
    }
    void copyToDevice(void* to, const void* from, std::size_t bytes, kernels::StreamHandle stream,
                      kernels::CopyPurpose /*purpose*/) override
    {
        const auto* first = static_cast<const char*>(from);
        later(stream,
              [to, read = std::vector<char>(first, first + bytes)] { std::memcpy(to, read.data(), read.size()); });
    }
    void record(kernels::EventHandle event, kernels::StreamHandle stream) override
    {
        const std::lock_guard lock(m_mutex);
        m_at[event] = stream == FakeBackend::stream(1) ? 0 : m_given;
    }
    void wait(kernels::EventHandle event) override
    {
        const std::lock_guard lock(m_mutex);
        until(m_at[event]);
    }
    void waitOn(kernels::StreamHandle stream, kernels::EventHandle event) override
    {
        if (stream == FakeBackend::stream(1)) {
            wait(event);
        }
    }
    void synchronize(kernels::StreamHandle /*stream*/) override
    {
        const std::lock_guard lock(m_mutex);
        until(m_given);
    }

private:
    void later(kernels::StreamHandle stream, std::function<void()> work)
    {
        const std::lock_guard lock(m_mutex);
        if (stream == FakeBackend::stream(1)) {
            work();
            return;
        }
        m_works.push_back(std::move(work));
        ++m_given;
    }
    void until(std::size_t count)
    {
        for (; m_done < count; ++m_done) {
            m_works.front()();
            m_works.pop_front();
        }
    }

    std::mutex m_mutex;
    std::deque<std::function<void()>> m_works;
    std::map<kernels::EventHandle, std::size_t> m_at;
    std::size_t m_given = 0, m_done = 0;
};

} // namespace ondo::test
