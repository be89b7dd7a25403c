#include "engine/bench/bench_compare.h"

#include "engine/bench/bench.h"
#include "engine/core/json_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ondo {

namespace {

BenchSummary::Case readCase(const json::Value& value)
{
    BenchSummary::Case c;
    c.name = value.textAt("name");
    c.skipped = value.textAt("skipped");
    c.stepSeconds = value.numberAt("step_seconds_median", 0.0);
    c.roofline = value.numberAt("roofline_fraction", 0.0);
    c.timesPlain = value.numberAt("times_plain_loop", 0.0);
    c.wholeRatio = value.numberAt("whole_over_marginal", 0.0);
    const json::Value* memory = value.find("memory");
    c.memoryRatio = memory != nullptr ? memory->numberAt("ratio", 0.0) : 0.0;
    return c;
}

// Old, new and new over old of one quantity; a dash where a run has it not.
void addRow(std::string& table, std::string_view what, std::string_view quantity, double before, double now,
            double scale, const char* unit)
{
    if (before <= 0.0 && now <= 0.0) {
        return;
    }
    const auto told = [&](double v) { return v > 0.0 ? fmt::format("{:.4g}{}", v * scale, unit) : std::string("-"); };
    const std::string ratio = before > 0.0 && now > 0.0 ? fmt::format("{:.3f}", now / before) : "-";
    table += fmt::format("{:<15} {:<28} {:>14} {:>14} {:>8}\n", what, quantity, told(before), told(now), ratio);
}

std::string notRun(const BenchSummary::Case* c)
{
    return c == nullptr ? "not among its cases" : c->skipped.empty() ? "measured" : "not run: " + c->skipped;
}

std::vector<std::string> differences(const BenchSummary& before, const BenchSummary& now)
{
    std::vector<std::string> notes;
    const auto differ = [&notes](const char* what, const std::string& a, const std::string& b) {
        if (a != b) {
            notes.push_back(fmt::format("another {}: {} before, {} now", what, a, b));
        }
    };
    differ("device", before.device, now.device);
    differ("number of threads", std::to_string(before.threads), std::to_string(now.threads));
    differ("version", before.version, now.version);
    differ("length of the runs", before.quick ? "quick" : "full", now.quick ? "quick" : "full");
    // A run keeps the CPU's threads (on a GPU one) busy by itself; what is more are others.
    const auto loaded = [&notes](const char* when, const BenchSummary& run) {
        const double own = run.host ? std::max(1, run.threads) : 1;
        if (run.load > own + 0.5) {
            notes.push_back(fmt::format("the machine was loaded {}: {:.1f}, of which the bench itself makes {:.0f}",
                                        when, run.load, own));
        }
    };
    loaded("before", before);
    loaded("now", now);
    return notes;
}

} // namespace

const BenchSummary::Case* BenchSummary::find(std::string_view caseName) const
{
    const auto found =
        std::find_if(cases.begin(), cases.end(), [caseName](const Case& c) { return c.name == caseName; });
    return found == cases.end() ? nullptr : &*found;
}

Result<BenchSummary> readBenchSummary(std::string_view text, const std::string& name)
{
    const char* const remedy = "write one with ondo bench --json FILE";
    const auto root = json::parse(text);
    if (!root) {
        return badInput(fmt::format("{} is no bench report: {}", name, root.error().what), remedy);
    }
    const json::Value* cases = root->find("cases");
    if (root->textAt("program") != "ondo bench" || cases == nullptr || cases->kind != json::ValueKind::Array) {
        return badInput(name + " is JSON, but no bench report", remedy);
    }
    const double schema = root->numberAt("schema", 1.0); // the first one did not say
    if (schema != BenchReport::kSchema) {
        return badInput(
            fmt::format("{} is a bench report of schema {:g}; this program compares schema {}", name, schema,
                        BenchReport::kSchema),
            "measure again with the version it is to be compared with, or compare with the program that wrote it");
    }
    BenchSummary s;
    s.name = name;
    s.version = root->textAt("version");
    if (const json::Value* device = root->find("device")) {
        s.device = device->textAt("name");
        s.host = device->textAt("backend") == "host";
        s.threads = static_cast<int>(std::clamp(device->numberAt("threads", 0.0), 0.0, 1e6));
    }
    if (const json::Value* protocol = root->find("protocol")) {
        const json::Value* quick = protocol->find("quick");
        s.quick = quick != nullptr && quick->boolean;
    }
    s.load = std::max(root->numberAt("load_before", 0.0), root->numberAt("load_after", 0.0));
    s.copyBandwidth = std::max(root->numberAt("copy_bytes_per_second_before", 0.0),
                               root->numberAt("copy_bytes_per_second_after", 0.0));
    s.launchSeconds = root->numberAt("launch_seconds", 0.0);
    s.graphNodeSeconds = root->numberAt("graph_node_seconds", 0.0);
    s.barrierSeconds = root->numberAt("barrier_seconds", 0.0);
    s.smallStepSeconds = root->numberAt("small_step_seconds", 0.0);
    for (const json::Value& value : cases->items) {
        s.cases.push_back(readCase(value));
    }
    return s;
}

std::vector<BenchVerdict> BenchComparison::fallen(double percent) const
{
    std::vector<BenchVerdict> out;
    std::copy_if(verdicts.begin(), verdicts.end(), std::back_inserter(out),
                 [percent](const BenchVerdict& v) { return v.change() < -percent / 100.0; });
    return out;
}

std::string BenchComparison::text() const
{
    std::string s;
    for (const auto& note : notes) {
        s += "note: " + note + "\n";
    }
    return s + table;
}

BenchComparison compareBench(const BenchSummary& before, const BenchSummary& now)
{
    BenchComparison out;
    out.notes = differences(before, now);
    std::string& t = out.table;
    t += fmt::format("{:<15} {:<28} {:>14} {:>14} {:>8}\n", "", "", "before", "now", "ratio");
    addRow(t, "machine", "copy bandwidth", before.copyBandwidth, now.copyBandwidth, 1e-9, " GB/s");
    addRow(t, "machine", "empty launch", before.launchSeconds, now.launchSeconds, 1e6, " us");
    addRow(t, "machine", "node of a graph", before.graphNodeSeconds, now.graphNodeSeconds, 1e6, " us");
    addRow(t, "machine", "barrier", before.barrierSeconds, now.barrierSeconds, 1e6, " us");
    addRow(t, "machine", "step of 64 x 64 nodes", before.smallStepSeconds, now.smallStepSeconds, 1e6, " us");
    for (const auto& c : now.cases) {
        const BenchSummary::Case* const old = before.find(c.name);
        if (old == nullptr || old->stepSeconds <= 0.0 || c.stepSeconds <= 0.0) {
            t += fmt::format("{:<15} before {}, now {}\n", c.name, notRun(old), notRun(&c));
            continue;
        }
        addRow(t, c.name, "step", old->stepSeconds, c.stepSeconds, 1e6, " us");
        addRow(t, c.name, "of the roofline", old->roofline, c.roofline, 100.0, " %");
        addRow(t, c.name, "x plain", old->timesPlain, c.timesPlain, 1.0, "");
        addRow(t, c.name, "whole call over marginal", old->wholeRatio, c.wholeRatio, 1.0, "");
        addRow(t, c.name, "memory over fields and slabs", old->memoryRatio, c.memoryRatio, 1.0, "");
        if (old->timesPlain > 0.0 && c.timesPlain > 0.0) {
            out.verdicts.push_back({c.name, "x plain", old->timesPlain, c.timesPlain});
        } else if (before.host == now.host && old->roofline > 0.0 && c.roofline > 0.0) {
            out.verdicts.push_back({c.name, "of the roofline", old->roofline, c.roofline});
        }
    }
    for (const auto& c : before.cases) {
        if (now.find(c.name) == nullptr) {
            t += fmt::format("{:<15} before {}, now not among its cases\n", c.name, notRun(&c));
        }
    }
    return out;
}

} // namespace ondo
