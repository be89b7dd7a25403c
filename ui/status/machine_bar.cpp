#include "ui/status/machine_bar.h"

#include "ui/forms/form.h"
#include "ui/forms/number_label.h"
#include "ui/panes/field_view.h"
#include "ui/session_bridge.h"
#include "ui/text.h"
#include "ui/theme/theme.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QToolButton>

#include <algorithm>
#include <array>
#include <utility>

namespace ondo {

MachineBar::MachineBar(SessionBridge& session, FieldView& field, const std::function<void()>& why, QWidget* parent)
    : QWidget(parent)
    , m_session(session)
    , m_field(field)
    , m_layout(new QHBoxLayout(this))
    , m_device(new QToolButton(this))
    , m_display(new QToolButton(this))
{
    setObjectName(QStringLiteral("machineBar"));
    m_layout->setContentsMargins(kGap, 2, kGap, 4);
    m_layout->setSpacing(6);
    for (QToolButton* button : {m_device, m_display}) {
        button->setProperty("role", "plain");
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setIconSize(QSize(15, 15));
        connect(button, &QToolButton::clicked, this, [why] { why(); });
    }
    m_device->setObjectName(QStringLiteral("statusDevice"));
    m_device->setIcon(themedIcon(QStringLiteral("chip")));
    m_display->setObjectName(QStringLiteral("statusDisplay"));
    m_display->setIcon(themedIcon(QStringLiteral("diagnostics")));
    m_layout->addWidget(m_device);
    m_memory = cell(QStringLiteral("statusMemory"), tr("Device memory: used by this run, free"),
                    tr("888 MB used, 88.8 GB free"));
    addRule();
    m_layout->addWidget(m_display);
    m_views = cell(QStringLiteral("statusViews"), tr("Pictures shown a second"), tr("88 views/s"));
    m_gl = cell(QStringLiteral("statusGl"), tr("Time that the GPU or the drawing library needs for a view"),
                tr("GL 88.8 ms"));
    m_share =
        cell(QStringLiteral("statusShare"), tr("Share of the solver's time that views take"), tr("88 % of solver"));
    addRule();
    m_steps = cell(QStringLiteral("statusSteps"), tr("Steps of the scheme a second"), tr("88.8 k steps/s"));
    m_layout->addStretch(1);
    m_courant =
        cell(QStringLiteral("statusCourant"), tr("Courant number and its limit: beyond it the scheme is unstable"),
             tr("Courant 0.888 of 0.888"));
    addRule();
    m_points = cell(QStringLiteral("statusPoints"), tr("Grid points in the shortest wavelength"), tr("88.8 points/λ"));
    connect(&m_session, &SessionBridge::deviceChanged, this, &MachineBar::showDevice);
    connect(&m_session, &SessionBridge::stateChanged, this, &MachineBar::showRates);
    connect(&m_session, &SessionBridge::progressed, this, &MachineBar::showRates);
    connect(&m_session, &SessionBridge::planChanged, this, &MachineBar::showPlan);
    connect(&m_session, &SessionBridge::started, this, &MachineBar::showPlan);
    showDevice();
    showRates();
    showPlan();
}

NumberLabel* MachineBar::cell(const QString& name, const QString& label, const QString& widest)
{
    auto* value = new NumberLabel(name, widest, this);
    value->setAccessibleName(label);
    value->setToolTip(label);
    value->setTone(Tone::Dim);
    m_layout->addWidget(value);
    return value;
}

void MachineBar::addRule()
{
    auto* rule = new QFrame(this);
    rule->setFixedSize(1, 14);
    rule->setProperty("role", "rule");
    rule->setStyleSheet(QStringLiteral("min-height: 14px; max-height: 14px;"));
    m_layout->addSpacing(4);
    m_layout->addWidget(rule);
    m_layout->addSpacing(4);
}

void MachineBar::showDevice()
{
    const auto& device = m_session.device();
    const QString reason = fromEngine(m_session.deviceReason());
    if (device == nullptr) {
        const auto& error = m_session.deviceError();
        m_device->setText(error ? tr("No device") : tr("Looking for devices…"));
        m_device->setToolTip(error ? fromEngine(error->text()) : QString());
        return;
    }
    m_device->setText(fromEngine(device->facts().name));
    m_device->setToolTip(reason.isEmpty() ? tr("What computes the waves") : reason);
    fit();
    showRates();
}

void MachineBar::showDisplay(const DisplayVerdict& verdict)
{
    const bool direct = verdict.transport == FrameTransport::Direct;
    m_displayLong = direct                 ? tr("Display: direct")
                    : verdict.chosenByUser ? tr("Display: through host memory, chosen by you")
                                           : tr("Display: through host memory");
    m_displayShort = direct ? tr("direct") : verdict.chosenByUser ? tr("host, chosen by you") : tr("through host");
    const QString why = direct                     ? tr("Pictures go from the GPU's memory straight to the screen")
                        : verdict.reason.isEmpty() ? tr("The CPU computes: the field is in host memory anyway")
                                                   : verdict.reason;
    m_display->setToolTip(tr("%1. Click for the whole story").arg(why));
    m_display->setAccessibleDescription(why);
    fit();
}

// Nothing is cut off: in a narrow window what matters least goes first. All of it stands in the diagnostics.
void MachineBar::fit()
{
    const std::array<QWidget*, 4> leastFirst = {m_gl, m_share, m_memory, m_views};
    for (QWidget* each : leastFirst) {
        each->setVisible(true);
    }
    m_display->setText(m_displayLong);
    const auto tooWide = [this] {
        m_layout->invalidate();
        return m_layout->sizeHint().width() > width();
    };
    for (std::size_t i = 0; i < leastFirst.size() && tooWide(); ++i) {
        if (leastFirst[i] == m_memory) {
            m_display->setText(m_displayShort);
            if (!tooWide()) {
                break;
            }
        }
        leastFirst[i]->setVisible(false);
    }
}

void MachineBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fit();
}

void MachineBar::showRates()
{
    const bool on = m_session.active();
    const Progressed& progress = m_session.progress();
    const QString none = QStringLiteral("–");
    m_steps->setText(
        tr("%1 steps/s").arg(on && progress.stepsPerSecond > 0.0 ? rateText(progress.stepsPerSecond) : none));
    m_views->setText(tr("%1 views/s").arg(on ? rateText(m_field.viewsPerSecond()) : none));
    const double gl = m_field.glMillisecondsPerView();
    m_gl->setText(tr("GL %1 ms").arg(gl >= 0.0 ? QString::number(gl, 'f', gl < 1.0 ? 2 : 1) : none));
    m_share->setText(tr("%1 % of solver").arg(on ? QString::number(progress.viewShare * 100.0, 'f', 0) : none));
    const auto& device = m_session.device();
    if (device != nullptr) {
        const std::size_t used = progress.deviceBytes;
        const std::size_t total = device->facts().memoryFree;
        m_memory->setText(tr("%1 used, %2 free").arg(bytesText(used), bytesText(total > used ? total - used : 0)));
    } else {
        m_memory->setText(none);
    }
}

void MachineBar::showPlan()
{
    const auto& plan = m_session.active() && m_session.runningPlan() ? m_session.runningPlan() : m_session.plan();
    if (plan == nullptr) {
        m_courant->setText(tr("Courant –"));
        m_points->setText(tr("– points/λ"));
        return;
    }
    m_courant->setText(tr("Courant %1 of %2").arg(plan->courantNumber, 0, 'f', 3).arg(plan->courantLimit, 0, 'f', 3));
    m_courant->setTone(plan->courantNumber > 0.95 * plan->courantLimit ? Tone::Warning : Tone::Dim);
    m_points->setText(tr("%1 points/λ").arg(plan->pointsPerWavelength, 0, 'f', 1));
    m_points->setTone(plan->pointsPerWavelength < 4.0 ? Tone::Warning : Tone::Dim);
}

} // namespace ondo
