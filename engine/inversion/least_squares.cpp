#include "engine/inversion/least_squares.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace ondo {

namespace {

double square(const std::vector<double>& v)
{
    return std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
}

// a + factor * b
void add(std::vector<double>& a, double factor, const std::vector<double>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        a[i] += factor * b[i];
    }
}

} // namespace

Result<LeastSquaresResult> solveLeastSquares(const LinearPair& pair, std::vector<double> b,
                                             const LeastSquaresOptions& options, std::vector<double> transposed,
                                             const LeastSquaresHook& hook)
{
    const double whole = square(b);
    if (!(whole > 0.0)) {
        return badInput("there is nothing to fit: the data are zero", "look at the data, their windows and mutes");
    }
    if (transposed.empty()) {
        auto first = pair.transpose(b);
        if (!first) {
            return tl::unexpected<Error>(first.error());
        }
        transposed = std::move(*first);
    }
    std::vector<double> p = std::move(transposed);
    double gamma = square(p);
    const double start = gamma;
    if (!(gamma > 0.0)) {
        return badInput("no parameter changes the data: their image is zero",
                        "look at mutes, and whether the record is long enough for echoes to come back");
    }
    LeastSquaresResult out;
    out.x.assign(p.size(), 0.0);
    std::vector<double> r = std::move(b);
    double lambda = 0.0;
    double last = 1.0;
    for (int k = 1; k <= options.iterations; ++k) {
        const auto q = pair.apply(p);
        if (!q) {
            return tl::unexpected<Error>(q.error());
        }
        const double along = square(p);
        if (k == 1) {
            lambda = options.damping * square(*q) / along;
        }
        const double curvature = square(*q) + lambda * along;
        if (!(curvature > 0.0)) {
            out.ended = "the direction changes nothing in the data";
            break;
        }
        const double length = gamma / curvature;
        std::vector<double> x = out.x;
        std::vector<double> left = r;
        add(x, length, p);
        add(left, -length, *q);
        const double data = square(left);
        const double objective = (data + lambda * square(x)) / whole;
        if (!(objective <= last)) {
            out.ended = "the objective does not fall any more: what is left is rounding";
            break;
        }
        out.x = std::move(x);
        r = std::move(left);
        last = objective;
        auto s = pair.transpose(r);
        if (!s) {
            return tl::unexpected<Error>(s.error());
        }
        add(*s, -lambda, out.x);
        const double next = square(*s);
        out.steps.push_back({k, std::sqrt(data / whole), objective, std::sqrt(next / start), length});
        if (hook) {
            if (auto ok = hook(out.steps.back(), out.x); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
        if (std::sqrt(next / start) <= options.enough) {
            out.ended = "the gradient is as small as was asked for";
            break;
        }
        const double beta = next / gamma;
        gamma = next;
        for (std::size_t i = 0; i < p.size(); ++i) {
            p[i] = (*s)[i] + beta * p[i];
        }
    }
    return out;
}

} // namespace ondo
