#include "ui/docks.h"

#include "ui/dock.h"
#include "ui/panels/display_panel.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/setup_panel.h"
#include "ui/panes/field_view.h"
#include "ui/panes/gather_canvas.h"
#include "ui/panes/gather_pane.h"
#include "ui/panes/probe_pane.h"
#include "ui/panes/trace_plot.h"

#include <QDockWidget>
#include <QMainWindow>

namespace ondo {

std::vector<QWidget*> addDocks(QMainWindow& window, const AppContext& context)
{
    const auto add = [&](const char* name, const QString& title, QWidget* content, Dock::Scroll scroll) {
        window.addDockWidget(Qt::LeftDockWidgetArea, new Dock(QLatin1String(name), title, content, scroll, &window));
    };
    auto* display = new DisplayPanel(context.project);
    QObject::connect(&context.field, &FieldView::fullColourShown, display, &DisplayPanel::showFullColour);
    auto* gather = new GatherPane(context.project, context.session, context.kernel);
    auto* probe = new ProbePane(context.project, context.session);
    add("setupDock", QMainWindow::tr("Shot"), new SetupPanel(context.project, context.session, context.files),
        Dock::Scroll::Needed);
    add("kernelDock", QMainWindow::tr("Kernel"), new KernelPanel(context.project, context.session, context.kernel),
        Dock::Scroll::Needed);
    add("displayDock", QMainWindow::tr("Display"), display, Dock::Scroll::Needed);
    add("gatherDock", QMainWindow::tr("Gather"), gather, Dock::Scroll::Never);
    add("probeDock", QMainWindow::tr("Probe"), probe, Dock::Scroll::Never);
    return {&gather->canvas(), &probe->plot()};
}

void raiseDock(QMainWindow& window, const char* name)
{
    if (auto* dock = window.findChild<QDockWidget*>(QLatin1String(name))) {
        dock->show();
        dock->raise();
    }
}

} // namespace ondo
