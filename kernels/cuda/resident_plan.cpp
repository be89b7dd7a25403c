#include "kernels/cuda/resident_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace ondo::kernels::cuda {

namespace {

constexpr int kMostRadius = 5;
constexpr int kMostWidth = 1024; // nodes of a tile: a row has fewer strips than a block has threads
constexpr int kMostNodes = 32767; // along an axis: cuts travel as shorts
const double kLayerWork = std::getenv("ONDO_LW") ? std::atof(std::getenv("ONDO_LW")) : 3.5; // of a node in a layer, against one outside
const double kEntryWork = std::getenv("ONDO_EW") ? std::atof(std::getenv("ONDO_EW")) : 0.7; // of a node that a receiver adds up
// Nodes' worth of a node at a tile's edge, for handing it over.
constexpr double kEdgeWork = 4.0;

struct Cuts {
    std::vector<int> at;
    double work = 0.0; // of the busiest tile
    int longest = 0;
};

// Work of an axis: of the nodes before each, as if the tile were as wide as the grid. work: n + 1 sums.
std::vector<double> workOf(int n, int low, int high, const std::vector<double>& points)
{
    std::vector<double> sums = {0.0};
    for (int i = 0; i < n; ++i) {
        const double node = i < low || i >= n - high ? kLayerWork : 1.0;
        sums.push_back(sums.back() + node + points[static_cast<std::size_t>(i)]);
    }
    return sums;
}

// n nodes into tiles of equal work. The first and last contain their layers whole; ends lie on multiples of `step`.
std::optional<Cuts> cut(const std::vector<double>& work, int tiles, int low, int high, int least, int step)
{
    const int n = static_cast<int>(work.size()) - 1;
    const auto workTo = [&](int i) { return work[static_cast<std::size_t>(i)]; };
    Cuts c;
    c.at.push_back(0);
    const double all = workTo(n);
    int node = 0;
    for (int t = 1; t < tiles; ++t) {
        const double wanted = all * t / tiles;
        while (node < n && workTo(node) < wanted) {
            ++node;
        }
        const int shortest = t == 1 ? std::max(low, least) : least;
        int end = std::max((node + step / 2) / step * step, c.at.back() + shortest);
        end = (end + step - 1) / step * step;
        c.at.push_back(end);
    }
    // From the far end back, so that the last tile has its layer and no tile is too short.
    int most = n - std::max(high, least);
    for (int t = tiles - 1; t > 0; --t) {
        auto& end = c.at[static_cast<std::size_t>(t)];
        end = std::min(end, most / step * step);
        most = end - least;
    }
    c.at.push_back(n);
    if (tiles == 1 && (n < low + high || n < least)) {
        return std::nullopt;
    }
    for (int t = 0; t < tiles; ++t) {
        const int from = c.at[static_cast<std::size_t>(t)];
        const int to = c.at[static_cast<std::size_t>(t) + 1];
        const int shortest = std::max({least, t == 0 ? low : 0, t == tiles - 1 ? high : 0});
        if (from < 0 || to - from < shortest) {
            return std::nullopt;
        }
        c.work = std::max(c.work, workTo(to) - workTo(from));
        c.longest = std::max(c.longest, to - from);
    }
    return c;
}

// What recording adds to the rows, in nodes a node: the receivers of a shot lie in few of them. The mean of the shots.
std::vector<double> pointsOnRows(const ScalarAdvance<float>& args)
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
                rows[static_cast<std::size_t>(z)] += kEntryWork / (args.ratio * static_cast<double>(l.nx) * args.step.shots);
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

int layerFloats(const ResidentShape& s, int tileZ, int tileX)
{
    const auto size = [](const std::vector<int>& at, int i) {
        return at[static_cast<std::size_t>(i) + 1] - at[static_cast<std::size_t>(i)];
    };
    const int h = size(s.zCut, tileZ);
    const int w = size(s.xCut, tileX);
    const auto part = [&](bool there, int side) {
        return there ? residentMemory(s.radius, side < 2, s.depth[side], w, h) : 0;
    };
    return part(tileZ == 0, 0) + part(tileZ == s.tilesZ - 1, 1) + part(tileX == 0, 2) +
           part(tileX == s.tilesX - 1, 3);
}

void measureShared(ResidentShape& s)
{
    s.pad = residentPad(s.radius);
    s.pitch = up4(s.width) + 2 * s.pad;
    s.fieldSize = (s.height + 2 * s.radius) * s.pitch;
    s.modelPitch = up4(s.width);
    s.modelSize = s.height * s.modelPitch;
    s.edgeWords = 2 * s.radius * (s.height + s.width);
    s.layerSize = 0;
    for (int z = 0; z < s.tilesZ; ++z) {
        for (int x = 0; x < s.tilesX; ++x) {
            s.layerSize = std::max(s.layerSize, layerFloats(s, z, x));
        }
    }
}

} // namespace

std::optional<ResidentShape> residentShape(const ScalarAdvance<float>& all, int blocks, std::size_t sharedBytes)
{
    const ScalarStepArgs<float>& args = all.step;
    const Layout& l = args.state.layout;
    if (l.rank != 2 || l.radius > kMostRadius || l.nz > kMostNodes || l.nx > kMostNodes || args.order != 2 * l.radius || args.interiorBoxes > 1) {
        return std::nullopt;
    }
    ResidentShape common;
    common.radius = l.radius;
    if (!readBoxes(args, common)) {
        return std::nullopt;
    }
    const int least = std::max(2 * l.radius, 8);
    const int* const depth = common.depth;
    const auto workZ = workOf(l.nz, depth[0], depth[1], pointsOnRows(all));
    const auto workX = workOf(l.nx, depth[2], depth[3], std::vector<double>(static_cast<std::size_t>(l.nx), 0.0));
    std::optional<ResidentShape> best;
    double leastWork = 0.0;
    for (int tz = 1; tz <= std::min(blocks, kMostCuts); ++tz) {
        const auto z = cut(workZ, tz, depth[0], depth[1], least, 1);
        if (!z) {
            continue;
        }
        for (int tx = 1; tx <= std::min(blocks / tz, kMostCuts); ++tx) {
            const auto x = cut(workX, tx, depth[2], depth[3], least, 4);
            if (tx == 1 && (l.nx - common.depth[3]) / 4 * 4 < up4(common.depth[2])) {
                continue; // both layers would share four columns
            }
            if (!x || x->longest > kMostWidth || z->longest > kMostWidth) {
                continue;
            }
            const double work = z->work * x->work + kEdgeWork * 2.0 * (z->longest + x->longest);
            if (best && work >= leastWork) {
                continue;
            }
            ResidentShape s = common;
            s.tilesZ = tz;
            s.tilesX = tx;
            s.zCut = z->at;
            s.xCut = x->at;
            s.height = z->longest;
            s.width = x->longest;
            measureShared(s);
            if (s.floats() * sizeof(float) <= sharedBytes) {
                best = s;
                leastWork = work;
            }
        }
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
        s.place = (row + m_shape.radius) * m_shape.pitch + m_shape.pad + column;
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
        for (std::size_t k = 0; k < kPointLists; ++k) {
            out.most[k] = std::max(out.most[k], static_cast<int>(t.list[k].size()) / kWordsEach[k]);
        }
    }
    for (const TileLists& t : lists) {
        for (const auto& list : t.list) {
            out.words.insert(out.words.end(), list.begin(), list.end());
        }
    }
    return out;
}

ResidentTables residentTables(const ResidentShape& shape, const ResidentPoints& points)
{
    ResidentTables t;
    t.words = 2 * shape.fieldSize + shape.modelSize + shape.layerSize;
    const int size[kTables] = {points.most[kEntries],
                               points.most[kEntries],
                               points.most[kImports],
                               kReceiverWords * points.most[kReceivers],
                               kSourceWords * points.most[kSources],
                               points.most[kImports],
                               2 * points.most[kExports],
                               shape.edgeWords,
                               shape.edgeWords,
                               shape.edgeWords};
    for (int k = 0; k < kTables; ++k) {
        t.at[k] = t.words;
        t.words += size[k];
    }
    return t;
}

} // namespace ondo::kernels::cuda
