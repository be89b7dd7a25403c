#include "ui/field_menu.h"

#include "ui/panes/field_view.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"
#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QMenu>

namespace ondo {

void showFieldMenu(ProjectModel& project, SessionBridge& session, FieldView& field, const QPoint& global,
                   const Position& place)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("FieldMenu", text); };
    auto* menu = new QMenu(&field);
    menu->setObjectName(QStringLiteral("fieldMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto add = [menu](const char* name, const QString& icon, const QString& text, auto perform) {
        QAction* action = menu->addAction(themedIcon(icon), text, menu, perform);
        action->setObjectName(QLatin1String(name));
    };
    if (!project.shot().sources.empty()) {
        add("sourceHere", QStringLiteral("source"), tr("Put the source here"),
            [&project, place] { project.moveSource(0, place); });
    }
    add("probeHere", QStringLiteral("probe"), tr("Put the probe here"), [&project, place] {
        ViewSettings view = project.view();
        view.showProbe = true;
        project.setView(view);
        project.setProbe(place);
    });
    add("pokeHere", QStringLiteral("poke"), tr("Poke here"), [&session, place] { session.poke(place); });
    menu->addSeparator();
    add("fitHere", QStringLiteral("fit"), tr("Fit the model"), [&field] { field.fit(); });
    menu->popup(global);
}

} // namespace ondo
