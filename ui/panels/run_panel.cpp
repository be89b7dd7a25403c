#include "ui/panels/run_panel.h"

#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QSignalBlocker>
#include <QVBoxLayout>

#include <cmath>

namespace ondo {

namespace {

constexpr int kLowestOrder = 2;
constexpr int kHighestOrder = 16;
constexpr double kUsualCourant = 0.7;

} // namespace

RunPanel::RunPanel(ProjectModel& project, SessionBridge& session, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_session(session)
    , m_form(new Form(this))
{
    setObjectName(QStringLiteral("runPanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);
    addSettings();
    addEstimates();
    connect(&m_project, &ProjectModel::runChanged, this, &RunPanel::showRun);
    connect(&m_project, &ProjectModel::viewChanged, this, &RunPanel::showView);
    connect(&m_session, &SessionBridge::deviceChanged, this, &RunPanel::showDevices);
    connect(&m_session, &SessionBridge::planChanged, this, &RunPanel::showPlan);
    showRun();
    showDevices();
    showPlan();
    showView();
}

void RunPanel::addSettings()
{
    m_duration = new QuantityEdit(
        QStringLiteral("runDuration"), {tr("s"), 0.0, 1e5, 4, 0.0, tr("automatic")},
        [this](double value) { edit(tr("Duration"), [=](RunDescription& run) { run.duration = value; }); }, this);
    m_form->row(tr("Duration"), m_duration);
    QStringList orders;
    for (int order = kLowestOrder; order <= kHighestOrder; order += 2) {
        orders << QString::number(order);
    }
    m_order = new Choice(
        QStringLiteral("runOrder"), orders,
        [this](int index) {
            edit(tr("Space order"), [=](RunDescription& run) { run.spaceOrder = kLowestOrder + 2 * index; });
        },
        this);
    m_form->row(tr("Space order"), m_order);
    m_courant = new QuantityEdit(
        QStringLiteral("runCourant"), {tr("of the limit"), 0.01, 1.5, 3, 0.05, {}},
        [this](double value) { edit(tr("Courant fraction"), [=](RunDescription& run) { run.courant = value; }); },
        this);
    m_courant->setToolTip(tr("Time step as a fraction of the greatest stable one"));
    m_form->row(tr("Courant"), m_courant);
    m_precision = new Choice(
        QStringLiteral("runPrecision"), {tr("Single, 32 bits"), tr("Double, 64 bits")},
        [this](int index) {
            edit(tr("Precision"), [=](RunDescription& run) { run.precision = static_cast<Precision>(index); });
        },
        this);
    m_form->row(tr("Precision"), m_precision);
    m_device = new Choice(
        QStringLiteral("runDevice"), {tr("Automatic")},
        [this](int index) {
            const std::string id = toEngine(m_device->itemData(index).toString());
            edit(tr("Device"), [&](RunDescription& run) { run.device = id; });
        },
        this);
    m_form->row(tr("Device"), m_device);
    m_move = new Choice(
        QStringLiteral("runMove"), {tr("goes on"), tr("starts again")},
        [this](int index) {
            ViewSettings view = m_project.view();
            view.move = static_cast<MoveMeaning>(index);
            m_project.setView(view);
        },
        this);
    m_move->setToolTip(tr("What a run does when its source is moved. With Shift held while dragging: the other one"));
    m_form->row(tr("Moved, it"), m_move);
}

void RunPanel::addEstimates()
{
    m_time = m_form->readOut(tr("Takes"), QStringLiteral("planTime"));
    m_memory = m_form->readOut(tr("Memory"), QStringLiteral("planMemory"));
    m_points = m_form->readOut(tr("Sampling"), QStringLiteral("planPoints"));
    m_phase = m_form->readOut(tr("Phase error"), QStringLiteral("planPhase"));
    m_stability = m_form->readOut(tr("Stability"), QStringLiteral("planStability"));
    m_verdict = new QLabel(this);
    m_verdict->setObjectName(QStringLiteral("planVerdict"));
    m_verdict->setAccessibleName(tr("Warnings"));
    m_verdict->setWordWrap(true);
    m_verdict->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_form->wide(m_verdict);
}

void RunPanel::edit(const QString& text, const std::function<void(RunDescription&)>& change)
{
    RunDescription run = m_project.run();
    change(run);
    m_project.editRun(text, run);
}

void RunPanel::showRun()
{
    const RunDescription& run = m_project.run();
    m_duration->set(run.duration);
    m_order->set((run.spaceOrder - kLowestOrder) / 2);
    m_courant->set(run.courant > 0.0 ? run.courant : kUsualCourant);
    m_precision->set(static_cast<int>(run.precision));
    m_device->set(std::max(0, m_device->findData(fromEngine(run.device))));
}

void RunPanel::showView()
{
    m_move->set(static_cast<int>(m_project.view().move));
}

void RunPanel::showDevices()
{
    const QSignalBlocker quiet(m_device);
    m_device->clear();
    m_device->addItem(tr("Automatic"), QStringLiteral("auto"));
    const auto& survey = m_session.deviceSurvey();
    if (survey != nullptr) {
        for (const kernels::DeviceFacts& device : survey->devices) {
            m_device->addItem(fromEngine(device.name), fromEngine(device.id));
        }
        m_device->setToolTip(fromEngine(survey->cudaReason));
    }
    showRun();
}

void RunPanel::showPlan()
{
    const auto& plan = m_session.plan();
    const auto& error = m_session.planError();
    const QString none = QStringLiteral("–");
    m_time->setText(plan != nullptr && plan->secondsEstimate > 0.0
                        ? tr("about %1").arg(secondsText(plan->secondsEstimate))
                    : plan != nullptr ? tr("%1 steps").arg(plan->totalSteps())
                                      : none);
    m_memory->setText(plan != nullptr ? bytesText(plan->deviceBytes) : none);
    m_points->setText(
        plan != nullptr ? tr("%1 points in the shortest wavelength").arg(plan->pointsPerWavelength, 0, 'f', 1) : none);
    m_phase->setText(plan != nullptr ? tr("%1° a wavelength").arg(significant(plan->phaseErrorDegrees, 2)) : none);
    m_stability->setText(
        plan != nullptr ? tr("Courant %1 of %2").arg(plan->courantNumber, 0, 'f', 3).arg(plan->courantLimit, 0, 'f', 3)
                        : none);
    setTone(m_points, plan != nullptr && plan->pointsPerWavelength < 4.0 ? "warning" : "");
    QStringList lines;
    if (error) {
        lines << fromEngine(error->what) +
                     (error->remedy.empty() ? QString() : QStringLiteral(". ") + fromEngine(error->remedy));
    }
    if (plan != nullptr) {
        for (const PlanWarning& warning : plan->warnings) {
            lines << QStringLiteral("%1. %2").arg(fromEngine(warning.what), fromEngine(warning.remedy));
        }
    }
    m_verdict->setText(lines.join(QStringLiteral("\n\n")));
    m_verdict->setVisible(!lines.isEmpty());
    setTone(m_verdict, error ? "bad" : "warning");
}

} // namespace ondo
