#include "ui/speed_desk.h"

#include "engine/io/speed_file.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <algorithm>
#include <utility>

namespace ondo {

namespace {

constexpr int kRestMilliseconds = 1500; // without a run, before it is measured
constexpr int kClockMilliseconds = 200; // between two looks at how far it is

QStringList linesOf(const std::vector<std::string>& notes)
{
    QStringList lines;
    std::transform(notes.begin(), notes.end(), std::back_inserter(lines), fromEngine);
    return lines;
}

} // namespace

SpeedDesk::SpeedDesk(SessionBridge& session)
    : QObject(&session)
    , m_session(session)
{
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMilliseconds);
    m_clock.setInterval(kClockMilliseconds);
    connect(&m_rest, &QTimer::timeout, this, &SpeedDesk::measure);
    connect(&m_clock, &QTimer::timeout, this, &SpeedDesk::progressed);
    connect(&m_session, &SessionBridge::deviceChanged, this, &SpeedDesk::lookAtDevice);
    connect(&m_session, &SessionBridge::stateChanged, this, &SpeedDesk::lookAtSession);
}

double SpeedDesk::fraction() const
{
    return m_measuring != nullptr ? std::max(0.0, static_cast<double>(m_measuring->fraction.load())) : 0.0;
}

void SpeedDesk::measureWhenIdle()
{
    m_allowed = true;
    lookAtSession();
}

void SpeedDesk::cancel()
{
    m_allowed = false;
    m_story << tr("measuring was cancelled; ondo calibrate does it");
    m_rest.stop();
    stopMeasuring();
}

void SpeedDesk::hold(bool held)
{
    m_held = held;
    lookAtSession();
}

void SpeedDesk::stopMeasuring()
{
    if (m_measuring != nullptr) {
        m_measuring->cancelled = true; // ends within a step; nothing comes back
        m_measuring.reset();
        m_clock.stop();
        emit progressed();
    }
}

void SpeedDesk::lookAtDevice()
{
    if (m_device == m_session.device()) {
        return;
    }
    m_rest.stop();
    stopMeasuring();
    m_device = m_session.device();
    m_speed.reset();
    m_lacking = false;
    m_story.clear();
    if (m_device == nullptr) {
        emit changed();
        return;
    }
    m_jobs.start(
        this, [facts = m_device->facts()](JobTicket&) { return readSpeed(facts); },
        [this, device = m_device](KnownSpeed known) {
            if (device != m_device) {
                return;
            }
            m_story = linesOf(known.notes);
            m_speed = std::move(known.speed);
            m_lacking = m_speed == nullptr;
            if (m_lacking) {
                lookAtSession();
            } else {
                emit changed();
            }
        });
}

void SpeedDesk::lookAtSession()
{
    if (m_session.active() || m_held) {
        m_rest.stop();
        stopMeasuring();
    } else if (m_allowed && m_lacking && m_measuring == nullptr && !m_rest.isActive()) {
        m_rest.start();
    }
}

void SpeedDesk::measure()
{
    m_measuring = m_jobs.start(
        this,
        [device = m_device](JobTicket& ticket) {
            CalibrationOptions options;
            options.stop = &ticket.cancelled;
            options.telling = [&ticket](double share) { ticket.fraction = static_cast<float>(share); };
            return measureSpeed(device, options);
        },
        [this](Result<KnownSpeed> known) {
            m_measuring.reset();
            m_clock.stop();
            m_lacking = false; // also after a failure: it would fail again
            if (known) {
                m_story << linesOf(known->notes);
                m_speed = std::move(known->speed);
                emit changed();
            } else {
                m_story << fromEngine(known.error().text());
            }
            emit progressed();
        });
    m_clock.start();
    emit progressed();
}

} // namespace ondo
