// The desktop program's command line.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <optional>

namespace ondo {

struct DesktopOptions {
    QString path;    // model or run file; empty: the model that comes with the program
    QString device;  // empty: as the run says
    QString display; // "auto" "host" "none"
    bool run = false;
    QString screenshot;   // file; empty: none
    double after = 3.0;   // s from the start to the screenshot
    double measure = 0.0; // s; 0: no measurement
    double views = 30.0;  // a second, at most, while measuring
    bool firstWave = false;
    int grid = 2048; // nodes an axis of the measured model
    QString
        show; // objectName of an action, or title of a menu, done before the screenshot, which is then one of the screen
    QSize size;         // of the window; invalid: as remembered
    QString theme;      // "light" "dark"; empty: as remembered
    bool fresh = false; // forgets nothing, remembers nothing
};

// Qt would take --display for the name of an X server: before QApplication, it gets another name there.
void keepDisplayOption(int argc, char** argv);

// Prints help or what is wrong and leaves the process in those cases.
[[nodiscard]] DesktopOptions readOptions(const QStringList& arguments);

} // namespace ondo
