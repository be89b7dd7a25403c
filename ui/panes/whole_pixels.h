// A frame that lets its widget begin and end on whole device pixels: at 125 % a GL picture otherwise ends between two, and
// what is left of the last one stays black. UI thread.
#pragma once

#include <QWidget>

namespace ondo {

// The largest rectangle, relative to `origin`, whose edges are whole device pixels of the window. origin: where the frame
// begins in its window. The whole of it where there is none within a few pixels.
[[nodiscard]] QRect onWholePixels(const QPoint& origin, const QSize& size, double ratio);

class WholePixels : public QWidget {
public:
    explicit WholePixels(QWidget* parent = nullptr);
    void hold(QWidget& widget);

protected:
    void moveEvent(QMoveEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void place();

    QWidget* m_held = nullptr;
};

} // namespace ondo
