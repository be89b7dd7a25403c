#include "ui/arrangement.h"

#include <QDockWidget>
#include <QMainWindow>

namespace ondo {

// Share of the window's height: the section above keeps room for its colour bars below, where they cost it least.
static constexpr double kTracesBelow = 0.38;

void arrange(QMainWindow& window, Arrangement arrangement)
{
    const auto dock = [&](const char* name) { return window.findChild<QDockWidget*>(QLatin1String(name)); };
    QDockWidget* setup = dock("setupDock");
    QDockWidget* display = dock("displayDock");
    QDockWidget* gather = dock("gatherDock");
    QDockWidget* probe = dock("probeDock");
    QDockWidget* kernel = dock("kernelDock");
    QDockWidget* invert = dock("inversionDock");
    QDockWidget* iterations = dock("iterationDock");
    QDockWidget* compare = dock("compareDock");
    QDockWidget* line = dock("lineDock");
    QDockWidget* wells = dock("wellsDock");
    for (QDockWidget* each : {setup, kernel, invert, display, gather, probe, iterations, compare, line, wells}) {
        each->setFloating(false);
    }
    // While they are moved, those below each other would make the window higher than it is.
    for (QDockWidget* each : {probe, iterations, compare, line, wells}) {
        each->hide();
    }
    window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window.addDockWidget(Qt::LeftDockWidgetArea, setup);
    window.splitDockWidget(setup, display, Qt::Vertical);
    window.tabifyDockWidget(setup, kernel);
    window.tabifyDockWidget(kernel, invert);
    const bool beside = arrangement == Arrangement::Beside;
    window.addDockWidget(beside ? Qt::RightDockWidgetArea : Qt::BottomDockWidgetArea, gather);
    window.splitDockWidget(gather, probe, beside ? Qt::Vertical : Qt::Horizontal);
    // What an inversion is looked at by lies behind what a shot is.
    window.tabifyDockWidget(gather, iterations);
    window.tabifyDockWidget(iterations, compare);
    window.tabifyDockWidget(compare, wells);
    window.tabifyDockWidget(probe, line);
    for (QDockWidget* each : {setup, kernel, invert, display, gather, probe, iterations, compare, line, wells}) {
        each->show();
    }
    if (beside) {
        window.resizeDocks({setup, gather}, {320, 440}, Qt::Horizontal);
        window.resizeDocks({gather, probe}, {640, 260}, Qt::Vertical);
    } else {
        window.resizeDocks({setup}, {320}, Qt::Horizontal);
        window.resizeDocks({gather, probe}, {780, 460}, Qt::Horizontal);
        window.resizeDocks({gather}, {static_cast<int>(kTracesBelow * window.height())}, Qt::Vertical);
    }
    window.resizeDocks({setup, display}, {560, 340}, Qt::Vertical);
    setup->raise();
    gather->raise();
    probe->raise();
}

} // namespace ondo
