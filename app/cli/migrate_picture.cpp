#include "app/cli/migrate_picture.h"

#include "engine/frame/still_picture.h"
#include "engine/io/png_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo::cli {

namespace {

constexpr int kLongSide = 1600; // pixels, about

// Black, grey, white, as sections are printed.
std::shared_ptr<const ColourTable> greys()
{
    auto table = std::make_shared<ColourTable>();
    for (std::size_t i = 0; i < table->size(); ++i) {
        const auto v = static_cast<std::uint32_t>(i);
        (*table)[i] = 0xFF000000U | v << 16U | v << 8U | v;
    }
    return table;
}

} // namespace

Result<std::string> drawImage(const std::string& path, const Model& model, const std::vector<double>& image)
{
    const Grid& g = model.grid();
    FieldFrame field;
    field.nz = g.nz;
    field.ny = g.ny;
    field.nx = g.nx;
    field.values.reserve(image.size());
    std::transform(image.begin(), image.end(), std::back_inserter(field.values),
                   [](double v) { return static_cast<float>(v); });
    PictureSettings s;
    s.frame.left = g.origin.x - 0.5 * g.dx;
    s.frame.top = g.origin.z - 0.5 * g.dz;
    s.frame.width = g.nx * g.dx;
    s.frame.height = g.nz * g.dz;
    const double longest = std::max(s.frame.width, s.frame.height);
    const auto pixels = [longest](double length) {
        return std::clamp(static_cast<int>(std::lround(kLongSide * length / longest)), 16, kLongSide);
    };
    s.frame.pixelsX = pixels(s.frame.width);
    s.frame.pixelsY = pixels(s.frame.height);
    s.planeIndex = g.ny / 2;
    s.fieldColours = greys();
    s.modelColours = s.fieldColours;
    s.showModel = false;
    s.blend = 1.0;
    const auto largest = std::max_element(field.values.begin(), field.values.end(),
                                          [](float a, float b) { return std::abs(a) < std::abs(b); });
    const double percentile = amplitudePercentile(field.values, s.percentile);
    s.clipMode = ClipMode::Fixed;
    s.clip = percentile > 0.0 ? percentile : std::abs(static_cast<double>(*largest));
    if (!(s.clip > 0.0)) {
        s.clip = 1.0; // an image of zeros
    }
    const HostPicture picture = paintStill(model, &field, s);
    if (auto ok = writePng(path, picture); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return fmt::format("image: {} x {}, clipped at {:.3g}{}", picture.width, picture.height, s.clip,
                       g.rank == 3 ? fmt::format(", y = {:g} m", g.origin.y + s.planeIndex * g.dy) : std::string());
}

} // namespace ondo::cli
