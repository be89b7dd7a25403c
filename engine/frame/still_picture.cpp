#include "engine/frame/still_picture.h"

#include "engine/frame/plane_geometry.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ondo {

namespace {

const ColourTable& grey()
{
    static const ColourTable table = [] {
        ColourTable t;
        for (std::uint32_t i = 0; i < 256; ++i) {
            t[i] = 0xFF000000U | i << 16U | i << 8U | i;
        }
        return t;
    }();
    return table;
}

HostPicture paintPlane(const Model& model, const kernels::Plane<float>& field, const PictureSettings& settings,
                       double clip)
{
    HostPicture out;
    out.width = settings.frame.pixelsX;
    out.height = settings.frame.pixelsY;
    if (out.width <= 0 || out.height <= 0 || model.empty()) {
        return out;
    }
    out.pixels.resize(static_cast<std::size_t>(out.width) * static_cast<std::size_t>(out.height));
    const PlaneGeometry geometry = planeGeometry(model.grid(), settings);
    kernels::PaintField<float> body;
    body.field = field;
    if (settings.showModel || body.field.base == nullptr) {
        body.model = geometry.of(model.velocity().samples().data());
    }
    body.window = pictureWindow(settings, geometry);
    body.style = pictureStyle(settings, clip);
    body.style.fieldColours = settings.fieldColours ? settings.fieldColours->data() : grey().data();
    body.style.modelColours = settings.modelColours ? settings.modelColours->data() : grey().data();
    body.out = out.pixels.data();
    body.pitch = out.width;
    for (int y = 0; y < out.height; ++y) {
        for (int x = 0; x < out.width; ++x) {
            body(x, y);
        }
    }
    out.clip = clip;
    return out;
}

} // namespace

double amplitudePercentile(const std::vector<float>& values, double percentile)
{
    std::array<unsigned, kernels::kHistogramBins> bins{};
    kernels::AmplitudeHistogram<float> body;
    body.field = {values.data(), 0, 1, 1, 1};
    for (std::size_t i = 0; i < values.size(); ++i) {
        body.field.base = values.data() + i;
        ++bins[static_cast<std::size_t>(body.bin(0, 0))];
    }
    return amplitudeStatistics(bins.data(), percentile).percentile;
}

HostPicture paintStill(const Model& model, const FieldFrame* field, const PictureSettings& settings)
{
    kernels::Plane<float> plane;
    double clip = settings.clip;
    const bool shown = field != nullptr && settings.showField && !model.empty() &&
                       static_cast<std::int64_t>(field->values.size()) == model.grid().nodes();
    if (shown) {
        plane = planeGeometry(model.grid(), settings).of(field->values.data());
        if (settings.clipMode == ClipMode::Percentile && !settings.hold) {
            clip = amplitudePercentile(field->values, settings.percentile);
        }
    }
    HostPicture out = paintPlane(model, plane, settings, clip);
    if (shown) {
        out.step = field->step;
        out.time = field->time;
    }
    return out;
}

HostPicture paintSilence(const Model& model, const PictureSettings& settings)
{
    static constexpr float kSilence = 0.0F;
    kernels::Plane<float> plane;
    if (settings.showField && !model.empty()) {
        const PlaneGeometry geometry = planeGeometry(model.grid(), settings);
        plane = {&kSilence, 0, 0, geometry.rows, geometry.columns}; // one value, everywhere
    }
    return paintPlane(model, plane, settings, 1.0);
}

} // namespace ondo
