// What the program does when it was started to be measured: runs, prints one line of JSON, leaves. What it measures is the
// given file, or a model of options.grid nodes an axis, square or cubic.
#pragma once

#include "app/desktop/options.h"

class QElapsedTimer;

namespace ondo {

class MainWindow;

// Rates, GL time and bytes to the host over options.measure seconds of a run without end; or, if options.measureSteps is set,
// of a run of so many steps from when it is warm to its end, and a hash of its traces: the same number of steps must give
// the same traces, whoever looks.
void measure(MainWindow& window, const DesktopOptions& options);

// When the first picture with a wave was on the screen.
void timeFirstWave(MainWindow& window, const DesktopOptions& options, const QElapsedTimer& sinceStart);

} // namespace ondo
