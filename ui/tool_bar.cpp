#include "ui/tool_bar.h"

#include "ui/actions/action_list.h"
#include "ui/forms/form.h"
#include "ui/session_bridge.h"
#include "ui/status/progress_line.h"
#include "ui/theme/theme.h"

#include <QLayout>
#include <QStyle>
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
    m_search = add("actionPalette");
    m_search->setIconSize(QSize(15, 15));
    add("actionTheme");
    add("actionKeys");
    fit();
}

// Before a button falls off the end, the search gives up its words.
void ToolBar::fit()
{
    const auto look = [this](bool words) {
        m_search->setProperty("role", words ? "search" : "");
        m_search->setToolButtonStyle(words ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        m_search->setIconSize(words ? QSize(15, 15) : iconSize());
        m_search->style()->unpolish(m_search);
        m_search->style()->polish(m_search);
    };
    look(true);
    // What the bar's own layout compares with its width before it hides the last ones.
    const QMargins margins = layout()->contentsMargins();
    int needed =
        margins.left() + margins.right() + 2 * style()->pixelMetric(QStyle::PM_ToolBarFrameWidth, nullptr, this);
    for (int i = 0; i < layout()->count(); ++i) {
        needed += layout()->itemAt(i)->minimumSize().width() + layout()->spacing();
    }
    if (needed > width()) {
        look(false);
    }
}

void ToolBar::resizeEvent(QResizeEvent* event)
{
    fit(); // before the bar lays itself out
    QToolBar::resizeEvent(event);
}

} // namespace ondo
