// The desktop program: options, one window, the event loop.
#include "app/desktop/errands.h"
#include "app/desktop/measurement.h"
#include "app/desktop/options.h"
#include "ui/main_window.h"
#include "ui/program.h"
#include "ui/project_model.h"
#include "ui/session_bridge.h"

#include <QApplication>
#include <QCoreApplication>
#include <QElapsedTimer>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace {

// Help, version and refusals of options need no display, and Qt aborts where there is none: read the options once without.
bool answeredWithoutDisplay(int argc, char** argv)
{
    const bool onlyText = std::any_of(argv + 1, argv + argc, [](const char* a) {
        const std::string_view word(a);
        return word == "--help" || word == "-h" || word == "--help-all" || word == "--version" || word == "-v";
    });
    const bool mayOpen =
        qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY") ||
        qEnvironmentVariableIsSet("QT_QPA_PLATFORM") ||
        std::any_of(argv + 1, argv + argc, [](const char* a) { return std::string_view(a) == "-platform"; });
    if (!onlyText && mayOpen) {
        return false;
    }
    const QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("ondoscope"));
    QCoreApplication::setApplicationVersion(QStringLiteral(ONDO_VERSION));
    (void)ondo::readOptions(QCoreApplication::arguments());
    std::fprintf(stderr, "ondoscope: there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set); "
                         "start it in a desktop session, or compute without a window: ondo run\n");
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    QElapsedTimer sinceStart;
    sinceStart.start();
    ondo::keepDisplayOption(argc, argv);
#if defined(Q_OS_LINUX)
    if (answeredWithoutDisplay(argc, argv)) {
        return 2;
    }
#endif
    ondo::prepareProgram();
    QApplication application(argc, argv);
    ondo::nameProgram();
    const ondo::DesktopOptions options = ondo::readOptions(QApplication::arguments());
    ondo::ProgramSettings settings;
    settings.fresh = options.fresh || options.measuring() || options.firstWave;
    ondo::applySettings(settings);
    if (options.display == QLatin1String("host")) {
        qputenv("ONDO_DISPLAY", "host");
    }

    ondo::MainWindow window;
    if (!options.theme.isEmpty()) {
        window.setTheme(options.theme == QLatin1String("light") ? ondo::ThemeKind::Light : ondo::ThemeKind::Dark);
    }
    if (options.size.isValid()) {
        window.resize(options.size);
    }
    if (!options.device.isEmpty()) {
        window.project().setDevice(options.device.toStdString());
    }
    window.show();
    if (options.measuring()) {
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
