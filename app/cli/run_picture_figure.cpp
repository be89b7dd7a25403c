// The picture of a build with VTK: section with axes and colour bars, the gather beside or below it.
#include "app/cli/run_picture.h"

#include "engine/device/device_list.h"
#include "engine/io/png_writer.h"
#include "render/figure.h"

#include <fmt/format.h>

namespace ondo::cli {

namespace {

constexpr int kWidth = 1800; // pixels
constexpr int kHeight = 1350;
constexpr double kScale = 1.25;

// One trace is no picture.
bool hasGather(const std::vector<Gather>& gathers)
{
    return !gathers.empty() && gathers.back().receiverCount() > 1;
}

FigureContent contentOf(const SimulationPlan& plan, const std::shared_ptr<const FieldFrame>& field,
                        const std::vector<Gather>& gathers)
{
    FigureContent content;
    content.model = plan.model;
    content.field = field;
    const PictureShot pictured = pictureShot(plan, gathers);
    content.style.planeIndex = pictured.plane;
    content.style.modelLow = plan.vMin;
    content.style.modelHigh = plan.vMax > plan.vMin ? plan.vMax : plan.vMin + 1.0;
    const Shot& shot = plan.run.survey.shots[pictured.index];
    content.sources = shot.sources;
    content.receivers = shot.receivers;
    if (hasGather(gathers)) {
        content.gather = gathers.back();
    }
    content.gatherStyle.percentile = 94.0; // echoes are far weaker than the direct wave
    content.title = plan.run.title.empty() ? plan.model.name() : plan.run.title;
    content.title += pictured.shotText;
    content.caption = shot.sources.empty() ? std::string() : shot.sources[0].wavelet.describe() + " \u00B7 ";
    content.caption += fmt::format("order {} \u00B7 t = {:.4g} s{} \u00B7 {}", plan.run.spaceOrder,
                                   field != nullptr ? field->time : 0.0, pictured.planeText, plan.device.name);
    return content;
}

} // namespace

Result<std::string> drawRunPicture(const std::string& path, const SimulationPlan& plan,
                                   const std::shared_ptr<const FieldFrame>& field, const std::vector<Gather>& gathers)
{
    const auto figure = renderFigure(contentOf(plan, field, gathers), kWidth, kHeight, lightTheme(), kScale);
    if (!figure) {
        return within(figure.error(), "while drawing " + path);
    }
    if (auto ok = writePng(path, figure->picture); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const PictureShot pictured = pictureShot(plan, gathers);
    std::string what =
        fmt::format("picture: {} x {}{}, the field at {:.4g} s{}, {}", kWidth, kHeight, pictured.shotText,
                    field != nullptr ? field->time : 0.0, pictured.planeText,
                    hasGather(gathers) ? "model and gather" : "on the model; fewer than two traces are no gather");
    if (!figure->plainBecause.empty()) {
        countFallback("picture without axes: " + figure->plainBecause);
        what += "; without text and axes, because " + figure->plainBecause;
    }
    return what;
}

} // namespace ondo::cli
