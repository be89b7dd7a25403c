#include "engine/propagator/domain.h"

#include "kernels/core/cpml.h"
#include "kernels/core/stencil.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ondo {

using kernels::Box;
using kernels::kHigh;
using kernels::kLow;
using kernels::kNone;

namespace {

constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};

} // namespace

LayerProfile layerProfile(int nodes, int low, int high, int radius, double spacing, double dt, double vMax,
                          double reflection, double frequency)
{
    const auto size = static_cast<std::size_t>(nodes + 2 * radius);
    const std::vector<double> zeros(size, 0.0);
    LayerProfile p{zeros, zeros, zeros, zeros};
    const double leastAlpha = kernels::leastLayerAlpha(radius);
    const auto set = [&](double at, double& a, double& b) {
        const double depthLow = low - at;
        const double depthHigh = at - (nodes - 1 - high);
        const double depth = std::max(depthLow, depthHigh);
        if (depth <= 0.0) {
            return;
        }
        const int width = depthLow > 0.0 ? low : high;
        const double q = depth / width;
        const double mean = -0.5 * std::log(reflection) / width; // nepers a cell
        const double power = std::clamp(2.0 / mean - 1.0, 2.0, 3.0);
        const double sigma = (power + 1.0) * mean * vMax / spacing * std::pow(q, power);
        const double alpha = std::max(std::numbers::pi * frequency * (1.0 - q), leastAlpha * sigma);
        a = std::exp(-(sigma + alpha) * dt);
        b = sigma / (sigma + alpha) * (a - 1.0);
    };
    for (int i = 0; i < nodes; ++i) {
        const auto k = static_cast<std::size_t>(i + radius);
        set(i, p.a[k], p.b[k]);
        if (i < nodes - 1) {
            set(i + 0.5, p.aHalf[k], p.bHalf[k]);
        }
    }
    return p;
}

kernels::Layout makeLayout(const SimulationPlan& plan)
{
    return kernels::Layout::make(plan.model.grid().rank, plan.nz, plan.ny, plan.nx, plan.radius,
                                 plan.layerLow[2] > 0 ? plan.layerLow[2] + plan.radius : 0);
}

DomainBoxes makeBoxes(const SimulationPlan& plan)
{
    const int rank = plan.model.grid().rank;
    const int n[3] = {plan.nz, plan.ny, plan.nx};
    // Cuts along each axis: the layer and the reach of its stencil, the interior, the other layer.
    struct Part {
        int from, to;
        signed char side;
    };
    std::vector<Part> parts[3];
    for (int axis = 0; axis < 3; ++axis) {
        const int low = plan.layerLow[axis] > 0 ? plan.layerLow[axis] + plan.radius : 0;
        const int high = plan.layerHigh[axis] > 0 ? plan.layerHigh[axis] + plan.radius : 0;
        if (low > 0) {
            parts[axis].push_back({0, low, static_cast<signed char>(kLow)});
        }
        parts[axis].push_back({low, n[axis] - high, static_cast<signed char>(kNone)});
        if (high > 0) {
            parts[axis].push_back({n[axis] - high, n[axis], static_cast<signed char>(kHigh)});
        }
    }
    DomainBoxes out;
    std::vector<Box> layers;
    for (const auto& z : parts[0]) {
        for (const auto& y : parts[1]) {
            for (const auto& x : parts[2]) {
                Box box{z.from, z.to, y.from, y.to, x.from, x.to, {z.side, y.side, x.side}};
                if (box.nodes() <= 0) {
                    continue;
                }
                (z.side == kNone && y.side == kNone && x.side == kNone ? out.boxes : layers).push_back(box);
            }
        }
    }
    out.interior = static_cast<int>(out.boxes.size());
    out.layers = static_cast<int>(layers.size());
    out.boxes.insert(out.boxes.end(), layers.begin(), layers.end());

    for (int axis = 0; axis < 3; ++axis) {
        if (axis == kernels::kY && rank == 2) {
            continue;
        }
        for (int high = 0; high < 2; ++high) {
            if (plan.run.boundary.at(kFaces[axis][high]) == FaceCondition::Absorbing) {
                continue;
            }
            int from[3] = {0, 0, 0};
            int to[3] = {n[0], n[1], n[2]};
            from[axis] = high == 1 ? n[axis] - 1 : 0;
            to[axis] = from[axis] + 1;
            Box box{from[0], to[0], from[1], to[1], from[2], to[2], {kNone, kNone, kNone}};
            box.side[axis] = static_cast<signed char>(high == 1 ? kHigh : kLow);
            out.boxes.push_back(box);
            ++out.mirrors;
        }
    }
    return out;
}

template<class T>
kernels::PadModel<T> makePadModel(const SimulationPlan& plan, const kernels::Layout& layout)
{
    const Grid& g = plan.model.grid();
    const int user[3] = {g.nz, g.ny, g.nx};
    kernels::PadModel<T> body;
    body.layout = layout;
    body.dt = plan.time.innerStep();
    for (int a = 0; a < 3; ++a) {
        body.user[a] = user[a];
        body.low[a] = plan.layerLow[a];
        for (int side = 0; side < 2; ++side) {
            const bool faces = a != kernels::kY || g.rank == 3;
            const bool isFree = faces && plan.run.boundary.at(kFaces[a][side]) == FaceCondition::Free;
            body.isFree[2 * a + side] = isFree ? 1 : 0;
        }
    }
    return body;
}

template kernels::PadModel<float> makePadModel(const SimulationPlan&, const kernels::Layout&);
template kernels::PadModel<double> makePadModel(const SimulationPlan&, const kernels::Layout&);

template<class T>
kernels::PadDensity<T> makePadDensity(const SimulationPlan& plan, const kernels::Layout& layout)
{
    kernels::PadDensity<T> body;
    body.model = makePadModel<T>(plan, layout);
    for (int a = 0; a < 3; ++a) {
        for (int side = 0; side < 2; ++side) {
            body.mirrors[2 * a + side] = plan.run.boundary.at(kFaces[a][side]) != FaceCondition::Absorbing ? 1 : 0;
        }
    }
    return body;
}

template kernels::PadDensity<float> makePadDensity(const SimulationPlan&, const kernels::Layout&);
template kernels::PadDensity<double> makePadDensity(const SimulationPlan&, const kernels::Layout&);

int modelArrays(const SimulationPlan& plan)
{
    return plan.variableDensity() ? 2 : 1;
}

std::size_t slabNumbers(const SimulationPlan& plan, int axis)
{
    const int low = plan.layerLow[axis];
    const int high = plan.layerHigh[axis];
    if (low + high == 0) {
        return 0;
    }
    const int nodes[3] = {plan.nz, plan.ny, plan.nx};
    kernels::AxisLayer<float> slab;
    kernels::placeSlab(slab, axis, nodes, low, high, plan.radius);
    return static_cast<std::size_t>(slab.shot);
}

std::size_t stateBytes(const SimulationPlan& plan)
{
    const std::int64_t n[3] = {plan.nz, plan.ny, plan.nx};
    const std::int64_t halo = 2 * std::int64_t{plan.radius};
    const bool volume = plan.model.grid().rank == 3;
    const std::int64_t field = (n[0] + halo) * (volume ? n[1] + halo : 1) * (n[2] + halo);
    std::int64_t slabs = 0;
    for (int a = 0; a < 3; ++a) {
        const std::int64_t layers = std::int64_t{plan.layerLow[a]} + plan.layerHigh[a];
        slabs += layers > 0 ? 2 * (plan.paddedNodes() / n[a]) * (layers + 2 * halo) : 0;
    }
    const auto shots =
        std::min<std::int64_t>(plan.run.shotsAtOnce, static_cast<std::int64_t>(plan.run.survey.shots.size()));
    const std::size_t element = plan.run.precision == Precision::Float64 ? sizeof(double) : sizeof(float);
    return static_cast<std::size_t>(field * (2 * shots + modelArrays(plan)) + slabs * shots) * element;
}

std::int64_t layerNodes(const SimulationPlan& plan)
{
    const int n[3] = {plan.nz, plan.ny, plan.nx};
    std::int64_t nodes = 0;
    for (int a = 0; a < 3; ++a) {
        nodes += plan.paddedNodes() / n[a] * (plan.layerLow[a] + plan.layerHigh[a]);
    }
    return nodes;
}

} // namespace ondo
