#include "ui/panels/receivers_panel.h"

#include "ui/project_model.h"
#include "ui/text.h"

#include <QVBoxLayout>

#include <cmath>

namespace ondo {

ReceiversPanel::ReceiversPanel(ProjectModel& project, QWidget* parent)
    : QWidget(parent)
    , m_project(project)
    , m_form(new Form(this))
{
    setObjectName(QStringLiteral("receiversPanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_form);
    const auto length = [this](const QString& name) {
        return new QuantityEdit(
            name, {tr("m"), -1e7, 1e7, 2, 0.0, {}}, [this](double) { edit(); }, this);
    };
    m_firstX = length(QStringLiteral("receiverFirstX"));
    m_lastX = length(QStringLiteral("receiverLastX"));
    m_firstY = length(QStringLiteral("receiverFirstY"));
    m_lastY = length(QStringLiteral("receiverLastY"));
    m_depth = length(QStringLiteral("receiverDepth"));
    m_count = new QuantityEdit(
        QStringLiteral("receiverCount"), {{}, 0.0, 20000.0, 0, 1.0, {}}, [this](double) { edit(); }, this);
    m_form->pair(tr("x first, last"), m_firstX, m_lastX);
    m_form->pair(tr("y first, last"), m_firstY, m_lastY);
    m_form->row(tr("Depth z"), m_depth);
    m_form->row(tr("How many"), m_count);
    m_note = quietLabel({}, this);
    m_note->setObjectName(QStringLiteral("receiverNote"));
    m_note->setWordWrap(true);
    m_form->wide(m_note);
    connect(&m_project, &ProjectModel::runChanged, this, &ReceiversPanel::showRun);
    connect(&m_project, &ProjectModel::modelChanged, this, &ReceiversPanel::showRun);
    showRun();
}

void ReceiversPanel::edit()
{
    RunDescription run = m_project.run();
    if (run.survey.shots.empty()) {
        return;
    }
    const std::vector<Receiver> before = m_project.shot().receivers;
    const int count = static_cast<int>(m_count->value());
    const double depth = m_depth->value();
    std::vector<Receiver> after;
    if (count > 0) {
        after = receiverLine({m_firstX->value(), m_firstY->value(), depth}, {m_lastX->value(), m_lastY->value(), depth},
                             count);
    }
    for (Shot& shot : run.survey.shots) { // shots that share a spread go on sharing it
        if (shot.receivers == before) {
            shot.receivers = after;
        }
    }
    m_project.editRun(tr("Change the receivers"), run);
}

void ReceiversPanel::showRun()
{
    const std::vector<Receiver>& receivers = m_project.shot().receivers;
    const std::optional<ReceiverLine> line = asLine(receivers);
    m_form->setRowVisible(m_firstY->parentWidget(), m_project.threeDimensional());
    m_count->set(static_cast<double>(receivers.size()));
    if (!receivers.empty()) {
        m_firstX->set(receivers.front().position.x);
        m_firstY->set(receivers.front().position.y);
        m_lastX->set(receivers.back().position.x);
        m_lastY->set(receivers.back().position.y);
        m_depth->set(receivers.front().position.z);
    }
    if (!line) {
        m_note->setText(tr("These receivers stand on no even line. An edit here replaces them by one."));
    } else if (line->count > 1) {
        const double length = std::hypot(line->last.x - line->first.x, line->last.y - line->first.y);
        m_note->setText(tr("One every %1 m").arg(significant(length / (line->count - 1), 4)));
    } else {
        m_note->setText(line->count == 0 ? tr("No receivers: nothing is recorded") : QString());
    }
}

} // namespace ondo
