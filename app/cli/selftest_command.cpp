// `ondo selftest`: proves this machine's numbers against closed forms, laws and the slow reference.
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"

#include "engine/core/json.h"
#include "engine/device/device_list.h"
#include "engine/selftest/case.h"

#include <fmt/format.h>

#include <memory>

namespace ondo::cli {

namespace {

struct SelftestRequest {
    std::string device = "auto";
    SelftestFilter filter;
    bool json = false, list = false;
};

const char* wordFor(SelftestVerdict verdict)
{
    switch (verdict) {
    case SelftestVerdict::Passed: return "pass";
    case SelftestVerdict::Skipped: return "skip";
    case SelftestVerdict::Failed: break;
    }
    return "FAIL";
}

int list(const SelftestRequest& request)
{
    SelftestFilter all = request.filter;
    all.slow = true;
    for (const auto& which : selftestCases()) {
        if (all.accepts(which)) {
            fmt::print("{}{}\n", which.id(), which.slow ? "  (slow)" : "");
        }
    }
    return kDone;
}

std::string caseJson(const SelftestCase& which, const SelftestOutcome& outcome, double seconds)
{
    json::Object o;
    o.add("name", json::text(which.id())).add("verdict", json::text(wordFor(outcome.verdict)));
    o.add("figure", json::number(outcome.figure)).add("tolerance", json::number(outcome.tolerance));
    o.add("unit", json::text(outcome.unit)).add("reason", json::text(outcome.reason));
    return o.add("text", json::text(outcome.text)).add("seconds", json::number(seconds)).str();
}

int printEnd(const SelftestRequest& request, const DeviceChoice& choice, const SelftestSummary& summary,
             const std::vector<std::string>& cases)
{
    const auto& facts = choice.device->facts();
    if (request.json) {
        json::Object o;
        o.add("program", json::text("ondo selftest")).add("version", json::text(ONDO_VERSION));
        o.add("device", json::text(facts.id)).add("device_name", json::text(facts.name));
        o.add("passed", json::number(summary.passed)).add("failed", json::number(summary.failed));
        o.add("skipped", json::number(summary.skipped)).add("stopped", json::boolean(interrupted()));
        fmt::print("{}\n", o.add("cases", json::array(cases)).str());
    } else {
        fmt::print("{} passed, {} failed, {} skipped on {} ({})\n", summary.passed, summary.failed, summary.skipped,
                   facts.id, facts.name);
    }
    return interrupted() ? kStopped : summary.failed > 0 ? kFailed : kDone;
}

int selftest(const SelftestRequest& request)
{
    auto choice = openDevice(request.device);
    if (!choice) {
        return complain(choice.error());
    }
    if (!choice->fallbackReason.empty()) {
        note("testing the CPU: " + choice->fallbackReason);
    }
    watchInterrupts();
    ProgressLine line(false);
    std::vector<std::string> cases;
    SelftestListener listener;
    listener.begun = [&line](const SelftestCase& which) { line.show("running " + which.id()); };
    listener.ended = [&](const SelftestCase& which, const SelftestOutcome& outcome, double seconds) {
        line.clear();
        if (request.json) {
            cases.push_back(caseJson(which, outcome, seconds));
        } else {
            fmt::print("{}  {:<44} {:>7.2f} s  {}\n", wordFor(outcome.verdict), which.id(), seconds,
                       outcome.describe());
            std::fflush(stdout);
        }
        return !interrupted();
    };
    auto summary = runSelftest(request.filter, choice->device, listener);
    line.clear();
    if (!summary) {
        return complain(summary.error());
    }
    return printEnd(request, *choice, *summary, cases);
}

} // namespace

void addSelftestCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("selftest", "Prove this machine's numbers");
    auto request = std::make_shared<SelftestRequest>();
    command->add_option("--device", request->device, "auto (the first GPU, else the CPU), cpu, or cuda:N")
        ->type_name("D");
    command
        ->add_option("--only", request->filter.only,
                     "Only this group (parity, physics, adjoint ...) or cases whose name contains it; several "
                     "separated by commas")
        ->type_name("NAME");
    command->add_flag("--slow", request->filter.slow, "The slow cases too (minutes)");
    command->add_flag("--json", request->json, "Machine-readable: one JSON object on stdout");
    command->add_flag("--list", request->list, "List the cases and run none");
    command->footer(
        "Compares with closed forms, published numbers, the slow double-precision reference and laws such as\n"
        "reciprocity and energy. Each line tells what was measured and what it must not exceed.\n"
        "The exit code is 0 when no case failed, 3 otherwise.");
    command->callback(
        [request, &run] { run = [request] { return request->list ? list(*request) : selftest(*request); }; });
}

} // namespace ondo::cli
