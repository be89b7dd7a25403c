#include "render/section_view.h"

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kFewestCells = 6.0; // seen at the closest zoom

} // namespace

PlaneExtent planeExtent(const Grid& grid, SlicePlane plane)
{
    const auto length = [](double metres, double spacing) { return metres > 0.0 ? metres : spacing; };
    const double x = length(grid.lengthX(), grid.dx);
    const double y = length(grid.lengthY(), grid.dy);
    const double z = length(grid.lengthZ(), grid.dz);
    switch (plane) {
    case SlicePlane::CrossSection: return {grid.origin.y, grid.origin.z, y, z, grid.dy, grid.dz};
    case SlicePlane::Depth: return {grid.origin.x, grid.origin.y, x, y, grid.dx, grid.dy};
    case SlicePlane::Section: break;
    }
    return {grid.origin.x, grid.origin.z, x, z, grid.dx, grid.dz};
}

PlanePoint onPlane(SlicePlane plane, const Position& position)
{
    switch (plane) {
    case SlicePlane::CrossSection: return {position.y, position.z};
    case SlicePlane::Depth: return {position.x, position.y};
    case SlicePlane::Section: break;
    }
    return {position.x, position.z};
}

Position offPlane(SlicePlane plane, const PlanePoint& point, const Position& at)
{
    switch (plane) {
    case SlicePlane::CrossSection: return {at.x, point.across, point.down};
    case SlicePlane::Depth: return {point.across, point.down, at.z};
    case SlicePlane::Section: break;
    }
    return {point.across, at.y, point.down};
}

Position clampedTo(const Grid& grid, const Position& position)
{
    const auto within = [](double v, double from, double length) { return std::clamp(v, from, from + length); };
    return {within(position.x, grid.origin.x, grid.lengthX()), within(position.y, grid.origin.y, grid.lengthY()),
            within(position.z, grid.origin.z, grid.lengthZ())};
}

void SectionView::setExtent(const PlaneExtent& extent)
{
    m_extent = extent;
    fit();
}

void SectionView::setArea(const PixelRect& area)
{
    const double midX = m_left + 0.5 * visibleWidth();
    const double midY = m_top + 0.5 * visibleHeight();
    m_area = {area.x, area.y, std::max(area.width, 1), std::max(area.height, 1)};
    m_left = midX - 0.5 * visibleWidth();
    m_top = midY - 0.5 * visibleHeight();
    clamp();
}

void SectionView::setAspect(Aspect aspect)
{
    m_aspect = aspect;
    fit();
}

void SectionView::fit()
{
    m_zoom = 1.0;
    m_left = m_extent.left;
    m_top = m_extent.top;
}

void SectionView::zoomAbout(const PixelPoint& pixel, double factor)
{
    const PlanePoint under = toPlane(pixel);
    const double mostX = m_area.width / (kFewestCells * m_extent.cellAcross * fitScaleX());
    const double mostY = m_area.height / (kFewestCells * m_extent.cellDown * fitScaleY());
    m_zoom = std::clamp(m_zoom * factor, 1.0, std::max(1.0, std::min(mostX, mostY)));
    // The rectangle may have grown: where it starts now decides what keeps the point under the cursor.
    const PixelRect rect = fieldRect();
    m_left = under.across - (pixel.x - rect.x) / scaleX();
    m_top = under.down - (pixel.y - rect.y) / scaleY();
    clamp();
}

void SectionView::panBy(double pixelsX, double pixelsY)
{
    m_left -= pixelsX / scaleX();
    m_top -= pixelsY / scaleY();
    clamp();
}

PixelRect SectionView::fieldRect() const
{
    const int width = std::clamp(static_cast<int>(std::lround(visibleWidth() * scaleX())), 1, m_area.width);
    const int height = std::clamp(static_cast<int>(std::lround(visibleHeight() * scaleY())), 1, m_area.height);
    return {m_area.x + (m_area.width - width) / 2, m_area.y + (m_area.height - height) / 2, width, height};
}

PictureFrame SectionView::frame() const
{
    const PixelRect rect = fieldRect();
    return {m_left, m_top, visibleWidth(), visibleHeight(), rect.width, rect.height};
}

PixelRect SectionView::placeOf(const PictureFrame& frame) const
{
    const auto round = [](double v) { return static_cast<int>(std::lround(v)); };
    const PixelPoint from = toPixel({frame.left, frame.top});
    const PixelPoint to = toPixel({frame.left + frame.width, frame.top + frame.height});
    return {round(from.x), round(from.y), round(to.x) - round(from.x), round(to.y) - round(from.y)};
}

PixelPoint SectionView::toPixel(const PlanePoint& point) const
{
    const PixelRect rect = fieldRect();
    return {rect.x + (point.across - m_left) * rect.width / visibleWidth(),
            rect.y + (point.down - m_top) * rect.height / visibleHeight()};
}

PlanePoint SectionView::toPlane(const PixelPoint& pixel) const
{
    const PixelRect rect = fieldRect();
    return {m_left + (pixel.x - rect.x) * visibleWidth() / rect.width,
            m_top + (pixel.y - rect.y) * visibleHeight() / rect.height};
}

double SectionView::fitScaleX() const
{
    const double x = m_area.width / m_extent.width;
    return m_aspect == Aspect::Fill ? x : std::min(x, m_area.height / m_extent.height);
}

double SectionView::fitScaleY() const
{
    const double y = m_area.height / m_extent.height;
    return m_aspect == Aspect::Fill ? y : std::min(y, m_area.width / m_extent.width);
}

double SectionView::scaleX() const
{
    return fitScaleX() * m_zoom;
}

double SectionView::scaleY() const
{
    return fitScaleY() * m_zoom;
}

double SectionView::visibleWidth() const
{
    return std::min(m_extent.width, m_area.width / scaleX());
}

double SectionView::visibleHeight() const
{
    return std::min(m_extent.height, m_area.height / scaleY());
}

void SectionView::clamp()
{
    m_left =
        std::clamp(m_left, m_extent.left, std::max(m_extent.left, m_extent.left + m_extent.width - visibleWidth()));
    m_top = std::clamp(m_top, m_extent.top, std::max(m_extent.top, m_extent.top + m_extent.height - visibleHeight()));
}

} // namespace ondo
