#include "ui/tool_bar.h"

#include "ui/actions/action_list.h"
#include "ui/forms/form.h"
#include "ui/session_bridge.h"
#include "ui/status/progress_line.h"
#include "ui/theme/theme.h"

#include <QToolButton>

namespace ondo {

namespace {

// The one button in the accent's colour: as its action, in the ink that can be read on it.
class PlayButton : public QToolButton {
public:
    PlayButton(Action& action, QWidget* parent)
        : QToolButton(parent)
    {
        setObjectName(QStringLiteral("actionPlayButton"));
        setProperty("role", "primary");
        setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        setFocusPolicy(Qt::TabFocus);
        connect(this, &QToolButton::clicked, &action, &QAction::trigger);
        connect(&action, &QAction::changed, this, [this, &action] { show(action); });
        show(action);
    }

private:
    void show(const Action& action)
    {
        setText(action.text());
        setToolTip(action.toolTip());
        setAccessibleName(action.text());
        setEnabled(action.isEnabled());
        setIcon(themedIcon(action.iconName(), IconInk::OnAccent));
        setMinimumWidth(fontMetrics().horizontalAdvance(tr("Stopping…")) + 56);
    }
};

} // namespace

ToolBar::ToolBar(const ActionList& actions, ProjectModel& project, SessionBridge& session, FileDesk& files,
                 QWidget* parent)
    : QToolBar(tr("Tools"), parent)
{
    setObjectName(QStringLiteral("toolBar"));
    setMovable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    setIconSize(QSize(20, 20));
    const auto add = [&](const char* name) {
        Action* action = actions.find(QLatin1String(name));
        addAction(action);
        auto* button = qobject_cast<QToolButton*>(widgetForAction(action));
        button->setObjectName(QLatin1String(name) + QStringLiteral("Button"));
        return button;
    };
    add("actionOpenModel");
    add("actionSave");
    addSeparator();
    add("actionRestart");
    addWidget(new PlayButton(*actions.find(QStringLiteral("actionPlay")), this));
    add("actionStep");
    add("actionStop");
    add("actionSlower");
    add("actionFaster");
    add("actionPoke");
    addSeparator();
    auto* progress = new ProgressLine(project, session, files, this);
    progress->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(progress);
    addSeparator();
    add("actionUndo");
    add("actionRedo");
    add("actionNextMap");
    add("actionPolarity");
    add("actionFit");
    addSeparator();
    QToolButton* search = add("actionPalette");
    search->setProperty("role", "search");
    search->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    search->setIconSize(QSize(15, 15));
    add("actionTheme");
    add("actionKeys");
}

} // namespace ondo
