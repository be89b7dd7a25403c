// `ondo bench`: how fast this machine computes.
#include "app/cli/bench_view.h"
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/speed.h"
#include "app/cli/terminal.h"

#include "engine/bench/bench.h"
#include "engine/bench/bench_compare.h"
#include "engine/bench/gradient_bench.h"
#include "engine/device/device_list.h"
#include "engine/io/atomic_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace ondo::cli {

namespace {

namespace fs = std::filesystem;

struct BenchRequest {
    std::string device = "auto";
    std::string only, memory, json, compare;
    double gate = 0.0; // per cent
    int threads = 0;
    bool quick = false, list = false, view = false, gradient = false;
    // Which were given.
    CLI::Option *jsonGiven = nullptr, *gateGiven = nullptr, *threadsGiven = nullptr;

    [[nodiscard]] bool jsonAlone() const { return jsonGiven->count() > 0 && (json.empty() || json == "-"); }
};

int list()
{
    for (const auto& which : benchCases()) {
        fmt::print("{:<16} {}-D, {} nodes an axis, order {}, {} shot{}{}\n", which.name, which.rank, which.nodes,
                   which.order, which.shots, which.shots == 1 ? "" : "s",
                   which.onHost ? "" : " (GPU only unless named)");
    }
    return kDone;
}

// What would only be found out after minutes of measuring.
Result<> checkRequest(const BenchRequest& request)
{
    if (request.gateGiven->count() > 0 && request.compare.empty()) {
        return badInput("--gate compares with an earlier report", "name one with --compare OLD.json");
    }
    if (!request.compare.empty() && request.jsonAlone()) {
        return badInput("--compare and --json both write to standard output", "give the JSON a file: --json FILE");
    }
    if (request.view && request.gradient) {
        return badInput("--view and --gradient are two measurements", "run them one after the other");
    }
    if ((request.view || request.gradient) && !request.compare.empty()) {
        return badInput("--compare takes reports of the solver alone",
                        request.view ? "leave out --view" : "leave out --gradient");
    }
    if (!request.memory.empty() && !request.gradient) {
        return badInput("--memory is of gradients", "measure them with --gradient");
    }
    if (request.view && request.threadsGiven->count() > 0) {
        return badInput("--threads is not for --view: the window uses all threads", "leave out --threads");
    }
    if (!request.json.empty() && request.json != "-") {
        const fs::path folder = fs::path(request.json).parent_path();
        std::error_code ignored;
        if (!folder.empty() && !fs::is_directory(folder, ignored)) {
            return badInput(fmt::format("--json {}: there is no folder {}", request.json, folder.string()),
                            "make it, or write elsewhere");
        }
        if (fs::is_directory(request.json, ignored)) {
            return badInput(fmt::format("--json {}: this is a folder", request.json), "name a file in it");
        }
    }
    return {};
}

// On standard output what is asked for there; the JSON in its file.
Result<> tell(const BenchRequest& request, const std::string& text, const std::string& json)
{
    if (request.jsonAlone()) {
        fmt::print("{}\n", json);
        return {};
    }
    fmt::print("{}", text);
    return request.json.empty() ? Result<>{} : writeText(request.json, json + "\n");
}

int judge(const BenchRequest& request, const BenchSummary& before, const std::string& json)
{
    const auto now = readBenchSummary(json, "this run's report");
    if (!now) {
        return complain(now.error());
    }
    const BenchComparison comparison = compareBench(before, *now);
    fmt::print("\ncompared with {}\n{}", before.name, comparison.text());
    if (request.gateGiven->count() == 0) {
        return kDone;
    }
    if (comparison.verdicts.empty()) {
        return complain(kBadInput,
                        fmt::format("--gate: {} and this run share no case with a yardstick; run the cases it has, on "
                                    "the kind of device it was measured on",
                                    before.name));
    }
    const auto fallen = comparison.fallen(request.gate);
    for (const auto& v : fallen) {
        complain(kGateFailed, fmt::format("--gate {:g}: {} has fallen by {:.1f} %, from {:.3g} to {:.3g} {}",
                                          request.gate, v.caseName, -100.0 * v.change(), v.before, v.now, v.yardstick));
    }
    if (fallen.empty()) {
        fmt::print("gate: none of {} case{} has fallen by more than {:g} % of its yardstick\n",
                   comparison.verdicts.size(), comparison.verdicts.size() == 1 ? "" : "s", request.gate);
    }
    return fallen.empty() ? kDone : kGateFailed;
}

Result<std::shared_ptr<Device>> deviceOf(const BenchRequest& request)
{
    auto choice = openDevice(request.device, request.threads);
    if (!choice) {
        return tl::unexpected<Error>(choice.error());
    }
    if (!choice->fallbackReason.empty()) {
        note("measuring the CPU: " + choice->fallbackReason);
    }
    return choice->device;
}

int measureSolver(const BenchRequest& request, const std::optional<BenchSummary>& before)
{
    const auto device = deviceOf(request);
    if (!device) {
        return complain(device.error());
    }
    watchInterrupts();
    ProgressLine line(false);
    BenchOptions options;
    options.only = request.only;
    options.quick = request.quick;
    options.telling = [&line](const std::string& what) { line.show("measuring " + what); };
    options.stop = [] { return interrupted(); };
    auto report = runBench(*device, options);
    line.clear();
    if (!report) {
        return complain(report.error());
    }
    const std::string json = report->json();
    if (auto told = tell(request, report->text(), json); !told) {
        return complain(told.error());
    }
    if (report->stopped) {
        return kStopped;
    }
    return before ? judge(request, *before, json) : kDone;
}

int measureGradients(const BenchRequest& request)
{
    const auto device = deviceOf(request);
    if (!device) {
        return complain(device.error());
    }
    watchInterrupts();
    ProgressLine line(false);
    GradientBenchOptions options;
    options.only = request.only;
    options.memory = request.memory;
    options.quick = request.quick;
    options.speed = speedAtHand((*device)->facts(), false);
    options.telling = [&line](const std::string& what) { line.show("measuring " + what); };
    options.stop = [] { return interrupted(); };
    const auto report = benchGradients(*device, options);
    line.clear();
    if (!report) {
        return complain(report.error());
    }
    if (auto told = tell(request, report->text(), report->json()); !told) {
        return complain(told.error());
    }
    return report->stopped ? kStopped : kDone;
}

int measureView(const BenchRequest& request)
{
    ViewRequest wanted;
    wanted.device = request.device;
    wanted.only = request.only;
    wanted.quick = request.quick;
    const auto report = runViewBench(wanted);
    if (!report) {
        return complain(report.error());
    }
    if (auto told = tell(request, report->text(), report->json()); !told) {
        return complain(told.error());
    }
    for (const auto& figure : report->figures) {
        if (figure.skipped.empty() && !figure.sameTraces()) {
            return complain(kFailed, fmt::format("{}: the traces depend on whether anybody looks; please report it",
                                                 figure.caseName));
        }
    }
    return report->stopped ? kStopped : kDone;
}

int bench(const BenchRequest& request)
{
    if (auto good = checkRequest(request); !good) {
        return complain(good.error());
    }
    if (request.list) {
        return list();
    }
    if (request.view) {
        return measureView(request);
    }
    if (request.gradient) {
        return measureGradients(request);
    }
    std::optional<BenchSummary> before;
    if (!request.compare.empty()) {
        const auto text = readText(request.compare);
        if (!text) {
            return complain(text.error());
        }
        auto summary = readBenchSummary(*text, request.compare);
        if (!summary) {
            return complain(summary.error());
        }
        before = std::move(*summary);
    }
    return measureSolver(request, before);
}

} // namespace

void addBenchCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("bench", "Measure how fast this machine computes");
    auto request = std::make_shared<BenchRequest>();
    command->add_option("--device", request->device, "auto (the first GPU, else the CPU), cpu, or cuda:N")
        ->type_name("D");
    command->add_option("--case", request->only, "Only cases whose name contains this; several separated by commas")
        ->type_name("NAME");
    request->threadsGiven = command->add_option("--threads", request->threads, "Threads of the CPU; 0: all")
                                ->type_name("N")
                                ->check(CLI::Range(0, 4096).description(""));
    command->add_flag("--quick", request->quick, "A few cases, shorter runs");
    request->jsonGiven =
        command->add_option("--json", request->json, "Machine-readable: one JSON object, to FILE or to stdout")
            ->type_name("[FILE]")
            ->expected(0, 1);
    command->add_option("--compare", request->compare, "After measuring, old and new side by side")
        ->type_name("OLD.json");
    request->gateGiven =
        command->add_option("--gate", request->gate, "Exit 1 if a case has fallen by more of its own yardstick")
            ->type_name("PERCENT")
            ->check(CLI::Range(0.0, 100.0).description(""));
    command->add_flag("--view", request->view, "What a live view costs: runs ondoscope, which needs a display");
    command->add_flag("--gradient", request->gradient, "What a gradient costs over a run forward, by memory mode");
    command->add_option("--memory", request->memory, "With --gradient: only memory modes whose name contains this")
        ->type_name("NAME");
    command->add_flag("--list", request->list, "List the cases and run none");
    command->footer(
        "Copy bandwidth and the cost of an empty step of this machine; then, case by case, the marginal step time, "
        "the\n"
        "roofline that the bandwidth allows and the fraction of it that is reached, the whole call of 2,000 steps\n"
        "beside the marginal figure, and the peak memory. Other programs on the machine spoil the figures: the load "
        "is\n"
        "part of the report, and --gate compares ratios within one run. The protocol is told in ondo(1).");
    command->callback([request, &run] { run = [request] { return bench(*request); }; });
}

} // namespace ondo::cli
