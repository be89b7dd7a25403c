#include "render/figure.h"

#include "engine/frame/still_picture.h"
#include "render/colour_map.h"
#include "render/gl_scene.h"
#include "render/marker_sprite.h"
#include "render/offscreen.h"
#include "render/scene_painter.h"
#include "render/section_scene.h"
#include "render/ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

// Lengths at 100 %.
constexpr double kEdge = 20.0, kTitleHeight = 30.0, kCaptionHeight = 22.0;
constexpr double kGatherLeft = 62.0, kGatherTop = 50.0, kGatherRight = 22.0, kGatherBottom = 30.0;

struct Layout {
    PixelRect section, gather; // with their furniture; gather.width 0: none
    bool stacked = false;
};

struct TraceAxis {
    std::string title;
    double from = 0.0, to = 1.0;
    bool inMetres = false;
};

int pixels(double length, double scale)
{
    return static_cast<int>(std::lround(length * scale));
}

double pictureArea(const PixelRect& within, double scale, const PlaneExtent& extent, int bars)
{
    SectionView view;
    view.setArea(layOutSection(within, scale, extent, Aspect::True, bars).area);
    view.setExtent(extent);
    return static_cast<double>(view.fieldRect().width) * view.fieldRect().height;
}

Layout layOut(const FigureContent& content, int width, int height, double scale, const PlaneExtent& extent, int bars)
{
    const int edge = pixels(kEdge, scale);
    int top = edge;
    top += content.title.empty() ? 0 : pixels(kTitleHeight, scale);
    top += content.caption.empty() ? 0 : pixels(kCaptionHeight, scale);
    const PixelRect body{edge, top, std::max(1, width - 2 * edge), std::max(1, height - top - edge / 2)};
    if (!content.gather) {
        return {body, {}, false};
    }
    const int left = static_cast<int>(0.58 * body.width);
    const int above = static_cast<int>(0.60 * body.height);
    const Layout beside{
        {body.x, body.y, left, body.height}, {body.x + left, body.y, body.width - left, body.height}, false};
    const Layout stacked{
        {body.x, body.y, body.width, above}, {body.x, body.y + above, body.width, body.height - above}, true};
    const bool stack =
        pictureArea(stacked.section, scale, extent, bars) > pictureArea(beside.section, scale, extent, bars);
    return stack ? stacked : beside;
}

// Along x where the receivers stand in order along it, else by number.
TraceAxis traceAxis(const Gather& gather)
{
    const int count = gather.receiverCount();
    bool inOrder = count > 1;
    for (int i = 1; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        inOrder = inOrder && gather.receivers[at].position.x > gather.receivers[at - 1].position.x;
    }
    if (!inOrder) {
        return {"Trace", 0.5, count + 0.5, false};
    }
    const double first = gather.receivers.front().position.x;
    const double last = gather.receivers.back().position.x;
    const double half = 0.5 * (last - first) / (count - 1);
    return {"Receiver x", first - half, last + half, true};
}

class Composer {
public:
    Composer(const FigureContent& content, int width, int height, const Theme& theme, double scale)
        : m_content(content)
        , m_theme(theme)
        , m_scale(scale)
        , m_width(width)
        , m_height(height)
        , m_style(content.style)
    {
        const bool dark = theme.brightness == Brightness::Dark;
        if (m_style.fieldColours == nullptr) {
            m_style.fieldColours = colourTable(ColourMapUse::Field, dark ? "ember" : "tide");
        }
        if (m_style.modelColours == nullptr) {
            m_style.modelColours = colourTable(ColourMapUse::Model, dark ? "fjord" : "strata");
        }
        m_style.outside = theme.background.rgba();
        m_style.showField = m_style.showField && content.field != nullptr;
        const int bars = (m_style.showModel ? 1 : 0) + (m_style.showField ? 1 : 0);
        const PlaneExtent extent = planeExtent(content.model.grid(), m_style.plane);
        m_layout = layOut(content, width, height, scale, extent, bars);
        const SectionLayout section = layOutSection(m_layout.section, scale, extent, Aspect::True, bars);
        m_placement = section.bars;
        m_view.setArea(section.area);
        m_view.setExtent(extent);
        m_style.frame = m_view.frame();
        m_section = paintStill(content.model, m_style.showField ? content.field.get() : nullptr, m_style);
        if (content.gather) {
            placeGather(*content.gather);
        }
    }

    Figure compose()
    {
        Figure figure;
        figure.picture.width = m_width;
        figure.picture.height = m_height;
        Result<std::unique_ptr<OffscreenContext>> context = OffscreenContext::open();
        if (context) {
            OffscreenContext& gl = **context;
            GlScene scene({[&gl] { return gl.isCurrent(); }, [&gl] { gl.makeCurrent(); }});
            scene.draw(m_width, m_height, [this](ScenePainter& painter) { paint(painter); });
            figure.picture = scene.read();
            scene.release();
            gl.doneCurrent();
        } else {
            figure.plainBecause = context.error().what;
        }
        if (figure.picture.pixels.empty()) {
            figure.picture = {m_width, m_height, {}, 0, 0.0, 0.0};
            figure.picture.pixels.assign(static_cast<std::size_t>(m_width) * static_cast<std::size_t>(m_height),
                                         m_theme.background.rgba());
            if (figure.plainBecause.empty()) {
                figure.plainBecause = "the picture could not be read back from OpenGL";
            }
        }
        const PixelRect field = m_view.fieldRect();
        put(figure.picture, m_section, field.x, field.y);
        put(figure.picture, m_gather, m_gatherRect.x, m_gatherRect.y);
        drawMarkers(figure.picture);
        figure.picture.step = m_section.step;
        figure.picture.time = m_section.time;
        figure.picture.clip = m_section.clip;
        return figure;
    }

private:
    void placeGather(const Gather& gather)
    {
        m_traces = traceAxis(gather);
        const PixelRect& box = m_layout.gather;
        const PixelRect field = m_view.fieldRect();
        const int top = box.y + pixels(kGatherTop, m_scale);
        const int bottom = box.y + box.height - pixels(kGatherBottom, m_scale);
        m_gatherRect = {box.x + pixels(kGatherLeft, m_scale), top,
                        box.width - pixels(kGatherLeft + kGatherRight, m_scale), std::max(1, bottom - top)};
        if (!m_layout.stacked && field.height > box.height / 2) { // in line with the section
            m_gatherRect.y = field.y;
            m_gatherRect.height = field.height;
        }
        if (m_layout.stacked) { // each trace under its receiver, where the spread is wide enough
            m_gatherRect.x = field.x;
            m_gatherRect.width = field.width;
            const int from = static_cast<int>(std::lround(m_view.toPixel({m_traces.from, 0.0}).x));
            const int to = static_cast<int>(std::lround(m_view.toPixel({m_traces.to, 0.0}).x));
            if (m_traces.inMetres && m_style.plane != SlicePlane::CrossSection && to - from > field.width / 3) {
                m_gatherRect.x = std::max(from, m_layout.gather.x + pixels(kGatherLeft, m_scale));
                m_gatherRect.width = std::min(to, m_width - pixels(kEdge, m_scale)) - m_gatherRect.x;
            }
        }
        GatherSettings settings = m_content.gatherStyle;
        settings.width = std::max(1, m_gatherRect.width);
        settings.height = m_gatherRect.height;
        settings.ground = m_theme.background.rgba();
        if (settings.colours == nullptr) {
            settings.colours =
                colourTable(ColourMapUse::Field, m_theme.brightness == Brightness::Dark ? "ember" : "grey");
        }
        settings.clip = gatherClip(gather, settings);
        settings.hold = true;
        const bool wigglesAlone = m_content.gatherLook == GatherLook::Wiggles;
        m_gather = wigglesAlone ? gatherGround(settings) : rasterGather(gather, settings);
        if (m_content.gatherLook != GatherLook::Density) {
            WiggleStyle style;
            style.line = m_theme.text;
            style.fill = m_theme.text.withAlpha(wigglesAlone ? 255 : 0);
            style.lineWidth = m_scale;
            style.leastSpacing = 5.0 * m_scale;
            drawWiggles(m_gather, gather, settings, style);
        }
        m_gatherClip = settings.clip / std::max(settings.gain, 1e-300);
    }

    void paint(ScenePainter& painter)
    {
        painter.setScale(m_scale);
        painter.fill({0, 0, m_width, m_height}, m_theme.background);
        double y = pixels(kEdge, m_scale);
        const double x = pixels(kEdge + 4.0, m_scale);
        if (!m_content.title.empty()) {
            painter.text(x, y, m_content.title, {19.0, m_theme.text, Weight::Medium});
            y += pixels(kTitleHeight, m_scale);
        }
        if (!m_content.caption.empty()) {
            painter.text(x, y, m_content.caption, {12.5, m_theme.mutedText});
        }
        drawSection(painter, furniture());
        if (m_content.gather) {
            paintGatherAxes(painter, *m_content.gather);
        }
    }

    void paintGatherAxes(ScenePainter& painter, const Gather& gather)
    {
        painter.frame(m_gatherRect, painter.px(1), m_theme.line);
        AxisLine across{
            m_traces.from,  m_traces.to, m_gatherRect.x, m_gatherRect.x + m_gatherRect.width, m_gatherRect.y,
            m_traces.title, 1.0};
        if (m_traces.inMetres) {
            const LengthUnit unit = lengthUnitFor(std::max(std::abs(m_traces.from), std::abs(m_traces.to)));
            across.unit = unit.metres;
            across.title += " (" + unit.name + ")";
        }
        drawTopAxis(painter, across, m_theme);
        const double from = m_content.gatherStyle.seconds > 0.0 ? m_content.gatherStyle.fromTime : 0.0;
        const double seconds = m_content.gatherStyle.seconds > 0.0 ? m_content.gatherStyle.seconds
                                                                   : std::max(1, gather.samples - 1) * gather.dt;
        drawLeftAxis(painter,
                     {from, from + seconds, m_gatherRect.y, m_gatherRect.y + m_gatherRect.height, m_gatherRect.x,
                      "Time (s)", 1.0},
                     m_theme);
        const PressureUnit pressure = pressureUnitFor(m_gatherClip);
        const std::string clip =
            "Pressure, clipped at \u00B1" + spellAmount(m_gatherClip / pressure.pascals, 2) + " " + pressure.name;
        painter.text(m_gatherRect.x + m_gatherRect.width, m_gatherRect.y + m_gatherRect.height + painter.px(8), clip,
                     {12.0, m_theme.mutedText, Weight::Regular, AlignX::Right, AlignY::Top});
    }

    [[nodiscard]] SectionFurniture furniture() const
    {
        SectionFurniture f;
        f.scale = m_scale;
        f.theme = m_theme;
        f.field = m_view.fieldRect();
        f.frame = m_view.frame();
        f.placement = m_placement;
        const AxisTitles titles = axisTitles(m_style.plane);
        f.acrossTitle = titles.across;
        f.downTitle = titles.down;
        if (m_style.showModel) {
            const ParameterField& v = m_content.model.velocity();
            std::string title = v.name + " (" + v.unit + ")";
            title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
            f.bars.push_back({title, m_style.modelLow, m_style.modelHigh, m_style.modelColours});
        }
        if (m_style.showField) {
            const double end = m_section.clip / std::max(m_style.gain, 1e-300);
            const PressureUnit unit = pressureUnitFor(end);
            f.bars.push_back(
                {"Pressure (" + unit.name + ")", -end / unit.pascals, end / unit.pascals, m_style.fieldColours});
        }
        return f;
    }

    static void put(HostPicture& picture, const HostPicture& part, int x, int y)
    {
        const int width = std::min(part.width, picture.width - x);
        for (int row = 0; row < part.height && y + row < picture.height && width > 0; ++row) {
            const auto from = static_cast<std::size_t>(row) * static_cast<std::size_t>(part.width);
            const auto to = static_cast<std::size_t>(y + row) * static_cast<std::size_t>(picture.width) +
                            static_cast<std::size_t>(x);
            std::copy_n(part.pixels.begin() + static_cast<std::ptrdiff_t>(from), width,
                        picture.pixels.begin() + static_cast<std::ptrdiff_t>(to));
        }
    }

    void drawMarkers(HostPicture& picture) const
    {
        const PixelRect rect = m_view.fieldRect();
        const HostPicture triangle = markerSprite(receiverMarker(m_theme, m_scale));
        const HostPicture star = markerSprite(sourceMarker(m_theme, m_scale));
        PixelPoint last{-1e9, -1e9};
        const auto seen = [&](const PixelPoint& p) {
            return p.x >= rect.x - 1 && p.y >= rect.y - 1 && p.x <= rect.x + rect.width + 1 &&
                   p.y <= rect.y + rect.height + 1;
        };
        for (const Receiver& receiver : m_content.receivers) {
            const PixelPoint p = m_view.toPixel(onPlane(m_style.plane, receiver.position));
            if (seen(p) && std::hypot(p.x - last.x, p.y - last.y) >= kReceiverSpacing * m_scale) {
                blendOver(picture, triangle, p.x, p.y);
                last = p;
            }
        }
        for (const Source& source : m_content.sources) {
            const PixelPoint p = m_view.toPixel(onPlane(m_style.plane, source.position));
            if (seen(p)) {
                blendOver(picture, star, p.x, p.y);
            }
        }
    }

    const FigureContent& m_content;
    const Theme& m_theme;
    double m_scale;
    int m_width, m_height;
    PictureSettings m_style;
    Layout m_layout;
    BarPlacement m_placement = BarPlacement::Right;
    SectionView m_view;
    HostPicture m_section, m_gather;
    PixelRect m_gatherRect;
    TraceAxis m_traces;
    double m_gatherClip = 0.0;
};

} // namespace

Result<Figure> renderFigure(const FigureContent& content, int width, int height, const Theme& theme, double scale)
{
    constexpr int kMost = 16384;
    if (width < 320 || height < 240 || width > kMost || height > kMost) {
        return badInput(fmt::format("a picture of {} x {} pixels", width, height),
                        "320 x 240 to 16384 x 16384 is possible");
    }
    if (!(scale >= 0.5 && scale <= 8.0)) {
        return badInput(fmt::format("a picture at scale {}", scale), "0.5 to 8 is possible");
    }
    if (content.model.empty()) {
        return badInput("a picture without a model");
    }
    if (content.field != nullptr &&
        static_cast<std::int64_t>(content.field->values.size()) != content.model.grid().nodes()) {
        return badInput(fmt::format("a field of {} values over a model of {}", content.field->values.size(),
                                    content.model.grid().nodes()));
    }
    return Composer(content, width, height, theme, scale).compose();
}

} // namespace ondo
