#include "engine/io/vtk_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ondo::vtk {

std::vector<double> numbers(std::string_view text)
{
    std::vector<double> out;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at != end && out.size() < 16) {
        if (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r') {
            ++at;
            continue;
        }
        double v = 0.0;
        const auto [after, wrong] = std::from_chars(at, end, v);
        if (wrong != std::errc() || !std::isfinite(v)) {
            return {};
        }
        out.push_back(v);
        at = after;
    }
    return out;
}

Result<> Image::set(const std::vector<double>& extents, const std::vector<double>& origins,
                    const std::vector<double>& spacings)
{
    constexpr double kMost = 1e9;
    const auto whole = [](double v) { return std::abs(v) <= kMost && v == std::floor(v); };
    if (extents.size() != 6 || origins.size() != 3 || spacings.size() != 3 ||
        !std::all_of(extents.begin(), extents.end(), whole)) {
        return badInput("extent, origin or spacing of the image is not a list of numbers", "the file is damaged");
    }
    double points = 1.0;
    for (std::size_t k = 0; k < 3; ++k) {
        const double n = extents[2 * k + 1] - extents[2 * k] + 1;
        points *= n;
        if (n < 1 || points > 0x1p40 || spacings[k] < 0.0 || (spacings[k] == 0.0 && n > 1)) {
            return badInput(fmt::format("the image has {:g} points at {:g} along its axis {}", n, spacings[k], k + 1),
                            "the file is damaged");
        }
        origin[k] = origins[k];
        spacing[k] = spacings[k];
    }
    std::transform(extents.begin(), extents.end(), extent.begin(),
                   [](double v) { return static_cast<std::int64_t>(v); });
    return {};
}

void Image::shape(StoredArray& array, bool cells, std::int64_t components) const
{
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t k = 2 - i; // z, y, x
        const std::int64_t points = extent[2 * k + 1] - extent[2 * k] + 1;
        const bool half = cells && points > 1;
        array.shape.push_back(half ? points - 1 : points);
        array.axes.emplace_back(1, "xyz"[k]);
        array.spacing.push_back(spacing[k]);
        array.origin.push_back(origin[k] + spacing[k] * (static_cast<double>(extent[2 * k]) + (half ? 0.5 : 0.0)));
    }
    if (components > 1) {
        array.shape.push_back(components);
        array.axes.emplace_back("component");
        array.spacing.push_back(0.0);
        array.origin.push_back(0.0);
    }
}

std::string Image::describe() const
{
    return fmt::format(
        "an image of {} x {} x {} points (x, y, z) at {:g} x {:g} x {:g} m from ({:g}, {:g}, {:g}); z is "
        "taken as depth",
        extent[1] - extent[0] + 1, extent[3] - extent[2] + 1, extent[5] - extent[4] + 1, spacing[0], spacing[1],
        spacing[2], origin[0] + spacing[0] * static_cast<double>(extent[0]),
        origin[1] + spacing[1] * static_cast<double>(extent[2]),
        origin[2] + spacing[2] * static_cast<double>(extent[4]));
}

} // namespace ondo::vtk
