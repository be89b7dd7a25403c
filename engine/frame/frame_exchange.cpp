#include "engine/frame/frame_exchange.h"

#include <chrono>
#include <thread>

namespace ondo {

int FrameExchange::beginWrite()
{
    const std::lock_guard lock(m_mutex);
    for (int i = 0; i < kSlots; ++i) {
        if (m_state[i] == State::Free) {
            m_state[i] = State::Writing;
            return i;
        }
    }
    // Nobody has looked at the newest yet: it may be overwritten.
    if (m_newest >= 0 && m_state[m_newest] == State::Ready) {
        const int slot = m_newest;
        m_newest = -1;
        m_state[slot] = State::Writing;
        ++m_dropped;
        return slot;
    }
    ++m_dropped;
    return -1;
}

void FrameExchange::publish(int slot, const PaintedFrame& frame)
{
    const std::lock_guard lock(m_mutex);
    if (m_newest >= 0 && m_state[m_newest] == State::Ready) {
        m_state[m_newest] = State::Free;
        ++m_dropped;
    }
    m_frame[slot] = frame;
    m_frame[slot].number = m_published++;
    m_state[slot] = State::Ready;
    m_newest = slot;
}

void FrameExchange::abandon(int slot)
{
    const std::lock_guard lock(m_mutex);
    m_state[slot] = State::Free;
}

int FrameExchange::beginRead(PaintedFrame& frame)
{
    const std::lock_guard lock(m_mutex);
    if (m_newest < 0 || m_state[m_newest] != State::Ready) {
        return -1;
    }
    const int slot = m_newest;
    m_state[slot] = State::Reading;
    frame = m_frame[slot];
    return slot;
}

void FrameExchange::endRead(int slot)
{
    const std::lock_guard lock(m_mutex);
    m_state[slot] = State::Free;
    if (m_newest == slot) {
        m_newest = -1;
    }
}

bool FrameExchange::unread() const
{
    const std::lock_guard lock(m_mutex);
    return m_newest >= 0 && m_state[m_newest] == State::Ready;
}

std::uint64_t FrameExchange::published() const
{
    const std::lock_guard lock(m_mutex);
    return m_published;
}

std::uint64_t FrameExchange::dropped() const
{
    const std::lock_guard lock(m_mutex);
    return m_dropped;
}

void FrameExchange::drain()
{
    for (;;) {
        {
            const std::lock_guard lock(m_mutex);
            bool reading = false;
            for (State& state : m_state) {
                if (state == State::Ready) {
                    state = State::Free;
                }
                reading = reading || state == State::Reading;
            }
            m_newest = -1;
            if (!reading) {
                return;
            }
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

} // namespace ondo
