// From picture settings in metres to the numbers that kernels/common/paint_field.h wants. Pure arithmetic, any thread.
#pragma once

#include "engine/frame/picture.h"
#include "engine/grid/grid.h"
#include "kernels/common/paint_field.h"

namespace ondo {

// The part of a 3-D array that a view shows: offset of its first node, strides, counts, spacing and origin in metres.
struct PlaneGeometry {
    std::int64_t base = 0, rowStride = 0, columnStride = 1;
    int rows = 0, columns = 0;
    double rowSpacing = 1.0, columnSpacing = 1.0;
    double rowOrigin = 0.0, columnOrigin = 0.0;

    template<class T>
    [[nodiscard]] kernels::Plane<T> of(const T* values) const
    {
        return {values + base, rowStride, columnStride, rows, columns};
    }
};

// base, strideZ, strideY: where node (0, 0, 0) of the user's grid lies and how far the next one is, in elements.
[[nodiscard]] PlaneGeometry planeGeometry(const Grid& grid, const PictureSettings& settings, std::int64_t base,
                                          std::int64_t strideZ, std::int64_t strideY);
// For an array that is just the user's grid.
[[nodiscard]] PlaneGeometry planeGeometry(const Grid& grid, const PictureSettings& settings);

// In three dimensions: which section lies nearest to y; otherwise 0.
[[nodiscard]] int planeNearest(const Grid& grid, double y);

[[nodiscard]] kernels::PictureWindow pictureWindow(const PictureSettings& settings, const PlaneGeometry& geometry);
// Everything but the colour tables. clip in Pa.
[[nodiscard]] kernels::PictureStyle pictureStyle(const PictureSettings& settings, double clip);

// From a histogram (kernels::kHistogramBins) of magnitudes: the one below which `percentile` per cent lie, counting only
// magnitudes above a thousandth of the largest, since most of a young field is silence; and the largest itself.
struct AmplitudeStatistics {
    double percentile = 0.0; // Pa
    double largest = 0.0;    // Pa, upper edge of its bin: within 19 %
    std::uint64_t nonFinite = 0;
};
[[nodiscard]] AmplitudeStatistics amplitudeStatistics(const unsigned* bins, double percentile);

} // namespace ondo
