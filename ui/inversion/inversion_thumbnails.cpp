#include "ui/inversion/inversion_thumbnails.h"

#include "ui/inversion/inversion_desk.h"
#include "ui/text.h"

#include <algorithm>

namespace ondo {

namespace {

constexpr int kMostNodes = 120; // of a side

Result<Thumbnail> thumbnailOf(const std::string& path, int index, const Grid& g)
{
    const auto record = readInversionRecord(path, index, g);
    if (!record) {
        return tl::unexpected<Error>(record.error());
    }
    const int every = std::max(1, (std::max(g.nz, g.nx) + kMostNodes - 1) / kMostNodes);
    Thumbnail out;
    out.rows = (g.nz + every - 1) / every;
    out.columns = (g.nx + every - 1) / every;
    out.objective = record->objective;
    for (int z = 0; z < g.nz; z += every) {
        for (int x = 0; x < g.nx; x += every) {
            const auto node =
                (static_cast<std::size_t>(z) * static_cast<std::size_t>(g.ny) + static_cast<std::size_t>(g.ny / 2)) *
                    static_cast<std::size_t>(g.nx) +
                static_cast<std::size_t>(x);
            out.speed.push_back(record->speed[node]);
        }
    }
    return out;
}

} // namespace

InversionThumbnails::InversionThumbnails(InversionDesk& desk)
    : QObject(&desk)
    , m_desk(desk)
{
}

void InversionThumbnails::want(const std::vector<int>& indices)
{
    m_wanted = indices;
    if (m_path != m_desk.watch().path()) {
        m_path = m_desk.watch().path();
        m_all.clear();
    }
    const auto& overview = m_desk.watch().overview();
    std::erase_if(m_all, [&](const auto& one) {
        return std::find(m_wanted.begin(), m_wanted.end(), one.first) == m_wanted.end() ||
               one.second.objective != overview->records[static_cast<std::size_t>(one.first)].objective;
    });
    fetch();
}

void InversionThumbnails::fetch()
{
    const auto next = std::find_if(m_wanted.begin(), m_wanted.end(), [this](int i) { return !m_all.contains(i); });
    if (m_fetching || next == m_wanted.end() || *next >= m_desk.count()) {
        return;
    }
    m_fetching = true;
    m_jobs.start(
        this,
        [path = toEngine(m_path), index = *next, grid = m_desk.watch().overview()->grid](JobTicket&) {
            return thumbnailOf(path, index, grid);
        },
        [this, index = *next, path = m_path](Result<Thumbnail> read) {
            m_fetching = false;
            if (path == m_path && !read) {
                return; // the file has gone or grows: asked for again with its next change
            }
            if (path == m_path) {
                m_all[index] = std::move(*read);
                emit changed();
            }
            fetch();
        });
}

} // namespace ondo
