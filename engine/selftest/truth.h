// Closed forms of ../shared/reference/truth/TRUTHS.md, by quadrature. Convention A: (1/c^2) p_tt - lap p = f(t) delta.
// Nothing here comes from the solver. All times in s, lengths in m; the source acts from t = 0.
#pragma once

#include <functional>
#include <vector>

namespace ondo::truth {

using TimeFunction = std::function<double(double)>;

// (1 - 2a) exp(-a), a = (pi f0 (t - t0))^2
[[nodiscard]] TimeFunction ricker(double f0, double t0);

// Nodes and weights of Gauss-Legendre on [-1, 1].
struct Quadrature {
    std::vector<double> x, w;
};
[[nodiscard]] const Quadrature& gaussLegendre(int points);
[[nodiscard]] double integrate(const TimeFunction& f, double a, double b, int panels);

// (a) 2-D line source and (b) 3-D point source in a full space.
[[nodiscard]] double lineSource(double r, double t, double c, const TimeFunction& f);
[[nodiscard]] double pointSource(double r, double t, double c, const TimeFunction& f);
[[nodiscard]] double greens(int rank, double r, double t, double c, const TimeFunction& f);

// (d) Two acoustic half-spaces, line source and receiver in the upper one; z: the sum of their heights above the interface.
struct TwoLayers {
    double c1 = 1500.0, rho1 = 1000.0, c2 = 2500.0, rho2 = 2200.0;
    [[nodiscard]] double reflectionTime(double x, double z) const;
    [[nodiscard]] double headTime(double x, double z) const; // infinite where there is none
    // Reflected wave with its head wave (Cagniard-de Hoop).
    [[nodiscard]] double reflected(double x, double z, double t, const TimeFunction& f) const;
    // The same for a Ricker at several times by a sum over wavenumber and complex frequency.
    [[nodiscard]] std::vector<double> reflectedBySum(double x, double z, const std::vector<double>& times, double f0,
                                                     double t0) const;
};

// Slope of log2 of the ratio.
[[nodiscard]] double observedOrder(double coarse, double fine, double refinement = 2.0);
// |a - b| / |b| over all samples.
[[nodiscard]] double relativeL2(const std::vector<double>& a, const std::vector<double>& b);
[[nodiscard]] double largest(const std::vector<double>& a);
[[nodiscard]] double largestDifference(const std::vector<double>& a, const std::vector<double>& b);
// Shift of a against b in samples (positive: a is late), from the parabola through the peak of their correlation.
[[nodiscard]] double lagOf(const std::vector<double>& a, const std::vector<double>& b);

} // namespace ondo::truth
