// Two bench reports side by side, and the gate: has a case lost ground to its yardstick? What is judged are ratios within one
// run each, because the seconds of two runs differ with the machine and its load: x plain on the host (how many times the
// plain loop's speed), the fraction of the roofline on a GPU. Value in, value out; any thread.
#pragma once

#include "engine/core/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace ondo {

// Of a report's JSON, what can be compared. Numbers that it does not have are 0.
struct BenchSummary {
    struct Case {
        std::string name, skipped; // skipped: why it was not run
        double stepSeconds = 0.0;
        double roofline = 0.0;    // fraction
        double timesPlain = 0.0;  // host
        double wholeRatio = 0.0;  // whole call over marginal step
        double memoryRatio = 0.0; // over three fields and slabs
    };

    std::string name; // of the file it was read from, for messages
    std::string version, device;
    bool host = true, quick = false;
    double load = 0.0; // the larger of before and after
    int threads = 0;
    double copyBandwidth = 0.0; // bytes a second
    double launchSeconds = 0.0, graphNodeSeconds = 0.0, barrierSeconds = 0.0, smallStepSeconds = 0.0;
    std::vector<Case> cases;

    [[nodiscard]] const Case* find(std::string_view caseName) const;
};

// Refuses (BadInput) what is no report of `ondo bench --json`, and one of another schema.
[[nodiscard]] Result<BenchSummary> readBenchSummary(std::string_view text, const std::string& name);

// A case whose yardstick tells in both runs.
struct BenchVerdict {
    std::string caseName;
    std::string yardstick;          // "x plain", "of the roofline"
    double before = 0.0, now = 0.0; // fractions of it
    [[nodiscard]] double change() const { return now / before - 1.0; }
};

struct BenchComparison {
    std::vector<std::string> notes; // what makes the two runs differ besides the code
    std::string table;
    std::vector<BenchVerdict> verdicts;

    // Those that have fallen by more than so many per cent.
    [[nodiscard]] std::vector<BenchVerdict> fallen(double percent) const;
    [[nodiscard]] std::string text() const; // notes and table
};

[[nodiscard]] BenchComparison compareBench(const BenchSummary& before, const BenchSummary& now);

} // namespace ondo
