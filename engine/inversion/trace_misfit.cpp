#include "engine/inversion/trace_misfit.h"

#include "engine/core/fourier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ondo {

namespace {

using Trace = std::span<const double>;

double dot(Trace a, Trace b)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

double rootMeanSquare(Trace a)
{
    return a.empty() ? 0.0 : std::sqrt(dot(a, a) / static_cast<double>(a.size()));
}

TraceMisfit leastSquares(Trace s, Trace d, double dt, const TraceMisfitOptions&, std::span<double> out)
{
    double sum = 0.0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double r = s[i] - d[i];
        sum += r * r;
        out[i] = r * dt;
    }
    return {0.5 * sum * dt, true};
}

TraceMisfit correlation(Trace s, Trace d, double, const TraceMisfitOptions&, std::span<double> out)
{
    const double ofS = std::sqrt(dot(s, s));
    const double ofD = std::sqrt(dot(d, d));
    if (!(ofS > 0.0) || !(ofD > 0.0)) {
        return {};
    }
    const double c = dot(s, d) / ofS / ofD;
    for (std::size_t i = 0; i < s.size(); ++i) {
        out[i] = (c * s[i] / ofS - d[i] / ofD) / ofS;
    }
    return {1.0 - c, true};
}

TraceMisfit huber(Trace s, Trace d, double dt, const TraceMisfitOptions& options, std::span<double> out)
{
    const double threshold = options.huberThreshold * rootMeanSquare(d);
    if (!(threshold > 0.0)) {
        return {};
    }
    double sum = 0.0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double r = s[i] - d[i];
        const bool near = std::abs(r) <= threshold;
        sum += near ? 0.5 * r * r : threshold * (std::abs(r) - 0.5 * threshold);
        out[i] = (near ? r : std::copysign(threshold, r)) * dt;
    }
    return {sum * dt, true};
}

Spectrum spectrumOf(Trace a)
{
    // Twice as long: what the transform takes to be periodic must not reach around.
    Spectrum x(fourierLength(2 * a.size()));
    std::copy(a.begin(), a.end(), x.begin());
    fourier(x);
    return x;
}

// Of a trace with zeros beyond it; as a matrix on the trace it is antisymmetric.
std::vector<double> hilbert(Trace a)
{
    Spectrum x = spectrumOf(a);
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double w = angularFrequency(k, x.size(), 1.0);
        x[k] *= std::complex<double>(0.0, w > 0.0 ? -1.0 : (w < 0.0 ? 1.0 : 0.0));
    }
    fourier(x, true);
    std::vector<double> out(a.size());
    std::transform(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(a.size()), out.begin(),
                   [](const std::complex<double>& v) { return v.real(); });
    return out;
}

TraceMisfit envelope(Trace s, Trace d, double dt, const TraceMisfitOptions& options, std::span<double> out)
{
    const double floor = options.envelopeFloor * rootMeanSquare(d);
    if (!(floor > 0.0)) {
        return {};
    }
    const auto quadrature = hilbert(s);
    const auto observed = hilbert(d);
    double sum = 0.0;
    std::vector<double> back(s.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        const double e = std::sqrt(s[i] * s[i] + quadrature[i] * quadrature[i] + floor * floor);
        const double r = e - std::sqrt(d[i] * d[i] + observed[i] * observed[i] + floor * floor);
        sum += r * r;
        out[i] = r / e * s[i] * dt;
        back[i] = r / e * quadrature[i] * dt;
    }
    const auto turned = hilbert(back);
    for (std::size_t i = 0; i < s.size(); ++i) {
        out[i] -= turned[i];
    }
    return {0.5 * sum * dt, true};
}

// C(tau) = sum over t of d(t) s(t + tau) as a trigonometric polynomial: its derivatives at any tau.
struct CrossCorrelation {
    Spectrum product; // conj(D) S
    Spectrum ofObserved;
    double dt = 0.0;

    CrossCorrelation(Trace s, Trace d, double interval)
        : product(spectrumOf(s))
        , ofObserved(spectrumOf(d))
        , dt(interval)
    {
        for (std::size_t k = 0; k < product.size(); ++k) {
            product[k] *= std::conj(ofObserved[k]);
        }
    }

    [[nodiscard]] double derivative(int order, double tau) const
    {
        double sum = 0.0;
        for (std::size_t k = 0; k < product.size(); ++k) {
            const double w = angularFrequency(k, product.size(), dt);
            const std::complex<double> turn(0.0, w);
            sum += (product[k] * (order == 1 ? turn : turn * turn) * std::polar(1.0, w * tau)).real();
        }
        return sum / static_cast<double>(product.size());
    }

    [[nodiscard]] Lag largest(std::size_t samples) const
    {
        Spectrum c = product;
        fourier(c, true);
        std::ptrdiff_t best = 0;
        double most = -std::numeric_limits<double>::infinity();
        const auto n = static_cast<std::ptrdiff_t>(samples);
        const auto length = static_cast<std::ptrdiff_t>(c.size());
        for (std::ptrdiff_t lag = -(n - 1); lag < n; ++lag) {
            const double v = c[static_cast<std::size_t>((lag + length) % length)].real();
            if (v > most) {
                most = v;
                best = lag;
            }
        }
        if (!(most > 0.0)) {
            return {};
        }
        const double start = static_cast<double>(best) * dt;
        double tau = start;
        for (int i = 0; i < 50; ++i) {
            const double curvature = derivative(2, tau);
            if (!(curvature < 0.0)) {
                return {};
            }
            const double step = derivative(1, tau) / curvature;
            tau -= step;
            if (std::abs(tau - start) > dt) {
                return {}; // not the maximum between the neighbours of the largest sample
            }
            if (std::abs(step) < 1e-13 * dt) {
                break;
            }
        }
        return {tau, true};
    }
};

TraceMisfit travelTime(Trace s, Trace d, double dt, const TraceMisfitOptions&, std::span<double> out)
{
    const CrossCorrelation c(s, d, dt);
    const Lag lag = c.largest(s.size());
    if (!lag.found) {
        return {};
    }
    // C'(tau; s) = 0 holds tau as a function of s: dtau/ds = - (dC'/ds) / C''.
    Spectrum x = c.ofObserved;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double w = angularFrequency(k, x.size(), dt);
        x[k] = std::conj(x[k]) * std::complex<double>(0.0, w) * std::polar(1.0, w * lag.seconds);
    }
    fourier(x);
    const double factor = -lag.seconds / c.derivative(2, lag.seconds) / static_cast<double>(x.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
        out[i] = factor * x[i].real();
    }
    return {0.5 * lag.seconds * lag.seconds, true};
}

// Mass 1 in cells of dt, and what it is by sample before that.
struct Density {
    std::vector<double> mass, slope; // slope: of the unscaled mass by its sample
    double total = 0.0;

    Density(Trace a, double sharpness)
    {
        for (const double v : a) {
            const double x = sharpness * v;
            // log(1 + e^x) without overflow; a cell without mass would have no time of its own.
            mass.push_back(std::max(std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))), 1e-200));
            slope.push_back(sharpness / (1.0 + std::exp(-x)));
            total += mass.back();
        }
        for (double& m : mass) {
            m /= total;
        }
    }
};

TraceMisfit transport(Trace s, Trace d, double dt, const TraceMisfitOptions& options, std::span<double> out)
{
    const double size = rootMeanSquare(d);
    if (!(size > 0.0)) {
        return {};
    }
    const Density from(s, options.transportSharpness / size);
    const Density to(d, options.transportSharpness / size);
    // Both ways through the cells at once, by equal mass: in each piece either time is linear in the other. The
    // potential
    // phi(t) = integral of (t - T(t)) is what a unit of mass at t adds; of a cell, its mean.
    std::vector<double> potential(s.size(), 0.0);
    double value = 0.0;
    double phi = 0.0;
    std::size_t i = 0;
    std::size_t j = 0;
    double inI = 0.0; // mass of cell i, of cell j, that is done
    double inJ = 0.0;
    while (i < s.size()) {
        const double restI = from.mass[i] - inI;
        const double restJ = j < d.size() ? to.mass[j] - inJ : restI;
        const double step = std::min(restI, restJ);
        const std::size_t cell = std::min(j, d.size() - 1);
        const double a = (static_cast<double>(i) + inI / from.mass[i]) * dt;
        const double b = a + step / from.mass[i] * dt;
        const double atA = (static_cast<double>(cell) + inJ / to.mass[cell]) * dt;
        const double way = a - atA;
        const double wayEnd = b - (atA + step / to.mass[cell] * dt);
        value += step * (way * way + way * wayEnd + wayEnd * wayEnd) / 6.0;
        // phi is a square in the piece, and its integral a cube: Simpson's rule is exact.
        const double length = b - a;
        const double middle = phi + 0.25 * length * (way + 0.5 * (way + wayEnd));
        const double end = phi + 0.5 * length * (way + wayEnd);
        potential[i] += length / 6.0 * (phi + 4.0 * middle + end) / dt;
        phi = end;
        inI += step;
        inJ += step;
        if (restI <= restJ) {
            ++i;
            inI = 0.0;
        }
        if (restJ <= restI && j < d.size()) {
            ++j;
            inJ = 0.0;
        }
    }
    // Of a mass that is scaled to 1.
    const double mean = dot(potential, from.mass);
    for (std::size_t k = 0; k < s.size(); ++k) {
        out[k] = (potential[k] - mean) * from.slope[k] / from.total;
    }
    return {value, true};
}

} // namespace

Lag correlationLag(Trace synthetic, Trace observed, double dt)
{
    return CrossCorrelation(synthetic, observed, dt).largest(synthetic.size());
}

const std::vector<TraceMisfitKind>& traceMisfitKinds()
{
    static const std::vector<TraceMisfitKind> kinds = {
        {"l2", "Pa^2 s", leastSquares},   {"correlation", "1", correlation}, {"huber", "Pa^2 s", huber},
        {"envelope", "Pa^2 s", envelope}, {"traveltime", "s^2", travelTime}, {"transport", "s^2", transport}};
    return kinds;
}

Result<const TraceMisfitKind*> findTraceMisfit(std::string_view name)
{
    std::string all;
    for (const auto& kind : traceMisfitKinds()) {
        if (kind.name == name) {
            return &kind;
        }
        all += fmt::format("{}{}", all.empty() ? "" : ", ", kind.name);
    }
    return badInput(fmt::format("\"{}\" is no misfit", name), "use one of: " + all);
}

} // namespace ondo
