#include "ui/forms/progress_track.h"

#include <QPainter>

#include <algorithm>

namespace ondo {

ProgressTrack::ProgressTrack(const QString& name, QWidget* parent)
    : QWidget(parent)
{
    setObjectName(name);
    setMinimumWidth(120);
    setFixedHeight(6);
}

void ProgressTrack::setFraction(double fraction)
{
    if (fraction != m_fraction) {
        m_fraction = fraction;
        update();
    }
}

void ProgressTrack::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette().color(QPalette::Mid));
    const QRectF whole(rect());
    painter.drawRoundedRect(whole, 3, 3);
    if (m_fraction > 0.0) {
        painter.setBrush(palette().color(QPalette::Highlight));
        painter.drawRoundedRect(QRectF(0, 0, std::max(6.0, whole.width() * std::min(1.0, m_fraction)), whole.height()),
                                3, 3);
    }
}

} // namespace ondo
