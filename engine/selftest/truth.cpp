#include "engine/selftest/truth.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <mutex>
#include <numbers>

namespace ondo::truth {

namespace {

constexpr double kPi = std::numbers::pi;
using Complex = std::complex<double>;

Quadrature makeGaussLegendre(int n)
{
    Quadrature q;
    q.x.resize(static_cast<std::size_t>(n));
    q.w.resize(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) {
        double x = std::cos(kPi * (i + 0.75) / (n + 0.5));
        double slope = 1.0;
        for (int round = 0; round < 100; ++round) {
            double before = 1.0;
            double value = x;
            for (int k = 2; k <= n; ++k) {
                const double next = ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k;
                before = value;
                value = next;
            }
            slope = n * (x * value - before) / (x * x - 1.0);
            const double step = value / slope;
            x -= step;
            if (std::abs(step) < 1e-15) {
                break;
            }
        }
        q.x[static_cast<std::size_t>(i)] = x;
        q.w[static_cast<std::size_t>(i)] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
    return q;
}

// The branch that decays away from the interface for e^{+iwt}: Im q <= 0.
Complex vertical(Complex q2)
{
    const Complex q = std::sqrt(q2);
    return q.imag() > 0.0 ? -q : q;
}

} // namespace

TimeFunction ricker(double f0, double t0)
{
    return [f0, t0](double t) {
        const double a = kPi * f0 * (t - t0) * kPi * f0 * (t - t0);
        return (1.0 - 2.0 * a) * std::exp(-a);
    };
}

const Quadrature& gaussLegendre(int points)
{
    static std::mutex mutex;
    static std::map<int, Quadrature> known;
    const std::lock_guard lock(mutex);
    auto at = known.find(points);
    if (at == known.end()) {
        at = known.emplace(points, makeGaussLegendre(points)).first;
    }
    return at->second;
}

double integrate(const TimeFunction& f, double a, double b, int panels)
{
    const auto& q = gaussLegendre(20);
    double sum = 0.0;
    for (int p = 0; p < panels; ++p) {
        const double left = a + (b - a) * p / panels;
        const double half = 0.5 * (b - a) / panels;
        for (std::size_t i = 0; i < q.x.size(); ++i) {
            sum += half * q.w[i] * f(left + half * (1.0 + q.x[i]));
        }
    }
    return sum;
}

double lineSource(double r, double t, double c, const TimeFunction& f)
{
    const double travel = r / c;
    if (t <= travel) {
        return 0.0;
    }
    const double end = std::acosh(t / travel);
    const int panels = std::max(6, static_cast<int>(20.0 * end));
    return integrate([&](double h) { return f(t - travel * std::cosh(h)); }, 0.0, end, panels) / (2.0 * kPi);
}

double pointSource(double r, double t, double c, const TimeFunction& f)
{
    return t > r / c ? f(t - r / c) / (4.0 * kPi * r) : 0.0;
}

double greens(int rank, double r, double t, double c, const TimeFunction& f)
{
    return rank == 3 ? pointSource(r, t, c, f) : lineSource(r, t, c, f);
}

double TwoLayers::reflectionTime(double x, double z) const
{
    return std::hypot(x, z) / c1;
}

double TwoLayers::headTime(double x, double z) const
{
    if (c2 <= c1 || x / std::hypot(x, z) <= c1 / c2) {
        return std::numeric_limits<double>::infinity();
    }
    return x / c2 + z * std::sqrt(1.0 / (c1 * c1) - 1.0 / (c2 * c2));
}

double TwoLayers::reflected(double x, double z, double t, const TimeFunction& f) const
{
    const double r = std::hypot(x, z);
    const double arrival = r / c1;
    const double head = headTime(x, z);
    double sum = 0.0;
    if (t > head) {
        // tau = T cos(phi), p real between 1/c2 and sin/c1; phi = last - s^2 takes the root of q2 away.
        const double first = std::acos(std::min(t, arrival) / arrival);
        const double last = std::acos(head / arrival);
        sum += integrate(
            [&](double s) {
                const double phi = last - s * s;
                const double tau = arrival * std::cos(phi);
                const double p = (x * tau - z * arrival * std::sin(phi)) / (r * r);
                const double q1 = std::sqrt(std::max(0.0, 1.0 / (c1 * c1) - p * p));
                const double q2 = std::sqrt(std::max(0.0, p * p - 1.0 / (c2 * c2)));
                const Complex top(rho2 * q1, rho1 * q2);
                return 2.0 * s * f(t - tau) * (top / std::conj(top)).imag() / (2.0 * kPi);
            },
            0.0, std::sqrt(last - first), 16);
    }
    if (t > arrival) {
        const double end = std::acosh(t / arrival);
        sum += integrate(
            [&](double h) {
                const double tau = arrival * std::cosh(h);
                const Complex p(x * tau / (r * r), -z * arrival * std::sinh(h) / (r * r));
                Complex q1 = std::sqrt(1.0 / (c1 * c1) - p * p);
                Complex q2 = std::sqrt(1.0 / (c2 * c2) - p * p);
                q1 = q1.real() < 0.0 ? -q1 : q1;
                q2 = q2.real() < 0.0 ? -q2 : q2;
                return f(t - tau) * ((rho2 * q1 - rho1 * q2) / (rho2 * q1 + rho1 * q2)).real() / (2.0 * kPi);
            },
            0.0, end, std::max(8, static_cast<int>(20.0 * end)));
    }
    return sum;
}

std::vector<double> TwoLayers::reflectedBySum(double x, double z, const std::vector<double>& times, double f0,
                                              double t0) const
{
    constexpr double kDamping = 14.0; // rad/s: keeps the poles of the horizontal slowness off the path
    const double top = 2.0 * kPi * f0 * 4.6;
    const double wp = 2.0 * kPi * f0;
    const auto& wq = gaussLegendre(800);
    const auto& kq = gaussLegendre(1600);
    std::vector<double> out(times.size(), 0.0);
    for (std::size_t i = 0; i < wq.x.size(); ++i) {
        const double w = 0.5 * top * (wq.x[i] + 1.0);
        const Complex om(w, -kDamping);
        const double kTop = 3.0 * w / c1 + 0.15;
        Complex green = 0.0;
        for (std::size_t j = 0; j < kq.x.size(); ++j) {
            const double k = 0.5 * kTop * (kq.x[j] + 1.0);
            const Complex q1 = vertical(om * om / (c1 * c1) - k * k);
            const Complex q2 = vertical(om * om / (c2 * c2) - k * k);
            const Complex reflection = (rho2 * q1 - rho1 * q2) / (rho2 * q1 + rho1 * q2);
            green += 0.5 * kTop * kq.w[j] * std::cos(k * x) * reflection * std::exp(Complex(0.0, -1.0) * q1 * z) /
                     (Complex(0.0, 2.0) * q1);
        }
        green /= kPi;
        const Complex spectrum = 4.0 * std::sqrt(kPi) * om * om / (wp * wp * wp) * std::exp(-om * om / (wp * wp)) *
                                 std::exp(Complex(0.0, -1.0) * om * t0);
        for (std::size_t n = 0; n < times.size(); ++n) {
            out[n] +=
                0.5 * top * wq.w[i] * (green * spectrum * std::exp(Complex(0.0, 1.0) * om * times[n])).real() / kPi;
        }
    }
    return out;
}

double observedOrder(double coarse, double fine, double refinement)
{
    return std::log(coarse / fine) / std::log(refinement);
}

double relativeL2(const std::vector<double>& a, const std::vector<double>& b)
{
    double difference = 0.0;
    double size = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return std::sqrt(difference / size);
}

double largest(const std::vector<double>& a)
{
    double m = 0.0;
    for (const double v : a) {
        m = std::max(m, std::isfinite(v) ? std::abs(v) : std::numeric_limits<double>::infinity());
    }
    return m;
}

double largestDifference(const std::vector<double>& a, const std::vector<double>& b)
{
    double m = a.size() == b.size() ? 0.0 : std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
        const double d = std::abs(a[i] - b[i]);
        m = std::isfinite(d) ? std::max(m, d) : std::numeric_limits<double>::infinity();
    }
    return m;
}

double lagOf(const std::vector<double>& a, const std::vector<double>& b)
{
    const int n = static_cast<int>(b.size());
    const auto correlation = [&](int lag) {
        double sum = 0.0;
        for (int i = std::max(0, -lag); i < std::min(n, n - lag); ++i) {
            sum += a[static_cast<std::size_t>(i + lag)] * b[static_cast<std::size_t>(i)];
        }
        return sum;
    };
    int best = 0;
    const int reach = std::min(n / 2, 50);
    double peak = correlation(0);
    for (int lag = -reach; lag <= reach; ++lag) {
        const double v = correlation(lag);
        if (v > peak) {
            peak = v;
            best = lag;
        }
    }
    const double left = correlation(best - 1);
    const double right = correlation(best + 1);
    return best + 0.5 * (left - right) / (left - 2.0 * peak + right);
}

} // namespace ondo::truth
