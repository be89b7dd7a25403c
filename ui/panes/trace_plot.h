// One curve with axes: a probe's trace, a wavelet, a spectrum. Widget that only paints.
#pragma once

#include "ui/panes/plot_frame.h"

#include <QWidget>

#include <vector>

class QPainter;

namespace ondo {

struct Curve {
    double first = 0.0, step = 1.0; // of the across axis
    std::vector<double> values;
};

class TracePlot : public QWidget {
public:
    struct Look {
        bool symmetric = true; // about zero
        bool axes = true;      // or the bare curve, for a preview
        bool filled = false;
        QString empty;
    };
    TracePlot(const QString& name, Look look, QWidget* parent = nullptr);
    // high: the across axis' end; titles carry the unit. The down axis follows the values.
    void setCurve(Curve curve, double high, const QString& acrossTitle, const QString& downTitle);
    [[nodiscard]] const Curve& curve() const { return m_curve; }
    [[nodiscard]] QSize sizeHint() const override { return m_look.axes ? QSize(420, 180) : QSize(140, 64); }
    [[nodiscard]] QSize minimumSizeHint() const override { return m_look.axes ? QSize(160, 110) : QSize(60, 56); }

protected:
    [[nodiscard]] const PlotFrame& frame() const { return m_frame; }
    void paintEvent(QPaintEvent* event) override;

private:
    void drawCurve(QPainter& painter) const;

    Look m_look;
    Curve m_curve;
    PlotFrame m_frame;
};

} // namespace ondo
