// A Backend whose memory is the host's, whose streams and events are numbers, and which counts what is asked of it.
#pragma once

#include "kernels/backend.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

namespace ondo::test {

class FakeBackend : public kernels::Backend {
public:
    std::size_t room = SIZE_MAX; // bytes that allocate() still has
    int allocated = 0, released = 0, zeroed = 0, trims = 0, eventsMade = 0, eventsLive = 0, streamsLive = 0;
    bool eventsDone = true;                                   // what isDone() answers
    bool eventsFail = false;                                  // createEvent() throws
    std::vector<std::pair<kernels::StreamHandle, int>> waits; // waitOn: stream, event
    std::vector<std::pair<void*, kernels::StreamHandle>> frees;

    static kernels::StreamHandle stream(std::intptr_t n) { return reinterpret_cast<kernels::StreamHandle>(n); }

    [[nodiscard]] kernels::DeviceFacts facts() const override
    {
        kernels::DeviceFacts f;
        f.id = "cuda:0";
        f.name = "Fake GPU";
        f.backend = "fake";
        return f;
    }
    [[nodiscard]] bool isHost() const override { return false; }

    void* allocate(std::size_t bytes, kernels::StreamHandle /*stream*/) override
    {
        if (bytes > room) {
            throw kernels::BackendError(kernels::BackendFailure::OutOfMemory,
                                        "the fake has " + std::to_string(room) + " bytes left");
        }
        void* memory = std::malloc(bytes);
        std::memset(memory, 0xA5, bytes); // never zero by luck
        room -= bytes;
        m_size[memory] = bytes;
        ++allocated;
        return memory;
    }
    void release(void* memory, kernels::StreamHandle stream) noexcept override
    {
        room += m_size[memory];
        m_size.erase(memory);
        frees.emplace_back(memory, stream);
        ++released;
        std::free(memory);
    }
    void trim() noexcept override { ++trims; }
    void* allocatePinned(std::size_t bytes) override { return std::malloc(bytes); }
    void releasePinned(void* memory) noexcept override { std::free(memory); }

    kernels::StreamHandle createStream(kernels::StreamPriority /*priority*/) override
    {
        ++streamsLive;
        return stream(++m_streams);
    }
    void destroyStream(kernels::StreamHandle /*stream*/) noexcept override { --streamsLive; }
    void synchronize(kernels::StreamHandle /*stream*/) override {}
    kernels::EventHandle createEvent(bool /*timed*/) override
    {
        if (eventsFail) {
            throw kernels::BackendError(kernels::BackendFailure::Launch, "the fake makes no events");
        }
        ++eventsLive;
        return reinterpret_cast<kernels::EventHandle>(static_cast<std::intptr_t>(++eventsMade));
    }
    void destroyEvent(kernels::EventHandle /*event*/) noexcept override { --eventsLive; }
    void record(kernels::EventHandle /*event*/, kernels::StreamHandle /*stream*/) override {}
    bool isDone(kernels::EventHandle /*event*/) override { return eventsDone; }
    void wait(kernels::EventHandle /*event*/) override {}
    void waitOn(kernels::StreamHandle stream, kernels::EventHandle event) override
    {
        waits.emplace_back(stream, static_cast<int>(reinterpret_cast<std::intptr_t>(event)));
    }
    double milliseconds(kernels::EventHandle /*from*/, kernels::EventHandle /*to*/) override { return 0.0; }

    void copyToDevice(void* to, const void* from, std::size_t bytes, kernels::StreamHandle /*stream*/,
                      kernels::CopyPurpose /*purpose*/) override
    {
        std::memcpy(to, from, bytes);
    }
    void copyToHost(void* to, const void* from, std::size_t bytes, kernels::StreamHandle /*stream*/,
                    kernels::CopyPurpose /*purpose*/) override
    {
        std::memcpy(to, from, bytes);
    }
    void copyOnDevice(void* to, const void* from, std::size_t bytes, kernels::StreamHandle /*stream*/) override
    {
        std::memcpy(to, from, bytes);
    }
    void fillZero(void* to, std::size_t bytes, kernels::StreamHandle /*stream*/) override
    {
        ++zeroed;
        std::memset(to, 0, bytes);
    }
    [[nodiscard]] kernels::CopyCounters copies() const override { return {}; }

    void step(const kernels::ScalarStepArgs<float>& /*args*/, kernels::StreamHandle /*stream*/) override {}
    void step(const kernels::ScalarStepArgs<double>& /*args*/, kernels::StreamHandle /*stream*/) override {}
    using kernels::Backend::pad; // of a density, which is refused
    void pad(const kernels::PadModel<float>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void pad(const kernels::PadModel<double>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void inject(const kernels::InjectSources<float>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void inject(const kernels::InjectSources<double>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void record(const kernels::RecordReceivers<float>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void record(const kernels::RecordReceivers<double>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void paint(const kernels::PaintField<float>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void paint(const kernels::PaintField<double>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void histogram(const kernels::AmplitudeHistogram<float>& /*body*/, kernels::StreamHandle /*stream*/) override {}
    void histogram(const kernels::AmplitudeHistogram<double>& /*body*/, kernels::StreamHandle /*stream*/) override {}

private:
    std::map<void*, std::size_t> m_size;
    std::intptr_t m_streams = 0;
};

} // namespace ondo::test
