// Light and dark: a palette and a style sheet made from one table of colours. Widgets that paint take their colours from
// QPalette (accent: Highlight, quiet text: PlaceholderText, lines: Mid, plot ground: Base) and need not know the theme.
#pragma once

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QString>

class QApplication;

namespace ondo {

enum class ThemeKind { Dark, Light };

// Style, font, palette and style sheet for the whole program.
void applyTheme(QApplication& application, ThemeKind kind);
[[nodiscard]] ThemeKind themeOf(const QPalette& palette);

enum class Tone { Plain, Dim, Warning, Bad, Good };
[[nodiscard]] QColor toneColour(const QPalette& palette, Tone tone);

// An icon of resources/icons in the colours of the theme in force when it is painted.
enum class IconInk { Text, OnAccent, Accent };
[[nodiscard]] QIcon themedIcon(const QString& name, IconInk ink = IconInk::Text);

} // namespace ondo
