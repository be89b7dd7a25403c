// tiny_gradient.csv and taylor.csv of ../shared/reference/truth (k): a gradient known to twenty digits from another program
// (40 decimal digits, another adjoint), and its Taylor remainders.
#include "engine/selftest/adjoint_setup.h"
#include "engine/selftest/groups.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace ondo {

namespace {

// 1-D, 12 points, h = 1, dt = 0.1, 120 steps, zero outside, m = 1/c^2 = 1; true m = 1.3 at points 5 and 6. Half of it: the
// problem is symmetric.
constexpr std::array<double, 6> kGradient = {-0.000041223994040747400565, -0.001142511940150009858,
                                             0.0030615073352317123014,    -0.0064621641061234806681,
                                             -0.0064062596317957087077,   -0.0064021930895614972836};
constexpr double kMisfit = 0.0016519070194068454655;
// |J(m + h dm) - J - h g.dm|, dm_i = (-1)^i / (i + 2), h = 2^-1 ... 2^-8.
constexpr std::array<double, 8> kRemainder = {0.00010383324073, 2.66324839849e-5, 6.695876099e-6, 1.67654379251e-6,
                                              4.19346248541e-7, 1.04856551041e-7, 2.621626322e-8, 6.55430879793e-9};
constexpr int kPoints = 12, kSteps = 120;
constexpr double kStep = 0.1;

double wavelet(int step)
{
    const double t = (step + 1) * kStep;
    const double a = std::pow(std::numbers::pi * 0.8 * (t - 1.2), 2);
    return (1.0 - 2.0 * a) * std::exp(-a);
}

// The problem's own forward run, as the table's author states it.
std::vector<double> plainTraces(const std::array<double, kPoints>& m)
{
    std::array<double, kPoints + 2> now{};
    std::array<double, kPoints + 2> before{};
    std::vector<double> d;
    for (int n = 0; n < kSteps; ++n) {
        std::array<double, kPoints + 2> next{};
        for (std::size_t i = 1; i <= kPoints; ++i) {
            const double s = i == 4 ? wavelet(n) : 0.0;
            next[i] =
                2.0 * now[i] - before[i] + kStep * kStep / m[i - 1] * (now[i - 1] - 2.0 * now[i] + now[i + 1] + s);
        }
        before = now;
        now = next;
        d.push_back(now[9]);
    }
    return d;
}

double plainMisfit(const std::array<double, kPoints>& m, const std::vector<double>& observed)
{
    const auto d = plainTraces(m);
    double sum = 0.0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        sum += 0.5 * (d[i] - observed[i]) * (d[i] - observed[i]);
    }
    return sum;
}

std::vector<double> observedTraces()
{
    std::array<double, kPoints> truth{};
    truth.fill(1.0);
    truth[5] = truth[6] = 1.3;
    return plainTraces(truth);
}

// The same problem in two dimensions: two rows between rigid walls, alike at all times; beyond the points p = 0, as on free
// faces one node further out. A source of half the strength on each row makes the plane source.
std::shared_ptr<const SimulationPlan> tinyPlan(const Device& device)
{
    ShotSetup setup;
    setup.grid = *Grid::make2D(2, kPoints + 2, 1.0, 1.0, {-1.0, 0.0, 0.0});
    setup.velocity = {1.0F};
    setup.boundary.faces = {FaceCondition::Free,  FaceCondition::Free,  FaceCondition::Rigid,
                            FaceCondition::Rigid, FaceCondition::Rigid, FaceCondition::Rigid};
    setup.order = 2;
    setup.precision = Precision::Float64;
    setup.dt = kStep;
    setup.steps = kSteps;
    std::vector<double> series;
    for (int n = 0; n < kSteps; ++n) {
        series.push_back(0.5 * wavelet(n));
    }
    const auto f = sampledWavelet(series, kStep);
    setup.addShot({{{3.0, 0.0, 0.0}, f}, {{3.0, 0.0, 1.0}, f}}, {{8.0, 0.0, 0.0}});
    return planOf(setup, device);
}

// By point, per 1/c^2: both rows' nodes together, dc/dm = -c^3 / 2.
Gradient tinyGradient(SelftestContext& context, std::array<double, kPoints>& out)
{
    const auto plan = tinyPlan(*context.device);
    const auto observed = observedTraces();
    // J = 1/2 sum r^2, without the time step.
    const MisfitFunction misfit = [&observed](int, const TraceTable& t) -> Result<Residual> {
        Residual r;
        r.values.assign(t.values.size(), 0.0);
        for (std::size_t k = 0; k < observed.size(); ++k) {
            const double d = t.values[k + 1] - observed[k];
            r.misfit += 0.5 * d * d;
            r.values[k + 1] = d;
        }
        return r;
    };
    auto g = gradientOf(plan, context.device, misfit);
    for (std::size_t i = 0; i < kPoints; ++i) {
        out[i] = -0.5 * (g.speed[i + 1] + g.speed[i + 1 + kPoints + 2]);
    }
    return g;
}

SelftestOutcome tiny(SelftestContext& context)
{
    std::array<double, kPoints> m{};
    const auto g = tinyGradient(context, m);
    double worst = std::abs(g.misfit / kMisfit - 1.0);
    for (std::size_t i = 0; i < kPoints; ++i) {
        const double expected = kGradient[std::min(i, kPoints - 1 - i)];
        worst = std::max(worst, std::abs(m[i] - expected) / std::abs(kGradient[3]));
    }
    return judged(worst, 1e-12, "of the peak", "twelve digits, as the table promises; 240 steps in double",
                  fmt::format("J = {:.16g}", g.misfit));
}

SelftestOutcome tinyTaylor(SelftestContext& context)
{
    std::array<double, kPoints> g{};
    tinyGradient(context, g);
    const auto observed = observedTraces();
    std::array<double, kPoints> m{};
    m.fill(1.0);
    const double start = plainMisfit(m, observed);
    double worst = 0.0;
    for (std::size_t k = 0; k < kRemainder.size(); ++k) {
        const double h = std::ldexp(1.0, -static_cast<int>(k) - 1);
        double along = 0.0;
        auto there = m;
        for (std::size_t i = 0; i < kPoints; ++i) {
            const double d = (i % 2 == 0 ? 1.0 : -1.0) / (static_cast<double>(i) + 2.0);
            there[i] += h * d;
            along += g[i] * d;
        }
        const double rest = std::abs(plainMisfit(there, observed) - start - h * along);
        worst = std::max(worst, std::abs(rest / kRemainder[k] - 1.0));
    }
    return judged(worst, 1e-7, "relative", "the smallest remainder is 4e-6 of J: twelve digits less six, and round-off",
                  "eight halvings, the device's gradient and the table's own forward run");
}

} // namespace

void addAdjointTruthCases(std::vector<SelftestCase>& out)
{
    out.push_back({"adjoint", "the tiny problem's gradient to twelve digits", false, tiny});
    out.push_back({"adjoint", "the tiny problem's Taylor remainders", false, tinyTaylor});
}

} // namespace ondo
