#include "engine/session/session_queues.h"

#include <algorithm>
#include <utility>

namespace ondo {

Result<> CommandQueue::start(NextRun run)
{
    {
        const std::lock_guard lock(m_mutex);
        if (m_state != SessionState::Idle || m_next.plan) {
            return badInput("a run is on already", "stop it first");
        }
        m_orders.stop = false;
        m_stopWanted = false;
        m_orders.pause = run.options.startPaused;
        m_orders.steps = 0;
        m_orders.resumed = false;
        m_orders.actions.clear();
        m_orders.transport = run.options.transport;
        m_state = run.options.startPaused ? SessionState::Pausing : SessionState::Running;
        m_next = std::move(run);
    }
    m_changed.notify_all();
    return {};
}

void CommandQueue::pause()
{
    change([this] {
        if (m_state == SessionState::Running) {
            m_orders.pause = true;
            m_state = SessionState::Pausing;
        }
    });
}

void CommandQueue::resume()
{
    change([this] {
        if (m_state == SessionState::Paused || m_state == SessionState::Pausing) {
            m_orders.pause = false;
            m_orders.steps = 0;
            m_orders.resumed = true;
            m_state = SessionState::Running;
        }
    });
}

void CommandQueue::step(int steps)
{
    change([this, steps] {
        if (m_state != SessionState::Idle && m_state != SessionState::Stopping) {
            m_orders.pause = true;
            m_orders.steps += std::max(steps, 0);
            m_state = SessionState::Pausing;
        }
    });
}

void CommandQueue::stop()
{
    change([this] {
        if (m_state != SessionState::Idle) {
            m_orders.stop = true;
            m_stopWanted = true;
            m_state = SessionState::Stopping;
        }
    });
}

void CommandQueue::quit()
{
    change([this] {
        m_quit = true;
        m_orders.stop = true;
        m_stopWanted = true;
    });
}

void CommandQueue::setPicture(const PictureSettings& settings)
{
    change([&] {
        m_orders.repaint = m_orders.repaint || !(m_orders.picture == settings);
        m_orders.picture = settings;
    });
}

void CommandQueue::setRate(const ViewRate& rate)
{
    change([&] { m_orders.rate = rate; });
}

void CommandQueue::setTransport(FrameTransport transport)
{
    change([&] {
        m_orders.transport = transport;
        m_orders.repaint = true;
    });
}

void CommandQueue::setViewing(bool visible)
{
    change([&] {
        m_orders.viewing = visible;
        m_orders.repaint = m_orders.repaint || visible;
    });
}

void CommandQueue::act(SessionAction action)
{
    change([&] { m_orders.actions.push_back(std::move(action)); });
}

SessionState CommandQueue::state() const
{
    const std::lock_guard lock(m_mutex);
    return m_state;
}

void CommandQueue::waitUntilIdle()
{
    std::unique_lock lock(m_mutex);
    m_idle.wait(lock, [this] { return m_state == SessionState::Idle && !m_telling && !m_next.plan; });
}

bool CommandQueue::waitForRun(NextRun& run)
{
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_quit || m_next.plan; });
    run = std::exchange(m_next, {});
    return !m_quit;
}

SessionOrders CommandQueue::take(Wait wait)
{
    std::unique_lock lock(m_mutex);
    if (wait == Wait::ForChange) {
        m_changed.wait(lock, [this] {
            return m_orders.stop || !m_orders.pause || m_orders.steps > 0 || m_orders.repaint ||
                   !m_orders.actions.empty();
        });
    }
    SessionOrders orders = m_orders;
    m_orders.repaint = false;
    m_orders.resumed = false;
    m_orders.actions.clear();
    return orders;
}

void CommandQueue::stepsDone(int steps)
{
    const std::lock_guard lock(m_mutex);
    m_orders.steps = std::max(0, m_orders.steps - steps);
}

void CommandQueue::repaintLater()
{
    const std::lock_guard lock(m_mutex);
    m_orders.repaint = true;
}

void CommandQueue::nowPaused()
{
    const std::lock_guard lock(m_mutex);
    if (m_state == SessionState::Pausing && m_orders.steps == 0) {
        m_state = SessionState::Paused;
    }
}

void CommandQueue::nowIdle()
{
    const std::lock_guard lock(m_mutex);
    m_state = SessionState::Idle;
    m_orders.stop = m_quit;
    m_stopWanted = m_quit;
    m_telling = true;
}

void CommandQueue::endOfTelling()
{
    {
        const std::lock_guard lock(m_mutex);
        m_telling = false;
    }
    m_idle.notify_all();
}

void EventQueue::post(SessionEvent event)
{
    const bool replaceable = std::holds_alternative<Progressed>(event) || std::holds_alternative<PictureReady>(event) ||
                             std::holds_alternative<TracesGrew>(event) || std::holds_alternative<ProbeGrew>(event);
    bool call = false;
    {
        const std::lock_guard lock(m_mutex);
        const auto same = std::find_if(m_events.begin(), m_events.end(), [&](const SessionEvent& e) {
            return replaceable && e.index() == event.index();
        });
        if (same != m_events.end()) {
            *same = std::move(event);
        } else {
            m_events.push_back(std::move(event));
        }
        call = !std::exchange(m_wakePending, true);
    }
    if (call && m_wake) {
        m_wake();
    }
}

std::vector<SessionEvent> EventQueue::take()
{
    const std::lock_guard lock(m_mutex);
    m_wakePending = false;
    return std::exchange(m_events, {});
}

} // namespace ondo
