#include "ui/actions/action_list.h"

#include <QMenu>
#include <QMenuBar>

namespace ondo {

ActionList::ActionList(const AppContext& context, QObject* parent)
    : m_groups({fileActions(context, parent), editActions(context, parent), runActions(context, parent),
                viewActions(context, parent), gatherActions(context, parent), kernelActions(context, parent),
                helpActions(context, parent)})
{
    refresh();
}

Action* ActionList::find(const QString& name) const
{
    for (const ActionGroup& group : m_groups) {
        for (Action* action : group.actions) {
            if (action != nullptr && action->objectName() == name) {
                return action;
            }
        }
    }
    return nullptr;
}

void ActionList::fill(QMenuBar& bar) const
{
    for (const ActionGroup& group : m_groups) {
        QMenu* menu = bar.addMenu(group.title);
        for (Action* action : group.actions) {
            if (action == nullptr) {
                menu->addSeparator();
            } else {
                menu->addAction(action);
            }
        }
    }
}

void ActionList::addView(QWidget& view) const
{
    for (const ActionGroup& group : m_groups) {
        for (Action* action : group.actions) {
            if (action != nullptr && action->scope() == KeyScope::View) {
                view.addAction(action);
            }
        }
    }
}

void ActionList::refresh()
{
    for (const ActionGroup& group : m_groups) {
        for (Action* action : group.actions) {
            if (action != nullptr) {
                action->refresh();
            }
        }
    }
}

} // namespace ondo
