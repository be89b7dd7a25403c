#include "kernels/host/tile_points.h"

#include <algorithm>

namespace ondo::kernels {

namespace {

// Nodes this close in a row are copied in one piece.
constexpr std::int64_t kGap = 32;

// True if a list of this number and length was made for this layout before; remembers it.
bool known(const Layout& layout, std::uint64_t id, int count, std::uint64_t& knownId, std::int64_t (&place)[4],
           int& knownCount)
{
    const std::int64_t now[4] = {layout.lead, layout.strideZ, layout.strideY, layout.shotStride};
    const bool same = id != 0 && id == knownId && count == knownCount && std::equal(now, now + 4, place);
    knownId = id;
    knownCount = count;
    std::copy_n(now, 4, place);
    return same;
}

} // namespace

void PlaneNodes::make(const Layout& layout, int shots, const std::int64_t* node, int count, std::uint64_t id)
{
    if (known(layout, id, count, m_id, m_place, m_count) && m_shots == shots) {
        return;
    }
    m_shots = shots;
    m_nz = layout.nz;
    m_entries.clear();
    m_begin.assign(static_cast<std::size_t>(shots) * static_cast<std::size_t>(layout.nz) + 1, 0);
    for (int i = 0; i < count; ++i) {
        const std::int64_t shot = node[i] / layout.shotStride;
        const std::int64_t inside = node[i] - shot * layout.shotStride - layout.lead;
        const std::int64_t z = inside / layout.strideZ;
        const std::int64_t y = layout.rank == 3 ? (inside - z * layout.strideZ) / layout.strideY : 0;
        m_entries.push_back({static_cast<int>(shot * layout.nz + z), static_cast<int>(y), i});
    }
    std::stable_sort(m_entries.begin(), m_entries.end(),
                     [](const Entry& a, const Entry& b) { return a.plane < b.plane; });
    for (const Entry& e : m_entries) {
        ++m_begin[static_cast<std::size_t>(e.plane) + 1];
    }
    for (std::size_t i = 1; i < m_begin.size(); ++i) {
        m_begin[i] += m_begin[i - 1];
    }
}

void StagedRows::make(const Layout& layout, int shots, const std::int64_t* node, int count, std::uint64_t id)
{
    if (known(layout, id, count, m_id, m_layout, m_count)) {
        return;
    }
    std::vector<std::int64_t> sorted(node, node + count);
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    m_pieces.clear();
    m_size = 0;
    for (const std::int64_t n : sorted) {
        // Rows are further apart than a gap, so that a piece stays in its row.
        if (m_pieces.empty() ||
            n > m_pieces.back().node + m_pieces.back().length + std::min(kGap, std::int64_t{2} * layout.radius - 1)) {
            m_pieces.push_back({n, m_size, 0});
        }
        Piece& piece = m_pieces.back();
        const int length = static_cast<int>(n - piece.node) + 1;
        m_size += length - piece.length;
        piece.length = length;
    }
    m_place.clear();
    for (int i = 0; i < count; ++i) {
        const auto after = std::upper_bound(m_pieces.begin(), m_pieces.end(), node[i],
                                            [](std::int64_t n, const Piece& p) { return n < p.node; });
        const Piece& piece = *(after - 1);
        m_place.push_back(piece.place + node[i] - piece.node);
    }
    std::vector<std::int64_t> firsts;
    for (const Piece& p : m_pieces) {
        firsts.push_back(p.node);
    }
    m_rows.make(layout, shots, firsts.data(), static_cast<int>(firsts.size()), 0);
}

} // namespace ondo::kernels
