// Which part of a plane of the model is on the screen, and where: zoom, pan, metres to pixels and back.
// Pixels are device pixels from the top left corner. Value type, any thread.
#pragma once

#include "engine/frame/picture.h"
#include "engine/grid/grid.h"

namespace ondo {

struct PixelRect {
    int x = 0, y = 0, width = 0, height = 0;
    bool operator==(const PixelRect&) const = default;
    [[nodiscard]] bool covers(const PixelRect& other) const
    {
        return other.x >= x && other.y >= y && other.x + other.width <= x + width &&
               other.y + other.height <= y + height;
    }
    [[nodiscard]] bool contains(double px, double py) const
    {
        return px >= x && py >= y && px < x + width && py < y + height;
    }
};

struct PixelPoint {
    double x = 0.0, y = 0.0;
};

// A point of a plane in metres of its own two axes: across to the right, down to the bottom.
struct PlanePoint {
    double across = 0.0, down = 0.0;
};

// The node box of a plane, edges included.
struct PlaneExtent {
    double left = 0.0, top = 0.0, width = 1.0, height = 1.0; // m
    double cellAcross = 1.0, cellDown = 1.0;                 // m
    bool operator==(const PlaneExtent&) const = default;
};

[[nodiscard]] PlaneExtent planeExtent(const Grid& grid, SlicePlane plane);
[[nodiscard]] PlanePoint onPlane(SlicePlane plane, const Position& position);
// `at` with the two coordinates of the plane replaced.
[[nodiscard]] Position offPlane(SlicePlane plane, const PlanePoint& point, const Position& at);
// A position moved into the grid's node box.
[[nodiscard]] Position clampedTo(const Grid& grid, const Position& position);

enum class Aspect { True, Fill };

class SectionView {
public:
    void setExtent(const PlaneExtent& extent); // fits
    void setArea(const PixelRect& area);       // keeps what is in the middle
    void setAspect(Aspect aspect);             // fits

    void fit();
    void zoomAbout(const PixelPoint& pixel, double factor); // > 1: closer
    void panBy(double pixelsX, double pixelsY);

    [[nodiscard]] const PlaneExtent& extent() const { return m_extent; }
    [[nodiscard]] const PixelRect& area() const { return m_area; }
    [[nodiscard]] Aspect aspect() const { return m_aspect; }
    [[nodiscard]] bool isFitted() const { return m_zoom <= 1.0; }
    // Where the picture lies: never beyond the plane, centred in the area if it is smaller.
    [[nodiscard]] PixelRect fieldRect() const;
    [[nodiscard]] PictureFrame frame() const;
    // Where a picture that was made for another frame lies now; may reach far beyond the area.
    [[nodiscard]] PixelRect placeOf(const PictureFrame& frame) const;
    [[nodiscard]] PixelPoint toPixel(const PlanePoint& point) const;
    [[nodiscard]] PlanePoint toPlane(const PixelPoint& pixel) const;

private:
    [[nodiscard]] double scaleX() const; // pixels a metre
    [[nodiscard]] double scaleY() const;
    [[nodiscard]] double fitScaleX() const;
    [[nodiscard]] double fitScaleY() const;
    [[nodiscard]] double visibleWidth() const;
    [[nodiscard]] double visibleHeight() const;
    void clamp();

    PlaneExtent m_extent;
    PixelRect m_area{0, 0, 1, 1};
    Aspect m_aspect = Aspect::True;
    double m_zoom = 1.0;
    double m_left = 0.0, m_top = 0.0; // m
};

} // namespace ondo
