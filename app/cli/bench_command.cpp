// `ondo bench`: how fast this machine computes.
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"

#include "engine/bench/bench.h"
#include "engine/device/device_list.h"

#include <fmt/format.h>

#include <memory>

namespace ondo::cli {

namespace {

struct BenchRequest {
    std::string device = "auto";
    std::string only;
    int threads = 0;
    bool json = false, quick = false, list = false;
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

int bench(const BenchRequest& request)
{
    auto choice = openDevice(request.device, request.threads);
    if (!choice) {
        return complain(choice.error());
    }
    if (!choice->fallbackReason.empty()) {
        note("measuring the CPU: " + choice->fallbackReason);
    }
    watchInterrupts();
    ProgressLine line(false);
    BenchOptions options;
    options.only = request.only;
    options.quick = request.quick;
    options.telling = [&line](const std::string& what) { line.show("measuring " + what); };
    options.stop = [] { return interrupted(); };
    auto report = runBench(choice->device, options);
    line.clear();
    if (!report) {
        return complain(report.error());
    }
    fmt::print("{}{}", request.json ? report->json() : report->text(), request.json ? "\n" : "");
    return report->stopped ? kStopped : kDone;
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
    command->add_option("--threads", request->threads, "Threads of the CPU; 0: all")
        ->type_name("N")
        ->check(CLI::Range(0, 4096).description(""));
    command->add_flag("--quick", request->quick, "A few cases, shorter runs");
    command->add_flag("--json", request->json, "Machine-readable: one JSON object on stdout");
    command->add_flag("--list", request->list, "List the cases and run none");
    command->footer(
        "Steps a second by the marginal method, points a second with and without absorbing layers, the whole call, "
        "and\n"
        "the fraction of the machine's own copy bandwidth, which is measured in the same run. Other programs on the\n"
        "machine spoil the figures: the load is part of the report.");
    command->callback([request, &run] { run = [request] { return request->list ? list() : bench(*request); }; });
}

} // namespace ondo::cli
