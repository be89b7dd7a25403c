#include "ui/inversion/inversion_run.h"

#include "engine/io/inversion_file.h"
#include "engine/io/inversion_keys.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/live_gradient.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/speed_desk.h"
#include "ui/text.h"

#include <QFileInfo>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <utility>

namespace ondo {

namespace {

constexpr int kClockMilliseconds = 100; // between two looks at the worker

} // namespace

struct InversionRun::Live {
    LiveGradient gradient;
    std::mutex mutex;
    bool begun = false;
    InversionProgress progress;
    int recorded = 0, records = 1; // done in this run; of the whole inversion, those before it left out
    std::vector<std::string> notes;
};

InversionRun::InversionRun(InversionDesk& desk, ProjectModel& project, SessionBridge& session)
    : QObject(&desk)
    , m_desk(desk)
    , m_project(project)
    , m_session(session)
{
    m_clock.setInterval(kClockMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &InversionRun::listen);
    connect(&m_project, &ProjectModel::runChanged, this, &InversionRun::judge);
    connect(&m_project, &ProjectModel::modelChanged, this, &InversionRun::judge);
    setValues({});
}

InversionRun::~InversionRun() = default;

void InversionRun::setValue(const std::string& key, const std::string& value)
{
    if (std::exchange(m_values[key], value) != value) {
        emit orderChanged();
        judge();
    }
}

void InversionRun::setValues(const InversionSettings& settings)
{
    const auto keys = inversionKeys();
    const auto values = inversionValues(settings);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        m_values[keys[i].name] = values[i];
    }
    m_tape = settings.gradient.tape;
    emit orderChanged();
    judge();
}

void InversionRun::setTape(const TapeOptions& tape)
{
    m_tape = tape;
    emit orderChanged();
    judge();
}

void InversionRun::setObserved(const QString& path)
{
    m_observed = path;
    emit orderChanged();
}

void InversionRun::setOut(const QString& path)
{
    m_out = path;
    emit orderChanged();
}

InversionOrder InversionRun::order() const
{
    InversionOrder order{m_project.run(), m_project.model(), toEngine(m_observed), {}, m_tape};
    order.run.output = {};
    for (const auto& [key, value] : m_values) {
        if (value != kChosen) {
            order.assignments.push_back(fmt::format("inversion.{}={}", key, value));
        }
    }
    return order;
}

void InversionRun::setEngaged(bool engaged)
{
    if (std::exchange(m_engaged, engaged) != engaged) {
        judge();
    }
}

void InversionRun::judge()
{
    if (!m_engaged || m_project.model().empty()) {
        return;
    }
    if (!m_judgement.mayAsk()) {
        return;
    }
    m_forecasts.start(
        this,
        [order = order()](JobTicket&) -> Result<QString> {
            const auto setup = setUpInversion(order);
            if (!setup) {
                return tl::unexpected<Error>(setup.error());
            }
            return tr("%1 iterations, %2 to %3 m/s; %4")
                .arg(setup->plan.records)
                .arg(setup->plan.bounds.low, 0, 'f', 0)
                .arg(setup->plan.bounds.high, 0, 'f', 0)
                .arg(memoryText(setup->plan.memory));
        },
        [this](Result<QString> verdict) {
            if (!m_judgement.mayTell()) {
                judge();
                return;
            }
            m_forecast = verdict ? *verdict : QString();
            m_forecastError = verdict ? std::nullopt : std::optional(verdict.error());
            emit forecastChanged();
        });
}

void InversionRun::start()
{
    if (m_out.isEmpty()) {
        m_project.tell({NoticeKind::Refused, tr("There is no file to keep the iterates in"),
                        tr("Give one under Invert, Result file")});
        return;
    }
    begin(m_out, false, -1);
}

void InversionRun::resume(int from)
{
    if (m_desk.watch().path().isEmpty()) {
        m_project.tell({NoticeKind::Refused, tr("No inversion is open that could go on"),
                        tr("Open its file (Ctrl+Alt+O), or start one (Ctrl+J)")});
        return;
    }
    begin(m_desk.watch().path(), true, from);
}

void InversionRun::begin(const QString& out, bool again, int from)
{
    if (running() || m_project.model().empty()) {
        return;
    }
    m_live = std::make_shared<Live>();
    m_live->gradient.look = m_look;
    m_progress = {};
    m_session.speed().hold(true);
    m_job = m_jobs.start(
        this,
        [order = order(), out = toEngine(out), again, from, live = m_live](JobTicket& ticket) {
            return work(order, out, again, from, *live, ticket);
        },
        [this](const Outcome& outcome) { finish(outcome); });
    m_out = out;
    m_elapsed.start();
    m_clock.start();
    emit orderChanged();
    emit progressed();
}

InversionRun::Outcome InversionRun::work(const InversionOrder& order, const std::string& out, bool again, int from,
                                         Live& live, JobTicket& ticket)
{
    const auto with = setUpWithData(order);
    if (!with) {
        return {with.error()};
    }
    const auto& [settings, plan, device] = with->setup;
    const auto identity = identityOf(plan, settings, with->observed.shots);
    std::error_code code;
    if (!again && std::filesystem::exists(out, code)) {
        return {Error{ErrorKind::BadInput, out + " is there already", "give another name, or open it and resume", {}}};
    }
    auto file =
        again ? InversionFile::open(out, identity, plan.plan->model.grid(), from)
              : InversionFile::create(out, {plan, settings, identity,
                                            plan.plan->describe() + describeInversion(plan, settings), order.observed});
    if (!file) {
        return {file.error()};
    }
    {
        const std::lock_guard lock(live.mutex);
        live.begun = true;
        live.records = std::max(1, plan.records - (*file)->count());
        live.notes = with->observed.notes;
    }
    InversionHooks hooks;
    hooks.stop = &ticket.cancelled;
    hooks.look = &live.gradient.look;
    hooks.picture = [&](GradientFrame frame) { live.gradient.put(std::move(frame)); };
    hooks.progress = [&](const InversionProgress& progress) {
        const std::lock_guard lock(live.mutex);
        live.progress = progress;
    };
    hooks.recorded = [&](const InversionRecord&) {
        const std::lock_guard lock(live.mutex);
        ++live.recorded;
    };
    hooks.note = [&](const std::string& text) {
        const std::lock_guard lock(live.mutex);
        live.notes.push_back(text);
    };
    const auto done = runInversion(plan, device, with->observed.shots, settings, **file, hooks);
    return {done ? std::nullopt : std::optional(done.error())};
}

void InversionRun::cancel()
{
    if (m_job == nullptr) {
        return;
    }
    m_job->cancelled = true; // ends within a step; nothing comes back
    rest();
    m_project.tell({NoticeKind::Told,
                    tr("The inversion was stopped; %1 keeps its iterations").arg(QFileInfo(m_out).fileName()),
                    tr("Resume goes on from there (Ctrl+Shift+J)")});
    emit progressed();
    emit pictureChanged();
}

void InversionRun::rest()
{
    m_job.reset();
    m_live.reset();
    m_clock.stop();
    m_session.speed().hold(false);
    m_progress = {};
    m_picture.reset();
}

void InversionRun::listen()
{
    if (m_live == nullptr) {
        return;
    }
    int records = 1;
    std::vector<std::string> notes;
    const bool began = m_progress.begun;
    {
        const std::lock_guard lock(m_live->mutex);
        m_progress.begun = m_live->begun;
        m_progress.at = m_live->progress;
        m_progress.records = m_live->recorded;
        records = m_live->records;
        notes = std::exchange(m_live->notes, {});
    }
    if (m_progress.begun && !began) {
        m_desk.follow(m_out); // there is a file now
    }
    for (const auto& note : notes) {
        m_project.tell({NoticeKind::Told, fromEngine(note), {}});
    }
    m_progress.fraction = std::min(1.0, static_cast<double>(m_progress.records) / records);
    const double elapsed = 1e-3 * static_cast<double>(m_elapsed.elapsed());
    m_progress.secondsLeft =
        m_progress.records > 0 ? elapsed * (records - m_progress.records) / m_progress.records : -1.0;
    emit progressed();
    if (auto newest = m_live->gradient.take(); newest && newest->frame.look == m_look) {
        const bool adjoint = m_look == GradientLook::AdjointField;
        const QString what = adjoint ? tr("Adjoint field, shot %1").arg(newest->frame.shot + 1)
                                     : tr("Gradient so far, shot %1").arg(newest->frame.shot + 1);
        const double clip = liveClip(newest->clip, m_picture ? m_picture->clip : 0.0);
        m_picture = ShownField{std::make_shared<const FieldFrame>(std::move(newest->frame.field)), what,
                               adjoint ? adjointUnit() : misfitUnit() + tr("/(m/s)"), clip};
        emit pictureChanged();
    }
}

void InversionRun::finish(const Outcome& outcome)
{
    const QString file = QFileInfo(m_out).fileName();
    rest();
    m_project.tell(outcome.error ? noticeOf(*outcome.error)
                                 : Notice{NoticeKind::Told, tr("The inversion is done: %1").arg(file), {}});
    emit progressed();
    emit pictureChanged();
}

QString InversionRun::misfitUnit() const
{
    std::string kind = m_values.at("misfit");
    std::erase(kind, '"');
    const auto found = findTraceMisfit(kind);
    return found ? unitText((*found)->unit) : QString();
}

// Of the residuals, which are the misfit by a sample: one Pa less; and by m in three dimensions (GradientFrame).
QString InversionRun::adjointUnit() const
{
    const QString misfit = misfitUnit();
    const QString pressure = QStringLiteral("Pa²");
    const QString unit =
        misfit.startsWith(pressure) ? QStringLiteral("Pa") + misfit.mid(pressure.size()) : misfit + tr("/Pa");
    return m_project.threeDimensional() ? unit + tr("/m") : unit;
}

void InversionRun::setLook(GradientLook look)
{
    m_look = look;
    if (m_live != nullptr) {
        m_live->gradient.look = look;
    }
    m_picture.reset();
    emit orderChanged();
    emit pictureChanged();
}

} // namespace ondo
