#include "ui/panes/thumbnail_strip.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

constexpr int kWidth = 76, kGapBetween = 4; // of one, pixels

} // namespace

ThumbnailStrip::ThumbnailStrip(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("iterationThumbnails"));
    setAccessibleName(tr("Models by iteration"));
    setToolTip(tr("Models by iteration: a click chooses one, and the x of the well"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize ThumbnailStrip::minimumSizeHint() const
{
    return {2 * kWidth + kGapBetween, 46 + fontMetrics().height()};
}

int ThumbnailStrip::room() const
{
    return std::max(1, (width() + kGapBetween) / (kWidth + kGapBetween));
}

std::vector<int> ThumbnailStrip::indices() const
{
    std::vector<int> out;
    const int shown = std::min(m_count, std::max(2, room()));
    for (int i = 0; i < shown; ++i) {
        out.push_back(shown == 1 ? 0 : static_cast<int>(std::lround(i * (m_count - 1.0) / (shown - 1.0))));
    }
    return out;
}

QRect ThumbnailStrip::cell(int position) const
{
    return {position * (kWidth + kGapBetween), 0, kWidth, height()};
}

void ThumbnailStrip::setCount(int count)
{
    m_count = count;
    update();
}

void ThumbnailStrip::setThumbnails(const std::map<int, Thumbnail>& all, const Grid& /*grid*/)
{
    m_all = all;
    m_range = {};
    for (const auto& [index, one] : m_all) {
        for (const float v : one.speed) {
            const auto value = static_cast<double>(v);
            m_range = m_range.high > 0.0 ? ValueRange{std::min(m_range.low, value), std::max(m_range.high, value), 0}
                                         : ValueRange{value, value, 0};
        }
    }
    update();
}

void ThumbnailStrip::setColours(std::shared_ptr<const ColourTable> colours)
{
    m_colours = std::move(colours);
    update();
}

void ThumbnailStrip::setChosen(int index)
{
    m_chosen = index;
    update();
}

void ThumbnailStrip::draw(QPainter& painter, const QRect& cell, int index) const
{
    const int text = fontMetrics().height();
    const QRect area = cell.adjusted(1, 1, -1, -text - 1);
    painter.fillRect(area, palette().color(QPalette::Base));
    const auto found = m_all.find(index);
    if (found != m_all.end() && m_colours != nullptr) {
        const Thumbnail& one = found->second;
        QImage image(one.columns, one.rows, QImage::Format_RGBA8888);
        const double span = std::max(1e-9, m_range.high - m_range.low);
        for (int z = 0; z < one.rows; ++z) {
            for (int x = 0; x < one.columns; ++x) {
                const auto v = static_cast<double>(one.speed[static_cast<std::size_t>(z * one.columns + x)]);
                const auto entry = static_cast<std::size_t>(
                    std::clamp(static_cast<double>(m_colours->size() - 1) * (v - m_range.low) / span, 0.0,
                               static_cast<double>(m_colours->size() - 1)));
                const std::uint32_t rgba = (*m_colours)[entry];
                image.setPixelColor(x, z,
                                    QColor(static_cast<int>(rgba & 255U), static_cast<int>(rgba >> 8U & 255U),
                                           static_cast<int>(rgba >> 16U & 255U)));
            }
        }
        painter.drawImage(area, image);
        if (m_well) {
            painter.setPen(QPen(palette().color(QPalette::Text), 1.0, Qt::DashLine));
            const double x = area.left() + *m_well * area.width();
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
        }
    }
    const bool chosen = index == m_chosen;
    painter.setPen(QPen(palette().color(chosen ? QPalette::Highlight : QPalette::Mid), chosen ? 2.0 : 1.0));
    painter.drawRect(area);
    painter.setPen(palette().color(QPalette::Text));
    painter.drawText(QRect(cell.left(), cell.bottom() - text, cell.width(), text + 1), Qt::AlignCenter,
                     index == 0 ? tr("start") : QString::number(index));
}

void ThumbnailStrip::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    const auto shown = indices();
    for (std::size_t i = 0; i < shown.size(); ++i) {
        draw(painter, cell(static_cast<int>(i)), shown[i]);
    }
}

void ThumbnailStrip::mousePressEvent(QMouseEvent* event)
{
    const auto shown = indices();
    for (int i = 0; i < static_cast<int>(shown.size()); ++i) {
        const QRect at = cell(i);
        if (event->button() == Qt::LeftButton && m_told && at.contains(event->pos())) {
            m_told(shown[static_cast<std::size_t>(i)],
                   std::clamp((event->position().x() - at.left() - 1.0) / (at.width() - 2.0), 0.0, 1.0));
        }
    }
}

void ThumbnailStrip::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (m_room != room()) {
        m_room = room();
        if (m_roomTold) {
            m_roomTold();
        }
    }
}

} // namespace ondo
