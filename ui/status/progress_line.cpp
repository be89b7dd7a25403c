#include "ui/status/progress_line.h"

#include "ui/file_desk.h"
#include "ui/forms/form.h"
#include "ui/forms/number_label.h"
#include "ui/forms/progress_track.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/speed_desk.h"
#include "ui/text.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>

namespace ondo {

constexpr int kBusyWidth = 260; // of a file's name and share at most

ProgressLine::ProgressLine(ProjectModel& project, SessionBridge& session, FileDesk& files, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_session(session)
    , m_files(files)
    , m_time(new NumberLabel(QStringLiteral("progressTime"), tr("8.888 of 8.888 s"), this))
    , m_left(new NumberLabel(QStringLiteral("progressLeft"), tr("88 min 88 s left"), this))
    , m_track(new ProgressTrack(QStringLiteral("progressTrack"), this))
    , m_busy(new QLabel(this))
    , m_differs(new QLabel(this))
    , m_cancel(new QToolButton(this))
{
    setObjectName(QStringLiteral("progressLine"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(kGap, 0, kGap, 0);
    layout->setSpacing(10);
    m_time->setAccessibleName(tr("Simulated time"));
    m_left->setAccessibleName(tr("Time left"));
    m_left->setTone(Tone::Dim);
    m_busy->setObjectName(QStringLiteral("progressBusy"));
    m_busy->setTextFormat(Qt::PlainText);
    m_differs->setObjectName(QStringLiteral("appliesNext"));
    m_differs->setText(tr("Applies at the next run"));
    m_differs->setToolTip(tr("The project was edited while the run is on. Restart (Home) to see the change"));
    setTone(m_differs, "warning");
    m_cancel->setObjectName(QStringLiteral("cancelReading"));
    m_cancel->setIcon(themedIcon(QStringLiteral("close")));
    m_cancel->setToolTip(tr("Cancel"));
    m_cancel->setAccessibleName(tr("Cancel what is being done"));
    connect(m_cancel, &QToolButton::clicked, this, [this] {
        if (m_files.busy().canCancel) {
            m_files.cancel();
        } else {
            m_session.speed().cancel();
        }
    });
    layout->addWidget(m_time);
    layout->addWidget(m_track, 1);
    layout->addWidget(m_left);
    layout->addWidget(m_busy);
    layout->addWidget(m_cancel);
    layout->addWidget(m_differs);
    m_files.onBusy([this] { showAll(); });
    connect(&m_session, &SessionBridge::progressed, this, &ProgressLine::showAll);
    connect(&m_session.speed(), &SpeedDesk::progressed, this, &ProgressLine::showAll);
    connect(&m_session, &SessionBridge::stateChanged, this, &ProgressLine::showAll);
    connect(&m_session, &SessionBridge::planChanged, this, &ProgressLine::showAll);
    connect(&m_project, &ProjectModel::runChanged, this, &ProgressLine::showAll);
    showAll();
}

void ProgressLine::showAll()
{
    FileDesk::Busy busy = m_files.busy();
    if (const SpeedDesk& speed = m_session.speed(); busy.text.isEmpty() && speed.measuring()) {
        busy = {tr("Measuring the speed of this device, %1 %").arg(qRound(100.0 * speed.fraction())), speed.fraction(),
                true};
    }
    m_cancel->setVisible(busy.canCancel);
    m_busy->setVisible(!busy.text.isEmpty());
    m_busy->setText(fontMetrics().elidedText(busy.text, Qt::ElideMiddle, kBusyWidth));
    m_busy->setToolTip(busy.text);
    m_left->setVisible(busy.text.isEmpty());
    m_differs->setVisible(m_session.projectDiffers());
    const Progressed& progress = m_session.progress();
    const auto& plan = m_session.runningPlan() != nullptr ? m_session.runningPlan() : m_session.plan();
    const double whole = plan != nullptr ? plan->time.duration() : 0.0;
    m_time->setText(tr("%1 of %2 s").arg(progress.time, 0, 'f', 3).arg(whole, 0, 'f', 3));
    m_track->setFraction(busy.canCancel       ? busy.fraction
                         : progress.steps > 0 ? static_cast<double>(progress.step) / static_cast<double>(progress.steps)
                                              : 0.0);
    if (m_session.phase() == RunPhase::Running && progress.secondsLeft >= 0.0) {
        m_left->setText(tr("%1 left").arg(secondsText(progress.secondsLeft)));
    } else if (m_session.phase() == RunPhase::Running && plan != nullptr && plan->secondsEstimate > 0.0) {
        m_left->setText(tr("about %1").arg(secondsText(plan->secondsEstimate))); // until the run tells its own rate
    } else if (m_session.phase() == RunPhase::Paused) {
        m_left->setText(tr("paused, step %1").arg(progress.step));
    } else if (!m_session.active() && m_session.lastRunSeconds() > 0.0 && progress.step > 0 &&
               progress.step >= progress.steps) {
        m_left->setText(tr("took %1").arg(secondsText(m_session.lastRunSeconds())));
    } else {
        m_left->setText({});
    }
}

} // namespace ondo
