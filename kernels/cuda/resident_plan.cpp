#include "kernels/cuda/resident_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace ondo::kernels::cuda {

namespace {

constexpr int kMostRadius = 5;
constexpr int kMostWidth = 1024;  // nodes of a tile: a row has fewer strips than a block has threads
constexpr int kMostNodes = 32767; // along an axis: cuts travel as shorts
// What a node of a layer and an entry of a receiver are taken for when an axis is cut, in plain nodes: tried in turn, since
// what a tile really costs goes in steps.
constexpr double kLayerWorks[] = {2.0, 2.5, 3.0, 3.5, 4.0, 5.0};
constexpr double kEntryWork = 0.7;
// Cycles of a tile's step, measured on an H200 at order 8: a strip and each of its rows, a round of units of a layer (its
// first memories, its nodes), an entry, a round of words handed over, and what the step costs besides.
constexpr double kStripCycles = 600.0, kRowCycles = 800.0, kMemoryCycles = 1500.0, kLayerCycles = 3000.0;
constexpr double kEntryCycles = 0.35, kEdgeCycles = 300.0, kStepCycles = 2500.0;

// Work of an axis: of the nodes before each, as if the tile were as wide as the grid. work: n + 1 sums.
std::vector<double> workOf(int n, int low, int high, double layerWork, const std::vector<double>& points)
{
    std::vector<double> sums = {0.0};
    for (int i = 0; i < n; ++i) {
        const double node = i < low || i >= n - high ? layerWork : 1.0;
        sums.push_back(sums.back() + node + points[static_cast<std::size_t>(i)]);
    }
    return sums;
}

// n nodes into tiles of equal work. The first and last contain their layers whole; ends lie on multiples of `step`.
std::optional<std::vector<int>> cut(const std::vector<double>& work, int tiles, int low, int high, int least, int step)
{
    const int n = static_cast<int>(work.size()) - 1;
    const auto workTo = [&](int i) { return work[static_cast<std::size_t>(i)]; };
    std::vector<int> ends = {0};
    const double all = workTo(n);
    int node = 0;
    for (int t = 1; t < tiles; ++t) {
        const double wanted = all * t / tiles;
        while (node < n && workTo(node) < wanted) {
            ++node;
        }
        const int shortest = t == 1 ? std::max(low, least) : least;
        const int end = std::max((node + step / 2) / step * step, ends.back() + shortest);
        ends.push_back((end + step - 1) / step * step);
    }
    // From the far end back, so that the last tile has its layer and no tile is too short.
    int most = n - std::max(high, least);
    for (int t = tiles - 1; t > 0; --t) {
        auto& end = ends[static_cast<std::size_t>(t)];
        end = std::min(end, most / step * step);
        most = end - least;
    }
    ends.push_back(n);
    if (tiles == 1 && n < low + high) {
        return std::nullopt;
    }
    for (int t = 0; t < tiles; ++t) {
        const int from = ends[static_cast<std::size_t>(t)];
        const int length = ends[static_cast<std::size_t>(t) + 1] - from;
        const int shortest = std::max({least, t == 0 ? low : 0, t == tiles - 1 ? high : 0});
        if (from < 0 || length < shortest || length > kMostWidth) {
            return std::nullopt;
        }
    }
    return ends;
}

int longest(const std::vector<int>& ends)
{
    int most = 0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
        most = std::max(most, ends[i + 1] - ends[i]);
    }
    return most;
}

// Entries of receivers on each row of nodes, the mean of the shots: they lie in few of the rows.
std::vector<double> entriesOnRows(const ScalarAdvance<float>& args)
{
    const Layout& l = args.step.state.layout;
    std::vector<double> rows(static_cast<std::size_t>(l.nz), 0.0);
    for (int which = 0; which < 2; ++which) {
        const int receivers = args.record[which].receivers;
        const int entries = receivers > 0 ? args.recordNodes[which].begin[receivers] : 0;
        for (int e = 0; e < entries; ++e) {
            const std::int64_t inShot = args.recordNodes[which].node[e] % l.shotStride - l.lead;
            const std::int64_t z = inShot / l.strideZ;
            if (inShot >= 0 && z < l.nz) {
                rows[static_cast<std::size_t>(z)] += 1.0 / args.step.shots;
            }
        }
    }
    return rows;
}

int up4(int n)
{
    return (n + 3) / 4 * 4;
}

// Layers and faces as the boxes tell them. False: a box that no layer or face explains.
bool readBoxes(const ScalarStepArgs<float>& args, ResidentShape& shape)
{
    const Layout& l = args.state.layout;
    const Box* const layers = args.boxes + args.interiorBoxes;
    for (int i = 0; i < args.layerBoxes; ++i) {
        const Box& b = layers[i];
        if (b.side[kY] != kNone) {
            return false;
        }
        if (b.side[kZ] != kNone) {
            shape.depth[b.side[kZ] == kLow ? 0 : 1] = b.side[kZ] == kLow ? b.z1 : l.nz - b.z0;
        }
        if (b.side[kX] != kNone) {
            shape.depth[b.side[kX] == kLow ? 2 : 3] = b.side[kX] == kLow ? b.x1 : l.nx - b.x0;
        }
    }
    const Box* const faces = layers + args.layerBoxes;
    for (int i = 0; i < args.mirrorBoxes; ++i) {
        const Box& b = faces[i];
        for (const int axis : {kZ, kX}) {
            if (b.side[axis] != kNone) {
                const int high = b.side[axis] == kHigh ? 1 : 0;
                shape.beyond[(axis == kZ ? 0 : 2) + high] = args.mirror.odd[axis * 2 + high] != 0 ? kOdd : kEven;
            }
        }
        if (b.side[kY] != kNone) {
            return false;
        }
    }
    return true;
}

// Words of a tile's shared memory but for its points.
int tileWords(const ResidentShape& s, int tile)
{
    const int h = s.rows(tile);
    const int w = s.columns(tile);
    const int z = tile / s.tilesX;
    const int x = tile % s.tilesX;
    const auto part = [&](bool there, int side) {
        return there ? residentMemory(s.radius, side < 2, s.depth[side], w, h) : 0;
    };
    const int edges =
        s.radius * ((z > 0 ? w : 0) + (z < s.tilesZ - 1 ? w : 0) + (x > 0 ? h : 0) + (x < s.tilesX - 1 ? h : 0));
    return kTileHead + 2 * (h + 2 * s.radius) * residentPitch(s.radius, w) + h * up4(w) + part(z == 0, 0) +
           part(z == s.tilesZ - 1, 1) + part(x == 0, 2) + part(x == s.tilesX - 1, 3) + 3 * edges;
}

// Cycles of a tile's step; entries: of receivers, each step.
double tileCycles(const ResidentShape& s, int tile, double entries)
{
    const auto rounds = [&s](int units) {
        const int threads = residentThreads(s.radius);
        return (units + threads - 1) / threads;
    };
    const int h = s.rows(tile);
    const int w = s.columns(tile);
    const int z = tile / s.tilesX;
    const int x = tile % s.tilesX;
    const int depth[4] = {z == 0 ? s.depth[0] : 0, z == s.tilesZ - 1 ? s.depth[1] : 0, x == 0 ? s.depth[2] : 0,
                          x == s.tilesX - 1 ? s.depth[3] : 0};
    const int rows = h - depth[0] - depth[1];
    const int units = (w - up4(depth[2]) - depth[3] + 3) / 4;
    const int all = up4(w) / 4;
    double cycles = kStepCycles + kEntryCycles * entries + kEdgeCycles * rounds(2 * s.radius * (h + w));
    if (rows > 0 && units > 0) {
        const int strips = residentThreads(s.radius) / units;
        const int rowsEach = (rows + strips - 1) / strips;
        cycles += kStripCycles + kRowCycles * rowsEach;
    }
    const int pairs = (depth[0] + 1) / 2 + (depth[1] + 1) / 2;
    const int besides = (rows + 1) / 2 * (all - std::min(units, all));
    cycles += kMemoryCycles * (rounds(pairs * all) + rounds(h * (up4(depth[2]) + up4(depth[3])) / 4));
    cycles += kLayerCycles * rounds(pairs * all + besides);
    return cycles;
}

// Cycles of the busiest tile; 0: one does not fit.
double busiest(const ResidentShape& s, const std::vector<double>& entriesOnRow, int ratio, std::size_t sharedBytes)
{
    double most = 0.0;
    for (int z = 0; z < s.tilesZ; ++z) {
        double entries = 0.0;
        for (int row = s.zCut[static_cast<std::size_t>(z)]; row < s.zCut[static_cast<std::size_t>(z) + 1]; ++row) {
            entries += entriesOnRow[static_cast<std::size_t>(row)] / s.tilesX;
        }
        for (int x = 0; x < s.tilesX; ++x) {
            const int tile = z * s.tilesX + x;
            // A guess at what points will want of its memory; residentBytes() counts.
            if ((tileWords(s, tile) + 3.0 * entries) * sizeof(float) > static_cast<double>(sharedBytes)) {
                return 0.0;
            }
            most = std::max(most, tileCycles(s, tile, entries / ratio));
        }
    }
    return most;
}

} // namespace

std::optional<ResidentShape> residentShape(const ScalarAdvance<float>& all, int blocks, std::size_t sharedBytes)
{
    const ScalarStepArgs<float>& args = all.step;
    const Layout& l = args.state.layout;
    if (l.rank != 2 || l.radius > kMostRadius || l.nz > kMostNodes || l.nx > kMostNodes || args.order != 2 * l.radius ||
        args.interiorBoxes > 1) {
        return std::nullopt;
    }
    ResidentShape common;
    common.radius = l.radius;
    if (!readBoxes(args, common)) {
        return std::nullopt;
    }
    const int least = std::max(2 * l.radius, 8);
    const int* const depth = common.depth;
    const std::vector<double> entriesOnRow = entriesOnRows(all);
    std::vector<double> recording = entriesOnRow;
    for (double& r : recording) {
        r *= kEntryWork / (all.ratio * static_cast<double>(l.nx));
    }
    const std::vector<double> nothing(static_cast<std::size_t>(l.nx), 0.0);
    std::optional<ResidentShape> best;
    double leastCycles = 0.0;
    for (const double layerWork : kLayerWorks) {
        const auto workZ = workOf(l.nz, depth[0], depth[1], layerWork, recording);
        const auto workX = workOf(l.nx, depth[2], depth[3], layerWork, nothing);
        for (int tz = 1; tz <= std::min(blocks, kMostCuts); ++tz) {
            const auto z = cut(workZ, tz, depth[0], depth[1], least, 1);
            if (!z) {
                continue;
            }
            for (int tx = 1; tx <= std::min(blocks / tz, kMostCuts); ++tx) {
                const auto x = cut(workX, tx, depth[2], depth[3], least, 4);
                if (!x || (tx == 1 && (l.nx - depth[3]) / 4 * 4 < up4(depth[2]))) {
                    continue; // none, or both layers would share four columns
                }
                ResidentShape s = common;
                s.tilesZ = tz;
                s.tilesX = tx;
                s.zCut = *z;
                s.xCut = *x;
                const double cycles = busiest(s, entriesOnRow, all.ratio, sharedBytes);
                if (cycles > 0.0 && (!best || cycles < leastCycles)) {
                    best = s;
                    leastCycles = cycles;
                }
            }
        }
    }
    if (best) {
        best->height = longest(best->zCut);
        best->width = longest(best->xCut);
    }
    return best;
}

namespace {

struct Spot {
    int shot = 0, tile = 0, place = 0;
};

class Finder {
public:
    Finder(const Layout& layout, const ResidentShape& shape)
        : m_layout(layout)
        , m_shape(shape)
        , m_tileZ(tiles(shape.zCut))
        , m_tileX(tiles(shape.xCut))
    {
    }

    [[nodiscard]] std::optional<Spot> find(std::int64_t node) const
    {
        Spot s;
        s.shot = static_cast<int>(node / m_layout.shotStride);
        const std::int64_t inShot = node - s.shot * m_layout.shotStride - m_layout.lead;
        if (inShot < 0) {
            return std::nullopt;
        }
        const std::int64_t z = inShot / m_layout.strideZ;
        const std::int64_t x = inShot - z * m_layout.strideZ;
        if (z >= m_layout.nz || x >= m_layout.nx) {
            return std::nullopt;
        }
        const int tz = m_tileZ[static_cast<std::size_t>(z)];
        const int tx = m_tileX[static_cast<std::size_t>(x)];
        s.tile = tz * m_shape.tilesX + tx;
        const int row = static_cast<int>(z) - m_shape.zCut[static_cast<std::size_t>(tz)];
        const int column = static_cast<int>(x) - m_shape.xCut[static_cast<std::size_t>(tx)];
        s.place = (row + m_shape.radius) * residentPitch(m_shape.radius, m_shape.columns(s.tile)) +
                  residentPad(m_shape.radius) + column;
        return s;
    }

    [[nodiscard]] bool beside(int a, int b) const
    {
        return std::abs(a / m_shape.tilesX - b / m_shape.tilesX) <= 1 &&
               std::abs(a % m_shape.tilesX - b % m_shape.tilesX) <= 1;
    }

private:
    static std::vector<int> tiles(const std::vector<int>& at)
    {
        std::vector<int> of;
        for (std::size_t t = 0; t + 1 < at.size(); ++t) {
            of.insert(of.end(), static_cast<std::size_t>(at[t + 1] - at[t]), static_cast<int>(t));
        }
        return of;
    }

    const Layout& m_layout;
    const ResidentShape& m_shape;
    std::vector<int> m_tileZ, m_tileX;
};

struct TileLists {
    std::array<std::vector<int>, kPointLists> list;
    int entries = 0, imports = 0;
};
constexpr std::array<int, kPointLists> kWordsEach = {2, 4, 3, 1, 2};

} // namespace

std::optional<ResidentPoints> residentPoints(const ScalarAdvance<float>& args, const ResidentShape& shape)
{
    const Finder finder(args.step.state.layout, shape);
    const auto tiles = static_cast<std::size_t>(shape.tiles());
    const auto shots = static_cast<std::size_t>(args.step.shots);
    std::vector<TileLists> lists(tiles * shots);
    const auto listsOf = [&](int shot, int tile) -> TileLists& {
        return lists[static_cast<std::size_t>(shot) * tiles + static_cast<std::size_t>(tile)];
    };
    for (int i = 0; i < args.inject.nodes; ++i) {
        const auto spot = finder.find(args.injectNodes.node[i]);
        if (!spot || static_cast<std::size_t>(spot->shot) >= shots) {
            return std::nullopt;
        }
        auto& to = listsOf(spot->shot, spot->tile).list[kSources];
        to.insert(to.end(), {i, spot->place});
    }
    ResidentPoints out;
    for (int which = 0; which < 2; ++which) {
        const PointNodes& points = args.recordNodes[which];
        for (int r = 0; r < args.record[which].receivers; ++r) {
            const int first = points.begin[r];
            const int last = points.begin[r + 1];
            Spot home;
            if (last > first) {
                const auto spot = finder.find(points.node[first]);
                if (!spot || static_cast<std::size_t>(spot->shot) >= shots) {
                    return std::nullopt;
                }
                home = *spot;
            }
            TileLists& mine = listsOf(home.shot, home.tile);
            mine.list[kReceivers].insert(mine.list[kReceivers].end(), {which, r, mine.entries, last - first});
            for (int e = first; e < last; ++e) {
                const auto spot = finder.find(points.node[e]);
                if (!spot || spot->shot != home.shot || !finder.beside(home.tile, spot->tile)) {
                    return std::nullopt;
                }
                int place = spot->place;
                if (spot->tile != home.tile) {
                    auto& from = listsOf(spot->shot, spot->tile).list[kExports];
                    from.insert(from.end(), {spot->place, out.crossings});
                    mine.list[kImports].push_back(out.crossings++);
                    place = -1 - mine.imports++;
                }
                mine.list[kEntries].insert(mine.list[kEntries].end(), {place, e, which});
                ++mine.entries;
            }
        }
    }
    std::size_t at = lists.size() * kHeader;
    for (const TileLists& t : lists) {
        for (std::size_t k = 0; k < kPointLists; ++k) {
            out.words.push_back(static_cast<int>(at));
            out.words.push_back(static_cast<int>(t.list[k].size()) / kWordsEach[k]);
            at += t.list[k].size();
        }
    }
    for (const TileLists& t : lists) {
        for (const auto& list : t.list) {
            out.words.insert(out.words.end(), list.begin(), list.end());
        }
    }
    return out;
}

std::size_t residentBytes(const ResidentShape& shape, const ResidentPoints& points)
{
    int most = 0;
    const auto lists = static_cast<int>(points.words.front()) / kHeader; // the first list begins after all headers
    for (int i = 0; i < lists; ++i) {
        int count[kPointLists];
        for (int k = 0; k < kPointLists; ++k) {
            count[k] = points.words[static_cast<std::size_t>(i * kHeader + 2 * k + 1)];
        }
        int words = tileWords(shape, i % shape.tiles());
        for (int k = 0; k < kTables; ++k) {
            words += tableWords(k, count, 0);
        }
        most = std::max(most, words);
    }
    return static_cast<std::size_t>(most) * sizeof(float);
}

} // namespace ondo::kernels::cuda
