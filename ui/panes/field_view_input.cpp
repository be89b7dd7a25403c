// FieldView: mouse and keys.
#include "ui/panes/field_view.h"

#include "render/ticks.h"

#include <QFontDatabase>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

constexpr double kReach = 13.0; // pixels at 100 %
constexpr double kClick = 3.0;  // pixels at 100 % that a click may wander

// Metres with the decimals that a pixel can tell.
QString metres(double value, double perPixel)
{
    const int decimals = perPixel >= 1.0 ? 0 : perPixel >= 0.1 ? 1 : 2;
    return QString::fromStdString(spellNumber(value, decimals)) + QStringLiteral("\u2009m");
}

ReceiverGrip gripOf(Qt::KeyboardModifiers modifiers)
{
    return modifiers.testFlag(Qt::AltModifier) || modifiers.testFlag(Qt::ControlModifier) ? ReceiverGrip::Single
                                                                                          : ReceiverGrip::WholeSpread;
}

} // namespace

PixelPoint FieldView::devicePoint(const QPointF& point) const
{
    return {point.x() * m_scale, point.y() * m_scale};
}

Position FieldView::positionAt(const PixelPoint& pixel) const
{
    Position at;
    if (m_model.grid().rank == 3) { // on the plane that is seen
        const Grid& g = m_model.grid();
        at = g.origin;
        switch (m_style.plane) {
        case SlicePlane::Section: at.y += m_style.planeIndex * g.dy; break;
        case SlicePlane::CrossSection: at.x += m_style.planeIndex * g.dx; break;
        case SlicePlane::Depth: at.z += m_style.planeIndex * g.dz; break;
        }
    }
    return clampedTo(m_model.grid(), offPlane(m_style.plane, m_view.toPlane(pixel), at));
}

double FieldView::velocityAt(const Position& position) const
{
    const Grid& g = m_model.grid();
    const auto index = [](double v, double origin, double spacing, int count) {
        return std::clamp<std::int64_t>(std::llround((v - origin) / spacing), 0, count - 1);
    };
    const std::int64_t ix = index(position.x, g.origin.x, g.dx, g.nx);
    const std::int64_t iy = g.rank == 3 ? index(position.y, g.origin.y, g.dy, g.ny) : 0;
    const std::int64_t iz = index(position.z, g.origin.z, g.dz, g.nz);
    return static_cast<double>(m_model.velocity().samples()[static_cast<std::size_t>((iz * g.ny + iy) * g.nx + ix)]);
}

void FieldView::announce(DragPhase phase)
{
    const Handle& h = m_handles.selected;
    switch (h.kind) {
    case Handle::Kind::Source: emit sourceMoved(h.index, m_handles.positionOf(h), phase); break;
    case Handle::Kind::Spread:
    case Handle::Kind::Receiver: emit receiversMoved(m_handles.receivers(), phase); break;
    case Handle::Kind::Probe: emit probeMoved(m_handles.positionOf(h), phase); break;
    case Handle::Kind::None: break;
    }
}

void FieldView::moveSelected(const Position& shift, DragPhase phase)
{
    m_handles.move(m_handles.selected, shift, m_model.grid());
    composeAgain();
    announce(phase);
}

void FieldView::hover(const PixelPoint& pixel, Qt::KeyboardModifiers modifiers)
{
    const Handle under = m_tool == Tool::Poke
                             ? Handle{}
                             : m_handles.at(m_view, m_style.plane, pixel, kReach * m_scale, gripOf(modifiers));
    if (!(under == m_handles.hovered)) {
        m_handles.hovered = under;
        composeAgain();
    }
    if (m_view.fieldRect().contains(pixel.x, pixel.y)) {
        const Position at = positionAt(pixel);
        emit cursorAt(at, velocityAt(at));
    } else {
        emit cursorLeft();
    }
    updateCursor();
}

void FieldView::updateCursor()
{
    const bool inside = m_cursor && m_view.fieldRect().contains(m_cursor->x, m_cursor->y);
    Qt::CursorShape shape = Qt::ArrowCursor;
    if (m_drag != Drag::None) {
        shape = Qt::ClosedHandCursor;
    } else if (m_handles.hovered.exists()) {
        shape = Qt::OpenHandCursor;
    } else if (inside) {
        shape = Qt::CrossCursor;
    }
    setCursor(shape);
}

void FieldView::mousePressEvent(QMouseEvent* event)
{
    if (m_model.empty()) {
        return;
    }
    const PixelPoint pixel = devicePoint(event->position());
    const bool inside = m_view.fieldRect().contains(pixel.x, pixel.y);
    m_dragLast = pixel;
    m_keyboardMove = false;
    if (event->button() == Qt::MiddleButton) {
        m_drag = Drag::Pan;
    } else if (event->button() == Qt::LeftButton && m_tool == Tool::Poke) {
        if (inside) {
            emit poked(positionAt(pixel));
        }
        return;
    } else if (event->button() == Qt::LeftButton) {
        const Handle grabbed = m_handles.at(m_view, m_style.plane, pixel, kReach * m_scale, gripOf(event->modifiers()));
        m_handles.selected = grabbed;
        m_pressedAt = pixel;
        m_clicking = grabbed.exists();
        m_drag = grabbed.exists() ? Drag::Handle : inside && !m_view.isFitted() ? Drag::Pan : Drag::None;
        if (grabbed.exists()) {
            const PixelPoint at = m_view.toPixel(onPlane(m_style.plane, m_handles.positionOf(grabbed)));
            m_dragLast = {pixel.x - at.x, pixel.y - at.y}; // the grip's place on the handle
        }
        composeAgain();
    }
    updateCursor();
}

void FieldView::mouseMoveEvent(QMouseEvent* event)
{
    if (m_model.empty()) {
        return;
    }
    const PixelPoint pixel = devicePoint(event->position());
    m_cursor = pixel;
    if (m_drag == Drag::Pan) {
        m_view.panBy(pixel.x - m_dragLast.x, pixel.y - m_dragLast.y);
        m_dragLast = pixel;
        viewChanged();
        return;
    }
    if (m_drag == Drag::Handle) {
        m_clicking = m_clicking && std::hypot(pixel.x - m_pressedAt.x, pixel.y - m_pressedAt.y) < kClick * m_scale;
        if (m_clicking) {
            return; // a hand that shakes moves nothing
        }
        const Position from = m_handles.positionOf(m_handles.selected);
        const PlanePoint to = m_view.toPlane({pixel.x - m_dragLast.x, pixel.y - m_dragLast.y});
        const Position wanted = offPlane(m_style.plane, to, from);
        moveSelected({wanted.x - from.x, wanted.y - from.y, wanted.z - from.z}, DragPhase::Moving);
        const Position at = m_handles.positionOf(m_handles.selected);
        emit cursorAt(at, velocityAt(at));
        return;
    }
    hover(pixel, event->modifiers());
}

void FieldView::mouseReleaseEvent(QMouseEvent* event)
{
    const Drag was = m_drag;
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) {
        return;
    }
    m_drag = Drag::None;
    if (was == Drag::Handle) {
        if (std::exchange(m_clicking, false)) {
            const Handle& h = m_handles.selected;
            if (h.kind == Handle::Kind::Source) {
                emit sourceClicked(h.index);
            } else if (h.kind == Handle::Kind::Spread || h.kind == Handle::Kind::Receiver) {
                emit receiverClicked(h.index);
            }
        }
        announce(DragPhase::Done);
        composeAgain();
    }
    if (!m_model.empty()) {
        hover(devicePoint(event->position()), event->modifiers());
    }
}

void FieldView::mouseDoubleClickEvent(QMouseEvent* event)
{
    const PixelPoint pixel = devicePoint(event->position());
    const bool onHandle =
        m_handles.at(m_view, m_style.plane, pixel, kReach * m_scale, ReceiverGrip::WholeSpread).exists();
    if (event->button() == Qt::LeftButton && m_tool == Tool::Move && !onHandle) {
        fit();
    } else {
        mousePressEvent(event);
    }
}

void FieldView::wheelEvent(QWheelEvent* event)
{
    const double turns = event->angleDelta().y() / 120.0;
    if (turns == 0.0 || m_model.empty() || m_drag == Drag::Handle) {
        return;
    }
    m_view.zoomAbout(devicePoint(event->position()), std::pow(1.2, turns));
    viewChanged();
    hover(devicePoint(event->position()), event->modifiers());
    event->accept();
}

void FieldView::leaveEvent(QEvent* event)
{
    QOpenGLWidget::leaveEvent(event);
    m_cursor.reset();
    if (m_handles.hovered.exists()) {
        m_handles.hovered = {};
        composeAgain();
    }
    emit cursorLeft();
}

void FieldView::contextMenuEvent(QContextMenuEvent* event)
{
    if (!m_model.empty()) {
        emit menuWanted(event->globalPos(), positionAt(devicePoint(QPointF(event->pos()))));
    }
}

void FieldView::focusInEvent(QFocusEvent* event)
{
    QOpenGLWidget::focusInEvent(event);
    composeAgain();
}

void FieldView::focusOutEvent(QFocusEvent* event)
{
    QOpenGLWidget::focusOutEvent(event);
    m_keyboardMove = false;
    composeAgain();
}

bool FieldView::focusNextPrevChild(bool next)
{
    const Handle handle = m_handles.next(m_handles.selected, next ? 1 : -1);
    m_keyboardMove = handle.exists();
    m_handles.selected = handle;
    composeAgain();
    return handle.exists() || QOpenGLWidget::focusNextPrevChild(next);
}

bool FieldView::event(QEvent* event)
{
    // Arrows are ours while a handle is selected, whatever shortcuts there are.
    if (event->type() == QEvent::ShortcutOverride && m_handles.selected.exists()) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Left || key == Qt::Key_Right || key == Qt::Key_Up || key == Qt::Key_Down) {
            event->accept();
            return true;
        }
    }
    return QOpenGLWidget::event(event);
}

void FieldView::keyPressEvent(QKeyEvent* event)
{
    const double cells = event->modifiers().testFlag(Qt::ShiftModifier) ? 10.0 : 1.0;
    const PlaneExtent& extent = m_view.extent();
    PlanePoint shift;
    switch (event->key()) {
    case Qt::Key_Left: shift.across = -cells * extent.cellAcross; break;
    case Qt::Key_Right: shift.across = cells * extent.cellAcross; break;
    case Qt::Key_Up: shift.down = -cells * extent.cellDown; break;
    case Qt::Key_Down: shift.down = cells * extent.cellDown; break;
    case Qt::Key_F: fit(); return;
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoomIn(); return;
    case Qt::Key_Minus: zoomOut(); return;
    case Qt::Key_Escape:
        if (m_handles.selected.exists()) {
            m_handles.selected = {};
            m_keyboardMove = false;
            composeAgain();
            return;
        }
        [[fallthrough]];
    default: QOpenGLWidget::keyPressEvent(event); return;
    }
    if (!m_handles.selected.exists() || m_model.empty()) {
        QOpenGLWidget::keyPressEvent(event);
        return;
    }
    m_keyboardMove = true;
    moveSelected(offPlane(m_style.plane, shift, Position{}),
                 event->isAutoRepeat() ? DragPhase::Moving : DragPhase::Done);
}

QImage FieldView::dragLabel() const
{
    const Position at = m_handles.positionOf(m_handles.selected);
    const PictureFrame frame = m_view.frame();
    const double perPixel = frame.width / std::max(1, frame.pixelsX) * m_scale;
    QString words = tr("x %1").arg(metres(at.x, perPixel));
    if (m_model.grid().rank == 3) {
        words += tr("   y %1").arg(metres(at.y, perPixel));
    }
    words += tr("   z %1").arg(metres(at.z, perPixel));

    QFont font = this->font();
    font.setPixelSize(static_cast<int>(std::lround(12.5 * m_scale)));
    const QFontMetrics metricsOfFont(font);
    const int padX = static_cast<int>(std::lround(9 * m_scale));
    const int padY = static_cast<int>(std::lround(5 * m_scale));
    QImage image(metricsOfFont.horizontalAdvance(words) + 2 * padX, metricsOfFont.height() + 2 * padY,
                 QImage::Format_RGBA8888_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const auto colour = [](const Colour& c) { return QColor(c.red, c.green, c.blue, c.alpha); };
    painter.setBrush(colour(m_theme.label));
    painter.drawRoundedRect(QRectF(image.rect()), 5 * m_scale, 5 * m_scale);
    painter.setFont(font);
    painter.setPen(colour(m_theme.labelText));
    painter.drawText(image.rect(), Qt::AlignCenter, words);
    return image;
}

} // namespace ondo
