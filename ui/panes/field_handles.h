// The handles over a section: which one is under the cursor, which is selected, where they are drawn, how they move.
// Positions in metres, pixels are device pixels. No window: tested by itself.
#pragma once

#include "engine/core/position.h"
#include "engine/grid/grid.h"
#include "engine/survey/survey.h"
#include "render/section_view.h"
#include "ui/panes/field_overlay.h"

#include <optional>
#include <vector>

namespace ondo {

struct Handle {
    enum class Kind { None, Source, Spread, Receiver, Probe }; // Spread: all receivers together
    Kind kind = Kind::None;
    int index = 0;
    bool operator==(const Handle&) const = default;
    [[nodiscard]] bool exists() const { return kind != Kind::None; }
};

// What a press on a receiver means.
enum class ReceiverGrip { WholeSpread, Single };

class FieldHandles {
public:
    void setSources(std::vector<Position> positions);
    void setReceivers(std::vector<Position> positions);
    void setProbe(std::optional<Position> position);
    [[nodiscard]] const std::vector<Position>& sources() const { return m_sources; }
    [[nodiscard]] const std::vector<Position>& receivers() const { return m_receivers; }
    [[nodiscard]] const std::optional<Position>& probe() const { return m_probe; }

    // The nearest handle within `reach` pixels; sources and probe before receivers.
    [[nodiscard]] Handle at(const SectionView& view, SlicePlane plane, const PixelPoint& pixel, double reach,
                            ReceiverGrip grip) const;
    // Where a handle stands (a spread: its receiver nearest to `near`, or its first).
    [[nodiscard]] Position positionOf(const Handle& handle) const;
    // Moved by a shift in metres, the whole of it kept inside the grid.
    void move(const Handle& handle, const Position& shift, const Grid& grid);

    // Around all handles with Tab: sources, spread, probe. None after the last (or before the first).
    [[nodiscard]] Handle next(const Handle& from, int step) const;

    Handle hovered, selected;
    std::optional<int> picked; // a receiver that stands out, whatever is selected

    // Sprites in drawing order and, for a spread, the thin line through it. `scale`: device pixels at 100 %.
    void draw(OverlayContent& content, const SectionView& view, SlicePlane plane, double scale) const;

private:
    [[nodiscard]] HandleLook lookOf(const Handle& handle) const;
    [[nodiscard]] std::vector<int> shownReceivers(const SectionView& view, SlicePlane plane, double spacing) const;

    std::vector<Position> m_sources, m_receivers;
    std::optional<Position> m_probe;
};

} // namespace ondo
