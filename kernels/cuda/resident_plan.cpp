#include "kernels/cuda/resident_plan.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace ondo::kernels::cuda {

namespace {

constexpr int kMostRadius = 5;
constexpr int kMostWidth = 1024;  // nodes of a tile: a row has fewer strips than a block has threads
constexpr int kMostNodes = 32767; // along an axis: cuts travel as shorts
// What a node of a layer and an entry of a receiver are taken for when an axis is cut, in plain nodes: tried in turn, since
// what a tile really costs goes in steps.
constexpr double kLayerWorks[] = {2.0, 2.5, 3.0, 3.5, 4.0, 5.0};
constexpr double kEntryWork = 0.7;
// Cycles of a tile's step, measured on an H200 at order 8 (a warp's way through the phases of resident_cuda.cu): the edges
// that go first, a strip of plain nodes and each of its rows; of a layer a round of items of four columns or of one, first
// memories and nodes; an entry of a receiver, entries from beside, a round of words handed over, and what the step costs
// besides. Where edges go first nobody waits for a neighbour.
constexpr double kEdgesFirstCycles = 1300.0, kStripCycles = 600.0, kRowCycles = 680.0;
constexpr double kWideMemoryCycles = 1200.0, kWideLayerCycles = 3000.0, kMemoryCycles = 1300.0, kLayerCycles = 2300.0;
constexpr double kEntryCycles = 0.45, kBesideCycles = 900.0, kEdgeCycles = 250.0, kStepCycles = 2300.0;
constexpr double kWaitCycles = 400.0;

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

// Entries of receivers on the row of nodes where each one's middle lies, the mean of the shots: they lie in few of the rows.
// Before each row, nz + 1 sums.
std::vector<double> entriesBefore(const ScalarAdvance<float>& args)
{
    const Layout& l = args.step.state.layout;
    std::vector<double> sums(static_cast<std::size_t>(l.nz) + 1, 0.0);
    for (int which = 0; which < 2; ++which) {
        const PointNodes& points = args.recordNodes[which];
        for (int r = 0; r < args.record[which].receivers; ++r) {
            const int entries = points.begin[r + 1] - points.begin[r];
            if (entries == 0) {
                continue;
            }
            const std::int64_t inShot = points.node[points.begin[r] + entries / 2] % l.shotStride - l.lead;
            const std::int64_t z = inShot / l.strideZ;
            if (inShot >= 0 && z < l.nz) {
                sums[static_cast<std::size_t>(z) + 1] += static_cast<double>(entries) / args.step.shots;
            }
        }
    }
    std::partial_sum(sums.begin(), sums.end(), sums.begin());
    return sums;
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
        return there ? residentMemory(s.radius, side < 2, s.depth[side], w, h, s.back) : 0;
    };
    const int edges =
        s.radius * ((z > 0 ? w : 0) + (z < s.tilesZ - 1 ? w : 0) + (x > 0 ? h : 0) + (x < s.tilesX - 1 ? h : 0));
    return kTileHead + 2 * (h + 2 * s.radius) * residentPitch(s.radius, w) + (s.back ? 2 : 1) * h * up4(w) +
           part(z == 0, 0) + part(z == s.tilesZ - 1, 1) + part(x == 0, 2) + part(x == s.tilesX - 1, 3) + 3 * edges;
}

// Cycles of a tile's step; entries: of receivers, each step.
double tileCycles(const ResidentShape& s, int tile, double entries)
{
    const int threads = residentThreads(s.radius);
    const auto rounds = [threads](int items) { return (items + threads - 1) / threads; };
    const int h = s.rows(tile);
    const int w = s.columns(tile);
    const int z = tile / s.tilesX;
    const int x = tile % s.tilesX;
    const int depth[4] = {z == 0 ? s.depth[0] : 0, z == s.tilesZ - 1 ? s.depth[1] : 0, x == 0 ? s.depth[2] : 0,
                          x == s.tilesX - 1 ? s.depth[3] : 0};
    const bool layer = depth[0] + depth[1] + depth[2] + depth[3] > 0;
    const int low = layer ? up4(depth[2]) : residentPad(s.radius);
    const int high = layer ? depth[3] : residentPad(s.radius);
    const int rows = h - (layer ? depth[0] + depth[1] : 2 * s.radius);
    const int units = (w - low - high + 3) / 4;
    const int all = up4(w) / 4;
    double cycles = kStepCycles + kEntryCycles * entries + (entries > 0.0 ? kBesideCycles : 0.0) +
                    kEdgeCycles * rounds(2 * s.radius * (h + w));
    if (rows > 0 && units > 0) {
        const int strips = threads / units;
        const int rowsEach = (rows + strips - 1) / strips;
        cycles += kStripCycles + kRowCycles * rowsEach;
    }
    if (!layer) {
        return cycles + kEdgesFirstCycles * rounds(2 * s.radius * all + h * residentPad(s.radius) / 2);
    }
    const int pairs = (depth[0] + 1) / 2 + (depth[1] + 1) / 2;
    const int aside = all - std::min(std::max(units, 0), all);
    const int middle = std::max(rows, 0);
    if (s.back) { // always by fours; both memories
        cycles += 2.0 * kWideMemoryCycles * (0.6 + 0.4 * rounds(pairs * all + h * aside));
        return cycles + kWideLayerCycles * rounds(pairs * all + (middle + 1) / 2 * aside) + kWaitCycles;
    }
    const bool wide = 8 * pairs * all + 4 * middle * aside >= kWideLayer;
    const int across = wide ? all : w;
    const int sides = wide ? aside : depth[2] + depth[3];
    cycles += (wide ? kWideMemoryCycles : kMemoryCycles) * (0.6 + 0.4 * rounds(pairs * across + h * sides));
    cycles += (wide ? kWideLayerCycles : kLayerCycles) * rounds(pairs * across + (middle + 1) / 2 * sides);
    return cycles + kWaitCycles;
}

// Cycles of the busiest tile; 0: one does not fit, or it is no faster than `best` (unless that is 0).
double busiest(const ResidentShape& s, const std::vector<double>& entries, int ratio, std::size_t sharedBytes,
               double best)
{
    double most = 0.0;
    for (int z = 0; z < s.tilesZ; ++z) {
        const double mine = (entries[static_cast<std::size_t>(s.zCut[static_cast<std::size_t>(z) + 1])] -
                             entries[static_cast<std::size_t>(s.zCut[static_cast<std::size_t>(z)])]) /
                            s.tilesX;
        for (int x = 0; x < s.tilesX; ++x) {
            const int tile = z * s.tilesX + x;
            // A guess at what points will want of its memory; residentBytes() counts.
            if ((tileWords(s, tile) + 3.0 * mine) * sizeof(float) > static_cast<double>(sharedBytes)) {
                return 0.0;
            }
            most = std::max(most, tileCycles(s, tile, mine / ratio));
            if (best > 0.0 && most >= best) {
                return 0.0;
            }
        }
    }
    return most;
}

} // namespace

std::optional<ResidentShape> residentShape(const ScalarAdvance<float>& all, int blocks, std::size_t sharedBytes,
                                           bool back)
{
    const ScalarStepArgs<float>& args = all.step;
    const Layout& l = args.state.layout;
    if (l.rank != 2 || l.radius > kMostRadius || l.nz > kMostNodes || l.nx > kMostNodes || args.order != 2 * l.radius ||
        args.interiorBoxes > 1) {
        return std::nullopt;
    }
    ResidentShape common;
    common.radius = l.radius;
    common.back = back;
    if (!readBoxes(args, common)) {
        return std::nullopt;
    }
    const int least = std::max(2 * l.radius, 8);
    const int* const depth = common.depth;
    const std::vector<double> entries = entriesBefore(all);
    std::vector<double> recording(static_cast<std::size_t>(l.nz));
    for (std::size_t z = 0; z < recording.size(); ++z) {
        recording[z] = (entries[z + 1] - entries[z]) * kEntryWork / (all.ratio * static_cast<double>(l.nx));
    }
    const std::vector<double> nothing(static_cast<std::size_t>(l.nx), 0.0);
    const int threads = residentThreads(l.radius);
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
            for (int tx = std::min(blocks / tz, kMostCuts); tx > 0; --tx) {
                // Fewer tiles only get larger: no more of them once their mean has more plain rows than the best one's all.
                const double meanRows =
                    static_cast<double>(l.nz) * static_cast<double>(l.nx) / (tz * tx) / 4.0 / threads;
                if (best && kStepCycles + kRowCycles * meanRows > leastCycles) {
                    break;
                }
                const auto x = cut(workX, tx, depth[2], depth[3], least, 4);
                if (!x || (tx == 1 && (l.nx - depth[3]) / 4 * 4 < up4(depth[2]))) {
                    continue; // none, or both layers would share four columns
                }
                ResidentShape s = common;
                s.tilesZ = tz;
                s.tilesX = tx;
                s.zCut = *z;
                s.xCut = *x;
                const double cycles = busiest(s, entries, all.ratio, sharedBytes, leastCycles);
                if (cycles > 0.0) {
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

    // Where most of a receiver's nodes lie: the others' values must come from other tiles. None if one is nowhere.
    [[nodiscard]] std::optional<Spot> home(const PointNodes& points, int first, int last) const
    {
        std::vector<std::pair<Spot, int>> found;
        for (int e = first; e < last; ++e) {
            const auto spot = find(points.node[e]);
            if (!spot) {
                return std::nullopt;
            }
            const auto same = [&](const auto& f) { return f.first.tile == spot->tile && f.first.shot == spot->shot; };
            const auto known = std::find_if(found.begin(), found.end(), same);
            if (known == found.end()) {
                found.emplace_back(*spot, 1);
            } else {
                ++known->second;
            }
        }
        const auto fewer = [](const auto& a, const auto& b) { return a.second < b.second; };
        return found.empty() ? Spot{} : std::max_element(found.begin(), found.end(), fewer)->first;
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
            const auto at = finder.home(points, first, last);
            if (!at || static_cast<std::size_t>(at->shot) >= shots) {
                return std::nullopt;
            }
            const Spot home = *at;
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
