// What the program does when it was started for a picture or a measurement and not for a person.
#pragma once

#include "app/desktop/options.h"

class QElapsedTimer;

namespace ondo {

class MainWindow;

// After options.after seconds: the window as a PNG, then the program ends (0, or 3 if the file cannot be written).
void takeScreenshot(MainWindow& window, const DesktopOptions& options);

// Runs a square model of options.grid nodes an axis (or the given file) and prints one line of JSON after
// options.measure seconds of it.
void measure(MainWindow& window, const DesktopOptions& options);

// Opens, runs, prints one line of JSON when the first picture with a wave is on the screen, and leaves.
void timeFirstWave(MainWindow& window, const DesktopOptions& options, const QElapsedTimer& sinceStart);

} // namespace ondo
