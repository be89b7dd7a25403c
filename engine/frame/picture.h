// What a view of the moving field shows, and the picture itself. Value types, any thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace ondo {

// 256 colours, RGBA 8 bits each, red in the lowest byte.
using ColourTable = std::array<std::uint32_t, 256>;

// Which plane of a 3-D grid is shown. In two dimensions always Section, index 0.
enum class SlicePlane {
    Section,      // (z, x) at node iy
    CrossSection, // (z, y) at node ix
    Depth         // (y, x) at node iz
};

// The part of the plane on the screen, in metres of the plane's own axes, and its size in device pixels.
struct PictureFrame {
    double left = 0.0, top = 0.0;     // m; the first pixel's outer edge
    double width = 1.0, height = 1.0; // m
    int pixelsX = 0, pixelsY = 0;
    bool operator==(const PictureFrame&) const = default;
};

// How the clip is found. Percentile: of |p| over the visible plane, falling slowly, never jumping from view to view.
enum class ClipMode { Fixed, Percentile };

struct PictureSettings {
    PictureFrame frame;
    SlicePlane plane = SlicePlane::Section;
    int planeIndex = 0;
    std::shared_ptr<const ColourTable> fieldColours;
    std::shared_ptr<const ColourTable> modelColours;
    bool showField = true, showModel = true;
    double blend = 0.5; // 0: the model alone ... 1: the field alone
    double gain = 1.0;
    bool reversedPolarity = false;
    ClipMode clipMode = ClipMode::Percentile;
    double percentile = 99.0;                     // 50 .. 100
    bool hold = false;                            // Percentile: keep the clip that is in force
    double clip = 1.0;                            // Fixed: Pa
    double modelLow = 1500.0, modelHigh = 4500.0; // m/s
    std::uint32_t outside = 0xFF202020U;          // colour beyond the grid
    bool operator==(const PictureSettings&) const = default;
};

// RGBA pixels on the host, top row first, no padding.
struct HostPicture {
    int width = 0, height = 0;
    std::vector<std::uint32_t> pixels;
    std::int64_t step = 0;
    double time = 0.0; // s
    double clip = 0.0; // Pa: the colour table's ends
};

// One field of a shot on the host, the user's grid without layers, float, (z, y, x).
struct FieldFrame {
    std::vector<float> values;
    int nz = 0, ny = 0, nx = 0;
    std::int64_t step = 0;
    double time = 0.0; // s
};

} // namespace ondo
