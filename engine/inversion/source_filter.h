// The source that fits best: a filter h on synthetic traces s of one shot, or of all, by regularised least squares at each
// frequency (Pratt 1999, Geophysics 64, 888-901). The wavelet it stands for is h * f, f the run's: waves are linear in it.
//   J(h) = dt/2 ( sum over traces of |h * s - d|^2 + water |s|^2 |h|^2 )     |s|^2: of all traces, samples squared
//   H = sum conj(S) D / (sum |S|^2 + water |s|^2)
// `*` is the convolution around a circle of `length` samples, at least twice a trace's with zeros behind it; samples of h
// beyond the middle are times before 0. J at this h is the misfit (variable projection: Golub and Pereyra 1973): its
// derivative by s is that at fixed h, dt (h correlated with (h * s - d), + water |h|^2 s), for that by h is 0. Nothing is kept
// from one model to the next, so that J is a function of the model alone. Pure arithmetic, any thread.
#pragma once

#include "engine/core/fourier.h"

#include <span>
#include <string_view>
#include <vector>

namespace ondo {

// "none": the run's wavelet. "shot", "common": a filter for each shot, or one for all.
[[nodiscard]] const std::vector<std::string_view>& sourceFilterNames();

struct SourceFilter {
    std::vector<double> samples; // h; no unit, every dt
    [[nodiscard]] bool any() const { return !samples.empty(); }
    // h * trace for traces of so many samples one after the other; what lies beyond their ends is dropped.
    void apply(std::span<double> traces, std::size_t count) const;
};

// The sums over traces that h comes from.
class SourceFit {
public:
    SourceFit(std::size_t samples, double water);
    // One or more traces of both sides, one after the other.
    void add(std::span<const double> synthetic, std::span<const double> observed);
    // None: all synthetic traces are zero.
    [[nodiscard]] SourceFilter solve() const;

private:
    std::size_t m_samples;
    double m_water;
    std::vector<double> m_power;
    Spectrum m_cross;
};

// J of these traces at a given h; its derivative by each sample of s goes to `derivative`.
[[nodiscard]] double judgeFiltered(const SourceFilter& filter, double water, std::size_t samples, double dt,
                                   std::span<const double> synthetic, std::span<const double> observed,
                                   std::span<double> derivative);

} // namespace ondo
