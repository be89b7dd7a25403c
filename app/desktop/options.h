// The desktop program's command line.
#pragma once

#include <QSize>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <optional>

namespace ondo {

struct DesktopOptions {
    QString path;    // model or run file; empty: the model that comes with the program
    QString device;  // empty: as the run says
    QString display; // "auto" "host" "none"
    bool run = false;
    QString screenshot;            // file; empty: none
    double after = 3.0;            // s from the start to the screenshot
    double measure = 0.0;          // s of a run without end; 0: none
    std::int64_t measureSteps = 0; // of a run that is measured to its end; 0: none
    double views = 30.0;           // a second, at most, while measuring
    bool firstWave = false;
    int grid = 2048; // nodes an axis of the measured model
    int rank = 2;    // of it
    QString
        show; // objectName of an action, or title of a menu, done before the screenshot, which is then one of the screen
    QSize size;         // of the window; invalid: as remembered
    QString theme;      // "light" "dark"; empty: as remembered
    bool fresh = false; // forgets nothing, remembers nothing

    [[nodiscard]] bool measuring() const { return measure > 0.0 || measureSteps > 0; }
};

// Qt would take --display for the name of an X server: before QApplication, it gets another name there.
void keepDisplayOption(int argc, char** argv);

// Prints help or what is wrong and leaves the process in those cases.
[[nodiscard]] DesktopOptions readOptions(const QStringList& arguments);

} // namespace ondo
