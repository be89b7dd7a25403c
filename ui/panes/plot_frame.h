// Axes of a small plot: where the plot area lies, ticks with numbers, titles with units. Value type, UI thread.
#pragma once

#include <QPalette>
#include <QRectF>
#include <QString>

class QPainter;
class QWidget;

namespace ondo {

struct PlotAxis {
    QString title; // with its unit
    double low = 0.0, high = 1.0;
    bool logarithmic = false; // both ends above 0
};

struct PlotFrame {
    QRectF area; // of the data, widget coordinates
    PlotAxis across, down;
    bool downGrows = true;   // values grow downwards (time, depth) or upwards (amplitude)
    bool titleAbove = false; // the across axis stands above the area, as gathers have it

    // Leaves room for numbers and titles in `outer`.
    void layOut(const QRectF& outer, const QWidget& widget);
    [[nodiscard]] double x(double value) const;
    [[nodiscard]] double y(double value) const;
    [[nodiscard]] double acrossAt(double px) const; // of linear axes, as downAt
    [[nodiscard]] double downAt(double py) const;
    void drawGrid(QPainter& painter, const QPalette& palette) const;
    void drawAxes(QPainter& painter, const QPalette& palette) const;
};

} // namespace ondo
