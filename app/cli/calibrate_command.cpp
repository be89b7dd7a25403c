// `ondo calibrate`: measures a device for the planner's estimates, and checks them against runs.
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/speed.h"
#include "app/cli/terminal.h"

#include "engine/bench/estimate_check.h"
#include "engine/device/device_list.h"

#include <fmt/format.h>

#include <memory>

namespace ondo::cli {

namespace {

constexpr int kEstimateOff = 1; // exit code: measured, and not within the tolerance

struct CalibrateRequest {
    std::string device = "auto";
    std::string only;
    int threads = 0;
    bool check = false, quick = false, json = false, list = false;
};

std::string tableOf(const DeviceSpeed& speed)
{
    std::string s = fmt::format("measured {} UTC in {:.2f} s on {}\n", speed.when, speed.took, speed.device);
    if (speed.load >= 0.0) {
        s += fmt::format("load       {:.2f} before it (one minute)\n", speed.load);
    }
    s += fmt::format("\n{:<6} {:>6} {:>12} {:>12} {:>14}\n", "", "order", "nodes", "us a step", "ns a node");
    for (const RankSpeed& rank : speed.rank) {
        for (const SpeedCurve& curve : rank.plain) {
            for (const SpeedPoint& p : curve.at) {
                s += fmt::format("{}-D    {:>6} {:>12.0f} {:>12.2f} {:>14.4f}\n", curve.rank, curve.order, p.points,
                                 p.seconds * 1e6, p.seconds / p.points * 1e9);
            }
        }
        for (const SpeedCurve& curve : rank.layered) {
            for (const SpeedPoint& p : curve.at) {
                s += fmt::format("layers {:>6} {:>12.0f} {:>12} {:>14.4f} more a layer node\n", curve.order, p.points,
                                 "", p.seconds * 1e9);
            }
        }
        for (const ReceiverCost& cost : rank.receivers) {
            s += fmt::format("receivers {:>16.0f} {:>12.2f} us a sample, and {:.3f} ns a node\n", cost.points,
                             cost.sample * 1e6, cost.node * 1e9);
        }
    }
    const CallCost& call = speed.call;
    return s + fmt::format("a run  {:>6} {:.2f} ms, {:.3f} ns a node of the model, {:.3f} ns a node and shot; a launch "
                           "{:.2f} ms\n",
                           "", call.fixed * 1e3, call.modelPoint * 1e9, call.fieldPoint * 1e9, call.launch * 1e3);
}

int check(const CalibrateRequest& request, const std::shared_ptr<Device>& device, const DeviceSpeed& speed)
{
    ProgressLine line(false);
    EstimateOptions options;
    options.only = request.only;
    options.quick = request.quick;
    options.telling = [&line](const std::string& what) { line.show("running " + what); };
    options.stop = [] { return interrupted(); };
    const auto report = checkEstimates(device, speed, options);
    line.clear();
    if (!report) {
        return complain(report.error());
    }
    fmt::print("{}", report->text());
    return report->stopped ? kStopped : report->good() ? kDone : kEstimateOff;
}

int calibrateDevice(const CalibrateRequest& request)
{
    if (!request.check && (!request.only.empty() || request.quick)) {
        return complain(kBadInput,
                        fmt::format("calibrate: {} chooses cases of --check, which is not given; add --check",
                                    request.quick ? "--quick" : "--case " + request.only));
    }
    auto choice = openDevice(request.device, request.threads);
    if (!choice) {
        return complain(choice.error());
    }
    if (!choice->fallbackReason.empty()) {
        note("measuring the CPU: " + choice->fallbackReason);
    }
    watchInterrupts();
    const auto speed = measureNow(choice->device, false);
    if (!speed) {
        return complain(speed.error());
    }
    if (request.check) {
        return check(request, choice->device, **speed);
    }
    fmt::print("{}", request.json ? speedText(**speed) + "\n" : tableOf(**speed));
    return kDone;
}

int list()
{
    for (const auto& which : estimateCases()) {
        fmt::print("{}\n", which.name());
    }
    return kDone;
}

} // namespace

void addCalibrateCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("calibrate", "Measure a device for the estimates of time");
    auto request = std::make_shared<CalibrateRequest>();
    command->add_option("--device", request->device, "auto (the first GPU, else the CPU), cpu, or cuda:N")
        ->type_name("D");
    command->add_option("--threads", request->threads, "Threads of the CPU; 0: all")
        ->type_name("N")
        ->check(CLI::Range(0, 4096).description(""));
    command->add_flag("--check", request->check,
                      "Then predict runs and do them: exit code 1 if an estimate is off by more than 15 %");
    command
        ->add_option("--case", request->only,
                     "With --check: only cases whose name contains this; several separated by commas")
        ->type_name("NAME");
    command->add_flag("--quick", request->quick, "With --check: no large grids");
    command->add_flag("--list", request->list, "List the cases of --check and run none");
    command->add_flag("--json", request->json, "What was measured as one JSON object");
    command->footer(
        "Takes about four seconds and is kept in the cache folder; `ondo run --dry-run` and the window do it by "
        "themselves\n"
        "where it was not done for this device and this build. Do it again after a change of the machine, or if "
        "it was\n"
        "busy: other programs spoil the figures.");
    command->callback(
        [request, &run] { run = [request] { return request->list ? list() : calibrateDevice(*request); }; });
}

} // namespace ondo::cli
