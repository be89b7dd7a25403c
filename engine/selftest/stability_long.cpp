// A million steps: closed boxes keep noise without growth, absorbing ones let it go and stay silent. Noise holds every
// wavenumber the grid can carry, Nyquist included; layers are also tried with a small alpha (1 Hz), where a layer that is
// not passive grows first.
#include "engine/selftest/groups.h"
#include "engine/selftest/shot.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ondo {

namespace {

constexpr auto kA = FaceCondition::Absorbing;
constexpr auto kF = FaceCondition::Free;
constexpr auto kR = FaceCondition::Rigid;

struct LongRun {
    int rank;
    Precision precision;
    std::array<FaceCondition, 6> faces;
    std::int64_t steps;
    double layerFrequency = 10.0;
    int order = 8;
    bool traps = false; // there are modes that hardly leave
};

HeldShot noisy(const LongRun& run, const std::shared_ptr<Device>& device)
{
    ShotSetup setup;
    // No axis may have fewer nodes than the order.
    setup.grid = run.rank == 3 ? *Grid::make3D(std::max(9, run.order), std::max(8, run.order), 10, 10.0, 10.0, 10.0)
                               : *Grid::make2D(19, 23, 10.0, 10.0);
    for (const double v : noise(static_cast<std::size_t>(setup.grid.nodes()), 31)) {
        setup.velocity.push_back(static_cast<float>(2500.0 + 500.0 * v));
    }
    setup.boundary.faces = run.faces;
    setup.boundary.layerCells = run.rank == 3 ? 4 : 6;
    setup.boundary.frequency = run.layerFrequency;
    setup.order = run.order;
    setup.precision = run.precision;
    setup.dt = 0.9 * stableDistance(setup.grid, run.order / 2) / 3000.0;
    setup.steps = 1;
    HeldShot held(setup, device);
    auto start = noise(static_cast<std::size_t>(held.plan->paddedNodes()), 77);
    // No mean: between rigid walls the mean is a neutral mode that round-off drives, which is not the scheme's affair.
    double mean = 0.0;
    for (const double v : start) {
        mean += v / static_cast<double>(start.size());
    }
    for (int z = 0; z < held.plan->nz; ++z) {
        for (int y = 0; y < held.plan->ny; ++y) {
            for (int x = 0; x < held.plan->nx; ++x) {
                const bool free = (z == 0 && run.faces[4] == kF) || (z == held.plan->nz - 1 && run.faces[5] == kF) ||
                                  (x == 0 && run.faces[0] == kF) || (x == held.plan->nx - 1 && run.faces[1] == kF);
                double& v = start[held.index(z, y, x)];
                v = free ? 0.0 : v - mean;
            }
        }
    }
    held.propagator->writeState(0, start, start);
    return held;
}

// Root mean square over the nodes and a few hundred steps: of the field without its mean, and of the mean.
struct Swell {
    double waves = 0.0, mean = 0.0;
    [[nodiscard]] double all() const { return std::hypot(waves, mean); }
};

Swell swell(HeldShot& held)
{
    Swell s;
    for (int i = 0; i < 40; ++i) {
        held.step(7);
        double squares = 0.0;
        double mean = 0.0;
        const auto p = held.now();
        const auto count = static_cast<double>(p.size());
        for (const double v : p) {
            squares += v * v / count;
            mean += v / count;
        }
        s.waves += (squares - mean * mean) / 40.0;
        s.mean += mean * mean / 40.0;
    }
    s.waves = std::sqrt(s.waves);
    s.mean = std::sqrt(s.mean);
    return s;
}

// Nothing restores the mean between rigid walls: rounding, half a unit in the last place of p at each node and step, sets it
// going for good, and n steps carry it eps p n^1.5 / sqrt(12 N) far. That is a wander, not growth: three times it is allowed.
SelftestOutcome closedBox(SelftestContext& context, const LongRun& run)
{
    auto held = noisy(run, context.device);
    const Swell early = swell(held);
    held.step(run.steps - held.propagator->stepsDone() - 280);
    const Swell late = swell(held);
    const double eps = run.precision == Precision::Float64 ? 2.2e-16 : 1.2e-7;
    const double wander = eps * early.all() * std::pow(static_cast<double>(run.steps), 1.5) /
                          std::sqrt(12.0 * static_cast<double>(held.plan->paddedNodes()));
    const double ratio = late.waves / early.waves;
    const std::string text = fmt::format("{} steps: waves {:.4g} Pa, then {:.4g} Pa; mean {:.2g} Pa, then {:.2g} Pa",
                                         held.propagator->stepsDone(), early.waves, late.waves, early.mean, late.mean);
    if (!(late.mean < 1.1 * early.mean + 3.0 * wander)) {
        return judged(late.mean, 1.1 * early.mean + 3.0 * wander, "Pa of mean", "three times what rounding explains",
                      text);
    }
    return judged(ratio, 1.1, "times the early swell",
                  "the mean square of a random field wanders by some per cent; growth would know no bound", text);
}

SelftestOutcome absorbing(SelftestContext& context, const LongRun& run)
{
    auto held = noisy(run, context.device);
    const double early = swell(held).all();
    held.step(run.steps / 100);
    const double middle = swell(held).all();
    held.step(run.steps - held.propagator->stepsDone() - 280);
    const double late = swell(held).all();
    const std::string text = fmt::format("{} steps: {:.3g} Pa, {:.3g} Pa at a hundredth, {:.3g} Pa at the end",
                                         held.propagator->stepsDone(), early, middle, late);
    if (run.traps) {
        return judged(late / middle, 1.0, "of what was left at a hundredth of the run",
                      "a mode held by fast nodes at a rigid face leaves slowly, and must never grow", text);
    }
    return judged(std::max(late / middle, 5.0 * late / early), 0.5, "of what was left at a hundredth of the run",
                  "noise leaves, the slowest (no group velocity) last, and must never grow", text);
}

} // namespace

void addStabilityCases(std::vector<SelftestCase>& out)
{
    for (const auto precision : {Precision::Float32, Precision::Float64}) {
        const std::string p = precisionName(precision);
        const auto add = [&](const std::string& name, bool slow, LongRun run, bool box) {
            out.push_back({"stability", fmt::format("{}, {}", name, p), slow,
                           [run, box](SelftestContext& c) { return box ? closedBox(c, run) : absorbing(c, run); }});
        };
        for (int k = 0; k < 2; ++k) {
            const bool slow = k == 1;
            const std::int64_t steps = slow ? 1'000'000 : 20'000;
            const std::string many = slow ? "a million steps" : "20 000 steps";
            add("2-D box of free and rigid faces, " + many, slow, {2, precision, {kF, kR, kR, kR, kF, kR}, steps},
                true);
            add("3-D box of free and rigid faces, " + many, slow, {3, precision, {kR, kR, kR, kF, kF, kR}, steps},
                true);
            add("2-D box of rigid faces, " + many, slow, {2, precision, {kR, kR, kR, kR, kR, kR}, steps}, true);
            add("2-D absorbing layers, " + many, slow, {2, precision, {kA, kA, kA, kA, kA, kA}, steps}, false);
            add("2-D absorbing layers with a small alpha, " + many, slow,
                {2, precision, {kA, kA, kA, kA, kA, kA}, steps, 1.0}, false);
            add("2-D absorbing layers below a free face, order 4, " + many, slow,
                {2, precision, {kA, kA, kA, kA, kF, kA}, steps, 1.0, 4}, false);
            add("3-D absorbing layers below a free face, " + many, slow,
                {3, precision, {kA, kA, kA, kA, kF, kA}, slow ? 1'000'000 : 5'000, 1.0, 4}, false);
        }
        // Each order has a pair of first derivatives of its own; every kind of face meets a layer at an edge.
        for (const int order : {2, 4, 6, 8, 10}) {
            const auto name = [order](int rank) {
                return fmt::format("{}-D layers beside a rigid and a free face, order {}, ", rank, order);
            };
            const std::array<FaceCondition, 6> faces = {kA, kR, kA, kA, kF, kA};
            add(name(2) + "20 000 steps", false, {2, precision, faces, 20'000, 1.0, order, true}, false);
            add(name(2) + "a million steps", true, {2, precision, faces, 1'000'000, 1.0, order, true}, false);
            add(name(3) + "100 000 steps", true, {3, precision, faces, 100'000, 1.0, order, true}, false);
        }
    }
}

} // namespace ondo
