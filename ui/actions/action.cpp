#include "ui/actions/action.h"

#include "ui/theme/theme.h"

#include <utility>

namespace ondo {

Action::Action(Spec spec, QObject* parent)
    : QAction(spec.text, parent)
    , m_scope(spec.scope)
    , m_refresh(std::move(spec.refresh))
{
    setObjectName(spec.name);
    setIconName(spec.icon);
    setShortcuts(spec.keys);
    setShortcutContext(m_scope == KeyScope::View ? Qt::WidgetWithChildrenShortcut : Qt::WindowShortcut);
    setTip(spec.tip.isEmpty() ? spec.text : spec.tip);
    connect(this, &QAction::triggered, this, [perform = std::move(spec.perform)] { perform(); });
}

void Action::refresh()
{
    if (m_refresh) {
        m_refresh(*this);
    }
}

void Action::setIconName(const QString& name)
{
    if (name != m_iconName) {
        m_iconName = name;
        setIcon(themedIcon(name));
    }
}

void Action::setTip(const QString& tip)
{
    const QString keys = shortcut().toString(QKeySequence::NativeText);
    QString plain = tip;
    plain.remove(QLatin1Char('&'));
    setToolTip(keys.isEmpty() ? plain : QStringLiteral("%1 (%2)").arg(plain, keys));
    setStatusTip(plain);
}

} // namespace ondo
