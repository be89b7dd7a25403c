// The models of an inversion in a row, small: as many as there is room for, the first and the last among them. A click chooses
// one, and the x for a well. Widget that only paints; says what is wanted and is told what is. UI thread.
#pragma once

#include "engine/frame/picture.h"
#include "engine/model/model.h"
#include "ui/inversion/inversion_thumbnails.h"

#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

namespace ondo {

class ThumbnailStrip : public QWidget {
public:
    explicit ThumbnailStrip(QWidget* parent = nullptr);

    void setCount(int count);
    void setThumbnails(const std::map<int, Thumbnail>& all, const Grid& grid);
    void setColours(std::shared_ptr<const ColourTable> colours);
    void setChosen(int index);
    void setWell(std::optional<double> share) // of the section's width
    {
        m_well = share;
        update();
    }
    [[nodiscard]] std::vector<int> indices() const; // that are, or would be, shown
    [[nodiscard]] QRect cell(int position) const;   // of indices()
    void onChosen(std::function<void(int index, double share)> told) { m_told = std::move(told); }
    void onRoom(std::function<void()> told) { m_roomTold = std::move(told); } // another number of them fits
    [[nodiscard]] QSize sizeHint() const override { return {420, height()}; }
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] int room() const;
    void draw(QPainter& painter, const QRect& cell, int index) const;

    int m_count = 0, m_chosen = -1, m_room = 0;
    std::map<int, Thumbnail> m_all;
    ValueRange m_range;
    std::shared_ptr<const ColourTable> m_colours;
    std::optional<double> m_well;
    std::function<void(int, double)> m_told;
    std::function<void()> m_roomTold;
};

} // namespace ondo
