// How far one synthetic trace is from its observed one, and the derivative of that by each synthetic sample. A kind is
// a row
// of traceMisfitKinds(); s: synthetic, d: observed, both windowed and filtered before. Pure arithmetic, any thread.
//   l2           1/2 sum (s - d)^2 dt                                                                          Pa^2 s
//   correlation  1 - <s, d> / (|s| |d|): the shape alone                                                          1
//   huber        l2 for |s - d| below a threshold, then as its tangent: outliers pull no harder                Pa^2 s
//   envelope     1/2 sum (E(s) - E(d))^2 dt, E(s)^2 = s^2 + H(s)^2 + floor^2, H the Hilbert transform           Pa^2 s
//   traveltime   1/2 tau^2, tau the lag of the largest cross-correlation, between samples by trigonometric        s^2
//                interpolation, tau > 0: the synthetic trace is late
//   transport    1/2 integral over mass of the squared way in time from one trace's mass to the other's, Wasserstein's,
//                traces as densities log(1 + exp(b x)) of mass 1, b = sharpness / root mean square of d            s^2
// A trace that a kind cannot judge (zero everywhere where it divides by its size, no maximum of the correlation)
// counts as nothing and says so by `used`; it never gives a NaN.
#pragma once

#include "engine/core/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ondo {

struct TraceMisfitOptions {
    double huberThreshold = 1.0;     // of the observed trace's root mean square
    double envelopeFloor = 1e-2;     // likewise: where the envelope vanishes it has no derivative
    double transportSharpness = 2.0; // larger: troughs count less
    bool operator==(const TraceMisfitOptions&) const = default;
};

struct TraceMisfit {
    double value = 0.0;
    bool used = false;
};

struct TraceMisfitKind {
    std::string_view name;
    std::string_view unit;
    // derivative: as long as the traces, zeros on entry.
    TraceMisfit (*judge)(std::span<const double> synthetic, std::span<const double> observed, double dt,
                         const TraceMisfitOptions& options, std::span<double> derivative);
};

[[nodiscard]] const std::vector<TraceMisfitKind>& traceMisfitKinds();
[[nodiscard]] Result<const TraceMisfitKind*> findTraceMisfit(std::string_view name);

// The lag in seconds by which `synthetic` comes later than `observed`; none where there is no maximum to find.
struct Lag {
    double seconds = 0.0;
    bool found = false;
};
[[nodiscard]] Lag correlationLag(std::span<const double> synthetic, std::span<const double> observed, double dt);

} // namespace ondo
