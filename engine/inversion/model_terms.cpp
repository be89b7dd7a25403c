#include "engine/inversion/model_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ondo {

namespace {

struct Axis {
    int count = 1;
    std::size_t stride = 1;
    double spacing = 1.0;
};

// z, y, x; y has one node in two dimensions.
std::array<Axis, 3> axesOf(const Grid& g)
{
    return {{{g.nz, static_cast<std::size_t>(g.ny) * static_cast<std::size_t>(g.nx), g.dz},
             {g.ny, static_cast<std::size_t>(g.nx), g.dy},
             {g.nx, 1, g.dx}}};
}

int along(const Axis& a, std::size_t node)
{
    return static_cast<int>(node / a.stride % static_cast<std::size_t>(a.count));
}

// Weights of 0, 1, .. samples away, summing to 1 on both sides.
std::vector<double> gaussian(double samples)
{
    const int reach = static_cast<int>(std::ceil(4.0 * samples));
    std::vector<double> w;
    double sum = 0.0;
    for (int k = 0; k <= reach; ++k) {
        w.push_back(std::exp(-0.5 * k * k / (samples * samples)));
        sum += (k == 0 ? 1.0 : 2.0) * w.back();
    }
    for (double& v : w) {
        v /= sum;
    }
    return w;
}

// ... 1 0 | 0 1 .. n-1 | n-1 n-2 ...: with the edge node twice the convolution is symmetric as a matrix.
int mirrored(int i, int n)
{
    const int period = 2 * n;
    i = (i % period + period) % period;
    return i < n ? i : period - 1 - i;
}

void smoothAlong(const Axis& a, const std::vector<double>& w, std::vector<double>& values)
{
    std::vector<double> line(static_cast<std::size_t>(a.count));
    for (std::size_t node = 0; node < values.size(); ++node) {
        if (along(a, node) != 0) {
            continue;
        }
        for (std::size_t i = 0; i < line.size(); ++i) {
            line[i] = values[node + i * a.stride];
        }
        for (int i = 0; i < a.count; ++i) {
            double sum = w[0] * line[static_cast<std::size_t>(i)];
            for (int k = 1; k < static_cast<int>(w.size()); ++k) {
                sum += w[static_cast<std::size_t>(k)] * (line[static_cast<std::size_t>(mirrored(i - k, a.count))] +
                                                         line[static_cast<std::size_t>(mirrored(i + k, a.count))]);
            }
            values[node + static_cast<std::size_t>(i) * a.stride] = sum;
        }
    }
}

} // namespace

double Roughness::judge(const Grid& grid, const std::vector<double>& v, std::vector<double>& gradient) const
{
    if (!any()) {
        return 0.0;
    }
    const auto axes = axesOf(grid);
    const double length = std::max({grid.lengthX(), grid.lengthY(), grid.lengthZ()});
    const double share = 1.0 / static_cast<double>(v.size());
    double sum = 0.0;
    for (std::size_t node = 0; node < v.size(); ++node) {
        double factor[3] = {0.0, 0.0, 0.0};
        double slope[3] = {0.0, 0.0, 0.0};
        double square = 0.0;
        for (std::size_t a = 0; a < 3; ++a) {
            if (along(axes[a], node) + 1 < axes[a].count) {
                factor[a] = length / speed / axes[a].spacing;
                slope[a] = (v[node + axes[a].stride] - v[node]) * factor[a];
                square += slope[a] * slope[a];
            }
        }
        const double variation = std::sqrt(square + epsilon * epsilon);
        sum += tikhonov * 0.5 * square + totalVariation * (variation - epsilon);
        for (std::size_t a = 0; a < 3; ++a) {
            const double d = share * (tikhonov + totalVariation / variation) * slope[a] * factor[a];
            if (d != 0.0) {
                gradient[node + axes[a].stride] += d;
                gradient[node] -= d;
            }
        }
    }
    return sum * share;
}

Result<> checkRoughness(const Roughness& r)
{
    if (!(r.tikhonov >= 0.0) || !(r.totalVariation >= 0.0) || !std::isfinite(r.tikhonov + r.totalVariation)) {
        return badInput(
            fmt::format("weights of {:g} (tikhonov) and {:g} (total variation)", r.tikhonov, r.totalVariation),
            "give 0 for none, or a positive number; the data misfit begins at 1");
    }
    if (!(r.epsilon > 0.0) || !(r.speed > 0.0)) {
        return badInput(fmt::format("a total variation smoothed by {:g} at a speed of {:g} m/s", r.epsilon, r.speed),
                        "give positive numbers; without smoothing it has no derivative where the model is constant");
    }
    return {};
}

std::vector<double> SpeedBounds::moved(const std::vector<double>& v, const std::vector<double>& direction,
                                       double step) const
{
    std::vector<double> out(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
        const bool stays = !fixed.empty() && fixed[i];
        // A node that begins outside the box and does not move is left there.
        out[i] = stays || direction[i] == 0.0
                     ? v[i]
                     : static_cast<double>(static_cast<float>(std::clamp(v[i] + step * direction[i], low, high)));
    }
    return out;
}

std::vector<bool> SpeedBounds::freeNodes(const std::vector<double>& v, const std::vector<double>& gradient) const
{
    std::vector<bool> free(v.size(), true);
    for (std::size_t i = 0; i < v.size(); ++i) {
        const bool stays = !fixed.empty() && fixed[i];
        // The bounds as a float may hold them.
        const bool below = v[i] <= static_cast<double>(static_cast<float>(low)) && gradient[i] > 0.0;
        const bool above = v[i] >= static_cast<double>(static_cast<float>(high)) && gradient[i] < 0.0;
        free[i] = !stays && !below && !above;
    }
    return free;
}

void smoothGaussian(const Grid& grid, double length, std::vector<double>& values)
{
    for (const Axis& a : axesOf(grid)) {
        // Below a fifth of a cell the neighbours' weight is under 4e-6.
        if (a.count > 1 && length > 0.2 * a.spacing) {
            smoothAlong(a, gaussian(length / a.spacing), values);
        }
    }
}

Result<Preconditioner> Preconditioner::make(const Grid& grid, const std::vector<double>& illumination, double water,
                                            double length, const std::vector<bool>& fixed)
{
    if (!(length >= 0.0) || !std::isfinite(length)) {
        return badInput(fmt::format("a smoothing over {:g} m", length), "give metres, or 0 for none");
    }
    Preconditioner p;
    p.m_grid = grid;
    p.m_length = length / std::sqrt(2.0); // applied twice
    p.m_root.assign(static_cast<std::size_t>(grid.nodes()), 1.0);
    if (!illumination.empty()) {
        if (!(water > 0.0) || !std::isfinite(water)) {
            return badInput(fmt::format("an illumination's water level of {:g}", water),
                            "give a positive share of its mean; where there is no light, nothing else bounds the step");
        }
        double sum = 0.0;
        for (const double v : illumination) {
            sum += v;
        }
        const double mean = sum / static_cast<double>(illumination.size());
        if (!(mean > 0.0) || !std::isfinite(mean)) {
            return badInput(fmt::format("an illumination of mean {:g}: no source reaches the model", mean),
                            "look at the wavelets and the duration");
        }
        for (std::size_t i = 0; i < p.m_root.size(); ++i) {
            p.m_root[i] = 1.0 / std::sqrt(illumination[i] / mean + water);
        }
    }
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        p.m_root[i] = fixed[i] ? 0.0 : p.m_root[i];
    }
    return p;
}

std::vector<double> Preconditioner::apply(std::vector<double> gradient) const
{
    const auto weigh = [&] {
        for (std::size_t i = 0; i < gradient.size(); ++i) {
            gradient[i] *= m_root[i];
        }
    };
    weigh();
    smoothGaussian(m_grid, m_length, gradient);
    smoothGaussian(m_grid, m_length, gradient);
    weigh();
    return gradient;
}

} // namespace ondo
