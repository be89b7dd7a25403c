#include "engine/bench/bench.h"

#include "engine/core/json.h"

#include <fmt/format.h>

#include <algorithm>

namespace ondo {

namespace {

constexpr double kBytesAPoint = 16.0;     // p, p before and the model read, p after written; float
constexpr double kBytesALayerNode = 16.0; // and axis: psi and zeta, read and written; float

std::string rate(double pointsPerSecond)
{
    return pointsPerSecond >= 1e9 ? fmt::format("{:.2f} G", pointsPerSecond / 1e9)
                                  : fmt::format("{:.1f} M", pointsPerSecond / 1e6);
}

std::string duration(double seconds)
{
    return seconds >= 1e-3 ? fmt::format("{:.3f} ms", seconds * 1e3) : fmt::format("{:.2f} us", seconds * 1e6);
}

double megabytes(std::size_t bytes)
{
    return static_cast<double>(bytes) / 1e6;
}

std::string memoryJson(const BenchMemory& m)
{
    json::Object o;
    o.add("peak_bytes", json::number(m.peak)).add("trace_bytes", json::number(m.traces));
    o.add("state_bytes", json::number(m.state)).add("ratio", json::number(m.ratio()));
    return o.add("device_bytes", json::number(m.device)).str();
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
    o.add("layer_nodes", json::number(f.layerNodes));
    o.add("receivers", json::number(f.receivers)).add("pairs", json::number(f.pairs));
    o.add("short_steps", json::number(f.shortSteps)).add("long_steps", json::number(f.longSteps));
    o.add("step_seconds_median", json::number(f.stepSeconds.median));
    o.add("step_seconds_least", json::number(f.stepSeconds.least));
    o.add("padded_points_per_second", json::number(f.paddedRate()));
    o.add("user_points_per_second", json::number(f.userRate()));
    o.add("bytes_a_step", json::number(f.bytesAStep()));
    o.add("roofline_points_per_second", json::number(f.rooflineRate(bandwidth)));
    o.add("roofline_fraction", json::number(f.roofline(bandwidth)));
    if (f.plainSeconds.median > 0.0) {
        o.add("plain_loop_step_seconds", json::number(f.plainSeconds.median));
        o.add("plain_loop_step_seconds_least", json::number(f.plainSeconds.least));
        o.add("times_plain_loop", json::number(f.timesPlain()));
    }
    if (f.wholeSteps > 0) {
        o.add("whole_steps", json::number(f.wholeSteps)).add("whole_seconds", json::number(f.wholeSeconds));
        o.add("whole_seconds_first", json::number(f.wholeFirstSeconds));
        o.add("whole_padded_points_per_second", json::number(f.wholeRate()));
        o.add("whole_over_marginal", json::number(f.wholeRatio()));
        o.add("memory", memoryJson(f.memory));
    }
    return o.str();
}

// What is told of the whole call: "1.04", or "1.04 (400 steps)" where 2,000 would have taken too long.
std::string wholeText(const BenchFigure& f)
{
    if (f.wholeSteps == 0) {
        return "-";
    }
    return f.wholeSteps == BenchOptions{}.wholeSteps ? fmt::format("{:.2f}", f.wholeRatio())
                                                     : fmt::format("{:.2f} ({})", f.wholeRatio(), f.wholeSteps);
}

std::string caseText(const BenchFigure& f, double bandwidth, bool host)
{
    if (!f.skipped.empty()) {
        return fmt::format("{:<15} not run: {}\n", f.which.name, f.skipped);
    }
    std::string s = fmt::format("{:<15} {:>11} {:>11} {:>9} {:>9} {:>9} {:>8.1f}%", f.which.name,
                                duration(f.stepSeconds.median), duration(f.stepSeconds.least), rate(f.paddedRate()),
                                rate(f.userRate()), rate(f.rooflineRate(bandwidth)), 100.0 * f.roofline(bandwidth));
    s += host ? fmt::format(" {:>8}", f.plainSeconds.median > 0.0 ? fmt::format("{:.2f}", f.timesPlain()) : "-") : "";
    s += fmt::format(" {:>12} {:>10.1f} {:>7.3f} {:>9.1f}", wholeText(f), megabytes(f.memory.peak), f.memory.ratio(),
                     megabytes(f.memory.traces));
    s += host ? "" : fmt::format(" {:>10.1f}", megabytes(f.memory.device));
    return s + fmt::format("  {} x ({} + {})\n", f.pairs, f.shortSteps, f.longSteps);
}

std::string overheadText(const kernels::Overheads& cost, double smallStep, bool host)
{
    const auto told = [](double seconds) { return seconds > 0.0 ? duration(seconds) : std::string("-"); };
    const std::string small = fmt::format("; {} a step of 64 x 64 nodes", duration(smallStep));
    if (host) {
        return fmt::format("barrier    {}, an empty run of the team of threads{}\n", told(cost.barrier), small);
    }
    return fmt::format("launch     {} an empty launch in a stream, {} a node of a graph{}\n", told(cost.launch),
                       told(cost.graphNode), small) +
           fmt::format("barrier    {}, of a grid of one block a multiprocessor\n", told(cost.barrier));
}

} // namespace

double BenchMemory::ratio() const
{
    return state > 0 ? static_cast<double>(peak - traces) / static_cast<double>(state) : 0.0;
}

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

double BenchFigure::wholeRatio() const
{
    return wholeSteps > 0 && stepSeconds.median > 0.0 ? wholeSeconds / wholeSteps / stepSeconds.median : 0.0;
}

double BenchFigure::bytesAStep() const
{
    return which.shots *
           (kBytesAPoint * static_cast<double>(paddedNodes) + kBytesALayerNode * static_cast<double>(layerNodes));
}

double BenchFigure::rooflineRate(double copyBandwidth) const
{
    return bytesAStep() > 0.0 ? static_cast<double>(paddedNodes) * which.shots * copyBandwidth / bytesAStep() : 0.0;
}

double BenchFigure::roofline(double copyBandwidth) const
{
    const double possible = rooflineRate(copyBandwidth);
    return possible > 0.0 ? paddedRate() / possible : 0.0;
}

double BenchFigure::timesPlain() const
{
    return stepSeconds.median > 0.0 ? plainSeconds.median / stepSeconds.median : 0.0;
}

double BenchReport::copyBandwidth() const
{
    return std::max(copyBefore, copyAfter);
}

std::size_t BenchReport::peakMemory() const
{
    std::size_t most = 0;
    for (const auto& figure : figures) {
        most = std::max(most, figure.memory.peak);
    }
    return most;
}

std::string BenchReport::text() const
{
    std::string s = fmt::format("ondo {} bench on {} ({}, {})\n", version, device.name, device.id, device.backend);
    s += fmt::format("copy       {:.2f} GB/s before, {:.2f} GB/s after (read plus written, {} MiB arrays, best of 7)\n",
                     copyBefore / 1e9, copyAfter / 1e9, copyBytes >> 20U);
    s += overheadText(overheads, smallStepSeconds, host);
    s += fmt::format("load       {:.2f} before, {:.2f} after (one minute)\n", loadBefore, loadAfter);
    s +=
        "protocol   scalar, float32, random model, noise in the fields, absorbing layers on all faces, receivers on\n"
        "           step      (t(long) - t(short)) / (steps), alternating runs; median and least\n"
        "           roofline  padded points a second that the larger copy bandwidth allows at 16 bytes a point and 16\n"
        "                     more a node and axis of a layer; and the fraction of it that was reached\n";
    s += host ? "           x plain   against a plain OpenMP loop without layers on the padded grid, by turns\n" : "";
    s += fmt::format(
        "           whole     a step of a whole call of {} steps over the marginal one (of fewer steps where\n"
        "                     they are told): allocation, upload, steps, traces back\n"
        "           memory    peak of such a call; over: without its traces, over three fields and the slabs\n",
        BenchOptions{}.wholeSteps);
    s +=
        host
            ? ""
            : "           device    how far the GPU's free memory fell, code, graphs and plans of all cases included\n";
    s += fmt::format("\n{:<15} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9}{} {:>12} {:>10} {:>7} {:>9}{}  {}\n", "case",
                     "step median", "least", "padded/s", "user/s", "roofline", "of it", host ? "  x plain" : "",
                     "whole", "memory MB", "over", "traces MB", host ? "" : "  device MB", "runs (steps)");
    for (const auto& f : figures) {
        s += caseText(f, copyBandwidth(), host);
    }
    if (stopped) {
        s += "stopped: the cases above are all that was measured\n";
    }
    return s + fmt::format("\npeak memory of the largest case {:.1f} MB\n", megabytes(peakMemory()));
}

std::string BenchReport::json() const
{
    json::Object d;
    d.add("id", json::text(device.id)).add("name", json::text(device.name)).add("backend", json::text(device.backend));
    d.add("threads", json::number(device.threads)).add("memory_total", json::number(device.memoryTotal));
    json::Object protocol;
    protocol.add("step", json::text("(t(long) - t(short)) / (long - short), alternating runs"));
    protocol.add("whole", json::text("allocation, upload, steps, traces back; median after a first call told apart"));
    protocol.add("memory",
                 json::text("peak_bytes: taken by the arena; ratio: without traces, over state_bytes, which are "
                            "three fields with their halos and the slabs of the layers"));
    protocol.add("bytes_a_point", json::number(kBytesAPoint));
    protocol.add("bytes_a_layer_node", json::number(kBytesALayerNode)).add("precision", json::text("float32"));
    protocol.add("model", json::text("random heterogeneous, noise in the fields, absorbing layers on all faces"));
    protocol.add("quick", json::boolean(quick));
    std::vector<std::string> cases;
    for (const auto& f : figures) {
        cases.push_back(caseJson(f, copyBandwidth()));
    }
    json::Object o;
    o.add("program", json::text("ondo bench")).add("schema", json::number(kSchema));
    o.add("version", json::text(version)).add("device", d.str()).add("protocol", protocol.str());
    o.add("copy_bytes_per_second_before", json::number(copyBefore));
    o.add("copy_bytes_per_second_after", json::number(copyAfter));
    o.add("launch_seconds", json::number(overheads.launch));
    o.add("graph_node_seconds", json::number(overheads.graphNode));
    o.add("barrier_seconds", json::number(overheads.barrier));
    o.add("small_step_seconds", json::number(smallStepSeconds));
    o.add("load_before", json::number(loadBefore)).add("load_after", json::number(loadAfter));
    o.add("peak_bytes", json::number(peakMemory())).add("stopped", json::boolean(stopped));
    return o.add("cases", json::array(cases)).str();
}

} // namespace ondo
