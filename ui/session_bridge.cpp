#include "ui/session_bridge.h"

#include "ui/project_model.h"
#include "ui/speed_desk.h"
#include "ui/text.h"

#include <QElapsedTimer>

#include <algorithm>
#include <utility>

namespace ondo {

namespace {

constexpr int kTraceMilliseconds = 60; // between two looks at traces that grow

template<class... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template<class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

} // namespace

SessionBridge::SessionBridge(ProjectModel& project, QObject* parent)
    : QObject(parent)
    , m_project(project)
    , m_preflight(this,
                  [this] {
                      emit planChanged();
                      tryStart();
                  })
    , m_speed(new SpeedDesk(*this))
    , m_session(std::make_unique<Session>([this] { wake(); }))
{
    connect(m_speed, &SpeedDesk::changed, this, &SessionBridge::judge);
    m_traceClock.setInterval(kTraceMilliseconds);
    connect(&m_traceClock, &QTimer::timeout, this, &SessionBridge::readTraces);
    connect(&m_project, &ProjectModel::runChanged, this, &SessionBridge::followProject);
    connect(&m_project, &ProjectModel::modelChanged, this, [this] {
        if (!m_runOn) {
            forgetResults();
        }
        judge();
    });
    connect(&m_project, &ProjectModel::probeChanged, this, [this] { m_session->setProbe(m_project.probe()); });
    connect(&m_project, &ProjectModel::viewChanged, this, [this] {
        m_session->setViewRate(rateInForce());
        m_following = m_project.view().move == MoveMeaning::Continues;
    });
}

SessionBridge::~SessionBridge() = default;

void SessionBridge::openDevice()
{
    m_deviceId = m_project.run().device;
    struct Opened {
        Result<DeviceChoice> choice;
        std::shared_ptr<const DeviceSurvey> survey;
    };
    m_jobs.start(
        this,
        [id = m_deviceId](JobTicket&) {
            return Opened{ondo::openDevice(id), std::make_shared<const DeviceSurvey>(surveyDevices())};
        },
        [this, id = m_deviceId](Opened opened) {
            if (id == m_deviceId) {
                deviceOpened(std::move(opened.choice), std::move(opened.survey));
            }
        });
}

void SessionBridge::deviceOpened(Result<DeviceChoice> choice, std::shared_ptr<const DeviceSurvey> survey)
{
    m_survey = std::move(survey);
    if (choice) {
        m_device = std::move(choice->device);
        m_deviceReason = std::move(choice->fallbackReason);
        m_deviceError.reset();
    } else {
        m_device.reset();
        m_deviceReason.clear();
        m_deviceError = choice.error();
        m_wish = {};
        m_project.tell(noticeOf(choice.error()));
    }
    emit deviceChanged();
    emit stateChanged();
    judge();
}

void SessionBridge::judge()
{
    if (m_device == nullptr || m_project.model().empty()) {
        m_preflight.forget();
        return;
    }
    m_preflight.judge(m_project.run(), m_project.model(), m_device->facts(), m_speed->speed());
}

void SessionBridge::followProject()
{
    const RunDescription& run = m_project.run();
    if (run.device != m_deviceId && m_survey != nullptr) {
        openDevice();
    }
    judge();
    if (!m_runOn || !m_following) {
        return;
    }
    const std::size_t shot = static_cast<std::size_t>(m_progress.shot);
    if (shot >= run.survey.shots.size() || shot >= m_followed.survey.shots.size()) {
        return;
    }
    const std::vector<Source>& wanted = run.survey.shots[shot].sources;
    std::vector<Source>& followed = m_followed.survey.shots[shot].sources;
    if (wanted.size() != followed.size()) {
        return;
    }
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (!(wanted[i].position == followed[i].position) && m_project.model().grid().contains(wanted[i].position)) {
            followed[i].position = wanted[i].position;
            m_session->moveSource(static_cast<int>(i), wanted[i].position);
        }
    }
}

ViewRate SessionBridge::rateInForce() const
{
    ViewRate rate = m_project.view().rate;
    if (m_runningPlan != nullptr && m_project.view().watchSeconds > 0.0) {
        rate.pace = m_runningPlan->time.duration() / m_project.view().watchSeconds;
    }
    return rate;
}

bool SessionBridge::projectDiffers() const
{
    return m_runOn && m_runningPlan != nullptr &&
           (!(m_followed == m_project.run()) ||
            m_runningPlan->model.velocity().values != m_project.model().velocity().values);
}

void SessionBridge::run()
{
    m_wish.run = true;
    m_wish.paused = false;
    if (m_runOn) {
        m_session->stop();
    } else {
        tryStart();
    }
    emit stateChanged();
}

void SessionBridge::tryStart()
{
    if (!m_wish.run || m_runOn || m_preflight.pending()) {
        return;
    }
    if (const auto& error = m_preflight.error()) {
        m_wish = {};
        m_project.tell(noticeOf(*error));
        emit stateChanged();
        return;
    }
    if (m_device == nullptr || m_preflight.plan() == nullptr) {
        return; // deviceOpened() and the verdict come back here
    }
    const Wish wish = std::exchange(m_wish, {});
    m_progress = {};
    m_progress.steps = m_preflight.plan()->time.innerSteps();
    m_runningPlan = m_preflight.plan();
    m_followed = m_project.run();
    m_gather.reset();
    m_probeTrace = {};
    m_lastField.reset();
    m_session->setViewRate(rateInForce());
    if (m_beforeRun) {
        m_beforeRun();
    }
    SessionOptions options;
    options.transport = m_transport;
    options.startPaused = wish.paused;
    if (const Result<> begun = m_session->start(m_runningPlan, m_device, options); !begun) {
        m_project.tell(noticeOf(begun.error()));
        emit stateChanged();
        return;
    }
    m_runOn = true;
    m_restsAtStep = false;
    m_session->setProbe(m_project.probe());
    m_traceClock.start();
    if (wish.paused) {
        m_session->stepOnce(1);
    }
    for (const Position& position : wish.pokes) {
        poke(position);
    }
    emit stateChanged();
    emit gatherChanged();
}

void SessionBridge::pause()
{
    if (m_runOn) {
        m_session->pause();
        emit stateChanged();
    }
}

void SessionBridge::resume()
{
    if (m_runOn) {
        m_restsAtStep = false;
        m_session->resume();
        emit stateChanged();
    }
}

void SessionBridge::step()
{
    if (m_runOn) {
        m_restsAtStep = false;
        m_session->stepOnce(1);
    } else {
        m_wish.run = true;
        m_wish.paused = true;
        tryStart();
    }
    emit stateChanged();
}

void SessionBridge::stop()
{
    m_wish = {};
    if (m_runOn) {
        m_session->stop();
    }
    emit stateChanged();
}

void SessionBridge::poke(const Position& position)
{
    if (!m_runOn) {
        m_wish.run = true;
        m_wish.pokes.push_back(position);
        tryStart();
        emit stateChanged();
        return;
    }
    const std::vector<Source>& sources = m_project.shot().sources;
    m_session->poke(position, sources.empty() ? Wavelet{} : sources.front().wavelet);
}

void SessionBridge::setTransport(FrameTransport transport)
{
    m_transport = transport;
    if (m_runOn) {
        m_session->setTransport(transport);
    }
}

RunPhase SessionBridge::phase() const
{
    if (m_wish.run) {
        return RunPhase::Starting;
    }
    if (!m_runOn) {
        return m_device == nullptr ? RunPhase::NoDevice : RunPhase::Ready;
    }
    switch (m_session->state()) {
    case SessionState::Pausing: return RunPhase::Pausing;
    case SessionState::Paused: return m_restsAtStep ? RunPhase::Paused : RunPhase::Pausing;
    case SessionState::Stopping: return RunPhase::Stopping;
    case SessionState::Idle: // its last event is on the way
    case SessionState::Running: break;
    }
    return RunPhase::Running;
}

bool SessionBridge::active() const
{
    return m_runOn || m_wish.run;
}

void SessionBridge::wake()
{
    QMetaObject::invokeMethod(this, &SessionBridge::drain, Qt::QueuedConnection);
}

void SessionBridge::drain()
{
    for (const SessionEvent& event : m_session->takeEvents()) {
        handle(event);
    }
}

void SessionBridge::handle(const SessionEvent& event)
{
    std::visit(Overloaded{
                   [this](const Started&) {
                       emit started();
                       emit stateChanged();
                   },
                   [this](const Progressed& progress) {
                       m_progress = progress;
                       emit progressed();
                   },
                   [this](const PictureReady&) { emit pictureReady(); },
                   [this](const TracesGrew&) { m_tracesGrew = true; },
                   [this](const ProbeGrew&) { m_probeGrew = true; },
                   [this](const PausedAt& paused) {
                       m_restsAtStep = true;
                       m_progress.step = paused.step;
                       m_progress.time = paused.time;
                       readTraces();
                       emit progressed();
                       emit stateChanged();
                   },
                   [this](const Resumed&) {
                       m_restsAtStep = false;
                       emit stateChanged();
                   },
                   [this](const ShotFinished& shot) {
                       m_gather = shot.gather;
                       m_tracesGrew = false;
                       emit gatherChanged();
                   },
                   [this](const Finished& finished) {
                       m_lastField = finished.lastField;
                       m_lastRunSeconds = finished.seconds;
                       finishRun();
                   },
                   [this](const Stopped& stopped) {
                       m_lastField = stopped.lastField;
                       m_gather = stopped.gathers.front(); // the one on show
                       m_progress.step = stopped.step;
                       m_tracesGrew = false;
                       emit gatherChanged();
                       finishRun();
                   },
                   [this](const Failed& failed) {
                       m_project.tell(noticeOf(failed.error));
                       finishRun();
                   },
               },
               event);
}

void SessionBridge::finishRun()
{
    m_runOn = false;
    m_traceClock.stop();
    m_probeGrew = true;
    readTraces();
    if (m_runningPlan->model.velocity().values != m_project.model().velocity().values) {
        forgetResults();
    }
    emit progressed();
    emit stateChanged();
    emit ended();
    tryStart();
}

void SessionBridge::forgetResults()
{
    m_gather.reset();
    m_probeTrace = {};
    m_lastField.reset();
    m_progress = {};
    m_runningPlan.reset();
    emit gatherChanged();
    emit probeTraceChanged();
    emit progressed();
}

void SessionBridge::readTraces()
{
    if (std::exchange(m_tracesGrew, false)) {
        QElapsedTimer clock;
        clock.start();
        m_gather = std::make_shared<const Gather>(m_session->gather());
        emit gatherChanged();
        // The larger the gather, the rarer the look: a tenth of this thread's time at most.
        m_traceClock.setInterval(std::max(kTraceMilliseconds, 10 * static_cast<int>(clock.elapsed())));
    }
    if (std::exchange(m_probeGrew, false)) {
        m_probeTrace = m_session->probeTrace();
        emit probeTraceChanged();
    }
}

} // namespace ondo
