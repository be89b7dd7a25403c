// The window's docks: what stands in each. Where they stand is ui/arrangement.h.
#pragma once

#include "ui/app_context.h"

#include <vector>

class QMainWindow;
class QWidget;

namespace ondo {

// Adds them all; gives back the views among their contents, in which single letters are commands.
std::vector<QWidget*> addDocks(QMainWindow& window, const AppContext& context);
// Open, and in front of those it shares its place with.
void raiseDock(QMainWindow& window, const char* name);

} // namespace ondo
