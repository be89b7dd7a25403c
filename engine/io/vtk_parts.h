// What VTK's two kinds of image files share: the grid, and lists of numbers in text. Internal to engine/io.
#pragma once

#include "engine/io/stored_array.h"

#include <array>
#include <string_view>

namespace ondo::vtk {

[[nodiscard]] std::vector<double> numbers(std::string_view text);

struct Image {
    std::array<std::int64_t, 6> extent{}; // first and last point of x, y, z
    std::array<double, 3> origin{};       // of point 0, x, y, z
    std::array<double, 3> spacing{};

    // Refuses extents that are no six counts, more than 2^40 points, spacing that is not positive.
    [[nodiscard]] Result<> set(const std::vector<double>& extents, const std::vector<double>& origins,
                               const std::vector<double>& spacings);
    // Axes (z, y, x), x fastest, of points or of cells, whose centres stand half a spacing further.
    void shape(StoredArray& array, bool cells, std::int64_t components) const;
    [[nodiscard]] std::string describe() const;
};

} // namespace ondo::vtk
