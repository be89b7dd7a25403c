// The one QObject that owns a Session: turns its events into signals on the UI thread, opens the device and judges the
// project on workers, and follows the project's edits where a run can follow (a source that moves, the probe).
// UI thread; never waits for the session except in the destructor.
#pragma once

#include "engine/device/device_list.h"
#include "engine/session/session.h"
#include "ui/jobs/job_pool.h"
#include "ui/preflight.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ondo {

class ProjectModel;
class SpeedDesk;

enum class RunPhase { NoDevice, Ready, Starting, Running, Pausing, Paused, Stopping };

class SessionBridge : public QObject {
    Q_OBJECT
public:
    explicit SessionBridge(ProjectModel& project, QObject* parent = nullptr);
    ~SessionBridge() override;

    // Looks for devices and opens the one the project asks for.
    void openDevice();

    // Starts the project as it is now; while a run is on, ends it first. Each answers at once.
    void run();
    void pause();
    void resume();
    void step(); // starts a paused run if none is on
    void stop();
    void poke(const Position& position); // starts a run if none is on
    void setTransport(FrameTransport transport);
    // Do sources that are edited move in the run that is on?
    void setFollowing(bool following) { m_following = following; }
    // Called just before a run starts, when the device and the plan are there: the view attaches itself.
    void onBeforeRun(std::function<void()> told) { m_beforeRun = std::move(told); }

    [[nodiscard]] RunPhase phase() const;
    [[nodiscard]] bool active() const; // a run is on, or about to be
    [[nodiscard]] Session& session() { return *m_session; }
    [[nodiscard]] SpeedDesk& speed() const { return *m_speed; }

    [[nodiscard]] const std::shared_ptr<Device>& device() const { return m_device; }
    [[nodiscard]] const std::string& deviceReason() const { return m_deviceReason; }
    [[nodiscard]] const std::optional<Error>& deviceError() const { return m_deviceError; }
    [[nodiscard]] const std::shared_ptr<const DeviceSurvey>& deviceSurvey() const { return m_survey; }
    // The verdict on the project as it is now.
    [[nodiscard]] const std::shared_ptr<const SimulationPlan>& plan() const { return m_preflight.plan(); }
    [[nodiscard]] const std::optional<Error>& planError() const { return m_preflight.error(); }
    // What the present or last run obeys; null before the first.
    [[nodiscard]] const std::shared_ptr<const SimulationPlan>& runningPlan() const { return m_runningPlan; }
    // Does the project say something else than the run that is on? (It applies at the next run.)
    [[nodiscard]] bool projectDiffers() const;

    [[nodiscard]] const Progressed& progress() const { return m_progress; }
    [[nodiscard]] const std::shared_ptr<const Gather>& gather() const { return m_gather; }
    [[nodiscard]] const Session::ProbeTrace& probeTrace() const { return m_probeTrace; }
    [[nodiscard]] const std::shared_ptr<const FieldFrame>& lastField() const { return m_lastField; }
    [[nodiscard]] double lastRunSeconds() const { return m_lastRunSeconds; }

signals:
    void deviceChanged();
    void planChanged();
    void stateChanged();
    void started();
    void progressed();
    void pictureReady();
    void gatherChanged();
    void probeTraceChanged();
    void ended();

private:
    void wake(); // session's thread
    void drain();
    void handle(const SessionEvent& event);
    void finishRun();
    void tryStart();
    void judge();
    [[nodiscard]] ViewRate rateInForce() const;
    void followProject();
    void readTraces();
    void forgetResults(); // of a model that is no longer the project's
    void deviceOpened(Result<DeviceChoice> choice, std::shared_ptr<const DeviceSurvey> survey);

    struct Wish {
        bool run = false;
        bool paused = false;
        std::vector<Position> pokes;
    };

    ProjectModel& m_project;
    std::shared_ptr<Device> m_device;
    std::string m_deviceId; // as asked for
    std::string m_deviceReason;
    std::optional<Error> m_deviceError;
    std::shared_ptr<const DeviceSurvey> m_survey;
    std::shared_ptr<const SimulationPlan> m_runningPlan;
    RunDescription m_followed; // what the run does: its plan's, with the moves it has followed
    FrameTransport m_transport = FrameTransport::Host;
    Progressed m_progress;
    std::shared_ptr<const Gather> m_gather;
    Session::ProbeTrace m_probeTrace;
    std::shared_ptr<const FieldFrame> m_lastField;
    double m_lastRunSeconds = 0.0;
    bool m_runOn = false; // from start() to its last event
    bool m_following = true;
    std::function<void()> m_beforeRun;
    bool m_restsAtStep = false; // paused, and its last event has told where
    bool m_tracesGrew = false, m_probeGrew = false;
    Wish m_wish;
    QTimer m_traceClock;
    JobPool m_jobs;
    Preflight m_preflight;
    SpeedDesk* m_speed;
    std::unique_ptr<Session> m_session; // last: stops first
};

} // namespace ondo
