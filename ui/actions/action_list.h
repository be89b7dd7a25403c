// Every action, in the order of the menus. Menus, tool bar, palette and key list are made from it.
#pragma once

#include "ui/actions/action.h"
#include "ui/app_context.h"

#include <vector>

class QMenuBar;
class QWidget;

namespace ondo {

struct ActionGroup {
    QString title;
    std::vector<Action*> actions; // nullptr: a line
};

class ActionList {
public:
    explicit ActionList(const AppContext& context, QObject* parent);

    [[nodiscard]] const std::vector<ActionGroup>& groups() const { return m_groups; }
    [[nodiscard]] Action* find(const QString& name) const; // null: none
    void fill(QMenuBar& bar) const;
    // A widget in which the keys of View actions act.
    void addView(QWidget& view) const;
    void refresh();

private:
    std::vector<ActionGroup> m_groups;
};

// Each returns one menu. Files of these names hold them.
[[nodiscard]] ActionGroup fileActions(const AppContext& context, QObject* parent);
[[nodiscard]] ActionGroup editActions(const AppContext& context, QObject* parent);
[[nodiscard]] ActionGroup runActions(const AppContext& context, QObject* parent);
[[nodiscard]] ActionGroup viewActions(const AppContext& context, QObject* parent);
[[nodiscard]] ActionGroup gatherActions(const AppContext& context, QObject* parent);
[[nodiscard]] ActionGroup kernelActions(const AppContext& context, QObject* parent);
void addInversionActions(const AppContext& context, QObject* parent, ActionGroup& group); // to the same menu
[[nodiscard]] ActionGroup helpActions(const AppContext& context, QObject* parent);

} // namespace ondo
