#include "engine/frame/plane_geometry.h"

#include <algorithm>
#include <cmath>

namespace ondo {

PlaneGeometry planeGeometry(const Grid& g, const PictureSettings& s, std::int64_t base, std::int64_t strideZ,
                            std::int64_t strideY)
{
    switch (g.rank == 3 ? s.plane : SlicePlane::Section) {
    case SlicePlane::CrossSection:
        return {base + std::clamp(s.planeIndex, 0, g.nx - 1),
                strideZ,
                strideY,
                g.nz,
                g.ny,
                g.dz,
                g.dy,
                g.origin.z,
                g.origin.y};
    case SlicePlane::Depth:
        return {base + strideZ * std::clamp(s.planeIndex, 0, g.nz - 1),
                strideY,
                1,
                g.ny,
                g.nx,
                g.dy,
                g.dx,
                g.origin.y,
                g.origin.x};
    default:
        return {base + strideY * std::clamp(s.planeIndex, 0, g.ny - 1),
                strideZ,
                1,
                g.nz,
                g.nx,
                g.dz,
                g.dx,
                g.origin.z,
                g.origin.x};
    }
}

PlaneGeometry planeGeometry(const Grid& grid, const PictureSettings& settings)
{
    return planeGeometry(grid, settings, 0, std::int64_t{grid.ny} * grid.nx, grid.nx);
}

int planeNearest(const Grid& grid, double y)
{
    const double nodes = grid.rank == 3 ? (y - grid.origin.y) / grid.dy : 0.0;
    return std::clamp(static_cast<int>(std::lround(nodes)), 0, grid.ny - 1);
}

kernels::PictureWindow pictureWindow(const PictureSettings& s, const PlaneGeometry& g)
{
    kernels::PictureWindow w;
    w.left = static_cast<float>((s.frame.left - g.columnOrigin) / g.columnSpacing);
    w.top = static_cast<float>((s.frame.top - g.rowOrigin) / g.rowSpacing);
    w.perPixelX = static_cast<float>(s.frame.width / g.columnSpacing / std::max(1, s.frame.pixelsX));
    w.perPixelY = static_cast<float>(s.frame.height / g.rowSpacing / std::max(1, s.frame.pixelsY));
    w.width = s.frame.pixelsX;
    w.height = s.frame.pixelsY;
    return w;
}

kernels::PictureStyle pictureStyle(const PictureSettings& s, double clip)
{
    kernels::PictureStyle style;
    const double used = clip > 0.0 ? clip : 1.0;
    style.inverseClip = static_cast<float>((s.reversedPolarity ? -s.gain : s.gain) / used);
    style.modelLow = static_cast<float>(s.modelLow);
    style.modelInverseRange = s.modelHigh > s.modelLow ? static_cast<float>(1.0 / (s.modelHigh - s.modelLow)) : 0.0F;
    style.blend = static_cast<float>(std::clamp(s.blend, 0.0, 1.0));
    style.outside = s.outside;
    return style;
}

AmplitudeStatistics amplitudeStatistics(const unsigned* bins, double percentile)
{
    AmplitudeStatistics out;
    int top = -1;
    for (int b = 0; b < kernels::kHistogramBins; ++b) {
        if (bins[b] == 0) {
            continue;
        }
        if (b >= kernels::kFirstNonFinite) {
            out.nonFinite += bins[b];
        } else if (b > 0) {
            top = b;
        }
    }
    if (top < 0) {
        return out;
    }
    out.largest = static_cast<double>(kernels::binLowerEdge(top + 1));
    int first = 1;
    while (static_cast<double>(kernels::binLowerEdge(first)) < 1e-3 * out.largest) {
        ++first;
    }
    std::uint64_t total = 0;
    for (int b = first; b <= top; ++b) {
        total += bins[b];
    }
    const double wanted = std::clamp(percentile, 0.0, 100.0) / 100.0 * static_cast<double>(total);
    double below = 0.0;
    for (int b = first; b <= top; ++b) {
        const double here = bins[b];
        if (below + here >= wanted && here > 0.0) {
            const double low = static_cast<double>(kernels::binLowerEdge(b));
            const double high = static_cast<double>(kernels::binLowerEdge(b + 1));
            out.percentile = low + (high - low) * (wanted - below) / here;
            return out;
        }
        below += here;
    }
    out.percentile = out.largest;
    return out;
}

} // namespace ondo
