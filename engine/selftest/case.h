// What the program can prove about its own numbers, on the user's machine and device: `ondo selftest`, and Qt Test in
// tests/physics and tests/parity. The truth comes from outside the solver: closed forms, published numbers, the slow
// reference, or a law (reciprocity, energy, mirror symmetry). Free of Qt. Cases keep no state; one at a time.
#pragma once

#include "engine/core/result.h"
#include "engine/device/device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

enum class SelftestVerdict { Passed, Failed, Skipped };

struct SelftestOutcome {
    SelftestVerdict verdict = SelftestVerdict::Failed;
    double figure = 0.0;    // what was measured
    double tolerance = 0.0; // what it must not exceed
    std::string unit;       // "relative L2", "of the peak", "dB", ...
    std::string reason;     // why the tolerance is what it is; Skipped: why it could not run here
    std::string text;       // one line of detail; may be empty

    // "0.41 % of 1 % relative L2 (...)"
    [[nodiscard]] std::string describe() const;
};

struct SelftestContext {
    std::shared_ptr<Device> device; // under test
    std::shared_ptr<Device> cpu;    // what a device is compared with; the same object when the CPU is under test
};

struct SelftestCase {
    std::string group; // "truth" "physics" "stability" "parity" "adjoint" "plan" "session"
    std::string name;  // unique within the group
    bool slow = false; // more than about 10 s on one core
    std::function<SelftestOutcome(SelftestContext&)> run;

    [[nodiscard]] std::string id() const { return group + "/" + name; }
};

[[nodiscard]] const std::vector<SelftestCase>& selftestCases();

// Runs one case; exceptions become Failed with their text.
[[nodiscard]] SelftestOutcome runCase(const SelftestCase& which, SelftestContext& context);

struct SelftestFilter {
    // Comma-separated; a word chooses a group by its name or cases whose "group/name" contains it. Empty: all.
    std::string only;
    bool slow = false; // the slow ones too
    [[nodiscard]] bool accepts(const SelftestCase& which) const;
};

struct SelftestListener {
    std::function<void(const SelftestCase&)> begun; // may be empty
    // Return false to end after this case. May be empty.
    std::function<bool(const SelftestCase&, const SelftestOutcome&, double seconds)> ended;
};

struct SelftestSummary {
    int passed = 0, failed = 0, skipped = 0;
};

// Refuses (BadInput) a filter that chooses nothing.
[[nodiscard]] Result<SelftestSummary> runSelftest(const SelftestFilter& filter, const std::shared_ptr<Device>& device,
                                                  const SelftestListener& listener);

} // namespace ondo
