// The speed of the session's device, for the plan's time: read where it is kept, measured in the background (two seconds)
// where it is not. Never at the same time as a run: a run that starts ends the measurement, which begins again when the
// session has rested for a moment. UI thread; reads and measures on a worker.
#pragma once

#include "engine/session/device_speed.h"
#include "ui/jobs/job_pool.h"

#include <QObject>
#include <QStringList>
#include <QTimer>

#include <memory>

namespace ondo {

class Device;
class SessionBridge;

class SpeedDesk : public QObject {
    Q_OBJECT
public:
    explicit SpeedDesk(SessionBridge& session);

    // From now on a device whose speed is not known is measured. Without it only what is kept is read.
    void measureWhenIdle();
    void cancel();        // the measurement, until the program starts again
    void hold(bool held); // the device does something else that is no run: as while a run is on

    // Null: not known (yet).
    [[nodiscard]] const std::shared_ptr<const DeviceSpeed>& speed() const { return m_speed; }
    [[nodiscard]] bool measuring() const { return m_measuring != nullptr; }
    [[nodiscard]] double fraction() const; // of the measurement, 0 ... 1
    // What there is to say of it, for the diagnostics.
    [[nodiscard]] const QStringList& story() const { return m_story; }

signals:
    void changed();    // speed()
    void progressed(); // measuring(), fraction()

private:
    void lookAtDevice();
    void lookAtSession();
    void measure();
    void stopMeasuring();

    SessionBridge& m_session;
    std::shared_ptr<Device> m_device;
    std::shared_ptr<const DeviceSpeed> m_speed;
    std::shared_ptr<JobTicket> m_measuring;
    QStringList m_story;
    bool m_allowed = false;
    bool m_held = false;
    bool m_lacking = false; // looked for, and not there
    QTimer m_rest, m_clock;
    JobPool m_jobs;
};

} // namespace ondo
