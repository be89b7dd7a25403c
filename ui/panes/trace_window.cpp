#include "ui/panes/trace_window.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr double kReach = 9.0;       // px
constexpr double kGripWidth = 7.0;   // px
constexpr double kGripHeight = 16.0; // px
constexpr double kKeyStep = 0.01;    // of the trace
constexpr double kLeast = 0.005;     // of the trace, between the handles

} // namespace

TraceWindowPlot::TraceWindowPlot(const QString& name, QWidget* parent)
    : TracePlot(
          name,
          {true, true, false,
           QCoreApplication::translate("TraceWindowPlot", "Run the shot, or compute the\nkernel, to see the trace")},
          parent)
{
    setMouseTracking(true);
}

void TraceWindowPlot::setWindow(double from, double to)
{
    m_from = from;
    m_to = to;
    update();
}

QPointF TraceWindowPlot::handleAt(double time) const
{
    return {frame().x(time), frame().area.center().y()};
}

void TraceWindowPlot::paintEvent(QPaintEvent* event)
{
    TracePlot::paintEvent(event);
    if (curve().values.size() < 2) {
        return;
    }
    QPainter painter(this);
    const QRectF area = frame().area;
    const double from = std::clamp(frame().x(m_from), area.left(), area.right());
    const double to = std::clamp(frame().x(m_to), area.left(), area.right());
    QColor veil = palette().color(QPalette::Window);
    veil.setAlphaF(0.62F);
    painter.fillRect(QRectF(area.topLeft(), QPointF(from, area.bottom())), veil);
    painter.fillRect(QRectF(QPointF(to, area.top()), area.bottomRight()), veil);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor accent = palette().color(QPalette::Highlight);
    for (const double x : {from, to}) {
        painter.setPen(QPen(accent, 1.5));
        painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        painter.setPen(QPen(palette().color(QPalette::Base), 1.0));
        painter.setBrush(accent);
        painter.drawRoundedRect(
            QRectF(x - 0.5 * kGripWidth, area.center().y() - 0.5 * kGripHeight, kGripWidth, kGripHeight), 2.5, 2.5);
    }
    if (hasFocus()) {
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(accent, 1.0, Qt::DotLine));
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

TraceWindowPlot::Grip TraceWindowPlot::gripAt(const QPointF& pixel) const
{
    if (curve().values.size() < 2) {
        return Grip::None;
    }
    const double toFrom = std::abs(pixel.x() - frame().x(m_from));
    const double toTo = std::abs(pixel.x() - frame().x(m_to));
    if (std::min(toFrom, toTo) > kReach) {
        return Grip::None;
    }
    return toFrom <= toTo ? Grip::From : Grip::To;
}

void TraceWindowPlot::move(Grip grip, double time, bool done)
{
    const double low = frame().across.low;
    const double high = frame().across.high;
    const double least = kLeast * (high - low);
    if (grip == Grip::From) {
        m_from = std::clamp(time, low, std::max(low, m_to - least));
    } else if (grip == Grip::To) {
        m_to = std::clamp(time, std::min(high, m_from + least), high);
    }
    update();
    if (m_told) {
        m_told(m_from, m_to, done);
    }
}

void TraceWindowPlot::mousePressEvent(QMouseEvent* event)
{
    m_grip = event->button() == Qt::LeftButton ? gripAt(event->position()) : Grip::None;
}

void TraceWindowPlot::mouseMoveEvent(QMouseEvent* event)
{
    if (m_grip != Grip::None) {
        move(m_grip, frame().acrossAt(event->position().x()), false);
    }
    setCursor(m_grip != Grip::None || gripAt(event->position()) != Grip::None ? Qt::SizeHorCursor : Qt::ArrowCursor);
}

void TraceWindowPlot::mouseReleaseEvent(QMouseEvent* event)
{
    if (m_grip != Grip::None) {
        move(m_grip, frame().acrossAt(event->position().x()), true);
        m_grip = Grip::None;
    }
}

void TraceWindowPlot::keyPressEvent(QKeyEvent* event)
{
    const bool left = event->key() == Qt::Key_Left;
    if (curve().values.size() < 2 || (!left && event->key() != Qt::Key_Right)) {
        TracePlot::keyPressEvent(event);
        return;
    }
    const double step = (left ? -kKeyStep : kKeyStep) * (frame().across.high - frame().across.low);
    const Grip grip = event->modifiers().testFlag(Qt::ShiftModifier) ? Grip::To : Grip::From;
    move(grip, (grip == Grip::To ? m_to : m_from) + step, true);
}

} // namespace ondo
