// The two queues of a session and what it has recorded. Internal to engine/session; any thread.
#pragma once

#include "engine/session/session.h"

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace ondo {

struct SessionAction {
    enum class Kind { Poke, Move, Probe, ProbeOff };
    Kind kind = Kind::Poke;
    Position position;
    Wavelet wavelet; // Poke
    int index = 0;   // Move
};

// What the session's thread has been told since it last looked.
struct SessionOrders {
    bool stop = false, pause = false, repaint = false, viewing = true, resumed = false;
    int steps = 0; // single steps wanted
    PictureSettings picture;
    ViewRate rate;
    FrameTransport transport = FrameTransport::Host;
    std::vector<SessionAction> actions;
};

struct NextRun {
    std::shared_ptr<const SimulationPlan> plan;
    std::shared_ptr<Device> device;
    SessionOptions options;
};

// Commands in.
class CommandQueue {
public:
    [[nodiscard]] Result<> start(NextRun run);
    void pause();
    void resume();
    void step(int steps);
    void stop();
    void quit();
    void setPicture(const PictureSettings& settings);
    void setRate(const ViewRate& rate);
    void setTransport(FrameTransport transport);
    void setViewing(bool visible);
    void act(SessionAction action);
    [[nodiscard]] SessionState state() const;
    void waitUntilIdle();

    // The session's thread. False: quit.
    [[nodiscard]] bool waitForRun(NextRun& run);
    enum class Wait { No, ForChange };
    [[nodiscard]] SessionOrders take(Wait wait);
    // Set from stop() until the run has ended.
    [[nodiscard]] const std::atomic<bool>& stopWanted() const { return m_stopWanted; }
    void stepsDone(int steps);
    void repaintLater();
    void nowPaused();
    // Idle, so that who hears the last event may start again; waitUntilIdle() returns only after endOfTelling().
    void nowIdle();
    void endOfTelling();

private:
    template<class Change>
    void change(Change&& change)
    {
        {
            const std::lock_guard lock(m_mutex);
            change();
        }
        m_changed.notify_all();
    }

    mutable std::mutex m_mutex;
    std::condition_variable m_changed, m_idle;
    SessionState m_state = SessionState::Idle;
    NextRun m_next;
    SessionOrders m_orders;
    std::atomic<bool> m_stopWanted = false;
    bool m_quit = false, m_telling = false;
};

// Facts out.
class EventQueue {
public:
    explicit EventQueue(std::function<void()> wake)
        : m_wake(std::move(wake))
    {
    }
    // A newer Progressed, PictureReady, TracesGrew or ProbeGrew replaces an unread one; the rest are never dropped.
    void post(SessionEvent event);
    [[nodiscard]] std::vector<SessionEvent> take();

private:
    std::function<void()> m_wake;
    std::mutex m_mutex;
    std::vector<SessionEvent> m_events;
    bool m_wakePending = false;
};

// Traces of the shot that is being computed, on the host.
struct RecordedTraces {
    mutable std::mutex mutex;
    Gather gather;
    Session::ProbeTrace probe;
};

} // namespace ondo
