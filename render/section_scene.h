// The furniture of a section: axes with ticks and titles, the frame around the picture, colour bars. Everything but the
// picture itself. Rendered when it changes, kept, and composed with the moving picture by whoever shows it.
#pragma once

#include "engine/frame/picture.h"
#include "render/section_view.h"
#include "render/theme.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

class ScenePainter;

struct ColourBar {
    std::string title; // "velocity (m/s)"
    double low = 0.0, high = 1.0;
    std::shared_ptr<const ColourTable> colours;
    bool operator==(const ColourBar&) const = default;
};

enum class BarPlacement { Right, Below };

struct SectionLayout {
    PixelRect area; // what the picture may cover
    BarPlacement bars = BarPlacement::Right;
};

// Margins for axes and `bars` colour bars inside `within`; the bars go where the picture gets larger.
[[nodiscard]] SectionLayout layOutSection(const PixelRect& within, double scale, const PlaneExtent& extent,
                                          Aspect aspect, int bars);

struct SectionFurniture {
    double scale = 1.0; // device pixels a pixel at 100 %
    Theme theme;
    PixelRect field;                                // where the picture lies
    PictureFrame frame;                             // what it shows
    std::string acrossTitle = "x", downTitle = "z"; // without the unit
    std::vector<ColourBar> bars;
    BarPlacement placement = BarPlacement::Right;
    bool operator==(const SectionFurniture&) const = default;
};

// Names of a plane's axes: "Distance x", "Depth z".
struct AxisTitles {
    std::string across, down;
};
[[nodiscard]] AxisTitles axisTitles(SlicePlane plane);

// Paints no background, and nothing at all where the field has no size.
void drawSection(ScenePainter& painter, const SectionFurniture& furniture);

// Where drawSection puts its ticks: for grid lines over the picture. Device pixels.
struct GridLines {
    std::vector<double> across, down;
};
[[nodiscard]] GridLines gridLines(const SectionFurniture& furniture);

// Parts that other drawings share.
struct AxisLine {
    double from = 0.0, to = 1.0; // values at the two ends
    int start = 0, end = 1;      // pixels of the two ends: left to right, or top to bottom
    int at = 0;                  // the pixel line the ticks stand on
    std::string title;
    double unit = 1.0; // values are divided by it for the labels
};
// Labels above the line (top) or left of it, ticks outwards.
void drawTopAxis(ScenePainter& painter, const AxisLine& axis, const Theme& theme);
void drawLeftAxis(ScenePainter& painter, const AxisLine& axis, const Theme& theme);

} // namespace ondo
