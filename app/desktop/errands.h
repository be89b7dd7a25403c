// What the program does when it was started for a picture and not for a person.
#pragma once

#include "app/desktop/options.h"

namespace ondo {

class MainWindow;

// After options.after seconds: the window as a PNG, then the program ends (0, or 3 if the file cannot be written).
void takeScreenshot(MainWindow& window, const DesktopOptions& options);

} // namespace ondo
