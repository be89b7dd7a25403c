#include "ui/panes/plot_frame.h"

#include "render/ticks.h"
#include "ui/forms/number_label.h"
#include "ui/text.h"

#include <QPainter>
#include <QWidget>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kTick = 4.0;                          // px
constexpr double kAcrossEach = 56.0, kDownEach = 38.0; // px for a number with room around it

// Decades, and 2 and 5 of each where there is room; those of a few decades at least two.
Ticks decadesOf(const PlotAxis& axis, int atMost)
{
    Ticks ticks;
    const double decades = std::log10(axis.high / axis.low);
    const bool between = decades * 3.0 <= atMost;
    const int every = std::max(1, static_cast<int>(std::ceil(decades / atMost)));
    for (int e = static_cast<int>(std::floor(std::log10(axis.low))); e <= static_cast<int>(std::log10(axis.high)) + 1;
         ++e) {
        for (const double leading : {1.0, 2.0, 5.0}) {
            const double value = leading * std::pow(10.0, e);
            const bool wanted = leading == 1.0 ? e % every == 0 : between;
            if (wanted && value >= 0.999 * axis.low && value <= 1.001 * axis.high) {
                ticks.major.push_back({value, spellAmount(value, 1)});
            }
        }
    }
    return ticks;
}

Ticks ticksOf(const PlotAxis& axis, double pixels, double each)
{
    if (axis.logarithmic) {
        auto ticks = decadesOf(axis, std::max(4, static_cast<int>(pixels / each)));
        // Within part of a decade there may be no such number: plain ones then.
        if (ticks.major.size() > 1) {
            return ticks;
        }
    }
    return niceTicks(axis.low, axis.high, std::max(4, static_cast<int>(pixels / each)));
}

// Of the way from an axis' low end to its high one.
double fractionOf(const PlotAxis& axis, double value)
{
    if (axis.logarithmic) {
        return std::log(std::max(value, 1e-300) / axis.low) / std::log(axis.high / axis.low);
    }
    const double span = axis.high - axis.low;
    return span == 0.0 ? 0.5 : (value - axis.low) / span;
}

int widestLabel(const Ticks& ticks, const QFontMetrics& metrics)
{
    int widest = 0;
    for (const Tick& tick : ticks.major) {
        widest = std::max(widest, tabularWidth(metrics, fromEngine(tick.label)));
    }
    return widest;
}

} // namespace

void PlotFrame::layOut(const QRectF& outer, const QWidget& widget)
{
    const QFontMetrics metrics = widget.fontMetrics();
    const double line = metrics.height();
    const double labels = widestLabel(ticksOf(down, outer.height(), kDownEach), metrics);
    const double left = line + 4.0 + labels + kTick + 4.0;
    const double row = kTick + 2.0 + line + 2.0 + line;
    const double top = titleAbove ? row : line * 0.6;
    const double bottom = titleAbove ? line * 0.5 : row;
    area = QRectF(outer.left() + left, outer.top() + top, std::max(10.0, outer.width() - left - 10.0),
                  std::max(10.0, outer.height() - top - bottom));
}

double PlotFrame::x(double value) const
{
    return area.left() + fractionOf(across, value) * area.width();
}

double PlotFrame::y(double value) const
{
    const double fraction = fractionOf(down, value);
    return area.top() + (downGrows ? fraction : 1.0 - fraction) * area.height();
}

double PlotFrame::acrossAt(double px) const
{
    return across.low + (px - area.left()) / area.width() * (across.high - across.low);
}

double PlotFrame::downAt(double py) const
{
    const double fraction = (py - area.top()) / area.height();
    return down.low + (downGrows ? fraction : 1.0 - fraction) * (down.high - down.low);
}

void PlotFrame::drawGrid(QPainter& painter, const QPalette& palette) const
{
    QColor colour = palette.color(QPalette::Mid);
    colour.setAlphaF(0.55F);
    painter.setPen(QPen(colour, 1.0));
    for (const Tick& tick : ticksOf(across, area.width(), kAcrossEach).major) {
        const double at = std::round(x(tick.value)) + 0.5;
        painter.drawLine(QPointF(at, area.top()), QPointF(at, area.bottom()));
    }
    for (const Tick& tick : ticksOf(down, area.height(), kDownEach).major) {
        const double at = std::round(y(tick.value)) + 0.5;
        painter.drawLine(QPointF(area.left(), at), QPointF(area.right(), at));
    }
}

void PlotFrame::drawAxes(QPainter& painter, const QPalette& palette) const
{
    const QFontMetrics metrics = painter.fontMetrics();
    const QColor line = palette.color(QPalette::Mid);
    const QColor quiet = palette.color(QPalette::PlaceholderText);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(line);
    painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5));

    const Ticks acrossTicks = ticksOf(across, area.width(), kAcrossEach);
    const double edge = titleAbove ? area.top() : area.bottom();
    const double way = titleAbove ? -1.0 : 1.0;
    const double base = titleAbove ? edge - kTick - 3.0 - metrics.descent() : edge + kTick + 2.0 + metrics.ascent();
    double last = -1e9;
    for (const Tick& tick : acrossTicks.major) {
        const QString label = fromEngine(tick.label);
        const int width = tabularWidth(metrics, label);
        const double at = x(tick.value);
        painter.setPen(line);
        painter.drawLine(QPointF(at, edge), QPointF(at, edge + way * kTick));
        const double left = std::clamp(at - width / 2.0, area.left() - 10.0, area.right() + 9.0 - width);
        if (left > last + 6.0) {
            painter.setPen(quiet);
            drawTabular(painter, static_cast<int>(left), static_cast<int>(base), label);
            last = left + width;
        }
    }
    painter.setPen(quiet);
    const double titleTop =
        titleAbove ? edge - kTick - 4.0 - 2.0 * metrics.height() : edge + kTick + 2.0 + metrics.height();
    const double width = std::max(area.width(), metrics.horizontalAdvance(across.title) + 4.0); // of a narrow plot
    painter.drawText(QRectF(area.center().x() - width / 2.0, titleTop, width, metrics.height()), Qt::AlignCenter,
                     across.title);

    const Ticks downTicks = ticksOf(down, area.height(), kDownEach);
    for (const Tick& tick : downTicks.major) {
        const QString label = fromEngine(tick.label);
        const double at = y(tick.value);
        painter.setPen(line);
        painter.drawLine(QPointF(area.left() - kTick, at), QPointF(area.left(), at));
        painter.setPen(quiet);
        drawTabular(painter, static_cast<int>(area.left() - kTick - 4.0) - tabularWidth(metrics, label),
                    static_cast<int>(at + (metrics.ascent() - metrics.descent()) / 2.0), label);
    }
    painter.save();
    const double labels = widestLabel(downTicks, metrics);
    painter.translate(area.left() - kTick - 8.0 - labels - metrics.height() / 2.0, area.center().y());
    painter.rotate(-90.0);
    const double length = std::max(area.height(), metrics.horizontalAdvance(down.title) + 4.0); // of a low plot
    painter.drawText(QRectF(-length / 2.0, -metrics.height() / 2.0, length, metrics.height()), Qt::AlignCenter,
                     down.title);
    painter.restore();
}

} // namespace ondo
