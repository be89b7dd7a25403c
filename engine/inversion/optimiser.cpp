#include "engine/inversion/optimiser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

namespace ondo {

namespace {

constexpr double kDecrease = 1e-4; // of what the slope promises: Armijo's
constexpr double kSlope = 0.9;     // of the first slope: Wolfe's

double dot(const Numbers& a, const Numbers& b)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double largest(const Numbers& a)
{
    double most = 0.0;
    for (const double v : a) {
        most = std::max(most, std::abs(v));
    }
    return most;
}

Numbers difference(const Numbers& a, const Numbers& b)
{
    Numbers d(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        d[i] = a[i] - b[i];
    }
    return d;
}

void keepFree(const std::vector<bool>& free, Numbers& v)
{
    for (std::size_t i = 0; i < v.size(); ++i) {
        v[i] = free[i] ? v[i] : 0.0;
    }
}

void negate(Numbers& v)
{
    for (double& one : v) {
        one = -one;
    }
}

class Steepest : public Optimiser {
public:
    explicit Steepest(Terrain terrain)
        : m_terrain(std::move(terrain))
    {
    }
    Numbers direction(const Numbers& x, const Numbers& gradient) override
    {
        Numbers d = shaped(x, gradient);
        negate(d);
        return d;
    }
    void restart() override {}

protected:
    // Preconditioned, with nothing on numbers that cannot move: before, so that their slopes do not leak by smoothing, and
    // after.
    [[nodiscard]] Numbers shaped(const Numbers& x, Numbers gradient) const
    {
        const auto free = m_terrain.freeNumbers(x, gradient);
        keepFree(free, gradient);
        Numbers z = m_terrain.precondition(gradient);
        keepFree(free, z);
        return z;
    }

    Terrain m_terrain;
};

class ConjugateGradient final : public Steepest {
public:
    using Steepest::Steepest;
    Numbers direction(const Numbers& x, const Numbers& gradient) override
    {
        const Numbers z = shaped(x, gradient);
        Numbers d = z;
        negate(d);
        if (!m_direction.empty() && m_slope > 0.0) {
            const double beta = std::max(0.0, dot(z, difference(gradient, m_gradient)) / m_slope);
            for (std::size_t i = 0; i < d.size(); ++i) {
                d[i] += beta * m_direction[i];
            }
            keepFree(m_terrain.freeNumbers(x, gradient), d);
            if (!(dot(d, gradient) < 0.0)) {
                d = z;
                negate(d);
            }
        }
        m_direction = d;
        m_gradient = gradient;
        m_slope = dot(z, gradient);
        return d;
    }
    void restart() override { m_direction.clear(); }

private:
    Numbers m_direction, m_gradient;
    double m_slope = 0.0;
};

class Lbfgs final : public Steepest {
public:
    Lbfgs(Terrain terrain, int memory)
        : Steepest(std::move(terrain))
        , m_memory(static_cast<std::size_t>(memory))
    {
    }

    Numbers direction(const Numbers& x, const Numbers& gradient) override
    {
        remember(x, gradient);
        const auto free = m_terrain.freeNumbers(x, gradient);
        Numbers q = gradient;
        keepFree(free, q);
        Numbers share(m_pairs.size());
        for (std::size_t i = m_pairs.size(); i-- > 0;) {
            const Pair& p = m_pairs[i];
            share[i] = dot(p.s, q) / p.sy;
            for (std::size_t k = 0; k < q.size(); ++k) {
                q[k] -= share[i] * p.y[k];
            }
        }
        Numbers z = m_terrain.precondition(q);
        if (!m_pairs.empty()) {
            for (double& v : z) {
                v *= m_pairs.back().scale;
            }
        }
        for (std::size_t i = 0; i < m_pairs.size(); ++i) {
            const Pair& p = m_pairs[i];
            const double back = share[i] - dot(p.y, z) / p.sy;
            for (std::size_t k = 0; k < z.size(); ++k) {
                z[k] += back * p.s[k];
            }
        }
        keepFree(free, z);
        negate(z);
        return z;
    }
    void restart() override
    {
        m_pairs.clear();
        m_x.clear();
    }
    void remember(const Numbers& x, const Numbers& gradient) override
    {
        if (!m_x.empty()) {
            Pair p{difference(x, m_x), difference(gradient, m_gradient), 0.0, 1.0};
            p.sy = dot(p.s, p.y);
            // Without curvature along the step the matrix would not stay positive.
            if (p.sy > 1e-10 * std::sqrt(dot(p.s, p.s)) * std::sqrt(dot(p.y, p.y))) {
                const double shaped = dot(p.y, m_terrain.precondition(p.y));
                p.scale = shaped > 0.0 ? p.sy / shaped : 1.0;
                m_pairs.push_back(std::move(p));
                if (m_pairs.size() > m_memory) {
                    m_pairs.pop_front();
                }
            }
        }
        m_x = x;
        m_gradient = gradient;
    }
    bool scaled() const override { return !m_pairs.empty(); }

private:
    struct Pair {
        Numbers s, y;
        double sy = 0.0, scale = 1.0;
    };

    std::size_t m_memory;
    std::deque<Pair> m_pairs;
    Numbers m_x, m_gradient;
};

// Kingma and Ba 2015, on the preconditioned gradient; the step is a length in the numbers' own unit.
class Adam final : public Steepest {
public:
    Adam(Terrain terrain, double step)
        : Steepest(std::move(terrain))
        , m_step(step)
    {
    }
    Numbers direction(const Numbers& x, const Numbers& gradient) override
    {
        const Numbers z = shaped(x, gradient);
        m_mean.resize(z.size(), 0.0);
        m_square.resize(z.size(), 0.0);
        ++m_count;
        for (std::size_t i = 0; i < z.size(); ++i) {
            m_mean[i] = 0.9 * m_mean[i] + 0.1 * z[i];
            m_square[i] = 0.999 * m_square[i] + 0.001 * z[i] * z[i];
        }
        const double ofMean = 1.0 - std::pow(0.9, m_count);
        const double ofSquare = 1.0 - std::pow(0.999, m_count);
        // Relative, for a gradient has whatever unit: numbers whose gradients are small beside the largest move less.
        const double floor = 1e-3 * std::sqrt(largest(m_square) / ofSquare);
        Numbers d(z.size(), 0.0);
        for (std::size_t i = 0; i < z.size() && floor > 0.0; ++i) {
            d[i] = -m_step * (m_mean[i] / ofMean) / (std::sqrt(m_square[i] / ofSquare) + floor);
        }
        keepFree(m_terrain.freeNumbers(x, gradient), d);
        return d;
    }
    void restart() override
    {
        m_mean.clear();
        m_square.clear();
        m_count = 0;
    }
    bool fixedStep() const override { return true; }

private:
    double m_step;
    int m_count = 0;
    Numbers m_mean, m_square;
};

// H d = -g by preconditioned conjugate gradients, H the curvature among the numbers that can move. Ended early: each d so far
// goes downhill. Knows nothing of other iterates.
class GaussNewton final : public Steepest {
public:
    GaussNewton(Terrain terrain, int inner)
        : Steepest(std::move(terrain))
        , m_inner(inner)
    {
    }

    Numbers direction(const Numbers& x, const Numbers& gradient) override
    {
        m_failure = {};
        m_products = 0;
        const auto free = m_terrain.freeNumbers(x, gradient);
        Numbers r = gradient; // H d + g
        keepFree(free, r);
        const double enough = kLeft * kLeft * dot(r, r);
        Numbers d(r.size(), 0.0);
        Numbers z = freely(r, free);
        Numbers p = z;
        negate(p);
        double rz = dot(r, z);
        while (m_products < m_inner && rz > 0.0 && dot(r, r) > enough) {
            auto hp = m_terrain.curvature(x, p);
            ++m_products;
            if (!hp) {
                m_failure = tl::unexpected<Error>(hp.error());
                break;
            }
            keepFree(free, *hp);
            const double curved = dot(p, *hp);
            if (!(curved > 0.0)) {
                break; // this way it never turns
            }
            const double along = rz / curved;
            for (std::size_t i = 0; i < d.size(); ++i) {
                d[i] += along * p[i];
                r[i] += along * (*hp)[i];
            }
            z = freely(r, free);
            const double next = dot(r, z);
            for (std::size_t i = 0; i < p.size(); ++i) {
                p[i] = next / rz * p[i] - z[i];
            }
            rz = next;
        }
        m_scaled = largest(d) > 0.0;
        return m_scaled ? d : Steepest::direction(x, gradient);
    }
    void remember(const Numbers& /*x*/, const Numbers& /*gradient*/) override {}
    Result<> failure() const override { return m_failure; }
    int products() const override { return m_products; }
    bool scaled() const override { return m_scaled; }
    std::string remark() const override
    {
        return m_scaled ? std::string() : "gauss-newton: no curvature along the gradient; the steepest way is taken";
    }

private:
    static constexpr double kLeft = 0.1; // of the gradient

    [[nodiscard]] Numbers freely(const Numbers& r, const std::vector<bool>& free) const
    {
        Numbers z = m_terrain.precondition(r);
        keepFree(free, z);
        return z;
    }

    int m_inner;
    int m_products = 0;
    bool m_scaled = false;
    Result<> m_failure;
};

struct Trial {
    double length = 0.0;
    Numbers x;
    Evaluation at;
    double slope = 0.0; // along the path, by length
    bool good = false;  // computed at all
};

// Where the cubic through two values and slopes is least, kept off the ends.
double between(double a, double fa, double ga, double b, double fb, double gb)
{
    const double d1 = ga + gb - 3.0 * (fa - fb) / (a - b);
    const double square = d1 * d1 - ga * gb;
    double t = 0.5 * (a + b);
    if (square > 0.0) {
        const double d2 = std::copysign(std::sqrt(square), b - a);
        const double cubic = b - (b - a) * (gb + d2 - d1) / (gb - ga + 2.0 * d2);
        t = std::isfinite(cubic) ? cubic : t;
    }
    return std::clamp(t, std::min(a, b) + 0.1 * std::abs(b - a), std::max(a, b) - 0.1 * std::abs(b - a));
}

class Search {
public:
    Search(const Objective& objective, const Terrain& terrain, const OptimiserOptions& options, const Numbers& x,
           const Evaluation& at)
        : m_objective(objective)
        , m_terrain(terrain)
        , m_options(options)
        , m_x(x)
        , m_at(at)
    {
    }

    // None: no lower value along d.
    Result<bool> along(const Numbers& d, double first, Step& out)
    {
        const double slope = dot(d, m_at.gradient);
        const double most = m_options.mostStep / largest(d);
        Trial low{0.0, m_x, m_at, slope, true}; // the best that is low enough
        double high = -1.0;                     // a length that is too much; none yet
        Trial bad;
        double length = std::min(first, most);
        for (int i = 0; i < m_options.mostTrials; ++i) {
            auto tried = attempt(d, length);
            ++out.evaluations;
            if (!tried) {
                return tl::unexpected<Error>(tried.error());
            }
            Trial t = std::move(*tried);
            if (t.good && enough(t) && t.at.value < low.at.value) {
                low = std::move(t);
                // Flat enough, turned around, or nothing further: done.
                if (low.slope >= kSlope * slope || low.length >= most || high > 0.0) {
                    break;
                }
                length = std::min(most, 3.0 * low.length);
            } else {
                if (low.length > 0.0) {
                    break; // further was worse: what there is will do
                }
                high = length;
                bad = std::move(t);
                length = bad.good ? std::min(0.5 * high, between(0.0, m_at.value, slope, high, bad.at.value, bad.slope))
                                  : 0.25 * high;
            }
        }
        if (!(low.length > 0.0)) {
            return false;
        }
        out.change = largest(difference(low.x, m_x));
        out.length = low.length;
        out.x = std::move(low.x);
        out.at = std::move(low.at);
        return true;
    }

private:
    [[nodiscard]] bool enough(const Trial& t) const
    {
        return t.at.value <= m_at.value + kDecrease * dot(m_at.gradient, difference(t.x, m_x));
    }

    Result<Trial> attempt(const Numbers& d, double length)
    {
        Trial t;
        t.length = length;
        t.x = m_terrain.moved(m_x, d, length);
        auto at = m_objective(t.x);
        if (!at) {
            if (at.error().kind == ErrorKind::Unstable) {
                return t; // as if it were far too high
            }
            return tl::unexpected<Error>(at.error());
        }
        t.at = std::move(*at);
        t.good = std::isfinite(t.at.value);
        t.slope = dot(t.at.gradient, difference(t.x, m_x)) / length;
        return t;
    }

    const Objective& m_objective;
    const Terrain& m_terrain;
    const OptimiserOptions& m_options;
    const Numbers& m_x;
    const Evaluation& m_at;
};

Result<Step> plainStep(const Objective& objective, const Terrain& terrain, const Numbers& x, const Numbers& d)
{
    Step out;
    out.x = terrain.moved(x, d, 1.0);
    auto at = objective(out.x);
    if (!at) {
        return tl::unexpected<Error>(at.error());
    }
    out.at = std::move(*at);
    out.length = 1.0;
    out.evaluations = 1;
    out.change = largest(difference(out.x, x));
    return out;
}

} // namespace

const std::vector<std::string_view>& optimiserNames()
{
    static const std::vector<std::string_view> names = {"lbfgs", "cg", "steepest", "adam", "gauss-newton"};
    return names;
}

Result<> checkOptimiser(const OptimiserOptions& o)
{
    const auto& names = optimiserNames();
    if (std::find(names.begin(), names.end(), o.method) == names.end()) {
        return badInput(fmt::format("\"{}\" is no optimiser", o.method),
                        fmt::format("use one of: {}", fmt::join(names, ", ")));
    }
    if (o.memory < 1 || o.memory > 1000) {
        return badInput(fmt::format("a memory of {} steps", o.memory), "give 1 to 1000; 5 to 20 is usual");
    }
    if (!(o.firstStep > 0.0) || !(o.mostStep >= o.firstStep) || !std::isfinite(o.mostStep)) {
        return badInput(fmt::format("a first step of {:g} and a largest of {:g}", o.firstStep, o.mostStep),
                        "give 0 < first step <= largest step");
    }
    if (o.inner < 1 || o.inner > 1000) {
        return badInput(fmt::format("{} inner products a step", o.inner), "give 1 to 1000; 3 to 10 is usual");
    }
    if (o.mostTrials < 1 || o.mostTrials > 100) {
        return badInput(fmt::format("{} trials a step", o.mostTrials), "give 1 to 100; 8 is usual");
    }
    return {};
}

Result<std::unique_ptr<Optimiser>> makeOptimiser(const OptimiserOptions& options, Terrain terrain)
{
    if (auto ok = checkOptimiser(options); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    std::unique_ptr<Optimiser> made;
    if (options.method == "cg") {
        made = std::make_unique<ConjugateGradient>(std::move(terrain));
    } else if (options.method == "steepest") {
        made = std::make_unique<Steepest>(std::move(terrain));
    } else if (options.method == "gauss-newton") {
        if (!terrain.curvature) {
            return badInput("the optimiser \"gauss-newton\" without the misfit's curvature", "use lbfgs");
        }
        made = std::make_unique<GaussNewton>(std::move(terrain), options.inner);
    } else if (options.method == "adam") {
        made = std::make_unique<Adam>(std::move(terrain), options.firstStep);
    } else {
        made = std::make_unique<Lbfgs>(std::move(terrain), options.memory);
    }
    return made;
}

Result<Step> takeStep(const Objective& objective, Optimiser& optimiser, const Terrain& terrain,
                      const OptimiserOptions& options, const Numbers& x, const Evaluation& at, double lastChange)
{
    Numbers d = optimiser.direction(x, at.gradient);
    if (auto ok = optimiser.failure(); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    if (optimiser.fixedStep() && largest(d) > 0.0) {
        return plainStep(objective, terrain, x, d);
    }
    Step out;
    out.evaluations = optimiser.products();
    out.remark = optimiser.remark();
    for (int round = 0; round < 2; ++round) {
        const double size = largest(d);
        if (size > 0.0 && std::isfinite(size) && dot(d, at.gradient) < 0.0) {
            // Without a scale of its own a step begins a little longer than the last one ended.
            const double usual = lastChange > 0.0 ? std::min(2.0 * lastChange, options.mostStep) : options.firstStep;
            Search search(objective, terrain, options, x, at);
            auto found = search.along(d, optimiser.scaled() ? 1.0 : usual / size, out);
            if (!found) {
                return tl::unexpected<Error>(found.error());
            }
            if (*found) {
                return out;
            }
        }
        // Once more without memory, where there was any.
        if ((!optimiser.scaled() && options.method != "cg") || options.method == "gauss-newton") {
            break;
        }
        optimiser.restart();
        out.restarted = true;
        lastChange = 0.0;
        d = optimiser.direction(x, at.gradient);
    }
    out.x = x;
    out.at = at;
    out.stuck = true;
    return out;
}

} // namespace ondo
