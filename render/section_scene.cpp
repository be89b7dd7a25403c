#include "render/section_scene.h"

#include "render/scene_painter.h"
#include "render/ticks.h"

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

// Lengths at 100 %.
constexpr double kLeft = 72.0, kTop = 52.0, kRight = 22.0, kBottom = 18.0;
constexpr double kTick = 5.0, kMinorTick = 3.0, kLabelGap = 4.0;
constexpr double kLabelSize = 12.0, kTitleSize = 12.5;
constexpr double kBarThickness = 12.0;
constexpr double kRightBarStep = 84.0, kRightBarGap = 22.0;
constexpr double kBelowBarHeight = 66.0, kBelowBarGap = 56.0;

int pixels(double length, double scale)
{
    return static_cast<int>(std::lround(length * scale));
}

PixelRect areaFor(const PixelRect& within, double scale, int bars, BarPlacement placement)
{
    const double right = bars > 0 && placement == BarPlacement::Right ? kRightBarGap + bars * kRightBarStep : kRight;
    const double bottom = bars > 0 && placement == BarPlacement::Below ? kBottom + kBelowBarHeight : kBottom;
    const int left = pixels(kLeft, scale);
    const int top = pixels(kTop, scale);
    return {within.x + left, within.y + top, std::max(1, within.width - left - pixels(right, scale)),
            std::max(1, within.height - top - pixels(bottom, scale))};
}

double pictureSize(const PixelRect& area, const PlaneExtent& extent, Aspect aspect)
{
    if (aspect == Aspect::Fill) {
        return static_cast<double>(area.width) * area.height;
    }
    const double scale = std::min(area.width / extent.width, area.height / extent.height);
    return scale * scale * extent.width * extent.height;
}

TextStyle labelStyle(const Theme& theme, AlignX x, AlignY y)
{
    return {kLabelSize, theme.mutedText, Weight::Regular, x, y, TextTurn::Level};
}

TextStyle titleStyle(const Theme& theme, AlignX x, AlignY y, TextTurn turn = TextTurn::Level)
{
    return {kTitleSize, theme.text, Weight::Medium, x, y, turn};
}

Ticks axisTicks(const AxisLine& axis, double pixelsALabel)
{
    const int atMost = std::max(2, static_cast<int>(std::abs(axis.end - axis.start) / pixelsALabel));
    return niceTicks(axis.from / axis.unit, axis.to / axis.unit, atMost);
}

int pixelOf(const AxisLine& axis, double value)
{
    const double u = (value * axis.unit - axis.from) / (axis.to - axis.from);
    const int last = axis.end > axis.start ? axis.end - 1 : axis.end;
    return std::clamp(static_cast<int>(std::lround(axis.start + u * (axis.end - axis.start))), axis.start, last);
}

struct BarLabel {
    double value;
    std::string words;
};

std::vector<BarLabel> barLabels(const ColourBar& bar, int atMost)
{
    std::vector<BarLabel> labels;
    if (bar.low == -bar.high && bar.high == 0.0) { // not known yet
        return {{-1.0, "\u2212"}, {0.0, "0"}, {1.0, "+"}};
    }
    if (bar.low == -bar.high) { // a signed field: its clip is the news
        labels = {{bar.low, spellAmount(bar.low, 3)}, {0.0, "0"}, {bar.high, spellAmount(bar.high, 3)}};
        return labels;
    }
    for (const Tick& tick : niceTicks(bar.low, bar.high, atMost).major) {
        labels.push_back({tick.value, tick.label});
    }
    return labels;
}

double placeOn(const ColourBar& bar, double value)
{
    return bar.high > bar.low ? (value - bar.low) / (bar.high - bar.low) : 0.5 + 0.5 * value;
}

void drawBarRight(ScenePainter& p, const ColourBar& bar, const PixelRect& rect, const Theme& theme)
{
    p.strip(rect, *bar.colours);
    p.frame(rect, p.px(1), theme.line);
    const int atMost = std::max(2, static_cast<int>(rect.height / p.px(44)));
    const int edge = rect.x + rect.width + p.px(1);
    for (const BarLabel& label : barLabels(bar, atMost)) {
        const double u = placeOn(bar, label.value);
        const int y = rect.y + static_cast<int>(std::lround((1.0 - u) * (rect.height - 1)));
        p.fill({edge, y, p.px(kTick), p.px(1)}, theme.line);
        p.text(edge + p.px(kTick + kLabelGap), y, label.words, labelStyle(theme, AlignX::Left, AlignY::Middle));
    }
    p.text(rect.x - p.px(5), rect.y + 0.5 * rect.height, bar.title,
           titleStyle(theme, AlignX::Centre, AlignY::Bottom, TextTurn::Upward));
}

void drawBarBelow(ScenePainter& p, const ColourBar& bar, const PixelRect& rect, const Theme& theme)
{
    p.strip(rect, *bar.colours);
    p.frame(rect, p.px(1), theme.line);
    const int atMost = std::max(2, static_cast<int>(rect.width / p.px(64)));
    const int edge = rect.y + rect.height + p.px(1);
    for (const BarLabel& label : barLabels(bar, atMost)) {
        const double u = placeOn(bar, label.value);
        const int x = rect.x + static_cast<int>(std::lround(u * (rect.width - 1)));
        p.fill({x, edge, p.px(1), p.px(kTick)}, theme.line);
        p.text(x, edge + p.px(kTick + 2), label.words, labelStyle(theme, AlignX::Centre, AlignY::Top));
    }
    p.text(rect.x, rect.y - p.px(5), bar.title, titleStyle(theme, AlignX::Left, AlignY::Bottom));
}

void drawBars(ScenePainter& p, const SectionFurniture& f)
{
    const auto count = static_cast<int>(f.bars.size());
    int index = 0;
    for (const ColourBar& bar : f.bars) {
        if (bar.colours == nullptr || bar.high < bar.low) {
            continue;
        }
        if (f.placement == BarPlacement::Right) {
            const int x = f.field.x + f.field.width + p.px(kRightBarGap) + p.px(18) + index * p.px(kRightBarStep);
            drawBarRight(p, bar, {x, f.field.y, p.px(kBarThickness), f.field.height}, f.theme);
        } else {
            const int gap = p.px(kBelowBarGap);
            const int width = std::min(p.px(360), (f.field.width - gap * (count - 1)) / count);
            const int x = f.field.x + index * (width + gap);
            const int y = f.field.y + f.field.height + p.px(30);
            drawBarBelow(p, bar, {x, y, width, p.px(kBarThickness)}, f.theme);
        }
        ++index;
    }
}

AxisLine acrossAxis(const SectionFurniture& f)
{
    AxisLine axis;
    axis.from = f.frame.left;
    axis.to = f.frame.left + f.frame.width;
    axis.start = f.field.x;
    axis.end = f.field.x + f.field.width;
    axis.at = f.field.y;
    const LengthUnit unit = lengthUnitFor(std::max(std::abs(axis.from), std::abs(axis.to)));
    axis.unit = unit.metres;
    axis.title = f.acrossTitle + " (" + unit.name + ")";
    return axis;
}

AxisLine downAxis(const SectionFurniture& f)
{
    AxisLine axis;
    axis.from = f.frame.top;
    axis.to = f.frame.top + f.frame.height;
    axis.start = f.field.y;
    axis.end = f.field.y + f.field.height;
    axis.at = f.field.x;
    const LengthUnit unit = lengthUnitFor(std::max(std::abs(axis.from), std::abs(axis.to)));
    axis.unit = unit.metres;
    axis.title = f.downTitle + " (" + unit.name + ")";
    return axis;
}

constexpr double kPixelsAcrossLabel = 78.0, kPixelsDownLabel = 46.0;

} // namespace

SectionLayout layOutSection(const PixelRect& within, double scale, const PlaneExtent& extent, Aspect aspect, int bars)
{
    const PixelRect right = areaFor(within, scale, bars, BarPlacement::Right);
    const PixelRect below = areaFor(within, scale, bars, BarPlacement::Below);
    if (bars > 0 && pictureSize(below, extent, aspect) > pictureSize(right, extent, aspect)) {
        return {below, BarPlacement::Below};
    }
    return {right, BarPlacement::Right};
}

AxisTitles axisTitles(SlicePlane plane)
{
    switch (plane) {
    case SlicePlane::CrossSection: return {"Distance y", "Depth z"};
    case SlicePlane::Depth: return {"Distance x", "Distance y"};
    case SlicePlane::Section: break;
    }
    return {"Distance x", "Depth z"};
}

void drawTopAxis(ScenePainter& p, const AxisLine& axis, const Theme& theme)
{
    const Ticks ticks = axisTicks(axis, p.px(kPixelsAcrossLabel));
    const int edge = axis.at - p.px(1);
    for (const double value : ticks.minor) {
        p.fill({pixelOf(axis, value), edge - p.px(kMinorTick), p.px(1), p.px(kMinorTick)}, theme.line);
    }
    for (const Tick& tick : ticks.major) {
        const int x = pixelOf(axis, tick.value);
        p.fill({x, edge - p.px(kTick), p.px(1), p.px(kTick)}, theme.line);
        p.text(x, edge - p.px(kTick + kLabelGap - 1), tick.label, labelStyle(theme, AlignX::Centre, AlignY::Bottom));
    }
    p.text(0.5 * (axis.start + axis.end), edge - p.px(kTick + kLabelGap + 18), axis.title,
           titleStyle(theme, AlignX::Centre, AlignY::Bottom));
}

void drawLeftAxis(ScenePainter& p, const AxisLine& axis, const Theme& theme)
{
    const Ticks ticks = axisTicks(axis, p.px(kPixelsDownLabel));
    const int edge = axis.at - p.px(1);
    double widest = 0.0;
    const TextStyle style = labelStyle(theme, AlignX::Right, AlignY::Middle);
    for (const double value : ticks.minor) {
        p.fill({edge - p.px(kMinorTick), pixelOf(axis, value), p.px(kMinorTick), p.px(1)}, theme.line);
    }
    for (const Tick& tick : ticks.major) {
        const int y = pixelOf(axis, tick.value);
        p.fill({edge - p.px(kTick), y, p.px(kTick), p.px(1)}, theme.line);
        p.text(edge - p.px(kTick + kLabelGap), y, tick.label, style);
        widest = std::max(widest, p.textWidth(tick.label, style));
    }
    p.text(edge - p.px(kTick + kLabelGap + 8) - widest, 0.5 * (axis.start + axis.end), axis.title,
           titleStyle(theme, AlignX::Centre, AlignY::Bottom, TextTurn::Upward));
}

void drawSection(ScenePainter& painter, const SectionFurniture& furniture)
{
    painter.setScale(furniture.scale);
    if (furniture.field.width <= 0 || furniture.field.height <= 0) {
        return;
    }
    painter.frame(furniture.field, painter.px(1), furniture.theme.line);
    drawTopAxis(painter, acrossAxis(furniture), furniture.theme);
    drawLeftAxis(painter, downAxis(furniture), furniture.theme);
    drawBars(painter, furniture);
}

GridLines gridLines(const SectionFurniture& furniture)
{
    GridLines lines;
    const AxisLine across = acrossAxis(furniture);
    const AxisLine down = downAxis(furniture);
    for (const Tick& tick : axisTicks(across, pixels(kPixelsAcrossLabel, furniture.scale)).major) {
        lines.across.push_back(pixelOf(across, tick.value));
    }
    for (const Tick& tick : axisTicks(down, pixels(kPixelsDownLabel, furniture.scale)).major) {
        lines.down.push_back(pixelOf(down, tick.value));
    }
    return lines;
}

} // namespace ondo
