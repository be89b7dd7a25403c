#include "render/marker_sprite.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace ondo {

namespace {

struct Point {
    double x, y;
};

std::vector<Point> corners(MarkerShape shape, double radius)
{
    std::vector<Point> points;
    if (shape == MarkerShape::Star) {
        for (int k = 0; k < 10; ++k) {
            const double r = k % 2 == 0 ? radius : 0.47 * radius;
            const double angle = -0.5 * std::numbers::pi + k * std::numbers::pi / 5.0;
            points.push_back({r * std::cos(angle), r * std::sin(angle)});
        }
    } else { // points down at the place it stands for
        points = {{-0.92 * radius, -0.72 * radius}, {0.92 * radius, -0.72 * radius}, {0.0, 0.86 * radius}};
    }
    return points;
}

// Distance to a polygon's edge, negative inside.
double polygonDistance(const std::vector<Point>& polygon, const Point& p)
{
    double nearest = 1e30;
    bool inside = false;
    for (std::size_t i = 0, j = polygon.size() - 1; i < polygon.size(); j = i++) {
        const Point& a = polygon[j];
        const Point& b = polygon[i];
        const double ex = b.x - a.x;
        const double ey = b.y - a.y;
        const double u = std::clamp(((p.x - a.x) * ex + (p.y - a.y) * ey) / (ex * ex + ey * ey), 0.0, 1.0);
        nearest = std::min(nearest, std::hypot(p.x - a.x - u * ex, p.y - a.y - u * ey));
        if ((a.y > p.y) != (b.y > p.y) && p.x < ex * (p.y - a.y) / ey + a.x) {
            inside = !inside;
        }
    }
    return inside ? -nearest : nearest;
}

double shapeDistance(MarkerShape shape, const std::vector<Point>& polygon, double radius, const Point& p)
{
    const double r = std::hypot(p.x, p.y);
    if (shape == MarkerShape::Disc) {
        return r - radius;
    }
    if (shape == MarkerShape::Ring) { // a ring with a dot
        const double band = std::abs(r - 0.74 * radius) - 0.20 * radius;
        return std::min(band, r - 0.20 * radius);
    }
    return polygonDistance(polygon, p);
}

double coverage(double distance)
{
    return std::clamp(0.5 - distance, 0.0, 1.0);
}

std::uint32_t layered(const Colour& under, double underAlpha, const Colour& over, double overAlpha)
{
    const double alpha = overAlpha + underAlpha * (1.0 - overAlpha);
    if (alpha <= 0.0) {
        return 0;
    }
    const auto channel = [&](std::uint8_t u, std::uint8_t o) {
        const double v = (o * overAlpha + u * underAlpha * (1.0 - overAlpha)) / alpha;
        return static_cast<std::uint8_t>(std::lround(std::clamp(v, 0.0, 255.0)));
    };
    return Colour{channel(under.red, over.red), channel(under.green, over.green), channel(under.blue, over.blue),
                  static_cast<std::uint8_t>(std::lround(alpha * 255.0))}
        .rgba();
}

} // namespace

Marker sourceMarker(const Theme& theme, double scale)
{
    return {MarkerShape::Star, {9.5 * scale, theme.source, theme.halo, 1.4 * scale}};
}

Marker receiverMarker(const Theme& theme, double scale)
{
    return {MarkerShape::Triangle, {5.5 * scale, theme.receiver, theme.halo, 1.0 * scale}};
}

Marker probeMarker(const Theme& theme, double scale)
{
    return {MarkerShape::Ring, {7.5 * scale, theme.probe, theme.halo, 1.4 * scale}};
}

HostPicture markerSprite(const Marker& marker)
{
    const MarkerShape shape = marker.shape;
    const MarkerStyle& style = marker.style;
    const int half = static_cast<int>(std::ceil(style.radius + style.haloWidth)) + 1;
    HostPicture picture;
    picture.width = picture.height = 2 * half + 1;
    picture.pixels.resize(static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height));
    const std::vector<Point> polygon = corners(shape, style.radius);
    std::size_t at = 0;
    for (int y = -half; y <= half; ++y) {
        for (int x = -half; x <= half; ++x) {
            const double d =
                shapeDistance(shape, polygon, style.radius, {static_cast<double>(x), static_cast<double>(y)});
            const double halo = coverage(d - style.haloWidth) * style.halo.alpha / 255.0;
            picture.pixels[at++] = layered(style.halo, halo, style.fill, coverage(d) * style.fill.alpha / 255.0);
        }
    }
    return picture;
}

void blendOver(HostPicture& picture, const HostPicture& sprite, double x, double y)
{
    const int left = static_cast<int>(std::lround(x)) - sprite.width / 2;
    const int top = static_cast<int>(std::lround(y)) - sprite.height / 2;
    for (int sy = std::max(0, -top); sy < sprite.height && top + sy < picture.height; ++sy) {
        for (int sx = std::max(0, -left); sx < sprite.width && left + sx < picture.width; ++sx) {
            const std::uint32_t over =
                sprite.pixels[static_cast<std::size_t>(sy) * static_cast<std::size_t>(sprite.width) +
                              static_cast<std::size_t>(sx)];
            std::uint32_t& under =
                picture.pixels[static_cast<std::size_t>(top + sy) * static_cast<std::size_t>(picture.width) +
                               static_cast<std::size_t>(left + sx)];
            const double alpha = (over >> 24) / 255.0;
            std::uint32_t mixed = 0xFF000000U;
            for (int shift = 0; shift < 24; shift += 8) {
                const double u = (under >> shift) & 255U;
                const double o = (over >> shift) & 255U;
                mixed |= static_cast<std::uint32_t>(std::lround(u + alpha * (o - u))) << shift;
            }
            under = mixed;
        }
    }
}

} // namespace ondo
