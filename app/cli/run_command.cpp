// `ondo run`: reads, plans, drives a Session, writes what it left. Wiring only.
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/run_picture.h"
#include "app/cli/speed.h"
#include "app/cli/terminal.h"

#include "engine/device/device_list.h"
#include "engine/io/run_example.h"
#include "engine/io/run_file.h"
#include "engine/io/run_loader.h"
#include "engine/io/run_outputs.h"
#include "engine/session/session.h"

#include <fmt/format.h>

#include <condition_variable>
#include <memory>
#include <mutex>

namespace ondo::cli {

namespace {

struct RunOptions {
    std::string file;
    std::vector<std::string> assignments;
    std::string device, results, picture, gather;
    int threads = 0;
    bool dryRun = false, quiet = false, keys = false, example = false;
};

// What the session told, until its last event.
struct Told {
    std::vector<Gather> gathers;
    std::shared_ptr<const FieldFrame> lastField, keptField;
    std::optional<Error> failure;
    bool stopped = false, ended = false;
    std::int64_t steps = 0;
    double seconds = 0.0;
};

struct Hearing {
    Told& told;
    ProgressLine& line;
    int shots;

    void operator()(const Progressed& p) const { line.show(p, shots); }
    void operator()(const ShotFinished& f) const { told.gathers.push_back(*f.gather); }
    void operator()(const Finished& f) const
    {
        told.lastField = f.lastField;
        told.keptField = f.keptField;
        told.seconds = f.seconds;
        told.ended = true;
    }
    void operator()(const Stopped& s) const
    {
        for (const auto& gather : s.gathers) {
            if (gather->recorded > 0) {
                told.gathers.push_back(*gather);
            }
        }
        told.lastField = s.lastField;
        told.keptField = s.keptField;
        told.steps = s.step;
        told.stopped = told.ended = true;
    }
    void operator()(const Failed& f) const
    {
        told.failure = f.error;
        told.ended = true;
    }
    template<class Other>
    void operator()(const Other&) const
    {
    }
};

Result<Told> compute(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                     bool quiet)
{
    std::mutex mutex;
    std::condition_variable woken;
    bool waiting = false;
    Told told;
    ProgressLine line(quiet);
    const Hearing hear{told, line, static_cast<int>(plan->run.survey.shots.size())};
    watchInterrupts();
    Session session([&] {
        {
            const std::lock_guard lock(mutex);
            waiting = true;
        }
        woken.notify_one();
    });
    session.setViewing(false);
    SessionOptions options;
    if (plan->run.output.pictureTime > 0.0) {
        options.keepFieldAt = plan->run.output.pictureTime;
    }
    if (auto ok = session.start(plan, device, options); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    bool asked = false;
    while (!told.ended) {
        {
            // A signal cannot wake a condition variable: look at it now and then.
            std::unique_lock lock(mutex);
            woken.wait_for(lock, std::chrono::milliseconds(50), [&] { return waiting; });
            waiting = false;
        }
        if (interrupted() && !asked) {
            asked = true;
            session.stop();
        }
        for (const auto& event : session.takeEvents()) {
            std::visit(hear, event);
        }
    }
    session.waitUntilIdle();
    return told;
}

RunResult resultOf(const SimulationPlan& plan, Told& told)
{
    RunResult result;
    result.model = plan.model;
    result.description = plan.run;
    result.gathers = std::move(told.gathers);
    result.complete = !told.stopped && !told.failure;
    result.device = plan.device.name;
    result.planText = plan.describe();
    if (told.lastField) {
        LastField field;
        field.pressure = told.lastField->values;
        field.nz = told.lastField->nz;
        field.ny = told.lastField->ny;
        field.nx = told.lastField->nx;
        field.step = told.lastField->step;
        field.time = told.lastField->time;
        result.field = std::move(field);
    }
    return result;
}

int write(const SimulationPlan& plan, Told& told, bool quiet)
{
    OutputSettings outputs = plan.run.output;
    const auto field = told.keptField ? told.keptField : told.lastField;
    const RunResult result = resultOf(plan, told);
    if (result.gathers.empty() && !outputs.gather.empty()) {
        note(fmt::format("{} is not written: no trace was recorded", outputs.gather), quiet);
        outputs.gather.clear();
    }
    const auto report = writeOutputs(
        outputs, result, [&](const std::string& path) { return drawRunPicture(path, plan, field, result.gathers); });
    for (const auto& file : report.files) {
        fmt::print("{}  {}  {}\n", file.path, bytesText(static_cast<double>(file.bytes)), file.what);
    }
    for (const auto& error : report.errors) {
        complain(error);
    }
    return report.errors.empty() ? kDone : kFailed;
}

void overrideOutputs(const RunOptions& options, RunDescription& description)
{
    const auto take = [](const std::string& given, std::string& target) {
        if (!given.empty()) {
            target = given;
        }
    };
    take(options.device, description.device);
    take(options.results, description.output.results);
    take(options.picture, description.output.picture);
    take(options.gather, description.output.gather);
}

// Computes what was planned and writes it.
int carryOut(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
             const RunOptions& options)
{
    for (const auto& warning : plan->warnings) {
        fmt::print(stderr, "ondo: warning: {}; {}\n", warning.what, warning.remedy);
    }
    const auto& out = plan->run.output;
    if (out.results.empty() && out.picture.empty() && out.gather.empty()) {
        note("nothing will be written: give --out F.h5, --png F.png or --gather F.sgy", options.quiet);
    }
    if (!options.quiet) {
        fmt::print(stderr, "{} on {}: {} steps of {:.4g} ms, {:.4g} s\n", plan->model.grid().describe(),
                   plan->device.name, plan->totalSteps(), plan->time.innerStep() * 1e3, plan->time.duration());
    }
    auto told = compute(plan, device, options.quiet);
    if (!told) {
        return complain(told.error());
    }
    if (const auto& failure = told->failure) {
        complain(kFailed, failure->text());
        if (!told->gathers.empty()) {
            const auto kept = told->gathers.size();
            note(fmt::format("the {} shot{} before it {} kept", kept, kept == 1 ? "" : "s", kept == 1 ? "is" : "are"),
                 options.quiet);
            write(*plan, *told, options.quiet);
        }
        return kFailed;
    }
    if (told->stopped) {
        complain(kStopped, fmt::format("stopped at step {}; what was computed so far is kept", told->steps));
    } else if (!options.quiet) {
        fmt::print(stderr, "done in {}\n", secondsText(told->seconds));
    }
    const int written = write(*plan, *told, options.quiet);
    return told->stopped ? kStopped : written;
}

// The plan with its time, which a device that was never measured is measured for.
int showPlan(const LoadedRun& loaded, std::shared_ptr<const SimulationPlan> plan, const std::shared_ptr<Device>& device,
             bool quiet)
{
    if (plan->secondsEstimate == 0.0) {
        note(fmt::format("measuring the speed of {} for the estimate: about 4 s, kept for the next time",
                         device->facts().name),
             quiet);
        watchInterrupts();
        const auto speed = measureNow(device, quiet);
        if (!speed && speed.error().kind == ErrorKind::Cancelled) {
            return complain(speed.error());
        }
        if (!speed) {
            note("there is no estimate of the time: " + speed.error().text(), quiet);
        } else if (auto timed = SimulationPlan::make(loaded.description, loaded.model, device->facts(), speed->get())) {
            plan = *timed;
        }
    }
    fmt::print("{}", plan->describe());
    return kDone;
}

int runShot(const RunOptions& options)
{
    auto loaded = loadRun(options.file, options.assignments);
    if (!loaded) {
        return complain(loaded.error());
    }
    RunDescription& description = loaded->description;
    overrideOutputs(options, description);
    if (auto ok = checkOutputs(description, options.file); !ok) {
        return complain(ok.error());
    }
    for (const auto& line : loaded->notes) {
        note(line, options.quiet);
    }
    auto choice = openDevice(description.device, options.threads);
    if (!choice) {
        return complain(choice.error());
    }
    if (!choice->fallbackReason.empty()) {
        note("running on the CPU: " + choice->fallbackReason, options.quiet);
    }
    const auto speed = speedAtHand(choice->device->facts(), options.quiet);
    auto plan = SimulationPlan::make(description, loaded->model, choice->device->facts(), speed.get());
    if (!plan) {
        return complain(plan.error());
    }
    if (auto ok = checkGatherFits(description, (*plan)->time); !ok) {
        return complain(ok.error());
    }
    if (options.dryRun) {
        return showPlan(*loaded, *plan, choice->device, options.quiet);
    }
    return carryOut(*plan, choice->device, options);
}

} // namespace

void addRunCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("run", "Compute the shots of a run description");
    auto options = std::make_shared<RunOptions>();
    command
        ->add_option("FILE.toml", options->file,
                     "Run description; without it all defaults hold: the built-in structural model and one shot")
        ->type_name("");
    command->add_option("--device", options->device, "auto (the first GPU, else the CPU), cpu, or cuda:N")
        ->type_name("D");
    command->add_option("--out", options->results, "Write everything to this HDF5 file")->type_name("F.h5");
    command
        ->add_option("--png", options->picture,
                     "Write a picture of the field on the model, with the gather; needs no display")
        ->type_name("F.png");
    command->add_option("--gather", options->gather, "Write the traces alone, as SEG-Y or NumPy")
        ->type_name("F.sgy|F.npy");
    command->add_option("--set", options->assignments, "Set one key of the run description; may be given again")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    command->add_option("--threads", options->threads, "Threads of the CPU; 0: all")
        ->type_name("N")
        ->check(CLI::Range(0, 4096).description(""));
    command->add_flag("--dry-run", options->dryRun, "Check everything, print the plan, compute and write nothing");
    command->add_flag("--quiet", options->quiet, "Print warnings, errors and the files written, nothing else");
    command->add_flag("--keys", options->keys, "List every key of a run description with unit, default and meaning");
    command->add_flag("--example", options->example, "Print a run description that holds every key, to start from");
    command->footer("Ctrl-C stops the run and keeps the traces so far (exit code 130); a second Ctrl-C ends at once.\n"
                    "Examples:\n"
                    "  ondo run --png shot.png\n"
                    "  ondo run --set model.path=marmousi.mat --set model.dx=10 --set model.dz=10 --out shot.h5\n"
                    "  ondo run survey.toml --device cuda:0 --gather shots.sgy --set time.duration=3");
    command->callback([options, &run] {
        run = [options] {
            if (options->keys) {
                fmt::print("{}", runKeysText());
                return kDone;
            }
            if (options->example) {
                fmt::print("{}", exampleRunFile());
                return kDone;
            }
            return runShot(*options);
        };
    });
}

} // namespace ondo::cli
