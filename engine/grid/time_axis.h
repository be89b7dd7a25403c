// The time axis of the traces. Sample k stands at k * dt, the first at t = 0. Value type.
// The scheme may take `ratio` inner steps a sample: inner step = dt / ratio (chosen by the plan from the Courant limit).
#pragma once

namespace ondo {

struct TimeAxis {
    double dt = 0.0; // seconds between trace samples
    int count = 0;   // samples a trace
    int ratio = 1;   // inner steps a sample

    bool operator==(const TimeAxis&) const = default;
    [[nodiscard]] double innerStep() const { return dt / ratio; }
    [[nodiscard]] int innerSteps() const { return count > 0 ? (count - 1) * ratio : 0; }
    [[nodiscard]] double duration() const { return count > 0 ? (count - 1) * dt : 0.0; }
};

} // namespace ondo
