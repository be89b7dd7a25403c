// What the window remembers from one start to the next: layout, theme, how things are shown. An INI file of the user's.
#pragma once

#include "ui/theme/theme.h"
#include "ui/view_settings.h"

class QMainWindow;

namespace ondo {

[[nodiscard]] ViewSettings rememberedView();
void rememberView(const ViewSettings& view);
[[nodiscard]] ThemeKind rememberedTheme();
void rememberTheme(ThemeKind kind);
// False: nothing remembered, or of another layout version.
bool restoreLayout(QMainWindow& window);
void rememberLayout(const QMainWindow& window);

} // namespace ondo
