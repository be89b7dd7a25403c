// Boxes of a step cut into the columns of tiles that the marching kernels take, on the host. What does not fit them (layers
// too wide for a tile) is left to the kernels of one thread a node.
#pragma once

#include "kernels/core/shape.h"
#include "kernels/cuda/tuning.h"
#include "kernels/equations/scalar.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ondo::kernels::cuda {

// A tile lies in a plane of rows (of y) and x; each of its threads owns a vector of nodes along x. It marches along z. In two
// dimensions rows are of z: a strip of the interior goes down them one by one, a layer tile by tile.
struct MarchBox {
    Box box;
    // Do the memories of the layers lie on whole vectors?
    bool rowVectors = false, xVectors = false, alongVectors = false;
    int lanes = 0, rows = 0; // of a tile: vectors along x, rows
    int x = 0;               // of the first tile: the box's, rounded down
    int tilesX = 1, tilesRow = 1;
    int chunks = 1, planes = 1; // pieces along the march, and planes (in two dimensions tiles) of a piece
};

inline constexpr int kMaxMarchBoxes = 16; // 14 with layers in three dimensions; more make more launches

struct MarchTable {
    int count = 0;
    int firstShot = 0;
    MarchBox box[kMaxMarchBoxes];
    unsigned end[kMaxMarchBoxes] = {}; // blocks of this box and those before it
};

template<class T, int Rank, int M, int Layers>
struct MarchSizes {
    using Shape = MarchShape<Rank, Layers>;
    static constexpr int kVector = Shape::kVectorBytes / static_cast<int>(sizeof(T));
    static constexpr int kBeside = (M + kVector - 1) / kVector; // vectors of halo on either side of a row
    static constexpr int kPad = kBeside * kVector;
    static constexpr bool kAlong = Rank == 3 && (Layers == kAlongLayer || Layers == kAlongAny);
    static constexpr bool kFixed = Layers == kNoLayer || Layers == kAlongLayer; // tiles of the shape's measures
    // Planes in shared memory: the one whose neighbours are looked at, those the queue of the march has run ahead, and those
    // on their way. psi along the march runs M - 1 half nodes ahead, and looks M nodes further.
    static constexpr int kHeld = Rank == 2 ? 0 : kAlong ? 2 * M - 1 : M;
    static constexpr int kRing = kHeld + 1 + Shape::kAhead;

    // Order 10 wants more registers than the shape leaves it.
    static constexpr int kMinBlocks = Rank == 3 && M > 4 ? std::max(Shape::kMinBlocks - 1, 1) : Shape::kMinBlocks;

    // Of a row in shared memory: in 3-D one for all tiles, which saves the kernel sums.
    static constexpr int kMostLanes = kFixed ? Shape::kLanes : 16;
    static constexpr int kPitch = kMostLanes * kVector + 2 * kPad;
    ONDO_HD static constexpr int pitch(int lanes) { return Rank == 3 ? kPitch : lanes * kVector + 2 * kPad; }
    ONDO_HD static constexpr int haloVectors(int lanes, int rows) { return 2 * M * lanes + rows * 2 * kBeside; }
    // Copies of a thread for the halo of a plane.
    static constexpr int kEach = kFixed        ? (haloVectors(Shape::kLanes, Shape::kRows) - 1) / Shape::kThreads + 1
                                 : kBeside > 2 ? 2
                                               : 1;
    // back: of the adjoint, where neighbours look at both memories.
    static constexpr int bytes(int lanes, int rows, bool back = false)
    {
        const int ring = kRing * (rows + 2 * M) * pitch(lanes);
        // psi along the rows and along x, and the four profiles along x.
        const int shown = back ? 2 : 1;
        const int rowMemory = shown * (rows + 2 * M) * pitch(lanes) + 4 * rows;
        const int xMemory = shown * rows * pitch(lanes) + 4 * lanes * kVector;
        const int memories = kFixed                ? 0
                             : Layers == kXLayer   ? xMemory
                             : Layers == kRowLayer ? rowMemory
                                                   : rowMemory + xMemory;
        return (ring + memories) * static_cast<int>(sizeof(T));
    }
};

struct MarchPlan {
    std::vector<MarchBox> boxes;
    int threads = 0; // of a block
    int bytes = 0;   // of its shared memory
    int columns = 1; // columns of tiles that a block takes
};

// How far each piece marches: as many pieces as fill the device evenly, for a piece costs `prime` planes more. Not too far:
// a piece that starts late, because launches run side by side, ends late.
inline void cutMarch(MarchPlan& plan, const std::vector<int>& lengths, int shots, int slots, int prime, int planes)
{
    constexpr int kMostPieces = 256;
    double best = 0.0;
    int pieces = 1;
    const int longestOfAll = lengths.empty() ? 1 : *std::max_element(lengths.begin(), lengths.end());
    const int first = std::min((longestOfAll + kMostPlanes - 1) / kMostPlanes, kMostPieces);
    for (int n = first; n <= std::min(kMostPieces, longestOfAll); ++n) {
        double blocks = 0.0;
        int longest = 0;
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            const MarchBox& b = plan.boxes[i];
            const int length = (lengths[i] + n - 1) / n;
            blocks += static_cast<double>(b.tilesX) * b.tilesRow * ((lengths[i] + length - 1) / length) * shots;
            longest = std::max(longest, length);
        }
        // Blocks of a last wave that is not full still take its time, but beyond some waves they even out.
        const double waves = blocks / slots;
        const double full = waves < 8.0 ? static_cast<double>(static_cast<int>(waves - 1e-9) + 1) : waves + 0.5;
        const double cost = full * (longest + prime);
        if (n == first || cost < best) {
            best = cost;
            pieces = n;
        }
    }
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        MarchBox& b = plan.boxes[i];
        b.planes = planes > 0 ? planes : (lengths[i] + pieces - 1) / pieces;
        b.chunks = (lengths[i] + b.planes - 1) / b.planes;
    }
}

// Planes a box is marched along; in two dimensions rows of the interior, tiles of a layer.
inline int marchLength(const MarchBox& m, bool byRows)
{
    return byRows ? (m.box.z1 - m.box.z0 + m.rows - 1) / m.rows : m.box.z1 - m.box.z0;
}

template<class T, int Rank, int M>
class MarchPlanner {
public:
    // back: of a step of the adjoint.
    MarchPlanner(const ScalarState<T>& state, int sharedBytes, bool back = false)
        : m_state(state)
        , m_sharedBytes(sharedBytes)
        , m_back(back)
    {
    }

    MarchPlan interior(const Box* boxes, int count) const
    {
        MarchPlan plan;
        for (int i = 0; i < count; ++i) {
            if (boxes[i].nodes() <= 0) {
                continue;
            }
            constexpr int V = 16 / static_cast<int>(sizeof(T));
            MarchBox m = interiorBox<V>(boxes[i]);
            if constexpr (Rank == 2) {
                using Shape = ColumnShape<T, M>;
                m.lanes = Shape::kLanes;
                m.rows = 1;
                plan.threads = Shape::kThreads;
                plan.columns = Shape::kWarps;
            } else {
                using Sizes = MarchSizes<T, Rank, M, kNoLayer>;
                using Shape = typename Sizes::Shape;
                m.lanes = Shape::kLanes;
                m.rows = Shape::kRows;
                plan.threads = Shape::kThreads;
                plan.bytes = Sizes::bytes(Shape::kLanes, Shape::kRows);
            }
            cutPlane<V>(m);
            plan.boxes.push_back(m);
        }
        if (plan.bytes > m_sharedBytes) {
            plan.boxes.clear();
        }
        return plan;
    }

    // The same for a kernel of the interior in 3-D with tiles of its own shape and so much shared memory.
    template<class Shape>
    MarchPlan interiorIn(const Box* boxes, int count, int bytes) const
    {
        MarchPlan plan;
        plan.threads = Shape::kThreads;
        plan.bytes = bytes;
        for (int i = 0; i < count && bytes <= m_sharedBytes; ++i) {
            if (boxes[i].nodes() > 0) {
                constexpr int V = Shape::kVectorBytes / static_cast<int>(sizeof(T));
                MarchBox m = interiorBox<V>(boxes[i]);
                m.lanes = Shape::kLanes;
                m.rows = Shape::kRows;
                cutPlane<V>(m);
                plan.boxes.push_back(m);
            }
        }
        return plan;
    }

    // Which kernel takes a box.
    static int kindOf(const Box& b)
    {
        if (Rank == 2) {
            return kAnyLayer;
        }
        if (b.side[kZ] != kNone) {
            return b.side[kY] == kNone && b.side[kX] == kNone ? kAlongLayer : kAlongAny;
        }
        return b.side[kX] == kNone ? kRowLayer : b.side[kY] == kNone ? kXLayer : kAnyLayer;
    }

    // The boxes of one kernel. `rest`: those whose layers are too wide for it.
    template<int Layers>
    MarchPlan layers(const Box* boxes, int count, std::vector<Box>& rest) const
    {
        using Sizes = MarchSizes<T, Rank, M, Layers>;
        constexpr int kMost = Sizes::Shape::kThreads;
        constexpr int V = Sizes::kVector;
        MarchPlan plan;
        for (int i = 0; i < count; ++i) {
            const Box& b = boxes[i];
            if (b.nodes() <= 0 || kindOf(b) != Layers) {
                continue;
            }
            MarchBox m = marchBox<V>(b);
            const bool inX = b.side[kX] != kNone;
            const bool inRows = b.side[kRowAxis] != kNone;
            m.x = inX ? b.x0 / V * V : startOf(b);
            m.lanes = (b.x1 - m.x + V - 1) / V;
            m.rows = rowsOf(m);
            if constexpr (Sizes::kFixed) {
                m.lanes = Sizes::Shape::kLanes;
                m.rows = Sizes::Shape::kRows;
            } else if (!inX) { // the rows in one tile
                const int fit = kMost / m.rows;
                m.lanes = std::min({fit >= 8 ? fit / 8 * 8 : fit, m.lanes, Rank == 3 ? Sizes::kMostLanes : fit});
            } else if (!inRows) { // the columns
                m.rows = std::min(kMost / m.lanes, m.rows);
            }
            // Threads without nodes of their own may help with the halo.
            const int halo = (Sizes::haloVectors(m.lanes, m.rows) + Sizes::kEach - 1) / Sizes::kEach;
            const int threads = Sizes::kFixed ? kMost : (std::max(m.lanes * m.rows, halo) + 31) / 32 * 32;
            const int bytes = Sizes::bytes(m.lanes, m.rows, m_back);
            if (m.rows == 0 || m.lanes == 0 || (Rank == 3 && m.lanes > Sizes::kMostLanes) || threads > kMost ||
                bytes > m_sharedBytes || !near(m)) {
                rest.push_back(b);
                continue;
            }
            cutPlane<V>(m);
            plan.threads = std::max(plan.threads, threads);
            plan.bytes = std::max(plan.bytes, bytes);
            plan.boxes.push_back(m);
        }
        return plan;
    }

private:
    static constexpr int kRowStart = 32 / static_cast<int>(sizeof(T)); // a sector of memory

    static constexpr int kRowAxis = Rank == 2 ? kZ : kY;

    static int rowsOf(const MarchBox& m) { return Rank == 2 ? m.box.z1 - m.box.z0 : m.box.y1 - m.box.y0; }

    // Rows of a tile and planes of memories are found by offsets of 32 bits.
    bool near(const MarchBox& m) const
    {
        const Layout& l = m_state.layout;
        const std::int64_t rows = m.rows + 2 * M + 1;
        const std::int64_t planes = m.box.z1 - m.box.z0;
        return std::max({rows * (Rank == 2 ? l.strideZ : l.strideY), rows * m_state.layer[kX].z,
                         m_state.layer[kRowAxis].z, planes * m_state.layer[kZ].z}) < std::int64_t{1} << 31;
    }

    template<int V>
    MarchBox marchBox(const Box& b) const
    {
        MarchBox m;
        m.box = b;
        m.rowVectors = onVectors<V>(m_state.layer[kRowAxis], b.side[kRowAxis]);
        m.alongVectors = onVectors<V>(m_state.layer[kZ], b.side[kZ]);
        m.xVectors = onVectors<V>(m_state.layer[kX], b.side[kX]);
        return m;
    }

    // Where the rows of a box without a layer of x begin: at or before its own, on a sector of memory. (Layout::make puts the
    // first node of an interior on one; a multiple of its size in nodes may be a tile more, with a node or two in it.)
    int startOf(const Box& b) const { return b.x0 - static_cast<int>((m_state.layout.lead + b.x0) % kRowStart); }

    template<int V>
    MarchBox interiorBox(const Box& b) const
    {
        MarchBox m = marchBox<V>(b);
        m.x = startOf(b);
        return m;
    }

    template<int V>
    static bool onVectors(const AxisLayer<T>& l, int side)
    {
        const auto whole = [](const T* p) { return reinterpret_cast<std::uintptr_t>(p) % (V * sizeof(T)) == 0; };
        return side != kNone && l.shot % V == 0 && l.z % V == 0 && l.y % V == 0 && l.shift[side] % V == 0 &&
               whole(l.psi) && whole(l.zeta);
    }

    template<int V>
    static void cutPlane(MarchBox& m)
    {
        m.tilesX = (m.box.x1 - m.x + m.lanes * V - 1) / (m.lanes * V);
        m.tilesRow = Rank == 2 ? 1 : (rowsOf(m) + m.rows - 1) / m.rows;
    }

    const ScalarState<T>& m_state;
    int m_sharedBytes;
    bool m_back;
};

// Cuts the march of a plan; slots: blocks that the device holds at once. stepPlanes: of the interior, marched while a step
// lasts.
template<int Rank, int M, int Layers>
void cutMarch(MarchPlan& plan, int shots, int slots, double stepPlanes, int planes)
{
    std::vector<int> lengths;
    lengths.reserve(plan.boxes.size());
    for (const MarchBox& m : plan.boxes) {
        lengths.push_back(marchLength(m, Rank == 2));
    }
    if (Rank == 3 && (Layers == kAlongLayer || Layers == kAlongAny)) {
        for (std::size_t i = 0; i < lengths.size(); ++i) { // in one piece
            plan.boxes[i].planes = lengths[i];
            plan.boxes[i].chunks = 1;
        }
        return;
    }
    if (Rank == 3 && planes == 0 && (Layers == kXLayer || Layers == kRowLayer)) {
        // These run beside the interior, so they need not fill the device, and each piece less is work less: of 256^3 a step
        // took 250 us in pieces of 16 planes, 205 in those of 62, 212 in those of 124. But none may outlast the step.
        const int most = static_cast<int>(std::clamp(0.66 * stepPlanes, 12.0, 64.0));
        for (std::size_t i = 0; i < lengths.size(); ++i) {
            MarchBox& b = plan.boxes[i];
            b.chunks = (lengths[i] + most - 1) / most;
            b.planes = (lengths[i] + b.chunks - 1) / b.chunks;
        }
        return;
    }
    cutMarch(plan, lengths, shots, slots * plan.columns, Rank == 3 || plan.columns > 1 ? M : 1, planes);
}

// A plan in tables, each handed to launch(table, blocks).
template<class Launch>
void forEachMarchTable(const MarchPlan& plan, Launch launch)
{
    for (std::size_t first = 0; first < plan.boxes.size(); first += kMaxMarchBoxes) {
        MarchTable table;
        unsigned blocks = 0;
        for (std::size_t i = first; i < plan.boxes.size() && table.count < kMaxMarchBoxes; ++i) {
            const MarchBox& m = plan.boxes[i];
            const int columns = m.tilesX * m.tilesRow * m.chunks;
            blocks += static_cast<unsigned>((columns + plan.columns - 1) / plan.columns);
            table.box[table.count] = m;
            table.end[table.count] = blocks;
            ++table.count;
        }
        launch(table, blocks);
    }
}

} // namespace ondo::kernels::cuda
