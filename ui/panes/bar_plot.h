// One bar a shot; a click or the arrow keys choose one. Widget that only paints; says what is wanted and is told what is. UI
// thread.
#pragma once

#include "ui/panes/plot_frame.h"

#include <QWidget>

#include <functional>
#include <vector>

namespace ondo {

class BarPlot : public QWidget {
public:
    BarPlot(const QString& name, QString empty, QWidget* parent = nullptr);

    // values: by bar, none negative. before: the same of another time, drawn as a line across each; empty: none.
    void setBars(std::vector<double> values, std::vector<double> before, const QString& acrossTitle,
                 const QString& downTitle);
    void setChosen(int bar); // -1: none
    void onChosen(std::function<void(int bar)> told) { m_told = std::move(told); }
    [[nodiscard]] const std::vector<double>& values() const { return m_values; }
    [[nodiscard]] const PlotFrame& frame() const { return m_frame; }
    [[nodiscard]] QSize sizeHint() const override { return {240, 200}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {110, 110}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString m_empty;
    std::vector<double> m_values, m_before;
    int m_chosen = -1;
    PlotFrame m_frame;
    std::function<void(int)> m_told;
};

} // namespace ondo
