// One run from its plan to its last event, on the session's thread: launches, batches of steps, pictures, traces, reports.
// Internal to engine/session.
#pragma once

#include "engine/propagator/propagator.h"
#include "engine/session/frame_painter.h"
#include "engine/session/pacer.h"
#include "engine/session/session_queues.h"

#include <chrono>
#include <memory>
#include <vector>

namespace ondo {

class ShotRunner {
public:
    ShotRunner(NextRun run, CommandQueue& commands, EventQueue& events, RecordedTraces& recorded,
               FrameExchange& frames);

    // The run's last event (Finished or Stopped), or why it failed. May throw BackendError.
    [[nodiscard]] Result<SessionEvent> run();

private:
    using Clock = std::chrono::steady_clock;

    void beginLaunch();
    [[nodiscard]] Gather emptyGather(int within) const;
    // True: the launch's shots are done; false: stopped.
    [[nodiscard]] Result<bool> runLaunch();
    int queueSteps(const SessionOrders& orders);
    void adaptBatch(int count, double seconds);
    void apply(const SessionAction& action);
    void rest(const SessionOrders& orders);
    void look(const SessionOrders& orders);
    void lastLook();
    void waitForReader(double seconds) const;
    [[nodiscard]] Result<> report();
    void postProgress();
    [[nodiscard]] Error unstable();
    void readTraces();
    [[nodiscard]] int launchReceivers() const;
    [[nodiscard]] std::vector<std::shared_ptr<const Gather>> launchGathers();
    [[nodiscard]] Result<> handOverGathers();
    [[nodiscard]] std::shared_ptr<const FieldFrame> lastField();
    void keepField(); // if it is time

    NextRun m_run;
    CommandQueue& m_commands;
    EventQueue& m_events;
    RecordedTraces& m_recorded;
    FrameExchange& m_frames;

    Stream m_stream;
    std::unique_ptr<Propagator> m_propagator;
    std::unique_ptr<FramePainter> m_painter;
    Pacer m_pacer;
    Event m_batchDone[2];
    bool m_inFlight[2] = {false, false};
    int m_flight = 0;
    int m_batch = 1;             // steps to queue at once
    int m_shot = 0, m_shots = 1; // of the launch: first and count
    bool m_atRest = false;       // paused, told and shown

    std::int64_t m_keepStep = -1; // where a field is to be kept; < 0: nowhere
    std::shared_ptr<const FieldFrame> m_keptField;

    Clock::time_point m_started, m_lastReport, m_lastView;
    std::int64_t m_stepsAtReport = 0;
    std::uint64_t m_viewsAtReport = 0;
    double m_viewSeconds = 0.0; // since the last report
    double m_stepsPerSecond = 0.0, m_viewsPerSecond = 0.0, m_viewShare = 0.0;
    int m_tracesRead = 0, m_probeRead = 0;
    std::vector<float> m_scratch;
};

} // namespace ondo
