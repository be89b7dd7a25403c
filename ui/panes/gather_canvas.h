// The gather with its axes and what stands under the pointer. Repaints the traces only when they or their look changed.
#pragma once

#include "engine/frame/gather.h"
#include "engine/frame/picture.h"
#include "ui/panes/plot_frame.h"
#include "ui/view_settings.h"

#include <QImage>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

class QPainter;

namespace ondo {

struct GatherReading {
    int receiver = 0; // from 0
    Position position;
    double offset = 0.0; // m, from the first source
    double time = 0.0;   // s
    double pressure = 0.0;
    bool recorded = false;
};

class GatherCanvas : public QWidget {
public:
    explicit GatherCanvas(QWidget* parent = nullptr);

    void setGather(std::shared_ptr<const Gather> gather);
    // The axes while there is no gather: of the shot that comes next.
    void setAhead(std::vector<Receiver> receivers, double duration);
    void setLook(GatherMode mode, std::shared_ptr<const ColourTable> colours, bool reversed);
    void setClip(double clip); // Pa
    // Another gather of the same shot from this fraction of the width on to the right; null: none. Dragged, where it is told.
    void setRight(std::shared_ptr<const Gather> right, double fraction);
    void onWipe(std::function<void(double fraction)> told) { m_wipeTold = std::move(told); }
    void setEmpty(const QString& text); // what stands where there is no gather
    // A trace that stands out, with a stretch of it in seconds; none: none does.
    struct Picked {
        int receiver = 0;
        double from = 0.0, to = 0.0;
    };
    void setPicked(const std::optional<Picked>& picked);
    void onPicked(std::function<void(int receiver)> told) { m_pickTold = std::move(told); } // clicked
    // Called with what is under the pointer, or none.
    void onReading(std::function<void(const std::optional<GatherReading>&)> told) { m_told = std::move(told); }

    [[nodiscard]] std::optional<GatherReading> readingAt(const QPointF& pixel) const;
    [[nodiscard]] const PlotFrame& frame() const { return m_frame; }
    [[nodiscard]] QSize sizeHint() const override { return {420, 420}; }
    [[nodiscard]] QSize minimumSizeHint() const override { return {180, 140}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    void refresh();
    void layOut();
    [[nodiscard]] QImage raster(const std::shared_ptr<const Gather>& gather, QSize size) const;
    void wipeTo(const QPointF& pixel);
    [[nodiscard]] int receiverCount() const;
    void drawPicked(QPainter& painter) const;

    std::shared_ptr<const Gather> m_gather;
    std::vector<Receiver> m_receiversAhead;
    double m_durationAhead = 1.0; // s
    GatherMode m_mode = GatherMode::Density;
    std::shared_ptr<const ColourTable> m_colours;
    bool m_reversed = false;
    double m_clip = 0.0;
    PlotFrame m_frame;
    std::shared_ptr<const Gather> m_right;
    double m_wipe = 1.0; // fraction of the width
    QString m_empty;
    QImage m_image, m_rightImage;
    bool m_stale = true;
    std::optional<QPointF> m_pointer;
    std::optional<Picked> m_picked;
    std::function<void(int)> m_pickTold;
    std::function<void(double)> m_wipeTold;
    std::function<void(const std::optional<GatherReading>&)> m_told;
};

} // namespace ondo
