#include "ui/panes/bar_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

BarPlot::BarPlot(const QString& name, QString empty, QWidget* parent)
    : QWidget(parent)
    , m_empty(std::move(empty))
{
    setObjectName(name);
    setFocusPolicy(Qt::StrongFocus);
    m_frame.downGrows = false;
}

void BarPlot::setBars(std::vector<double> values, std::vector<double> before, const QString& acrossTitle,
                      const QString& downTitle)
{
    m_values = std::move(values);
    m_before = std::move(before);
    double most = 0.0;
    for (const auto* list : {&m_values, &m_before}) {
        for (const double v : *list) {
            most = std::max(most, std::isfinite(v) ? v : 0.0);
        }
    }
    m_frame.across = {acrossTitle, 0.5, static_cast<double>(std::max<std::size_t>(1, m_values.size())) + 0.5};
    m_frame.down = {downTitle, 0.0, most > 0.0 ? 1.06 * most : 1.0};
    update();
}

void BarPlot::setChosen(int bar)
{
    m_chosen = bar;
    update();
}

void BarPlot::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    m_frame.layOut(QRectF(rect()), *this);
    const QRectF& area = m_frame.area;
    painter.fillRect(area, palette().color(QPalette::Base));
    if (m_values.empty()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(area.adjusted(6.0, 4.0, -6.0, -4.0), Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    }
    const double width = m_frame.x(2.0) - m_frame.x(1.0);
    const double gap = width > 4.0 ? std::max(1.0, 0.15 * width) : 0.0;
    for (std::size_t i = 0; i < m_values.size(); ++i) {
        const double left = m_frame.x(static_cast<double>(i) + 0.5) + 0.5 * gap;
        QColor colour = palette().color(QPalette::Highlight);
        colour.setAlphaF(static_cast<int>(i) == m_chosen ? 1.0F : 0.45F);
        const double top = m_frame.y(m_values[i]);
        painter.fillRect(QRectF(left, top, width - gap, area.bottom() - top), colour);
        if (i < m_before.size()) {
            painter.setPen(QPen(palette().color(QPalette::Text), 1.0));
            const double y = std::round(m_frame.y(m_before[i])) + 0.5;
            painter.drawLine(QPointF(left, y), QPointF(left + width - gap, y));
        }
    }
    m_frame.drawAxes(painter, palette());
    if (hasFocus()) {
        painter.setPen(QPen(palette().color(QPalette::Highlight), 1.0));
        painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5));
    }
}

void BarPlot::mousePressEvent(QMouseEvent* event)
{
    const int bar = static_cast<int>(std::floor(m_frame.acrossAt(event->position().x()) - 0.5));
    if (event->button() == Qt::LeftButton && m_told && bar >= 0 && bar < static_cast<int>(m_values.size())) {
        m_told(bar);
    }
}

void BarPlot::keyPressEvent(QKeyEvent* event)
{
    const int step = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    if (step == 0 || !m_told || m_values.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    m_told(std::clamp(m_chosen + step, 0, static_cast<int>(m_values.size()) - 1));
}

} // namespace ondo
