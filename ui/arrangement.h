// Where the docks stand when nobody has moved them: beside the picture, or, for a model much wider than deep, with the
// traces below it, so that the picture gets the width.
#pragma once

class QMainWindow;

namespace ondo {

enum class Arrangement { Beside, Below };

// Wider than this many times its depth, a section wants the width.
inline constexpr double kWideSection = 2.0;

// The window's docks by their names: setupDock with kernelDock and inversionDock behind it, displayDock, gatherDock with
// iterationDock and compareDock, probeDock with lineDock.
void arrange(QMainWindow& window, Arrangement arrangement);

} // namespace ondo
