// Several curves over one axis, with bands behind them, marks on them and a line at what is chosen. A click, a drag or the
// arrow keys choose. Widget that only paints; says what is wanted and is told what is. UI thread.
#pragma once

#include "ui/panes/plot_frame.h"

#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

namespace ondo {

struct PlotCurve {
    QString name;             // of the legend; empty: none
    std::vector<double> x, y; // broken at a y that is no number, or not above 0 in a logarithmic plot
    bool dots = false;        // at each point
};

struct PlotBand { // a stretch of the across axis
    double from = 0.0, to = 0.0;
    QString name;
};

struct PlotMark {
    double x = 0.0, y = 0.0;
    QString name; // beside it
    int curve = 0;
};

class CurvePlot : public QWidget {
public:
    CurvePlot(const QString& name, QString empty, QWidget* parent = nullptr);

    // titles with their units; across: from .. to. The down axis follows the curves.
    void setAxes(const PlotAxis& across, const QString& downTitle, bool logarithmic);
    // The down axis as it is given, growing downwards (depth), whatever the curves.
    void setDown(const PlotAxis& down);
    void setCurves(std::vector<PlotCurve> curves);
    void setBands(std::vector<PlotBand> bands);
    void setMarks(std::vector<PlotMark> marks);
    void setChosen(std::optional<double> x);
    // What to do where there is nothing to show.
    void setEmpty(const QString& text);
    // x of a click or drag.
    void onChosen(std::function<void(double x)> told) { m_told = std::move(told); }
    // Arrow keys: so many points; Home and End: as many as there are.
    void onStep(std::function<void(int steps)> told) { m_stepTold = std::move(told); }

    [[nodiscard]] const std::vector<PlotCurve>& curves() const { return m_curves; }
    [[nodiscard]] const std::vector<PlotMark>& marks() const { return m_marks; }
    [[nodiscard]] const PlotFrame& frame() const { return m_frame; }
    [[nodiscard]] QSize sizeHint() const override { return {420, 200}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {150, 110}; }
    [[nodiscard]] static QColor colourOf(const QPalette& palette, int curve);

protected:
    bool event(QEvent* event) override; // its keys are its own, whatever else they are the keys of
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fitDown();
    [[nodiscard]] bool anything() const;
    void drawBands(QPainter& painter) const;
    void drawCurves(QPainter& painter) const;
    void drawMarks(QPainter& painter) const;
    void drawLegend(QPainter& painter) const;

    QString m_empty, m_downTitle;
    bool m_logarithmic = false;
    std::optional<PlotAxis> m_down; // that was given
    std::vector<PlotCurve> m_curves;
    std::vector<PlotBand> m_bands;
    std::vector<PlotMark> m_marks;
    std::optional<double> m_chosen;
    PlotFrame m_frame;
    std::function<void(double)> m_told;
    std::function<void(int)> m_stepTold;
};

} // namespace ondo
