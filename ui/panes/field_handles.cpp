#include "ui/panes/field_handles.h"

#include "render/marker_sprite.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

namespace {

// The part of `shift` that keeps low + shift and high + shift within [from, to].
double allowed(double shift, double low, double high, double from, double to)
{
    return std::clamp(shift, std::min(from - low, 0.0), std::max(to - high, 0.0));
}

Position plus(const Position& p, const Position& shift)
{
    return {p.x + shift.x, p.y + shift.y, p.z + shift.z};
}

} // namespace

void FieldHandles::setSources(std::vector<Position> positions)
{
    m_sources = std::move(positions);
    const auto gone = [&](const Handle& h) {
        return h.kind == Handle::Kind::Source && h.index >= static_cast<int>(m_sources.size());
    };
    hovered = gone(hovered) ? Handle{} : hovered;
    selected = gone(selected) ? Handle{} : selected;
}

void FieldHandles::setReceivers(std::vector<Position> positions)
{
    m_receivers = std::move(positions);
    const auto gone = [&](const Handle& h) {
        return (h.kind == Handle::Kind::Receiver && h.index >= static_cast<int>(m_receivers.size())) ||
               (h.kind == Handle::Kind::Spread && m_receivers.empty());
    };
    hovered = gone(hovered) ? Handle{} : hovered;
    selected = gone(selected) ? Handle{} : selected;
}

void FieldHandles::setProbe(std::optional<Position> position)
{
    m_probe = position;
    if (!m_probe) {
        hovered = hovered.kind == Handle::Kind::Probe ? Handle{} : hovered;
        selected = selected.kind == Handle::Kind::Probe ? Handle{} : selected;
    }
}

Handle FieldHandles::at(const SectionView& view, SlicePlane plane, const PixelPoint& pixel, double reach,
                        ReceiverGrip grip) const
{
    const auto distance = [&](const Position& p) {
        const PixelPoint q = view.toPixel(onPlane(plane, p));
        return std::hypot(q.x - pixel.x, q.y - pixel.y);
    };
    Handle best;
    double nearest = reach;
    const auto consider = [&](const Handle& handle, const Position& p) {
        if (const double d = distance(p); d <= nearest) {
            nearest = d;
            best = handle;
        }
    };
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        consider({Handle::Kind::Source, static_cast<int>(i)}, m_sources[i]);
    }
    if (m_probe) {
        consider({Handle::Kind::Probe, 0}, *m_probe);
    }
    if (best.exists()) {
        return best;
    }
    for (std::size_t i = 0; i < m_receivers.size(); ++i) {
        const Handle handle{grip == ReceiverGrip::Single ? Handle::Kind::Receiver : Handle::Kind::Spread,
                            static_cast<int>(i)};
        consider(handle, m_receivers[i]);
    }
    return best;
}

Position FieldHandles::positionOf(const Handle& handle) const
{
    const auto index = static_cast<std::size_t>(handle.index);
    switch (handle.kind) {
    case Handle::Kind::Source: return m_sources.at(index);
    case Handle::Kind::Spread:
    case Handle::Kind::Receiver: return m_receivers.at(index);
    case Handle::Kind::Probe: return m_probe.value_or(Position{});
    case Handle::Kind::None: break;
    }
    return {};
}

void FieldHandles::move(const Handle& handle, const Position& shift, const Grid& grid)
{
    const auto index = static_cast<std::size_t>(handle.index);
    switch (handle.kind) {
    case Handle::Kind::Source: m_sources[index] = clampedTo(grid, plus(m_sources[index], shift)); break;
    case Handle::Kind::Receiver: m_receivers[index] = clampedTo(grid, plus(m_receivers[index], shift)); break;
    case Handle::Kind::Probe: m_probe = clampedTo(grid, plus(m_probe.value_or(Position{}), shift)); break;
    case Handle::Kind::Spread: {
        Position low = m_receivers.front();
        Position high = low;
        for (const Position& p : m_receivers) {
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
        const Position o = grid.origin;
        const Position kept{allowed(shift.x, low.x, high.x, o.x, o.x + grid.lengthX()),
                            allowed(shift.y, low.y, high.y, o.y, o.y + grid.lengthY()),
                            allowed(shift.z, low.z, high.z, o.z, o.z + grid.lengthZ())};
        for (Position& p : m_receivers) {
            p = plus(p, kept);
        }
        break;
    }
    case Handle::Kind::None: break;
    }
}

Handle FieldHandles::next(const Handle& from, int step) const
{
    std::vector<Handle> all;
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        all.push_back({Handle::Kind::Source, static_cast<int>(i)});
    }
    if (!m_receivers.empty()) {
        all.push_back({Handle::Kind::Spread, 0});
    }
    if (m_probe) {
        all.push_back({Handle::Kind::Probe, 0});
    }
    const auto found = std::find_if(all.begin(), all.end(), [&](const Handle& h) {
        const bool receivers = h.kind == Handle::Kind::Spread && from.kind == Handle::Kind::Receiver;
        return receivers || (h.kind == from.kind && (h.kind != Handle::Kind::Source || h.index == from.index));
    });
    const auto count = static_cast<int>(all.size());
    const int start = found == all.end() ? (step > 0 ? -1 : count) : static_cast<int>(found - all.begin());
    const int at = start + step;
    return at < 0 || at >= count ? Handle{} : all[static_cast<std::size_t>(at)];
}

HandleLook FieldHandles::lookOf(const Handle& handle) const
{
    const auto same = [&](const Handle& other) {
        const bool spread = handle.kind == Handle::Kind::Receiver && other.kind == Handle::Kind::Spread;
        return spread || handle == other;
    };
    if (handle.kind == Handle::Kind::Receiver && handle.index == picked) {
        return HandleLook::Selected;
    }
    return same(selected) ? HandleLook::Selected : same(hovered) ? HandleLook::Hovered : HandleLook::Normal;
}

std::vector<int> FieldHandles::shownReceivers(const SectionView& view, SlicePlane plane, double spacing) const
{
    std::vector<int> shown;
    PixelPoint last{-1e9, -1e9};
    for (std::size_t i = 0; i < m_receivers.size(); ++i) {
        const PixelPoint p = view.toPixel(onPlane(plane, m_receivers[i]));
        const double away = std::hypot(p.x - last.x, p.y - last.y);
        if (away >= spacing || (i + 1 == m_receivers.size() && away >= 0.6 * spacing)) {
            shown.push_back(static_cast<int>(i));
            last = p;
        }
    }
    return shown;
}

void FieldHandles::draw(OverlayContent& content, const SectionView& view, SlicePlane plane, double scale) const
{
    const PixelRect rect = view.fieldRect();
    const double margin = 0.5; // handles outside of what is seen are left out
    const auto add = [&](HandleKind kind, const Handle& handle, const Position& position) {
        const PixelPoint p = view.toPixel(onPlane(plane, position));
        if (p.x >= rect.x - margin && p.y >= rect.y - margin && p.x <= rect.x + rect.width + margin &&
            p.y <= rect.y + rect.height + margin) {
            content.handles.push_back({kind, lookOf(handle), p});
        }
    };
    for (const int i : shownReceivers(view, plane, kReceiverSpacing * scale)) {
        add(HandleKind::Receiver, {Handle::Kind::Receiver, i}, m_receivers[static_cast<std::size_t>(i)]);
    }
    if (picked && *picked < static_cast<int>(m_receivers.size())) {
        const Handle handle{Handle::Kind::Receiver, *picked};
        add(HandleKind::Receiver, handle, positionOf(handle));
    }
    if (selected.kind == Handle::Kind::Receiver) { // on top of its neighbours, even if thinned out
        add(HandleKind::Receiver, selected, positionOf(selected));
    }
    for (std::size_t i = 0; i < m_sources.size(); ++i) {
        add(HandleKind::Source, {Handle::Kind::Source, static_cast<int>(i)}, m_sources[i]);
    }
    if (m_probe) {
        add(HandleKind::Probe, {Handle::Kind::Probe, 0}, *m_probe);
    }
}

} // namespace ondo
