#include "ui/panes/trace_plot.h"

#include <QPainter>
#include <QPainterPath>
#include <QPolygonF>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

TracePlot::TracePlot(const QString& name, Look look, QWidget* parent)
    : QWidget(parent)
    , m_look(std::move(look))
{
    setObjectName(name);
    m_frame.downGrows = false;
    if (m_look.axes) {
        setFocusPolicy(Qt::StrongFocus);
    }
}

void TracePlot::setCurve(Curve curve, double high, const QString& acrossTitle, const QString& downTitle)
{
    m_curve = std::move(curve);
    double low = 0.0;
    double top = 0.0;
    for (const double value : m_curve.values) {
        if (std::isfinite(value)) {
            low = std::min(low, value);
            top = std::max(top, value);
        }
    }
    if (m_look.symmetric) {
        top = std::max(top, -low);
        low = -top;
    }
    if (top <= low) {
        top = 1.0;
        low = m_look.symmetric ? -1.0 : 0.0;
    }
    const double margin = 0.06 * (top - low);
    m_frame.across = {acrossTitle, m_curve.first, std::max(high, m_curve.first + 1e-9)};
    m_frame.down = {downTitle, low - (m_look.symmetric ? margin : 0.0), top + margin};
    update();
}

void TracePlot::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    if (m_look.axes) {
        m_frame.layOut(QRectF(rect()), *this);
    } else {
        QFont small = font();
        small.setPointSizeF(small.pointSizeF() * 0.85);
        painter.setFont(small);
        m_frame.area = QRectF(rect()).adjusted(1.0, 1.0, -1.0, -QFontMetrics(small).height() - 2.0);
    }
    painter.fillRect(m_frame.area, palette().color(QPalette::Base));
    if (m_curve.values.size() > 1) { // no lines through the words that stand there before
        if (m_look.axes) {
            m_frame.drawGrid(painter, palette());
        }
        painter.setPen(QPen(palette().color(QPalette::Mid), 1.0));
        const double zero = std::round(m_frame.y(0.0)) + 0.5;
        painter.drawLine(QPointF(m_frame.area.left(), zero), QPointF(m_frame.area.right(), zero));
        drawCurve(painter);
    } else if (!m_look.empty.isEmpty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(m_frame.area, Qt::AlignCenter | Qt::TextWordWrap, m_look.empty);
    }
    if (m_look.axes) {
        m_frame.drawAxes(painter, palette());
    } else {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(QRectF(0.0, m_frame.area.bottom() + 2.0, width(), height() - m_frame.area.bottom() - 2.0),
                         Qt::AlignCenter, m_frame.across.title);
    }
}

void TracePlot::drawCurve(QPainter& painter) const
{
    // One pixel column holds many samples: its least and its greatest value keep the look of the whole.
    QPolygonF line;
    const std::size_t count = m_curve.values.size();
    const std::size_t bucket =
        std::max<std::size_t>(1, count / static_cast<std::size_t>(std::max(1.0, 2.0 * m_frame.area.width())));
    for (std::size_t from = 0; from < count; from += bucket) {
        const auto begin = m_curve.values.begin() + static_cast<std::ptrdiff_t>(from);
        const auto end = m_curve.values.begin() + static_cast<std::ptrdiff_t>(std::min(count, from + bucket));
        const auto [low, high] = std::minmax_element(begin, end);
        const double x = m_frame.x(m_curve.first + m_curve.step * static_cast<double>(from));
        const bool rising = low < high;
        line << QPointF(x, m_frame.y(rising ? *low : *high));
        if (low != high) {
            line << QPointF(x, m_frame.y(rising ? *high : *low));
        }
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(m_frame.area);
    const QColor accent = palette().color(QPalette::Highlight);
    if (m_look.filled) {
        QPolygonF area = line;
        area << QPointF(line.back().x(), m_frame.y(0.0)) << QPointF(line.front().x(), m_frame.y(0.0));
        QColor wash = accent;
        wash.setAlphaF(0.22F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(wash);
        painter.drawPolygon(area);
    }
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(accent, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(line);
    painter.restore();
}

} // namespace ondo
