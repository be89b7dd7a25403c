// `ondo invert`: reads, plans, drives runInversion, whose history grows in a file. Wiring only.
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/invert_line.h"
#include "app/cli/run_inputs.h"
#include "app/cli/terminal.h"

#include "engine/io/inversion_file.h"
#include "engine/io/inversion_keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>

namespace ondo::cli {

namespace {

Result<OpenedRun> open(const InvertRequest& request)
{
    RunInputs inputs{request.file,
                     request.observed,
                     request.line.empty() ? request.out : std::string(),
                     request.device,
                     {},
                     request.threads,
                     request.dryRun,
                     request.quiet};
    std::copy_if(request.assignments.begin(), request.assignments.end(), std::back_inserter(inputs.assignments),
                 [](const std::string& a) { return !isInversionKey(a); });
    return openRun(inputs, false);
}

std::string timeLine(const InversionPlan& plan)
{
    const double one = plan.memory.seconds;
    return one > 0.0 ? fmt::format("time      about {}\n", secondsText(plan.gradients * one))
                     : std::string("time      not known: ondo calibrate measures this device\n");
}

Result<PreparedInversion> prepare(const InvertRequest& request)
{
    auto settings = readInversionSettings(request.file, request.assignments);
    if (!settings) {
        return tl::unexpected<Error>(settings.error());
    }
    settings->gradient.tape = request.tape;
    const auto storage = findStorage(request.storage);
    if (!storage) {
        return tl::unexpected<Error>(storage.error());
    }
    settings->gradient.tape.storage = *storage;
    const auto opened = open(request);
    if (!opened) {
        return tl::unexpected<Error>(opened.error());
    }
    auto plan =
        planInversion(opened->description, opened->model, opened->device->facts(), *settings, opened->speed.get());
    if (!plan) {
        return tl::unexpected<Error>(plan.error());
    }
    if (!plan->why.empty()) {
        note("memory mode " + plan->why, request.quiet);
    }
    std::string text = plan->plan->describe() + describeInversion(*plan, *settings) + timeLine(*plan);
    return PreparedInversion{std::move(*settings), std::move(*plan), opened->device, std::move(text)};
}

std::string progressText(const InversionProgress& p)
{
    return fmt::format("stage {} of {}, iteration {} of {}, gradient {}: shot {} of {} {}", p.stage + 1, p.stages,
                       p.iteration, p.iterations, p.evaluation, p.gradient.shot + 1, p.gradient.shots,
                       p.gradient.backwards ? "backwards" : "forwards");
}

std::string recordText(const InversionRecord& r)
{
    return fmt::format("stage {} iteration {:>3}  objective {:.6f}  misfit {:.6g}  step {:.3g}, at most {:.3g} m/s  {} "
                       "gradient{}  {}",
                       r.stage + 1, r.iteration, r.objective, r.data, r.step, r.change, r.evaluations,
                       r.evaluations == 1 ? "" : "s", secondsText(r.seconds));
}

Result<std::unique_ptr<InversionFile>> history(const PreparedInversion& prepared, const ObservedTraces& observed,
                                               const InvertRequest& request)
{
    const auto identity = identityOf(prepared.plan, prepared.settings, observed.shots);
    if (request.resume || request.from >= 0) {
        return InversionFile::open(request.out, identity, prepared.plan.plan->model.grid(), request.from);
    }
    std::error_code code;
    if (std::filesystem::exists(request.out, code)) {
        return badInput(fmt::format("--out {}: this file is there already", request.out),
                        "go on with it by --resume, or give another name");
    }
    return InversionFile::create(request.out,
                                 {prepared.plan, prepared.settings, identity, prepared.description, request.observed});
}

int work(const PreparedInversion& prepared, const ObservedTraces& observed, const InvertRequest& request)
{
    const auto file = history(prepared, observed, request);
    if (!file) {
        return complain(file.error());
    }
    if ((*file)->count() > 0) {
        note(fmt::format("{}: goes on from iteration {}", request.out, (*file)->count() - 1), request.quiet);
    }
    watchInterrupts();
    std::atomic<bool> stop{false};
    ProgressLine line(request.quiet);
    InversionHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const InversionProgress& p) {
        line.show(progressText(p));
        if (interrupted()) {
            stop.store(true);
        }
    };
    hooks.recorded = [&](const InversionRecord& r) {
        line.clear();
        if (!request.quiet) {
            fmt::print("{}\n", recordText(r));
            std::fflush(stdout);
        }
        if (r.unused > 0) {
            note(fmt::format("{} traces could not be judged and count as nothing", r.unused), request.quiet);
        }
    };
    hooks.note = [&](const std::string& text) {
        line.clear();
        note(text, request.quiet);
    };
    const auto done = runInversion(prepared.plan, prepared.device, observed.shots, prepared.settings, **file, hooks);
    line.clear();
    if (!done) {
        const int code = complain(done.error());
        note(fmt::format("{} holds {} iterations; --resume goes on from there", request.out, (*file)->count()),
             request.quiet);
        return code;
    }
    std::error_code error;
    const auto bytes = std::filesystem::file_size(request.out, error);
    fmt::print("{}  {}  inversion: {} records\n", request.out, bytesText(error ? 0.0 : static_cast<double>(bytes)),
               (*file)->count());
    return kDone;
}

int lineAsked(const InvertRequest& request, const PreparedInversion& prepared, const ObservedTraces& observed)
{
    if (request.resume || request.from >= 0) {
        return complain(kBadInput, "invert: --line inverts nothing; leave --resume and --from out");
    }
    if (request.out.empty() && !request.dryRun) {
        return complain(kBadInput, "invert: there is no file for the misfits along the line; give --out F.csv");
    }
    std::error_code code;
    for (const auto& input : {request.file, request.observed, request.line}) {
        if (!request.out.empty() && std::filesystem::equivalent(request.out, input, code)) {
            return complain(kBadInput,
                            fmt::format("invert: --out {}: this run reads this file; give another name", request.out));
        }
    }
    return misfitLine(request, prepared, observed);
}

int invert(const InvertRequest& request)
{
    if (request.keys) {
        fmt::print("{}", inversionKeysText());
        return kDone;
    }
    const auto prepared = prepare(request);
    if (!prepared) {
        return complain(prepared.error());
    }
    if (request.dryRun) {
        fmt::print("{}", prepared->description);
    }
    if (request.observed.empty()) {
        return request.dryRun ? kDone : complain(kBadInput, "invert: there are no observed data; give --observed FILE");
    }
    const auto observed = readObserved(request.observed, *prepared->plan.plan);
    if (!observed) {
        return complain(observed.error());
    }
    for (const auto& text : observed->notes) {
        note(text, request.quiet);
    }
    if (request.dryRun && request.line.empty()) {
        return kDone;
    }
    if (!request.line.empty()) {
        return lineAsked(request, *prepared, *observed);
    }
    if (request.out.empty()) {
        return complain(kBadInput, "invert: there is no file to keep the iterates in; give --out F.h5");
    }
    for (const auto& warning : prepared->plan.plan->warnings) {
        fmt::print(stderr, "ondo: warning: {}; {}\n", warning.what, warning.remedy);
    }
    return work(*prepared, *observed, request);
}

} // namespace

void addInvertCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("invert", "Change the model until a run's traces are the observed ones");
    auto request = std::make_shared<InvertRequest>();
    request->tape.mode = kAutomaticTape;
    command->add_option("FILE.toml", request->file, "Run description with an [inversion] section")->type_name("");
    command
        ->add_option("--observed", request->observed,
                     "The data: results of ondo run, or traces as SEG-Y, NumPy ...; one trace a receiver")
        ->type_name("F");
    command->add_option("--out", request->out, "Keep every iteration in this HDF5 file, which grows")
        ->type_name("F.h5");
    command->add_flag("--resume", request->resume, "Go on from the last iteration in the file of --out");
    command->add_option("--from", request->from, "Go on from this record of it, from 0; later ones are dropped")
        ->type_name("K")
        ->check(CLI::Range(0, 1000000).description(""));
    command
        ->add_option("--line", request->line,
                     "Invert nothing: the misfit along the line from the run's model to this one (a model, or an\n"
                     "inversion's last iterate), as a table in --out F.csv")
        ->type_name("F");
    command->add_option("--points", request->points, "Of the line: models on it")
        ->type_name("N")
        ->check(CLI::Range(3, 100000).description(""));
    command->add_option("--span", request->span, "Of the line: from t to t; 0 is the run's model, 1 the other")
        ->type_name("T T")
        ->expected(2);
    command->add_option("--misfits", request->misfits, "Of the line: kinds of misfit, l2,envelope for instance")
        ->type_name("K,K")
        ->delimiter(',');
    command->add_option("--device", request->device, "auto (the first GPU, else the CPU), cpu, or cuda:N")
        ->type_name("D");
    command
        ->add_option("--memory", request->tape.mode,
                     "Of the gradients: auto, full, chunks, boundary, segments or binomial, as of ondo gradient")
        ->type_name("MODE");
    command
        ->add_option("--storage", request->storage,
                     "Of what is kept step by step: exact, float32, bfloat16, float16 or int8; not of binomial")
        ->type_name("TYPE");
    command->add_option("--every", request->tape.every, "Image every so many steps; the error is stated")
        ->type_name("K");
    command->add_option("--set", request->assignments, "Set one key of run or inversion; may be given again")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    command->add_option("--threads", request->threads, "Threads of the CPU; 0: all")
        ->type_name("N")
        ->check(CLI::Range(0, 4096).description(""));
    command->add_flag("--dry-run", request->dryRun,
                      "Check everything, print plan, memory and time, compute and write nothing");
    command->add_flag("--keys", request->keys, "List every key of the [inversion] section");
    command->add_flag("--quiet", request->quiet, "Print warnings, errors and the file written, nothing else");
    command->footer("Ctrl-C stops it (exit code 130); the file keeps every iteration that was complete, as after any\n"
                    "other end, and --resume computes what an unbroken run would have.\n"
                    "Example:\n"
                    "  ondo run true.toml --out data.h5\n"
                    "  ondo invert start.toml --observed data.h5 --out inversion.h5");
    command->callback([request, &run] { run = [request] { return invert(*request); }; });
}

} // namespace ondo::cli
