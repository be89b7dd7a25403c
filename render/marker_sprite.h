// Small antialiased pictures of handles: star (source), triangle (receiver), ring (probe). The same ones in the window and
// in figures. Pure, any thread.
#pragma once

#include "engine/frame/picture.h"
#include "render/theme.h"

namespace ondo {

enum class MarkerShape { Star, Triangle, Ring, Disc };

struct MarkerStyle {
    double radius = 7.0; // device pixels, centre to the outermost point
    Colour fill;
    Colour halo;
    double haloWidth = 1.5; // device pixels around the shape
};

struct Marker {
    MarkerShape shape = MarkerShape::Star;
    MarkerStyle style;
};
// What stands for what, everywhere. scale: device pixels a pixel at 100 %.
[[nodiscard]] Marker sourceMarker(const Theme& theme, double scale);
[[nodiscard]] Marker receiverMarker(const Theme& theme, double scale);
[[nodiscard]] Marker probeMarker(const Theme& theme, double scale);
// Triangles of a spread are drawn no closer than this, at 100 %.
inline constexpr double kReceiverSpacing = 11.0;

// A square picture with the shape's centre in its middle; straight (not premultiplied) alpha.
[[nodiscard]] HostPicture markerSprite(const Marker& marker);

// `sprite` over `picture`, its middle at (x, y).
void blendOver(HostPicture& picture, const HostPicture& sprite, double x, double y);

} // namespace ondo
