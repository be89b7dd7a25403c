#include "ui/kernel_desk.h"

#include "ui/live_gradient.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/speed_desk.h"
#include "ui/text.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace ondo {

namespace {

constexpr int kClockMilliseconds = 100; // between two looks at the worker
constexpr double kBackwards = 2.2;      // cost of the way back, in forward runs; what is stepped again comes on top

} // namespace

struct KernelDesk::Live {
    LiveGradient gradient;
    std::mutex mutex;
    bool begun = false;
    GradientProgress progress;
    std::vector<std::string> notes; // that nobody was told yet
};

KernelDesk::KernelDesk(ProjectModel& project, SessionBridge& session, QObject* parent)
    : QObject(parent)
    , m_project(project)
    , m_session(session)
{
    m_request.tape.mode = kAutomaticTape;
    m_clock.setInterval(kClockMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &KernelDesk::listen);
    connect(&m_project, &ProjectModel::runChanged, this, &KernelDesk::followProject);
    connect(&m_project, &ProjectModel::modelChanged, this, &KernelDesk::followProject);
    connect(&m_session, &SessionBridge::planChanged, this, &KernelDesk::judge);
    connect(&m_session, &SessionBridge::stateChanged, this, &KernelDesk::followSession);
    followProject();
}

KernelDesk::~KernelDesk() = default;

void KernelDesk::change(const KernelRequest& request)
{
    if (request == m_request) {
        return;
    }
    m_request = request;
    emit requestChanged();
    judge();
}

void KernelDesk::setReceiver(int receiver)
{
    KernelRequest request = m_request;
    const int count = static_cast<int>(m_project.shot().receivers.size());
    request.receiver = std::clamp(receiver, 0, std::max(0, count - 1));
    change(request);
}

void KernelDesk::setMeasure(KernelMeasure measure)
{
    KernelRequest request = m_request;
    request.measure = measure;
    change(request);
}

void KernelDesk::setWindow(double from, double to)
{
    KernelRequest request = m_request;
    request.from = from;
    request.to = to;
    change(request);
}

void KernelDesk::setTape(const TapeOptions& tape)
{
    if (tape == m_request.tape) {
        return;
    }
    KernelRequest request = m_request;
    request.tape = tape;
    change(request);
    // Another mode gives the same kernel: whoever looks at one sees at once that it does.
    if (m_result && m_shown && fresh() && !m_session.active()) {
        compute();
    }
}

void KernelDesk::setEngaged(bool engaged)
{
    if (std::exchange(m_engaged, engaged) != engaged) {
        judge();
        emit requestChanged();
    }
}

double KernelDesk::traceEnd() const
{
    return m_session.plan() != nullptr ? m_session.plan()->time.duration() : 0.0;
}

void KernelDesk::followProject()
{
    KernelRequest request = m_request;
    const int count = static_cast<int>(m_project.shot().receivers.size());
    request.shot = m_project.shotIndex();
    request.receiver = std::clamp(request.receiver, 0, std::max(0, count - 1));
    if (m_result && !m_project.model().empty() &&
        !(m_result->kernel->plan.plan->model.grid() == m_project.model().grid())) {
        // Of another model altogether: nowhere to draw it, nothing to compare it with.
        cancel();
        m_result.reset();
        m_comparison.reset();
        m_shown = false;
        request.from = request.to = 0.0;
        emit pictureChanged();
    }
    change(request);
    emit resultChanged(); // fresh() may have changed
}

void KernelDesk::followSession()
{
    if (m_session.active()) {
        if (computing()) {
            cancel();
            m_project.tell({NoticeKind::Told, tr("The sensitivity kernel was stopped: a run began"),
                            tr("Press Sensitivity kernel again when the run has ended")});
        }
        setShown(false);
    }
}

void KernelDesk::judge()
{
    const auto plan = m_session.plan();
    if (plan == nullptr || !m_engaged) {
        m_forecast.reset();
        m_forecastError = plan == nullptr ? m_session.planError() : std::nullopt;
        emit forecastChanged();
        return;
    }
    if (!m_judgement.mayAsk()) {
        return;
    }
    m_forecasts.start(
        this, [plan, request = m_request](JobTicket&) { return planKernel(*plan, request); },
        [this](Result<KernelPlan> verdict) {
            if (!m_judgement.mayTell()) {
                judge();
                return;
            }
            m_forecast.reset();
            m_forecastError.reset();
            if (verdict) {
                m_forecast = std::move(*verdict);
            } else {
                m_forecastError = verdict.error();
            }
            emit forecastChanged();
        });
}

void KernelDesk::compute()
{
    if (m_session.active()) {
        m_project.tell({NoticeKind::Refused, tr("A shot is running on this device"),
                        tr("Stop it (Ctrl+.), then ask for the kernel again")});
        return;
    }
    const auto plan = m_session.plan();
    if (plan == nullptr || m_session.device() == nullptr) {
        m_project.tell(m_session.planError() ? noticeOf(*m_session.planError())
                       : m_session.deviceError()
                           ? noticeOf(*m_session.deviceError())
                           : Notice{NoticeKind::Refused, tr("The model and the device are still being looked at"),
                                    tr("Try again in a moment")});
        return;
    }
    cancel();
    m_live = std::make_shared<Live>();
    m_live->gradient.look = m_look;
    m_progress = {};
    m_session.speed().hold(true);
    m_job = m_jobs.start(
        this,
        [plan, device = m_session.device(), request = m_request,
         live = m_live](JobTicket& ticket) -> Result<ShownKernel> {
            GradientHooks hooks;
            hooks.stop = &ticket.cancelled;
            hooks.progress = [&](const GradientProgress& progress) {
                const std::lock_guard lock(live->mutex);
                live->begun = true;
                live->progress = progress;
            };
            hooks.note = [&](const std::string& text) {
                const std::lock_guard lock(live->mutex);
                live->notes.push_back(text);
            };
            hooks.look = &live->gradient.look;
            hooks.picture = [&](GradientFrame frame) { live->gradient.put(std::move(frame)); };
            auto kernel = computeKernel(*plan, device, request, hooks);
            if (!kernel) {
                return tl::unexpected<Error>(kernel.error());
            }
            return readyToShow(std::move(*kernel));
        },
        [this](Result<ShownKernel> result) { finish(std::move(result)); });
    m_elapsed.start();
    m_clock.start();
    emit progressed();
}

void KernelDesk::cancel()
{
    if (m_job == nullptr) {
        return;
    }
    m_job->cancelled = true; // ends within a step; nothing comes back
    m_job.reset();
    m_live.reset();
    m_clock.stop();
    m_session.speed().hold(false);
    m_progress = {};
    m_livePicture.reset();
    emit progressed();
    emit pictureChanged();
}

void KernelDesk::tellNotes()
{
    std::vector<std::string> notes;
    if (m_live != nullptr) {
        const std::lock_guard lock(m_live->mutex);
        notes.swap(m_live->notes);
    }
    for (const auto& text : notes) {
        m_project.tell({NoticeKind::Told, fromEngine(text), {}});
    }
}

void KernelDesk::listen()
{
    if (m_live == nullptr) {
        return;
    }
    tellNotes();
    GradientProgress p;
    {
        const std::lock_guard lock(m_live->mutex);
        m_progress.begun = m_live->begun;
        p = m_live->progress;
    }
    if (m_progress.begun && p.steps > 0) {
        const double back = kBackwards + (m_forecast ? m_forecast->memory.forwardRuns : 0.0);
        const double done = static_cast<double>(p.step) / p.steps;
        m_progress.backwards = p.backwards;
        m_progress.fraction = (p.backwards ? 1.0 + back * done : done) / (1.0 + back);
        const double elapsed = 1e-3 * static_cast<double>(m_elapsed.elapsed());
        m_progress.secondsLeft =
            m_progress.fraction > 0.02 ? elapsed * (1.0 - m_progress.fraction) / m_progress.fraction : -1.0;
    }
    emit progressed();
    if (auto newest = m_live->gradient.take(); newest && newest->frame.look == m_look) {
        const int rank = m_project.threeDimensional() ? 3 : 2;
        const KernelMeasure measure = m_request.measure;
        const bool adjoint = m_look == GradientLook::AdjointField;
        const QString what = adjoint ? tr("Adjoint field") : tr("Kernel so far");
        const QString unit = fromEngine(adjoint ? adjointUnit(measure, rank) : kernelUnit(measure));
        const bool same = m_livePicture && m_livePicture->name == what;
        const double clip = liveClip(newest->clip, same ? m_livePicture->clip : 0.0);
        m_livePicture =
            ShownField{std::make_shared<const FieldFrame>(std::move(newest->frame.field)), what, unit, clip};
        emit pictureChanged();
    }
}

void KernelDesk::finish(Result<ShownKernel> result)
{
    tellNotes();
    m_job.reset();
    m_live.reset();
    m_clock.stop();
    m_session.speed().hold(false);
    m_progress = {};
    m_livePicture.reset();
    if (!result) {
        m_project.tell(noticeOf(result.error()));
        emit progressed();
        emit pictureChanged();
        return;
    }
    m_comparison.reset();
    if (m_result && m_result->kernel->request.samePair(result->kernel->request) &&
        m_result->kernel->values.size() == result->kernel->values.size()) {
        m_comparison = Comparison{relativeDifference(result->kernel->values, m_result->kernel->values),
                                  tapeText(m_result->kernel->tape), tapeText(result->kernel->tape)};
    }
    m_result = std::move(*result);
    m_shown = true;
    emit progressed();
    emit resultChanged();
    emit pictureChanged();
}

bool KernelDesk::fresh() const
{
    return ofThisTrace() && m_result->kernel->request.samePair(m_request);
}

bool KernelDesk::ofThisTrace() const
{
    if (!m_result) {
        return false;
    }
    const SensitivityKernel& kernel = *m_result->kernel;
    const RunDescription& of = kernel.plan.plan->run;
    const Shot& pair = of.survey.shots.front();
    const Shot& now = m_project.shot();
    const auto receiver = static_cast<std::size_t>(m_request.receiver);
    const auto& plan = m_session.plan();
    return plan != nullptr && plan->time == kernel.plan.plan->time && pair.sources == now.sources &&
           receiver < now.receivers.size() && pair.receivers.front() == now.receivers[receiver] &&
           of.boundary == m_project.run().boundary && of.spaceOrder == m_project.run().spaceOrder &&
           of.precision == m_project.run().precision &&
           kernel.plan.plan->model.velocity().values == m_project.model().velocity().values;
}

void KernelDesk::setShown(bool shown)
{
    if (m_shown != (shown && m_result)) {
        m_shown = shown && m_result;
        emit resultChanged();
        emit pictureChanged();
    }
}

void KernelDesk::setPercentile(double percentile)
{
    m_percentile = percentile;
    emit pictureChanged();
}

void KernelDesk::setLook(GradientLook look)
{
    m_look = look;
    if (m_live != nullptr) {
        m_live->gradient.look = look;
    }
    emit requestChanged();
}

double KernelDesk::clip() const
{
    return m_result ? clipAt(m_result->clips, m_percentile) : 0.0;
}

std::optional<ShownField> KernelDesk::picture() const
{
    if (m_livePicture && m_look != GradientLook::Nothing) {
        return m_livePicture;
    }
    if (!m_shown || !m_result) {
        return std::nullopt;
    }
    return ShownField{m_result->frame, tr("Kernel"), fromEngine(kernelUnit(m_result->kernel->request.measure)), clip()};
}

} // namespace ondo
