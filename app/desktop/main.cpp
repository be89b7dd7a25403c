// The desktop program: options, one window, the event loop.
#include "app/desktop/errands.h"
#include "app/desktop/options.h"
#include "ui/main_window.h"
#include "ui/program.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"

#include <QApplication>
#include <QElapsedTimer>

int main(int argc, char** argv)
{
    QElapsedTimer sinceStart;
    sinceStart.start();
    ondo::prepareProgram();
    ondo::keepDisplayOption(argc, argv);
    QApplication application(argc, argv);
    ondo::nameProgram();
    const ondo::DesktopOptions options = ondo::readOptions(QApplication::arguments());
    ondo::ProgramSettings settings;
    settings.fresh = options.fresh || options.measure > 0.0 || options.firstWave;
    ondo::applySettings(settings);
    if (options.display == QLatin1String("host")) {
        qputenv("ONDO_DISPLAY", "host");
    }

    ondo::MainWindow window;
    if (!options.theme.isEmpty()) {
        window.setTheme(options.theme == QLatin1String("light") ? ondo::ThemeKind::Light : ondo::ThemeKind::Dark);
    }
    if (const QStringList size = options.size.split(QLatin1Char('x')); size.size() == 2) {
        window.resize(size[0].toInt(), size[1].toInt());
    }
    if (!options.device.isEmpty()) {
        window.project().setDevice(options.device.toStdString());
    }
    window.show();
    if (options.measure > 0.0) {
        ondo::measure(window, options);
    } else if (options.firstWave) {
        ondo::timeFirstWave(window, options, sinceStart);
    } else {
        window.open(options.path, options.run);
    }
    if (!options.screenshot.isEmpty()) {
        ondo::takeScreenshot(window, options);
    }
    return QApplication::exec();
}
