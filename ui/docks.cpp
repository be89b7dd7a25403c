#include "ui/docks.h"

#include "ui/dock.h"
#include "ui/inversion/inversion_desk.h"
#include "ui/inversion/inversion_run.h"
#include "ui/kernel_desk.h"
#include "ui/panels/display_panel.h"
#include "ui/panels/inversion_panel.h"
#include "ui/panels/kernel_panel.h"
#include "ui/panels/setup_panel.h"
#include "ui/panes/compare_pane.h"
#include "ui/panes/field_view.h"
#include "ui/panes/gather_canvas.h"
#include "ui/panes/gather_pane.h"
#include "ui/panes/iteration_pane.h"
#include "ui/panes/line_pane.h"
#include "ui/panes/probe_pane.h"
#include "ui/panes/trace_plot.h"
#include "ui/panes/wells_pane.h"

#include <QDockWidget>
#include <QMainWindow>
#include <QTabBar>

namespace ondo {

namespace {

// Qt makes a bar of tabs when docks come to share a place.
void nameTabs(QMainWindow& window)
{
    for (QTabBar* bar : window.findChildren<QTabBar*>(QString(), Qt::FindDirectChildrenOnly)) {
        bar->setAccessibleName(QMainWindow::tr("Panels that share this place"));
    }
}

} // namespace

std::vector<QWidget*> addDocks(QMainWindow& window, const AppContext& context)
{
    QDockWidget* first = nullptr;
    const auto add = [&](const char* name, const QString& title, QWidget* content, Dock::Scroll scroll) {
        auto* dock = new Dock(QLatin1String(name), title, content, scroll, &window);
        window.addDockWidget(Qt::LeftDockWidgetArea, dock);
        if (first != nullptr) { // all below each other would make the window higher than many a screen
            window.tabifyDockWidget(first, dock);
        } else {
            first = dock;
        }
        QObject::connect(dock, &QDockWidget::visibilityChanged, &window, [&window] { nameTabs(window); });
        return dock;
    };
    auto* display = new DisplayPanel(context.project);
    QObject::connect(&context.field, &FieldView::fullColourShown, display, &DisplayPanel::showFullColour);
    auto* gather = new GatherPane(context.project, context.session, context.kernel);
    auto* probe = new ProbePane(context.project, context.session);
    add("setupDock", QMainWindow::tr("Shot"), new SetupPanel(context.project, context.session, context.files),
        Dock::Scroll::Needed);
    const Dock* kernel = add("kernelDock", QMainWindow::tr("Kernel"),
                             new KernelPanel(context.project, context.session, context.kernel), Dock::Scroll::Needed);
    // Seen, and not behind another: what is picked is marked in the views.
    QObject::connect(kernel, &QDockWidget::visibilityChanged, &context.kernel, &KernelDesk::setEngaged);
    add("displayDock", QMainWindow::tr("Display"), display, Dock::Scroll::Needed);
    add("gatherDock", QMainWindow::tr("Gather"), gather, Dock::Scroll::Never);
    add("probeDock", QMainWindow::tr("Probe"), probe, Dock::Scroll::Never);
    const Dock* invert = add("inversionDock", QMainWindow::tr("Invert"),
                             new InversionPanel(context.session, context.inversion), Dock::Scroll::Needed);
    QObject::connect(invert, &QDockWidget::visibilityChanged, &context.inversion.run(), &InversionRun::setEngaged);
    auto* iterations = new IterationPane(context.project, context.inversion);
    auto* compare = new ComparePane(context.project, context.inversion);
    auto* line = new LinePane(context.inversion);
    add("iterationDock", QMainWindow::tr("Iterations"), iterations, Dock::Scroll::Never);
    add("compareDock", QMainWindow::tr("Traces"), compare, Dock::Scroll::Never);
    add("lineDock", QMainWindow::tr("Line"), line, Dock::Scroll::Never);
    auto* wells = new WellsPane(context.project, context.inversion);
    add("wellsDock", QMainWindow::tr("Wells"), wells, Dock::Scroll::Never);
    std::vector<QWidget*> views = {&gather->canvas(), &probe->plot()};
    for (const auto& more : {iterations->views(), compare->views(), line->views(), wells->views()}) {
        views.insert(views.end(), more.begin(), more.end());
    }
    return views;
}

void raiseDock(QMainWindow& window, const char* name)
{
    if (auto* dock = window.findChild<QDockWidget*>(QLatin1String(name))) {
        dock->show();
        dock->raise();
    }
}

} // namespace ondo
