#include "ui/panes/probe_pane.h"

#include "render/ticks.h"
#include "ui/forms/form.h"
#include "ui/panes/trace_plot.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/text.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kSilence = 1e-15; // Pa

} // namespace

ProbePane::ProbePane(ProjectModel& project, SessionBridge& session, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_session(session)
{
    setObjectName(QStringLiteral("probePane"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin, 4, kDockMargin, kGap);
    layout->setSpacing(4);
    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    const auto field = [&](const QString& axis, const QString& name) {
        head->addWidget(quietLabel(axis, this));
        auto* edit = new QuantityEdit(
            name, {tr("m"), -1e7, 1e7, 2, 0.0, {}}, [this](double) { place(); }, this);
        edit->setAccessibleName(tr("Probe %1").arg(axis));
        edit->setMinimumWidth(fontMetrics().horizontalAdvance(tr("88888.8 m")) + 38); // and its arrows
        head->addWidget(edit, 1);
        return edit;
    };
    m_x = field(tr("x"), QStringLiteral("probeX"));
    m_y = field(tr("y"), QStringLiteral("probeY"));
    m_z = field(tr("z"), QStringLiteral("probeZ"));
    layout->addLayout(head);
    m_plot = new TracePlot(QStringLiteral("probePlot"),
                           {true, true, false, tr("Records at the probe\nwhile the shot runs")}, this);
    m_plot->setAccessibleName(tr("Pressure at the probe against time"));
    layout->addWidget(m_plot, 1);
    connect(&m_project, &ProjectModel::probeChanged, this, &ProbePane::showProbe);
    connect(&m_project, &ProjectModel::modelChanged, this, &ProbePane::showProbe);
    connect(&m_session, &SessionBridge::probeTraceChanged, this, &ProbePane::showTrace);
    connect(&m_session, &SessionBridge::started, this, &ProbePane::showTrace);
    connect(&m_session, &SessionBridge::planChanged, this, &ProbePane::showTrace);
    showProbe();
    showTrace();
}

void ProbePane::place()
{
    m_project.setProbe(Position{m_x->value(), m_y->value(), m_z->value()});
}

void ProbePane::showProbe()
{
    const bool deep = m_project.threeDimensional();
    m_y->setVisible(deep);
    for (QObject* child : children()) {
        if (auto* label = qobject_cast<QLabel*>(child); label != nullptr && label->text() == tr("y")) {
            label->setVisible(deep);
        }
    }
    const Position position = m_project.probe().value_or(Position{});
    m_x->set(position.x);
    m_y->set(position.y);
    m_z->set(position.z);
}

void ProbePane::showTrace()
{
    const Session::ProbeTrace& trace = m_session.probeTrace();
    Curve curve;
    curve.first = trace.firstTime;
    curve.step = trace.dt > 0.0 ? trace.dt : 1.0;
    double largest = 0.0;
    for (const float sample : trace.samples) {
        largest = std::max(largest, std::abs(static_cast<double>(sample)));
    }
    const bool silent = largest < kSilence; // what the first arrival's foot leaves in single precision
    const PressureUnit unit = pressureUnitFor(silent ? 0.0 : largest);
    curve.values.reserve(trace.samples.size());
    for (const float sample : trace.samples) {
        curve.values.push_back(silent ? 0.0 : static_cast<double>(sample) / unit.pascals);
    }
    const auto& plan = m_session.runningPlan() != nullptr ? m_session.runningPlan() : m_session.plan();
    const double asked = m_project.run().duration > 0.0 ? m_project.run().duration : 1.0; // 0: no model yet
    const double end = plan != nullptr ? plan->time.duration() : asked;
    m_plot->setCurve(std::move(curve), end, tr("Time (s)"), tr("Pressure (%1)").arg(fromEngine(unit.name)));
}

} // namespace ondo
