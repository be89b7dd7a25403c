#include "ui/panes/gather_canvas.h"

#include "render/gather_raster.h"

#include <QEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

constexpr double kWiggleSpacing = 7.0; // px

Colour toColour(const QColor& colour, double alpha)
{
    return {static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
            static_cast<std::uint8_t>(colour.blue()), static_cast<std::uint8_t>(std::lround(255.0 * alpha))};
}

} // namespace

GatherCanvas::GatherCanvas(QWidget* parent)
    : QWidget(parent)
{
    setObjectName(QStringLiteral("gatherCanvas"));
    setAccessibleName(tr("Gather"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    m_empty = tr("The gather grows here\nwhile the shot runs");
    m_frame.titleAbove = true;
}

void GatherCanvas::setGather(std::shared_ptr<const Gather> gather)
{
    m_gather = std::move(gather);
    refresh();
    if (m_pointer && m_told) {
        m_told(readingAt(*m_pointer));
    }
}

void GatherCanvas::setAhead(std::vector<Receiver> receivers, double duration)
{
    m_receiversAhead = std::move(receivers);
    m_durationAhead = duration > 0.0 ? duration : 1.0; // not known before there is a model
    refresh();
}

void GatherCanvas::setLook(GatherMode mode, std::shared_ptr<const ColourTable> colours, bool reversed)
{
    m_mode = mode;
    m_colours = std::move(colours);
    m_reversed = reversed;
    refresh();
}

void GatherCanvas::setClip(double clip)
{
    if (clip != m_clip) {
        m_clip = clip;
        refresh();
    }
}

void GatherCanvas::refresh()
{
    m_stale = true;
    layOut();
    update();
}

void GatherCanvas::layOut()
{
    const auto& receivers = m_gather != nullptr ? m_gather->receivers : m_receiversAhead;
    const double end = m_gather != nullptr ? m_gather->dt * std::max(1, m_gather->samples - 1) : m_durationAhead;
    m_frame.down = {tr("Time (s)"), 0.0, std::max(1e-9, end)};
    m_frame.across = {tr("Receiver"), 1.0, 2.0};
    if (!receivers.empty()) {
        const double first = receivers.front().position.x;
        const double last = receivers.back().position.x;
        const double half =
            receivers.size() > 1 ? 0.5 * (last - first) / static_cast<double>(receivers.size() - 1) : 0.5;
        if (last > first) {
            const bool far = std::max(std::abs(first), std::abs(last)) >= 10000.0;
            const double unit = far ? 1000.0 : 1.0;
            m_frame.across = {far ? tr("Receiver x (km)") : tr("Receiver x (m)"), (first - half) / unit,
                              (last + half) / unit};
        } else {
            m_frame.across = {tr("Receiver number"), 0.5, static_cast<double>(receivers.size()) + 0.5};
        }
    }
    m_frame.layOut(QRectF(rect()), *this);
}

void GatherCanvas::setRight(std::shared_ptr<const Gather> right, double fraction)
{
    if (right != m_right) {
        m_right = std::move(right);
        m_stale = true;
    }
    m_wipe = std::clamp(fraction, 0.0, 1.0);
    update();
}

void GatherCanvas::setEmpty(const QString& text)
{
    m_empty = text;
    update();
}

void GatherCanvas::wipeTo(const QPointF& pixel)
{
    if (m_right != nullptr && m_wipeTold) {
        m_wipeTold(std::clamp((pixel.x() - m_frame.area.left()) / m_frame.area.width(), 0.0, 1.0));
    }
}

QImage GatherCanvas::raster(const std::shared_ptr<const Gather>& gather, QSize size) const
{
    if (gather == nullptr || size.isEmpty()) {
        return {};
    }
    const QColor ground = palette().color(QPalette::Base);
    const QColor ink = m_mode == GatherMode::Overlay ? QColor(15, 18, 22) : palette().color(QPalette::Text);
    GatherSettings settings;
    settings.width = size.width();
    settings.height = size.height();
    settings.reversedPolarity = m_reversed;
    settings.clipMode = ClipMode::Fixed;
    settings.clip = m_clip;
    settings.colours = m_colours;
    settings.ground = toColour(ground, 1.0).rgba();
    HostPicture picture = m_mode == GatherMode::Wiggles ? gatherGround(settings) : rasterGather(*gather, settings);
    if (m_mode != GatherMode::Density && m_clip > 0.0) {
        WiggleStyle style;
        style.line = toColour(ink, m_mode == GatherMode::Overlay ? 0.85 : 1.0);
        style.fill = toColour(ink, m_mode == GatherMode::Overlay ? 0.35 : 0.85); // colours shine through
        style.lineWidth = devicePixelRatioF();
        style.leastSpacing = kWiggleSpacing * devicePixelRatioF();
        drawWiggles(picture, *gather, settings, style);
    }
    const QImage view(reinterpret_cast<const uchar*>(picture.pixels.data()), picture.width, picture.height,
                      qsizetype{4} * picture.width, QImage::Format_RGBA8888);
    return view.convertToFormat(QImage::Format_RGB32); // a copy of its own
}

void GatherCanvas::paintEvent(QPaintEvent* /*event*/)
{
    const double ratio = devicePixelRatioF();
    const QSize size((m_frame.area.size() * ratio).toSize());
    if (m_stale || m_image.size() != size) {
        m_image = raster(m_gather, size);
        m_rightImage = raster(m_right, size);
        m_stale = false;
    }
    QPainter painter(this);
    painter.fillRect(m_frame.area, palette().color(QPalette::Base));
    if (m_image.isNull()) {
        painter.setPen(palette().color(QPalette::PlaceholderText));
        painter.drawText(m_frame.area, Qt::AlignCenter | Qt::TextWordWrap, m_empty);
    } else {
        painter.drawImage(m_frame.area, m_image);
        if (!m_rightImage.isNull()) {
            const double x = std::round(m_frame.area.left() + m_wipe * m_frame.area.width());
            painter.save();
            painter.setClipRect(QRectF(QPointF(x, m_frame.area.top()), m_frame.area.bottomRight()));
            painter.drawImage(m_frame.area, m_rightImage);
            painter.restore();
            painter.setPen(QPen(palette().color(QPalette::Highlight), 2.0));
            painter.drawLine(QPointF(x, m_frame.area.top()), QPointF(x, m_frame.area.bottom()));
        }
        if (m_gather->recorded > 0 && m_gather->recorded < m_gather->samples) {
            QPen now(palette().color(QPalette::Highlight), 1.5);
            painter.setPen(now);
            const double y = m_frame.y((m_gather->recorded - 1) * m_gather->dt);
            painter.drawLine(QPointF(m_frame.area.left(), y), QPointF(m_frame.area.right(), y));
        }
    }
    drawPicked(painter);
    if (m_pointer && m_frame.area.contains(*m_pointer)) {
        QColor line = palette().color(QPalette::Highlight);
        line.setAlphaF(0.7F);
        painter.setPen(QPen(line, 1.0, Qt::DashLine));
        painter.drawLine(QPointF(m_pointer->x(), m_frame.area.top()), QPointF(m_pointer->x(), m_frame.area.bottom()));
        painter.drawLine(QPointF(m_frame.area.left(), m_pointer->y()), QPointF(m_frame.area.right(), m_pointer->y()));
    }
    m_frame.drawAxes(painter, palette());
}

std::optional<GatherReading> GatherCanvas::readingAt(const QPointF& pixel) const
{
    if (m_gather == nullptr || m_gather->receiverCount() == 0 || !m_frame.area.contains(pixel)) {
        return std::nullopt;
    }
    GatherReading reading;
    const double across = (pixel.x() - m_frame.area.left()) / m_frame.area.width();
    reading.receiver =
        std::clamp(static_cast<int>(across * m_gather->receiverCount()), 0, m_gather->receiverCount() - 1);
    reading.position = m_gather->receivers[static_cast<std::size_t>(reading.receiver)].position;
    if (!m_gather->sources.empty()) {
        const Position& source = m_gather->sources.front().position;
        reading.offset = std::hypot(reading.position.x - source.x, reading.position.y - source.y);
        if (reading.position.x < source.x) {
            reading.offset = -reading.offset;
        }
    }
    const int sample = std::clamp(static_cast<int>(std::lround(m_frame.downAt(pixel.y()) / m_gather->dt)), 0,
                                  std::max(0, m_gather->samples - 1));
    reading.time = sample * m_gather->dt;
    reading.recorded = sample < m_gather->recorded;
    if (reading.recorded) {
        reading.pressure = static_cast<double>(m_gather->trace(reading.receiver)[static_cast<std::size_t>(sample)]);
    }
    return reading;
}

void GatherCanvas::resizeEvent(QResizeEvent* /*event*/)
{
    refresh();
}

int GatherCanvas::receiverCount() const
{
    return m_gather != nullptr ? m_gather->receiverCount() : static_cast<int>(m_receiversAhead.size());
}

void GatherCanvas::setPicked(const std::optional<Picked>& picked)
{
    m_picked = picked;
    update();
}

void GatherCanvas::drawPicked(QPainter& painter) const
{
    const int count = receiverCount();
    if (!m_picked || m_picked->receiver >= count) {
        return;
    }
    const QRectF area = m_frame.area;
    const double x = area.left() + (m_picked->receiver + 0.5) / count * area.width();
    const double from = std::clamp(m_frame.y(m_picked->from), area.top(), area.bottom());
    const double to = std::clamp(m_frame.y(m_picked->to), area.top(), area.bottom());
    const QColor accent = palette().color(QPalette::Highlight);
    painter.setPen(QPen(accent, 1.0));
    painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
    painter.setPen(QPen(accent, 3.0, Qt::SolidLine, Qt::FlatCap));
    painter.drawLine(QPointF(x, from), QPointF(x, to));
}

void GatherCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton) {
        wipeTo(event->position());
    }
    const QRectF area = m_frame.area;
    const int count = receiverCount();
    if (event->button() == Qt::LeftButton && m_pickTold && count > 0 && area.contains(event->position())) {
        const double across = (event->position().x() - area.left()) / area.width();
        m_pickTold(std::clamp(static_cast<int>(across * count), 0, count - 1));
    }
}

void GatherCanvas::mouseMoveEvent(QMouseEvent* event)
{
    m_pointer = event->position();
    if ((event->buttons() & Qt::LeftButton) != 0) {
        wipeTo(*m_pointer);
    }
    if (m_told) {
        m_told(readingAt(*m_pointer));
    }
    update();
}

void GatherCanvas::leaveEvent(QEvent* /*event*/)
{
    m_pointer.reset();
    if (m_told) {
        m_told(std::nullopt);
    }
    update();
}

void GatherCanvas::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
        refresh();
    }
    QWidget::changeEvent(event);
}

} // namespace ondo
