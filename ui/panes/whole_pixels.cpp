#include "ui/panes/whole_pixels.h"

#include <cmath>

namespace ondo {

namespace {

constexpr int kMost = 7; // logical pixels given up at an edge: enough for eighths

bool isWhole(double devicePixels)
{
    return std::abs(devicePixels - std::round(devicePixels)) < 1e-6;
}

// How far from `edge` in the direction of `way` the next whole device pixel is; 0 if there is none near.
int toWhole(int edge, int way, double ratio)
{
    for (int step = 0; step <= kMost; ++step) {
        if (isWhole((edge + way * step) * ratio)) {
            return step;
        }
    }
    return 0;
}

} // namespace

QRect onWholePixels(const QPoint& origin, const QSize& size, double ratio)
{
    const int left = toWhole(origin.x(), 1, ratio);
    const int top = toWhole(origin.y(), 1, ratio);
    const int right = toWhole(origin.x() + size.width(), -1, ratio);
    const int bottom = toWhole(origin.y() + size.height(), -1, ratio);
    return {left, top, size.width() - left - right, size.height() - top - bottom};
}

WholePixels::WholePixels(QWidget* parent)
    : QWidget(parent)
{
    setAttribute(Qt::WA_StyledBackground);
    setProperty("role", "dockBody"); // the ground of the picture
}

void WholePixels::hold(QWidget& widget)
{
    m_held = &widget;
    m_held->setParent(this);
    setMinimumSize(m_held->minimumSize() + QSize(2 * kMost, 2 * kMost));
    place();
}

void WholePixels::place()
{
    if (m_held != nullptr) {
        m_held->setGeometry(onWholePixels(mapTo(window(), QPoint(0, 0)), size(), devicePixelRatioF()));
    }
}

void WholePixels::moveEvent(QMoveEvent* event)
{
    QWidget::moveEvent(event);
    place();
}

void WholePixels::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    place();
}

void WholePixels::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    place();
}

} // namespace ondo
