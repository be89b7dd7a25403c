#include "engine/bench/bench.h"

#include "engine/core/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo {

namespace {

constexpr double kBytesAPoint = 16.0; // read p, p before and the model, write p after; float

std::string rate(double pointsPerSecond)
{
    return pointsPerSecond >= 1e9 ? fmt::format("{:.2f} G", pointsPerSecond / 1e9)
                                  : fmt::format("{:.1f} M", pointsPerSecond / 1e6);
}

std::string duration(double seconds)
{
    return seconds >= 1e-3 ? fmt::format("{:.3f} ms", seconds * 1e3) : fmt::format("{:.2f} us", seconds * 1e6);
}

std::string caseJson(const BenchFigure& f, double bandwidth)
{
    json::Object o;
    o.add("name", json::text(f.which.name)).add("equation", json::text("scalar"));
    o.add("rank", json::number(f.which.rank)).add("nodes", json::number(f.which.nodes));
    o.add("order", json::number(f.which.order)).add("shots", json::number(f.which.shots));
    if (!f.skipped.empty()) {
        return o.add("skipped", json::text(f.skipped)).str();
    }
    o.add("padded_nodes", json::number(f.paddedNodes)).add("user_nodes", json::number(f.userNodes));
    o.add("receivers", json::number(f.receivers)).add("pairs", json::number(f.pairs));
    o.add("short_steps", json::number(f.shortSteps)).add("long_steps", json::number(f.longSteps));
    o.add("step_seconds_median", json::number(f.stepSeconds.median));
    o.add("step_seconds_least", json::number(f.stepSeconds.least));
    o.add("padded_points_per_second", json::number(f.paddedRate()));
    o.add("user_points_per_second", json::number(f.userRate()));
    o.add("whole_seconds", json::number(f.wholeSeconds)).add("whole_steps", json::number(f.wholeSteps));
    o.add("whole_padded_points_per_second", json::number(f.wholeRate()));
    o.add("roofline_fraction", json::number(f.roofline(bandwidth)));
    if (f.plainSeconds > 0.0) {
        o.add("plain_loop_step_seconds", json::number(f.plainSeconds));
        o.add("times_plain_loop", json::number(f.timesPlain()));
    }
    return o.add("arena_bytes", json::number(f.arenaBytes)).str();
}

} // namespace

double BenchFigure::paddedRate() const
{
    return stepSeconds.median > 0.0 ? static_cast<double>(paddedNodes) * which.shots / stepSeconds.median : 0.0;
}

double BenchFigure::userRate() const
{
    return stepSeconds.median > 0.0 ? static_cast<double>(userNodes) * which.shots / stepSeconds.median : 0.0;
}

double BenchFigure::wholeRate() const
{
    return wholeSeconds > 0.0 ? static_cast<double>(paddedNodes) * which.shots * wholeSteps / wholeSeconds : 0.0;
}

double BenchFigure::roofline(double copyBandwidth) const
{
    return copyBandwidth > 0.0 ? paddedRate() * kBytesAPoint / copyBandwidth : 0.0;
}

double BenchFigure::timesPlain() const
{
    return stepSeconds.median > 0.0 ? plainSeconds / stepSeconds.median : 0.0;
}

double BenchReport::copyBandwidth() const
{
    return std::max(copyBefore, copyAfter);
}

std::string BenchReport::text() const
{
    std::string s = fmt::format("ondo {} bench on {} ({}, {})\n", version, device.name, device.id, device.backend);
    s += fmt::format("copy       {:.2f} GB/s before, {:.2f} GB/s after (read plus written, {} MiB arrays, best of 7)\n",
                     copyBefore / 1e9, copyAfter / 1e9, copyBytes >> 20U);
    s += fmt::format("launch     {} a step of 64 x 64 nodes\n", duration(launchSeconds));
    s += fmt::format("load       {:.2f} before, {:.2f} after (one minute)\n", loadBefore, loadAfter);
    s += fmt::format(
        "protocol   scalar, float32, random model, noise in the fields, absorbing layers on all faces, receivers on;\n"
        "           step: (t(long) - t(short)) / (steps), alternating runs; whole: allocation, upload, steps, traces "
        "back\n"
        "           roofline: 16 bytes a padded point at the larger copy bandwidth{}\n\n",
        host ? "; x plain: against a plain OpenMP loop without layers on the padded grid" : "");
    s += fmt::format("{:<15} {:>12} {:>12} {:>12} {:>12} {:>12} {:>9} {:>9}  {}\n", "case", "step median", "step least",
                     "padded pt/s", "user pt/s", "whole pt/s", "roofline", host ? "x plain" : "arena MB", "runs");
    for (const auto& f : figures) {
        if (!f.skipped.empty()) {
            s += fmt::format("{:<15} not run: {}\n", f.which.name, f.skipped);
            continue;
        }
        s += fmt::format(
            "{:<15} {:>12} {:>12} {:>12} {:>12} {:>12} {:>8.1f}% {:>9}  {} x ({} + {} steps), {} receivers\n",
            f.which.name, duration(f.stepSeconds.median), duration(f.stepSeconds.least), rate(f.paddedRate()),
            rate(f.userRate()), rate(f.wholeRate()), 100.0 * f.roofline(copyBandwidth()),
            host ? fmt::format("{:.2f}", f.timesPlain())
                 : fmt::format("{:.1f}", static_cast<double>(f.arenaBytes) / 1e6),
            f.pairs, f.shortSteps, f.longSteps, f.receivers);
    }
    if (stopped) {
        s += "stopped: the cases above are all that was measured\n";
    }
    return s + fmt::format("\narena peak {:.1f} MB\n", static_cast<double>(arenaPeak) / 1e6);
}

std::string BenchReport::json() const
{
    json::Object d;
    d.add("id", json::text(device.id)).add("name", json::text(device.name)).add("backend", json::text(device.backend));
    d.add("threads", json::number(device.threads)).add("memory_total", json::number(device.memoryTotal));
    json::Object protocol;
    protocol.add("step", json::text("(t(long) - t(short)) / (long - short), alternating runs"));
    protocol.add("whole", json::text("allocation, upload, steps, traces back"));
    protocol.add("bytes_a_point", json::number(kBytesAPoint)).add("precision", json::text("float32"));
    protocol.add("model", json::text("random heterogeneous, noise in the fields, absorbing layers on all faces"));
    std::vector<std::string> cases;
    for (const auto& f : figures) {
        cases.push_back(caseJson(f, copyBandwidth()));
    }
    json::Object o;
    o.add("program", json::text("ondo bench")).add("version", json::text(version)).add("device", d.str());
    o.add("protocol", protocol.str()).add("copy_bytes_per_second_before", json::number(copyBefore));
    o.add("copy_bytes_per_second_after", json::number(copyAfter)).add("launch_seconds", json::number(launchSeconds));
    o.add("load_before", json::number(loadBefore)).add("load_after", json::number(loadAfter));
    o.add("arena_peak_bytes", json::number(arenaPeak)).add("stopped", json::boolean(stopped));
    return o.add("cases", json::array(cases)).str();
}

} // namespace ondo
