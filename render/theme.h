// Colours and type of everything that render and ui draw, light and dark. Value types, any thread.
#pragma once

#include <cstdint>
#include <string>

namespace ondo {

struct Colour {
    std::uint8_t red = 0, green = 0, blue = 0, alpha = 255;
    bool operator==(const Colour&) const = default;

    // RGBA, red in the lowest byte: what textures and HostPicture hold.
    [[nodiscard]] std::uint32_t rgba() const
    {
        return std::uint32_t{red} | std::uint32_t{green} << 8 | std::uint32_t{blue} << 16 | std::uint32_t{alpha} << 24;
    }
    [[nodiscard]] Colour withAlpha(std::uint8_t a) const { return {red, green, blue, a}; }
};

enum class Brightness { Light, Dark };

struct Theme {
    Brightness brightness = Brightness::Light;
    Colour background; // around a picture
    Colour text;       // titles
    Colour mutedText;  // tick labels
    Colour line;       // frames and ticks
    Colour grid;       // lines over the picture
    Colour accent;     // what is selected
    Colour source, receiver, probe;
    Colour halo;  // thin edge around handles, so that they stand out on any colour
    Colour label; // ground of the small label beside what is dragged
    Colour labelText;
    bool operator==(const Theme&) const = default;
};

[[nodiscard]] const Theme& lightTheme();
[[nodiscard]] const Theme& darkTheme();
[[nodiscard]] const Theme& themeOf(Brightness brightness);

// Font files for text drawn by VTK: Inter, else DejaVu, Noto or Liberation Sans; empty where none is installed (then VTK's
// own face). Looked for once, first in the folder ONDO_FONT_PATH.
struct FontFiles {
    std::string regular, medium;
};
[[nodiscard]] const FontFiles& fontFiles();

} // namespace ondo
