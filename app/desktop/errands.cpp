#include "app/desktop/errands.h"

#include "ui/actions/action_list.h"
#include "ui/main_window.h"

#include <QApplication>
#include <QMenu>
#include <QMenuBar>
#include <QPixmap>
#include <QScreen>
#include <QTimer>

#include <cstdio>

namespace ondo {

namespace {

// By its title without the mnemonic; false: there is none.
bool openMenu(QMenuBar& bar, const QString& title)
{
    for (QAction* entry : bar.actions()) {
        if (entry->text().remove(QLatin1Char('&')) == title) {
            entry->menu()->popup(bar.mapToGlobal(bar.actionGeometry(entry).bottomLeft()));
            return true;
        }
    }
    return false;
}

} // namespace

void takeScreenshot(MainWindow& window, const DesktopOptions& options)
{
    const int milliseconds = static_cast<int>(options.after * 1000.0);
    if (!options.show.isEmpty()) {
        QTimer::singleShot(milliseconds / 2, &window, [&window, name = options.show] {
            if (Action* action = window.actions().find(name)) {
                action->trigger();
            } else if (!openMenu(*window.menuBar(), name)) {
                std::fprintf(stderr, "ondoscope: --show %s: no action and no menu has this name\n",
                             qUtf8Printable(name));
                window.close();
                QApplication::exit(2);
            }
        });
    }
    QTimer::singleShot(milliseconds, &window, [&window, options] {
        const QPixmap picture = options.show.isEmpty() ? window.grab() : window.screen()->grabWindow(0);
        const bool written = picture.save(options.screenshot);
        if (!written) {
            std::fprintf(stderr, "ondoscope: cannot write %s\n", qUtf8Printable(options.screenshot));
        }
        window.close();
        QApplication::exit(written ? 0 : 3);
    });
}

} // namespace ondo
