// A run and its mirror image, or the same run with its axes exchanged, must give the same field: every face condition on every
// face, every corner. Catches an axis, a side or a layer that is treated unlike its fellows.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ondo {

namespace {

// A run told by axis (z, y, x), so that axes can be exchanged and turned round.
struct ByAxis {
    int rank = 2;
    std::array<int, 3> n{1, 1, 1};
    std::array<double, 3> h{10.0, 10.0, 10.0};
    std::array<std::array<FaceCondition, 2>, 3> face{};
    std::array<double, 3> source{}; // nodes
    std::vector<float> speed;
};

struct Turn {
    std::array<std::size_t, 3> axis{0, 1, 2}; // new axis a is old axis axis[a]
    std::array<bool, 3> flip{};               // by new axis
};

template<class T>
std::vector<T> turned(const std::vector<T>& values, const std::array<int, 3>& n, const Turn& turn)
{
    const std::array<int, 3> m = {n[turn.axis[0]], n[turn.axis[1]], n[turn.axis[2]]};
    std::vector<T> out;
    out.reserve(values.size());
    std::array<int, 3> i{};
    for (i[0] = 0; i[0] < m[0]; ++i[0]) {
        for (i[1] = 0; i[1] < m[1]; ++i[1]) {
            for (i[2] = 0; i[2] < m[2]; ++i[2]) {
                std::array<int, 3> old{};
                for (std::size_t a = 0; a < 3; ++a) {
                    old[turn.axis[a]] = turn.flip[a] ? m[a] - 1 - i[a] : i[a];
                }
                out.push_back(values[static_cast<std::size_t>((std::int64_t{old[0]} * n[1] + old[1]) * n[2] + old[2])]);
            }
        }
    }
    return out;
}

ByAxis turned(const ByAxis& run, const Turn& turn)
{
    ByAxis out = run;
    for (std::size_t a = 0; a < 3; ++a) {
        const std::size_t o = turn.axis[a];
        out.n[a] = run.n[o];
        out.h[a] = run.h[o];
        out.face[a] = run.face[o];
        out.source[a] = run.source[o];
        if (turn.flip[a]) {
            std::swap(out.face[a][0], out.face[a][1]);
            out.source[a] = run.n[o] - 1 - run.source[o];
        }
    }
    out.speed = turned(run.speed, run.n, turn);
    return out;
}

// The field at the end on the computed domain, and that domain's size.
std::pair<std::vector<double>, std::array<int, 3>> fieldOf(SelftestContext& context, const ByAxis& run,
                                                           Precision precision, int order)
{
    ShotSetup setup;
    setup.grid = run.rank == 3 ? *Grid::make3D(run.n[0], run.n[1], run.n[2], run.h[0], run.h[1], run.h[2])
                               : *Grid::make2D(run.n[0], run.n[2], run.h[0], run.h[2]);
    setup.velocity = run.speed;
    constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};
    for (std::size_t a = 0; a < 3; ++a) {
        setup.boundary.at(kFaces[a][0]) = run.face[a][0];
        setup.boundary.at(kFaces[a][1]) = run.face[a][1];
    }
    setup.boundary.layerCells = 6;
    setup.order = order;
    setup.precision = precision;
    setup.dt = 0.8 * stableDistance(setup.grid, order / 2) / 3000.0;
    setup.steps = run.rank == 3 ? 60 : 150;
    setup.addShot(
        {{{run.source[2] * run.h[2], run.rank == 3 ? run.source[1] * run.h[1] : 0.0, run.source[0] * run.h[0]},
          Wavelet::ricker(60.0, 0.02)}},
        {});
    HeldShot held(setup, context.device);
    held.step(setup.steps);
    return {held.now(), {held.plan->nz, held.plan->ny, held.plan->nx}};
}

std::vector<Turn> turnsOf(int rank)
{
    std::vector<std::array<std::size_t, 3>> orders = {{0, 1, 2}, {2, 1, 0}};
    if (rank == 3) {
        orders = {{0, 1, 2}, {2, 1, 0}, {1, 0, 2}, {0, 2, 1}};
    }
    std::vector<Turn> all;
    for (const auto& order : orders) {
        for (unsigned mask = 0; mask < 8; ++mask) {
            const Turn turn{order, {(mask & 1U) != 0, (mask & 2U) != 0, (mask & 4U) != 0}};
            if (rank == 2 && turn.flip[1]) {
                continue;
            }
            // Every corner of the axes as they are; of the exchanged ones a few are enough in three dimensions.
            if (rank == 3 && order[0] + order[2] != 2 && mask != 5) {
                continue;
            }
            all.push_back(turn);
        }
    }
    return all;
}

// first: the condition of axis z low, the others follow cyclically, so that all pairs of conditions meet in corners.
SelftestOutcome mirrored(SelftestContext& context, int rank, Precision precision, bool mixed, FaceCondition all)
{
    ByAxis run;
    run.rank = rank;
    run.n = rank == 3 ? std::array<int, 3>{15, 17, 19} : std::array<int, 3>{37, 1, 43};
    run.h = {10.0, 11.0, 9.0};
    int next = 0;
    for (auto& axis : run.face) {
        for (auto& face : axis) {
            face = mixed ? static_cast<FaceCondition>(next++ % 3) : all;
        }
    }
    run.source = rank == 3 ? std::array<double, 3>{6.3, 9.2, 5.6} : std::array<double, 3>{13.3, 0.0, 21.6};
    for (const double v : noise(static_cast<std::size_t>(run.n[0] * run.n[1] * run.n[2]), 9)) {
        run.speed.push_back(static_cast<float>(2500.0 + 500.0 * v));
    }
    double worst = 0.0;
    int count = 0;
    for (const int order : {4, 8}) {
        const auto [field, n] = fieldOf(context, run, precision, order);
        const double peak = truth::largest(field);
        for (const auto& turn : turnsOf(rank)) {
            const auto [image, m] = fieldOf(context, turned(run, turn), precision, order);
            worst = std::max(worst, truth::largestDifference(image, turned(field, n, turn)) / peak);
            ++count;
        }
    }
    const bool single = precision == Precision::Float32;
    return judged(worst, single ? 2e-6 : 4e-15, "of the peak", "round-off: sums over axes and weights in another order",
                  fmt::format("{} images, orders 4 and 8, random speeds", count));
}

} // namespace

void addSymmetryCases(std::vector<SelftestCase>& out)
{
    for (int rank = 2; rank <= 3; ++rank) {
        for (const auto precision : {Precision::Float32, Precision::Float64}) {
            for (int k = 0; k < 4; ++k) {
                const bool mixed = k == 3;
                const auto all = static_cast<FaceCondition>(k % 3);
                const std::string faces = mixed ? "all conditions mixed" : std::string(conditionName(all)) + " faces";
                out.push_back({"physics",
                               fmt::format("mirror images, {}-D, {}, {}", rank, faces, precisionName(precision)), false,
                               [=](SelftestContext& c) { return mirrored(c, rank, precision, mixed, all); }});
            }
        }
    }
}

} // namespace ondo
