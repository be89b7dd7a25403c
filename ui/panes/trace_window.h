// A trace with a window on it that two handles open and close. Dragged, or with the keys: left and right move the beginning,
// with Shift the end, a hundredth of the trace a press. Widget; says what is wanted and is told what is.
#pragma once

#include "ui/panes/trace_plot.h"

#include <functional>

namespace ondo {

class TraceWindowPlot : public TracePlot {
public:
    explicit TraceWindowPlot(const QString& name, QWidget* parent = nullptr);
    void setWindow(double from, double to); // s
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    // Called while a handle moves (done: false) and when it is let go.
    void onWindow(std::function<void(double from, double to, bool done)> told) { m_told = std::move(told); }
    // Where a handle stands, widget pixels.
    [[nodiscard]] QPointF handleAt(double time) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Grip { None, From, To };
    [[nodiscard]] Grip gripAt(const QPointF& pixel) const;
    void move(Grip grip, double time, bool done);

    double m_from = 0.0, m_to = 0.0;
    Grip m_grip = Grip::None;
    std::function<void(double, double, bool)> m_told;
};

} // namespace ondo
