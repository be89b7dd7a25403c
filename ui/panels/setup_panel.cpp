#include "ui/panels/setup_panel.h"

#include "ui/file_desk.h"
#include "ui/panels/model_panel.h"
#include "ui/panels/receivers_panel.h"
#include "ui/panels/run_panel.h"
#include "ui/panels/source_panel.h"

#include <QVBoxLayout>

namespace ondo {

SetupPanel::SetupPanel(ProjectModel& project, SessionBridge& session, FileDesk& files, QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("setupPanel"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kDockMargin - kGap, 0, kDockMargin - kGap, kGap);
    layout->setSpacing(2);
    layout->addWidget(new Section(QStringLiteral("modelSection"), tr("Model"),
                                  new ModelPanel(
                                      project, [&files] { files.askModel(); }, this),
                                  this));
    layout->addWidget(new Section(QStringLiteral("sourceSection"), tr("Source"), new SourcePanel(project, this), this));
    layout->addWidget(
        new Section(QStringLiteral("receiversSection"), tr("Receivers"), new ReceiversPanel(project, this), this));
    layout->addWidget(new Section(QStringLiteral("runSection"), tr("Run"), new RunPanel(project, session, this), this));
    layout->addStretch(1);
}

} // namespace ondo
