// Laws that hold whatever the model is: energy between rigid walls, reciprocity, and the receiver operator as the transpose
// of the source operator. Convention A is reciprocal as it stands: p(xr; xs) = p(xs; xr), without a factor of speed.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ondo {

namespace {

// Speeds between 1500 and 3500 m/s, different at every node.
std::vector<float> roughSpeeds(const Grid& grid, std::uint64_t seed)
{
    std::vector<float> v;
    for (const double x : noise(static_cast<std::size_t>(grid.nodes()), seed)) {
        v.push_back(static_cast<float>(2500.0 + 1000.0 * x));
    }
    return v;
}

// Order 8 from the published fractions, even images by index; nodal volumes halved on the walls. Nothing of ours.
struct RigidBox {
    int n[3];
    double h;

    [[nodiscard]] std::size_t at(int z, int y, int x) const
    {
        return static_cast<std::size_t>((std::int64_t{z} * n[1] + y) * n[2] + x);
    }
    [[nodiscard]] double volume(const std::array<int, 3>& i) const
    {
        double v = 1.0;
        for (std::size_t a = 0; a < 3; ++a) {
            v *= n[a] > 1 && (i[a] == 0 || i[a] == n[a] - 1) ? 0.5 : 1.0;
        }
        return v;
    }
    [[nodiscard]] double laplacian(const std::vector<double>& p, const std::array<int, 3>& i) const
    {
        constexpr double kTaps[5] = {-205.0 / 72, 8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
        double sum = 0.0;
        for (std::size_t a = 0; a < 3; ++a) {
            if (n[a] == 1) {
                continue;
            }
            for (int k = -4; k <= 4; ++k) {
                auto j = i;
                j[a] = std::abs(j[a] + k);
                j[a] = j[a] > n[a] - 1 ? 2 * (n[a] - 1) - j[a] : j[a];
                sum += kTaps[std::abs(k)] * p[at(j[0], j[1], j[2])];
            }
        }
        return sum / (h * h);
    }
    // Kinetic and potential energy between two instants, per rho c^2 of nothing in particular.
    [[nodiscard]] double energy(const std::vector<double>& now, const std::vector<double>& before,
                                const std::vector<float>& speed, double dt) const
    {
        double e = 0.0;
        std::array<int, 3> i{};
        for (i[0] = 0; i[0] < n[0]; ++i[0]) {
            for (i[1] = 0; i[1] < n[1]; ++i[1]) {
                for (i[2] = 0; i[2] < n[2]; ++i[2]) {
                    const auto k = at(i[0], i[1], i[2]);
                    const double c = static_cast<double>(speed[k]);
                    const double rate = (now[k] - before[k]) / dt;
                    e += 0.5 * volume(i) * (rate * rate / (c * c) - now[k] * laplacian(before, i));
                }
            }
        }
        return e;
    }
};

SelftestOutcome energyBetweenWalls(SelftestContext& context, int rank, Precision precision)
{
    ShotSetup setup;
    setup.grid = rank == 3 ? *Grid::make3D(23, 19, 21, 10.0, 10.0, 10.0) : *Grid::make2D(61, 47, 10.0, 10.0);
    setup.velocity = roughSpeeds(setup.grid, 11);
    setup.setAllFaces(FaceCondition::Rigid);
    setup.precision = precision;
    setup.dt = 0.6 * stableDistance(setup.grid, 4) / 3500.0;
    const int quiet = static_cast<int>(0.25 / setup.dt);
    setup.steps = quiet + 4000;
    const Grid& g = setup.grid;
    setup.addShot({{{0.43 * g.lengthX(), 0.31 * g.lengthY(), 0.57 * g.lengthZ()}, Wavelet::ricker(14.0, 0.11)}}, {});
    HeldShot held(setup, context.device);
    const RigidBox box{{g.nz, g.ny, g.nx}, 10.0};
    held.step(quiet);
    double first = 0.0;
    double worst = 0.0;
    for (int check = 0; check <= 20; ++check) {
        std::vector<double> now;
        std::vector<double> before;
        held.propagator->readState(0, now, before);
        const double e = box.energy(now, before, setup.velocity, setup.dt);
        first = check == 0 ? e : first;
        worst = std::max(worst, std::abs(e / first - 1.0));
        held.step(200);
    }
    const bool single = precision == Precision::Float32;
    return judged(worst, single ? 1e-3 : 1e-10, "of the energy",
                  single ? "the issue's bound" : "the scheme keeps it exactly: round-off of 4000 steps",
                  "random speeds, 4000 steps after the source fell silent");
}

// A box of random speeds; sides as given, top free, left rigid.
ShotSetup roughBox(Precision precision, FaceCondition sides, int rank)
{
    ShotSetup setup;
    setup.grid = rank == 3 ? *Grid::make3D(25, 21, 23, 10.0, 11.0, 9.0, {50.0, -40.0, 20.0})
                           : *Grid::make2D(60, 71, 10.0, 9.0, {50.0, 0.0, 20.0});
    setup.velocity = roughSpeeds(setup.grid, 5);
    setup.setAllFaces(sides);
    setup.boundary.at(Face::ZLow) = FaceCondition::Free;
    setup.boundary.at(Face::XLow) = FaceCondition::Rigid;
    setup.boundary.layerCells = rank == 3 ? 8 : 20;
    setup.precision = precision;
    setup.dt = 0.7 * stableDistance(setup.grid, 4) / 3500.0;
    return setup;
}

// In cells from the low corner: below the free face, beside the rigid one, and inside.
Position placed(const Grid& g, double z, double y, double x)
{
    return {g.origin.x + x * g.dx, g.rank == 3 ? g.origin.y + y * g.dy : 0.0, g.origin.z + z * g.dz};
}

SelftestOutcome reciprocity(SelftestContext& context, Precision precision, FaceCondition sides, int rank)
{
    auto setup = roughBox(precision, sides, rank);
    setup.steps = rank == 3 ? 200 : 900;
    const Grid& g = setup.grid;
    // Four cells or more from absorbing faces: a point whose nodes reach into a layer is damped there, by 3e-5 at three cells.
    const Position pairs[3][2] = {{placed(g, 0.35, 6.2, 11.7), placed(g, 17.4, 12.9, 0.4)},
                                  {placed(g, 1.6, 5.3, 0.0), placed(g, 20.3, 14.1, 18.6)},
                                  {placed(g, 0.8, 6.4, 0.7), placed(g, 9.0, 11.0, 8.0)}};
    const auto wavelet = Wavelet::ricker(18.0, 0.085);
    for (const auto& pair : pairs) {
        setup.addShot({{pair[0], wavelet}}, {pair[1]});
        setup.addShot({{pair[1], wavelet}}, {pair[0]});
    }
    const auto traces = runShots(setup, context.device);
    double worst = 0.0;
    for (std::size_t i = 0; i < traces.size(); i += 2) {
        worst = std::max(worst,
                         truth::largestDifference(traces[i].p[0], traces[i + 1].p[0]) / truth::largest(traces[i].p[0]));
    }
    const bool exact = precision == Precision::Float64;
    return judged(worst, exact ? 1e-11 : 1e-5, "of the peak",
                  exact ? "the scheme is reciprocal exactly: round-off" : "the issue's bound",
                  "random speeds, off the grid, less than a cell from free and rigid faces");
}

// <F x, y> = <x, F' y> for random x and y, F' being the run from the receivers back with time reversed (PEERS P14).
SelftestOutcome dotProduct(SelftestContext& context, Precision precision, int order)
{
    auto setup = roughBox(precision, FaceCondition::Rigid, 2);
    setup.order = order;
    setup.dt = 0.6 * stableDistance(setup.grid, order / 2) / 3500.0;
    setup.steps = 400;
    const Grid& g = setup.grid;
    const Position source = placed(g, 0.6, 0.0, 33.3);
    std::vector<Position> receivers;
    for (int r = 0; r < 7; ++r) {
        receivers.push_back(placed(g, 3.3 + 7.1 * r, 0.0, 0.4 + 8.9 * r));
    }
    const auto n = static_cast<std::size_t>(setup.steps);
    const auto x = noise(n, 3);
    std::vector<std::vector<double>> y;
    std::vector<Source> back;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        y.push_back(noise(n, 100 + r));
        back.push_back({receivers[r], sampledWavelet({y[r].rbegin(), y[r].rend()}, setup.dt)});
    }
    setup.addShot({{source, sampledWavelet(x, setup.dt)}}, receivers);
    setup.addShot(back, {source});
    const auto traces = runShots(setup, context.device);
    double forward = 0.0;
    double size = 0.0;
    for (std::size_t r = 0; r < receivers.size(); ++r) {
        for (std::size_t k = 0; k < n; ++k) {
            forward += traces[0].p[r][k + 1] * y[r][k];
            size += std::abs(traces[0].p[r][k + 1] * y[r][k]);
        }
    }
    double adjoint = 0.0;
    for (std::size_t k = 0; k < n; ++k) {
        adjoint += traces[1].p[0][n - k] * x[k];
    }
    const bool single = precision == Precision::Float32;
    return judged(std::abs(forward - adjoint) / std::sqrt(size * std::abs(forward)), single ? 1e-5 : 1e-11,
                  "of the product", single ? "TRUTHS (k), single" : "TRUTHS (k), double",
                  fmt::format("<Fx,y> = {:.12g}, its terms sum to {:.3g} without their signs", forward, size));
}

// Sum over nodes of V a (S e) = (R a): e one source at a point, R the receiver there, a random field.
SelftestOutcome transpose(SelftestContext& context, int rank)
{
    auto setup = roughBox(Precision::Float64, FaceCondition::Rigid, rank);
    setup.boundary.at(Face::ZHigh) = FaceCondition::Free;
    setup.steps = 2;
    const Grid g = setup.grid;
    auto field = noise(static_cast<std::size_t>(g.nodes()), 21);
    const int plane = g.ny * g.nx;
    std::fill_n(field.begin(), plane, 0.0);
    std::fill_n(field.end() - plane, plane, 0.0);
    const std::vector<Position> points = {placed(g, 0.2, 0.3, 0.4),  placed(g, 1.7, 5.5, 0.0),
                                          placed(g, 9.3, 20.0, 2.6), placed(g, g.nz - 1.3, 10.1, g.nx - 1.2),
                                          placed(g, 7.0, 0.0, 0.0),  placed(g, 11.4, 9.9, 12.5)};
    setup.addShot({{placed(g, 5, 5, 5), Wavelet::ricker(10.0, 0.0, 0.0)}}, points);
    HeldShot reader(setup, context.device);
    auto negative = field;
    for (auto& v : negative) {
        v = -v;
    }
    // p(n) = 0 and p(n-1) = -a give p(n+1) = a.
    reader.propagator->writeState(0, std::vector<double>(field.size(), 0.0), negative);
    reader.step(1);
    std::vector<double> read;
    reader.propagator->readTraces(1, 2, read);
    double worst = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        auto one = setup;
        one.shots.clear();
        one.addShot({{points[i], sampledWavelet({1.0, 0.0, 0.0, 0.0}, setup.dt)}}, {});
        HeldShot source(one, context.device);
        source.step(1);
        const auto p = source.now();
        double sum = 0.0;
        double size = 0.0;
        for (std::size_t k = 0; k < p.size(); ++k) {
            const int z = static_cast<int>(k) / plane;
            const int y = static_cast<int>(k) / g.nx % g.ny;
            const int x = static_cast<int>(k) % g.nx;
            const double volume = g.dz * g.dx * (rank == 3 ? g.dy : 1.0) * (x == 0 || x == g.nx - 1 ? 0.5 : 1.0) *
                                  (rank == 3 && (y == 0 || y == g.ny - 1) ? 0.5 : 1.0) *
                                  (z == 0 || z == g.nz - 1 ? 0.5 : 1.0);
            const double cdt = static_cast<double>(setup.velocity[k]) * setup.dt;
            sum += volume * field[k] * p[k] / (cdt * cdt);
            size += std::abs(volume * field[k] * p[k] / (cdt * cdt));
        }
        worst = std::max(worst, std::abs(sum - read[i]) / size);
    }
    return judged(worst, 1e-13, "of the sum of magnitudes", "equal but for the order of a sum",
                  "points in corners, on faces, inside; volumes halved on rigid faces");
}

} // namespace

void addConservationCases(std::vector<SelftestCase>& out)
{
    const auto add = [&out](const std::string& name, auto run) { out.push_back({"physics", name, false, run}); };
    for (const auto precision : {Precision::Float32, Precision::Float64}) {
        const std::string p = precisionName(precision);
        for (int rank = 2; rank <= 3; ++rank) {
            add(fmt::format("energy between rigid walls, {}-D, {}", rank, p),
                [=](SelftestContext& c) { return energyBetweenWalls(c, rank, precision); });
            add(fmt::format("reciprocity in a closed box, {}-D, {}", rank, p),
                [=](SelftestContext& c) { return reciprocity(c, precision, FaceCondition::Rigid, rank); });
            add(fmt::format("reciprocity with absorbing sides, {}-D, {}", rank, p),
                [=](SelftestContext& c) { return reciprocity(c, precision, FaceCondition::Absorbing, rank); });
        }
        for (const int order : {4, 8, 12}) {
            add(fmt::format("dot product of a run and the run back, order {}, {}", order, p),
                [=](SelftestContext& c) { return dotProduct(c, precision, order); });
        }
    }
    for (int rank = 2; rank <= 3; ++rank) {
        add(fmt::format("receivers are the transpose of sources, {}-D", rank),
            [rank](SelftestContext& c) { return transpose(c, rank); });
    }
}

} // namespace ondo
