#include "ui/theme/view_theme.h"

namespace ondo {

Theme viewTheme(bool dark)
{
    Theme theme = dark ? darkTheme() : lightTheme();
    if (dark) {
        theme.background = {0x1a, 0x1e, 0x25};
        theme.text = {0xe4, 0xe8, 0xee};
        theme.mutedText = {0x8f, 0x9b, 0xab};
        theme.line = {0x4a, 0x54, 0x62};
        theme.accent = {0x45, 0xb8, 0xcc};
    } else {
        theme.background = {0xf8, 0xf9, 0xfb};
        theme.text = {0x1b, 0x22, 0x2b};
        theme.mutedText = {0x5d, 0x69, 0x78};
        theme.line = {0xa9, 0xb2, 0xbd};
        theme.accent = {0x0c, 0x7f, 0x95};
    }
    return theme;
}

} // namespace ondo
