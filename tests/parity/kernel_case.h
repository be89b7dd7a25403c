// A random problem for the kernels of the scalar equation, made on the host: odd sizes, any face condition, random speeds,
// fields and layer profiles. Independent of the engine's propagator, so that an error there cannot hide one here.
#pragma once

#include "kernels/backend.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace ondo::check {

using namespace ondo::kernels;

enum class Face { Zero, Layer, Free, Rigid };

struct Case {
    int rank = 2, order = 8, shots = 1;
    int n[3] = {1, 1, 1}; // z, y, x
    Face face[6] = {};    // by axis * 2 + (high side)
    int layer = 5;        // nodes
    int steps = 12;
    unsigned seed = 1;
    bool line = false;    // points as a survey has them: a source a shot, a line of receivers, all between nodes
    bool density = false; // that varies
    bool near = false;    // a receiver's nodes lie within 8 of one another in one shot, as off-grid weights do

    [[nodiscard]] std::string name() const
    {
        static constexpr char kLetters[] = "zLFR";
        std::string text = std::to_string(rank) + "-D order " + std::to_string(order) + " " + std::to_string(n[0]) +
                           "x" + std::to_string(n[1]) + "x" + std::to_string(n[2]) + " faces ";
        for (const Face f : face) {
            text += kLetters[static_cast<int>(f)];
        }
        return text + " shots " + std::to_string(shots) + (density ? " density" : "");
    }
    [[nodiscard]] int layerNodes(int axis, bool high) const
    {
        return face[axis * 2 + (high ? 1 : 0)] == Face::Layer ? layer : 0;
    }
};

// Along one axis: profiles from node -radius on, and the shape of the slab.
template<class T>
struct LayerCase {
    std::vector<T> a, b, aHalf, bHalf;
    std::vector<T> psi, zeta;
    AxisLayer<T> shape; // strides and shifts only
};

template<class T>
struct Problem {
    Case c;
    Layout layout;
    std::vector<T> c2, now, before;
    std::vector<T> density; // empty: one
    AxisCoefficients<T> axis[3];
    LayerCase<T> layer[3];
    std::vector<Box> boxes;
    int interiorBoxes = 0, layerBoxes = 0, mirrorBoxes = 0;
    signed char odd[6] = {};

    // Points: a few nodes a source, up to three warps of nodes a receiver.
    std::vector<std::int64_t> injectNode, injectModelNode, recordNode;
    std::vector<int> injectBegin, injectSource, recordBegin;
    std::vector<T> injectWeight, recordWeight, wavelets;
    int sources = 3;
};

class Random {
public:
    explicit Random(unsigned seed)
        : m_engine(seed)
    {
    }
    double operator()(double low, double high)
    {
        return low + (high - low) * static_cast<double>(m_engine() >> 8) / 16777216.0;
    }
    int below(int n) { return static_cast<int>(m_engine() % static_cast<unsigned>(n)); }

private:
    std::mt19937 m_engine;
};

// The boxes of one axis: interior, and each layer with the radius of nodes that feel it.
struct Span {
    int from = 0, to = 0;
    signed char side = kNone;
};

inline std::vector<Span> spansOf(const Case& c, int axis)
{
    const int radius = c.order / 2;
    const int low = c.layerNodes(axis, false) > 0 ? c.layer + radius : 0;
    const int high = c.layerNodes(axis, true) > 0 ? c.layer + radius : 0;
    std::vector<Span> spans = {{low, c.n[axis] - high, kNone}};
    if (low > 0) {
        spans.push_back({0, low, kLow});
    }
    if (high > 0) {
        spans.push_back({c.n[axis] - high, c.n[axis], kHigh});
    }
    return spans;
}

inline Box boxOf(const Span& z, const Span& y, const Span& x)
{
    Box b{z.from, z.to, y.from, y.to, x.from, x.to, {}};
    b.side[kZ] = z.side;
    b.side[kY] = y.side;
    b.side[kX] = x.side;
    return b;
}

template<class T>
void makeBoxes(Problem<T>& p)
{
    const Case& c = p.c;
    for (const Span& z : spansOf(c, kZ)) {
        for (const Span& y : spansOf(c, kY)) {
            for (const Span& x : spansOf(c, kX)) {
                p.boxes.push_back(boxOf(z, y, x));
            }
        }
    }
    p.interiorBoxes = 1;
    p.layerBoxes = static_cast<int>(p.boxes.size()) - 1;
    const Span all[3] = {{0, c.n[0], kNone}, {0, c.n[1], kNone}, {0, c.n[2], kNone}};
    for (int i = 0; i < 6; ++i) {
        if (c.face[i] != Face::Free && c.face[i] != Face::Rigid) {
            continue;
        }
        const int axis = i / 2;
        const bool high = i % 2 == 1;
        Span s[3] = {all[0], all[1], all[2]};
        s[axis] = high ? Span{c.n[axis] - 1, c.n[axis], kHigh} : Span{0, 1, kLow};
        p.boxes.push_back(boxOf(s[0], s[1], s[2]));
        p.odd[i] = c.face[i] == Face::Free ? 1 : 0;
        ++p.mirrorBoxes;
    }
}

template<class T>
void makeLayer(Problem<T>& p, int axis, Random& random)
{
    const Case& c = p.c;
    const int r = c.order / 2;
    const int low = c.layerNodes(axis, false);
    const int high = c.layerNodes(axis, true);
    if (low + high == 0) {
        return;
    }
    LayerCase<T>& l = p.layer[axis];
    const int n = c.n[axis];
    for (int i = -r; i < n + r; ++i) {
        const bool inside = (i >= 0 && i < low) || (i >= n - high && i < n);
        const double a = random(0.3, 0.9);
        l.a.push_back(inside ? static_cast<T>(a) : T(0));
        l.b.push_back(inside ? static_cast<T>(-random(0.1, 0.9) * (1.0 - a)) : T(0));
        const double aHalf = random(0.3, 0.9);
        l.aHalf.push_back(inside ? static_cast<T>(aHalf) : T(0));
        l.bHalf.push_back(inside ? static_cast<T>(-random(0.1, 0.9) * (1.0 - aHalf)) : T(0));
    }
    AxisLayer<T>& s = l.shape;
    placeSlab(s, axis, c.n, low, high, r);
    l.psi.assign(static_cast<std::size_t>(s.shot * c.shots), T(0));
    l.zeta = l.psi;
}

// Eight nodes an axis for a point. The line lies as that of `ondo bench`, partly in the reach of the upper layer, where tiles
// on chip are cut: a line inside one row of tiles cost a fifth less. p.injectBegin and p.recordBegin have their first 0 from the caller, or get it here.
template<class T>
void makeLine(Problem<T>& p, Random& random)
{
    const Case& c = p.c;
    const int middle[3] = {c.n[0] / 2, c.n[1] / 2, c.n[2] / 2};
    const auto around = [&](int shot, const int(&at)[3], const auto& f) {
        for (int z = 0; z < 8; ++z) {
            for (int y = 0; y < (c.rank == 3 ? 8 : 1); ++y) {
                for (int x = 0; x < 8; ++x) {
                    f(p.layout.at(shot, at[0] + z, c.rank == 3 ? at[1] + y : 0, at[2] + x),
                      p.layout.at(at[0] + z, c.rank == 3 ? at[1] + y : 0, at[2] + x));
                }
            }
        }
    };
    p.sources = c.shots;
    p.recordBegin.push_back(0);
    for (int shot = 0; shot < c.shots; ++shot) {
        around(shot, middle, [&](std::int64_t node, std::int64_t modelNode) {
            p.injectNode.push_back(node);
            p.injectModelNode.push_back(modelNode);
            p.injectSource.push_back(shot);
            p.injectWeight.push_back(static_cast<T>(random(-1.0, 1.0)));
            p.injectBegin.push_back(static_cast<int>(p.injectSource.size()));
        });
        const int receivers = std::min(500, c.n[2] - 2 * c.layer);
        for (int r = 0; r < receivers; ++r) {
            const int x = c.layer + static_cast<int>(std::int64_t{c.n[2] - 2 * c.layer - 8} * r / receivers);
            around(shot, {c.layer + 1, middle[1], x}, [&](std::int64_t node, std::int64_t) {
                p.recordNode.push_back(node);
                p.recordWeight.push_back(static_cast<T>(random(-1.0, 1.0)));
            });
            p.recordBegin.push_back(static_cast<int>(p.recordNode.size()));
        }
    }
    for (int i = 0; i < p.sources * c.steps; ++i) {
        p.wavelets.push_back(static_cast<T>(random(-1.0, 1.0)));
    }
}

template<class T>
void makePoints(Problem<T>& p, Random& random)
{
    const Case& c = p.c;
    const auto anyNode = [&](bool model) {
        const int z = random.below(c.n[0]);
        const int y = random.below(c.n[1]);
        const int x = random.below(c.n[2]);
        return std::pair(p.layout.at(model ? 0 : random.below(c.shots), z, y, x), p.layout.at(z, y, x));
    };
    p.injectBegin.push_back(0);
    if (c.line) {
        makeLine(p, random);
        return;
    }
    std::vector<bool> taken(static_cast<std::size_t>(p.layout.shotStride * c.shots), false);
    for (int i = 0; i < 300; ++i) {
        const auto [node, modelNode] = anyNode(false);
        if (taken[static_cast<std::size_t>(node)]) {
            continue; // a node once: that is what makes injection free of races
        }
        taken[static_cast<std::size_t>(node)] = true;
        p.injectNode.push_back(node);
        p.injectModelNode.push_back(modelNode);
        for (int e = random.below(4); e >= 0; --e) {
            p.injectSource.push_back(random.below(p.sources));
            p.injectWeight.push_back(static_cast<T>(random(-1.0, 1.0)));
        }
        p.injectBegin.push_back(static_cast<int>(p.injectSource.size()));
    }
    p.recordBegin.push_back(0);
    for (int receiver = 0; receiver < 37; ++receiver) {
        const int home[4] = {random.below(c.shots), random.below(c.n[0]), random.below(c.n[1]), random.below(c.n[2])};
        const auto beside = [&](int axis) { return std::min(home[axis + 1] + random.below(8), c.n[axis] - 1); };
        for (int e = random.below(97); e > 0; --e) {
            p.recordNode.push_back(c.near ? p.layout.at(home[0], beside(0), beside(1), beside(2))
                                          : anyNode(false).first);
            p.recordWeight.push_back(static_cast<T>(random(-1.0, 1.0)));
        }
        p.recordBegin.push_back(static_cast<int>(p.recordNode.size()));
    }
    for (int i = 0; i < p.sources * c.steps; ++i) {
        p.wavelets.push_back(static_cast<T>(random(-1.0, 1.0)));
    }
}

template<class T>
Problem<T> makeProblem(const Case& c)
{
    Problem<T> p;
    p.c = c;
    Random random(c.seed);
    const int r = c.order / 2;
    p.layout = Layout::make(c.rank, c.n[0], c.n[1], c.n[2], r, c.face[4] == Face::Layer ? c.layer + r : 0);
    const double h[3] = {1.0, 1.1, 0.9};
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        p.axis[axis] = makeCoefficients<T>(r, h[axis]);
        if (c.n[axis] > 1) {
            sum += 1.0 / (h[axis] * h[axis]);
            makeLayer(p, axis, random);
        }
    }
    p.c2.assign(static_cast<std::size_t>(p.layout.shotStride), T(0));
    p.now.assign(p.c2.size() * static_cast<std::size_t>(c.shots), T(0));
    p.before = p.now;
    const double largest = 0.5 * 4.0 / (nyquistSymbol(r) * sum);
    const auto onFreeFace = [&](int axis, int i) {
        return (i == 0 && c.face[axis * 2] == Face::Free) || (i == c.n[axis] - 1 && c.face[axis * 2 + 1] == Face::Free);
    };
    for (int z = 0; z < c.n[0]; ++z) {
        for (int y = 0; y < c.n[1]; ++y) {
            for (int x = 0; x < c.n[2]; ++x) {
                const bool still = onFreeFace(kZ, z) || (c.rank == 3 && onFreeFace(kY, y)) || onFreeFace(kX, x);
                p.c2[static_cast<std::size_t>(p.layout.at(z, y, x))] =
                    still ? T(0) : static_cast<T>(largest * random(0.3, 1.0));
                for (int shot = 0; shot < c.shots; ++shot) {
                    const auto i = static_cast<std::size_t>(p.layout.at(shot, z, y, x));
                    p.now[i] = still ? T(0) : static_cast<T>(random(-1.0, 1.0));
                    p.before[i] = still ? T(0) : static_cast<T>(random(-1.0, 1.0));
                }
            }
        }
    }
    if (c.density) { // everywhere: what stands in a halo is any density to a kernel
        for (T& c2 : p.c2) {
            p.density.push_back(static_cast<T>(1000.0 * random(0.8, 1.25)));
            c2 *= p.density.back();
        }
    }
    makeBoxes(p);
    makePoints(p, random);
    return p;
}

// The least domain that two layers and their reach fit in, and some nodes more along each axis.
inline Case caseOfMix(int rank, int order, const std::array<Face, 6>& mix, int moreRows)
{
    Case c;
    c.rank = rank;
    c.order = order;
    std::copy(mix.begin(), mix.end(), c.face);
    if (rank == 2) {
        c.face[2] = c.face[3] = Face::Zero;
    }
    const int least = 2 * (c.layer + order / 2) + order;
    c.n[0] = least + moreRows;
    c.n[1] = rank == 3 ? least + 2 : 1;
    c.n[2] = least + (rank == 3 ? 29 : 101);
    return c;
}

} // namespace ondo::check
