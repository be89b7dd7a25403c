// Sources and receivers by the plane they lie in, so that a tile finds its own. A list is looked at once, as long as it keeps
// its number (PointNodes::id). Made on the caller's thread, read by the team.
#pragma once

#include "kernels/core/shape.h"

#include <cstdint>
#include <vector>

namespace ondo::kernels {

// Nodes of a list in the rows [y0, y1) of planes [z0, z1) of a shot.
class PlaneNodes {
public:
    void make(const Layout& layout, int shots, const std::int64_t* node, int count, std::uint64_t id);

    // Calls visit(index in the list).
    template<class Visit>
    void each(int shot, int z0, int z1, int y0, int y1, const Visit& visit) const
    {
        if (m_entries.empty()) {
            return;
        }
        const auto plane = static_cast<std::size_t>(shot * m_nz);
        const int last = m_begin[plane + static_cast<std::size_t>(z1)];
        for (int i = m_begin[plane + static_cast<std::size_t>(z0)]; i < last; ++i) {
            const Entry& e = m_entries[static_cast<std::size_t>(i)];
            if (e.y >= y0 && e.y < y1) {
                visit(e.index);
            }
        }
    }

private:
    struct Entry {
        int plane = 0, y = 0, index = 0; // plane: of all shots
    };
    std::uint64_t m_id = 0;
    std::int64_t m_place[4] = {}; // the layout it was made for
    int m_nz = 0, m_count = 0, m_shots = 0;
    std::vector<Entry> m_entries;
    std::vector<int> m_begin; // by plane, into m_entries
};

// What receivers read, in pieces of rows: copied aside when a step has passed, summed later.
class StagedRows {
public:
    void make(const Layout& layout, int shots, const std::int64_t* node, int count, std::uint64_t id);

    [[nodiscard]] std::int64_t size() const { return m_size; }                 // numbers of one sample
    [[nodiscard]] const std::int64_t* place() const { return m_place.data(); } // of an entry's node among them

    template<class T>
    void copy(int shot, int z0, int z1, int y0, int y1, const T* field, T* to) const
    {
        m_rows.each(shot, z0, z1, y0, y1, [&](int i) {
            const Piece& p = m_pieces[static_cast<std::size_t>(i)];
            const T* const from = field + p.node;
            for (int k = 0; k < p.length; ++k) {
                to[p.place + k] = from[k];
            }
        });
    }

private:
    struct Piece {
        std::int64_t node = 0, place = 0;
        int length = 0;
    };
    std::uint64_t m_id = 0;
    std::int64_t m_layout[4] = {};
    int m_count = 0;
    std::int64_t m_size = 0;
    std::vector<std::int64_t> m_place;
    std::vector<Piece> m_pieces;
    PlaneNodes m_rows; // of the pieces' first nodes
};

} // namespace ondo::kernels
