// The picture of a build without VTK: field and model, and nothing around them.
#include "app/cli/run_picture.h"

#include "engine/frame/still_picture.h"
#include "engine/io/png_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo::cli {

namespace {

constexpr int kLongSide = 1600; // pixels

std::uint32_t colour(double r, double g, double b)
{
    const auto byte = [](double v) { return static_cast<std::uint32_t>(std::lround(255.0 * std::clamp(v, 0.0, 1.0))); };
    return 0xFF000000U | byte(b) << 16U | byte(g) << 8U | byte(r);
}

// Blue, white, red: the customary one.
std::shared_ptr<const ColourTable> fieldColours()
{
    auto table = std::make_shared<ColourTable>();
    for (std::size_t i = 0; i < table->size(); ++i) {
        const double t = static_cast<double>(i) / 127.5 - 1.0;
        const double pale = 1.0 - std::abs(t);
        (*table)[i] = t < 0.0 ? colour(pale, pale, 0.55 + 0.45 * pale) : colour(0.6 + 0.4 * pale, pale, pale);
    }
    return table;
}

std::shared_ptr<const ColourTable> modelColours()
{
    auto table = std::make_shared<ColourTable>();
    for (std::size_t i = 0; i < table->size(); ++i) {
        const double grey = 0.92 - 0.72 * static_cast<double>(i) / 255.0;
        (*table)[i] = colour(grey, grey, grey);
    }
    return table;
}

PictureSettings settingsFor(const Model& model, const SimulationPlan& plan, const PictureShot& pictured)
{
    const Grid& g = model.grid();
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
    s.planeIndex = pictured.plane;
    s.fieldColours = fieldColours();
    s.modelColours = modelColours();
    s.modelLow = plan.vMin;
    s.modelHigh = plan.vMax > plan.vMin ? plan.vMax : plan.vMin + 1.0;
    return s;
}

} // namespace

Result<std::string> drawRunPicture(const std::string& path, const SimulationPlan& plan,
                                   const std::shared_ptr<const FieldFrame>& field, const std::vector<Gather>& gathers)
{
    const PictureShot pictured = pictureShot(plan, gathers);
    const HostPicture picture = paintStill(plan.model, field.get(), settingsFor(plan.model, plan, pictured));
    if (auto ok = writePng(path, picture); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return fmt::format(
        "picture: {} x {}{}, the field at {:.4g} s{} on the model; no axes and no gather, because this build "
        "has no VTK",
        picture.width, picture.height, pictured.shotText, field != nullptr ? field->time : 0.0, pictured.planeText);
}

} // namespace ondo::cli
