// `ondo migrate`: reads, plans, drives migrate(), writes what it gave. Wiring only.
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/migrate_picture.h"
#include "app/cli/run_inputs.h"
#include "app/cli/terminal.h"

#include "engine/inversion/memory_choice.h"
#include "engine/inversion/migration.h"
#include "engine/io/migration_writer.h"
#include "engine/io/run_outputs.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <memory>

namespace ondo::cli {

namespace {

struct MigrateRequest : RunInputs {
    std::string storage = "exact", place = "device", png;
    MigrationOptions options;
    bool asRecorded = false;
};

struct Prepared {
    std::shared_ptr<const SimulationPlan> plan;
    std::shared_ptr<Device> device;
    MigrationOptions options;
    std::string description;
};

Result<> checkPicture(const MigrateRequest& request)
{
    if (request.png.empty()) {
        return {};
    }
    RunDescription run; // of outputs alone
    run.output.picture = request.png;
    return checkOutputs(run, request.file, {request.observed});
}

Result<Prepared> prepare(const MigrateRequest& request)
{
    if (auto ok = checkPicture(request); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    const auto opened = openRun(request, true);
    if (!opened) {
        return tl::unexpected<Error>(opened.error());
    }
    auto plan = SimulationPlan::make(opened->description, opened->model, opened->device->facts(), opened->speed.get());
    if (!plan) {
        return tl::unexpected<Error>(plan.error());
    }
    MigrationOptions options = request.options;
    options.gradient.sourcePositions = options.gradient.receiverPositions = false;
    const auto memory = chooseMemory(**plan, options.gradient);
    if (!memory) {
        return tl::unexpected<Error>(memory.error());
    }
    if (!memory->why.empty()) {
        note("memory mode " + memory->why, request.quiet);
    }
    options.gradient = memory->options;
    const auto needs = checkMigration(**plan, options);
    if (!needs) {
        return tl::unexpected<Error>(needs.error());
    }
    std::string text = (*plan)->describe() + describeGradient(**plan, options.gradient, memory->memory) +
                       describeMigration(**plan, options, *needs);
    return Prepared{*plan, opened->device, std::move(options), std::move(text)};
}

std::string stepText(const LeastSquaresStep& step)
{
    return fmt::format("iteration {:>3}  residual {:.6f}  objective {:.6f}  gradient {:.3g}", step.iteration,
                       step.residual, step.objective, step.gradient);
}

int finish(const Prepared& prepared, const Migration& migration, const MigrateRequest& request)
{
    for (const auto& text : migration.notes) {
        note(text, request.quiet);
    }
    if (!migration.ended.empty()) {
        note("least squares ended: " + migration.ended, request.quiet);
    }
    if (!request.quiet) {
        fmt::print(stderr, "done in {}; peak on the device {}\n", secondsText(migration.seconds),
                   bytesText(static_cast<double>(migration.peakBytes)));
    }
    if (!request.out.empty()) {
        std::error_code error;
        const auto bytes = std::filesystem::file_size(request.out, error);
        fmt::print("{}  {}  migration: {} shots{}\n", request.out, bytesText(error ? 0.0 : static_cast<double>(bytes)),
                   migration.misfits.size(),
                   migration.steps.empty() ? std::string() : fmt::format(", {} iterations", migration.steps.size()));
    }
    if (!request.png.empty()) {
        const auto drawn = drawImage(request.png, prepared.plan->model,
                                     migration.reflectivity.empty() ? migration.image : migration.reflectivity);
        if (!drawn) {
            complain(drawn.error());
            return kFailed;
        }
        fmt::print("{}  {}\n", request.png, *drawn);
    }
    if (request.out.empty() && request.png.empty()) {
        note("nothing is written: give --out F.h5 or --png F.png", request.quiet);
    }
    return kDone;
}

int compute(const Prepared& prepared, const ObservedTraces& observed, const MigrateRequest& request)
{
    watchInterrupts();
    std::atomic<bool> stop{false};
    ProgressLine line(request.quiet);
    MigrationHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const std::string& text) {
        line.show(text);
        if (interrupted()) {
            stop.store(true);
        }
    };
    hooks.note = [&](const std::string& text) {
        line.clear();
        note(text, request.quiet);
    };
    int kept = -1; // iterates in the file; -1: there is no file
    if (!request.out.empty()) {
        hooks.imaged = [&](const Migration& m) -> Result<> {
            auto ok = writeMigration(request.out, {*prepared.plan, prepared.options, m, request.observed});
            kept = ok ? 0 : kept;
            return ok;
        };
    }
    hooks.iterated = [&](const LeastSquaresStep& step, const std::vector<double>& m) -> Result<> {
        line.clear();
        if (!request.quiet) {
            fmt::print("{}\n", stepText(step));
            std::fflush(stdout);
        }
        if (request.out.empty()) {
            return {};
        }
        auto ok = appendIterate(request.out, prepared.plan->model.grid(), step, m);
        kept += ok ? 1 : 0;
        return ok;
    };
    const auto migration = migrate(prepared.plan, prepared.device, observed.shots, prepared.options, hooks);
    line.clear();
    if (!migration) {
        const int code = complain(migration.error());
        if (kept >= 0) {
            note(fmt::format("{} holds the image and {} iterations", request.out, kept), request.quiet);
        }
        return code;
    }
    return finish(prepared, *migration, request);
}

int migrateRun(MigrateRequest request)
{
    const auto storage = findStorage(request.storage);
    if (!storage) {
        return complain(storage.error());
    }
    const auto place = findPlace(request.place);
    if (!place) {
        return complain(place.error());
    }
    request.options.gradient.tape.storage = *storage;
    request.options.gradient.tape.place = *place;
    request.options.subtract = !request.asRecorded;
    const auto prepared = prepare(request);
    if (!prepared) {
        return complain(prepared.error());
    }
    if (request.dryRun) {
        fmt::print("{}", prepared->description);
        if (request.observed.empty()) {
            return kDone;
        }
    }
    const auto observed = readData(request, *prepared->plan, "migrate");
    if (!observed) {
        return complain(observed.error());
    }
    if (request.dryRun) {
        return kDone;
    }
    for (const auto& warning : prepared->plan->warnings) {
        fmt::print(stderr, "ondo: warning: {}; {}\n", warning.what, warning.remedy);
    }
    return compute(*prepared, *observed, request);
}

void addImaging(CLI::App& command, MigrateRequest& request)
{
    MigrationOptions& o = request.options;
    command.add_option("--lsrtm", o.iterations, "Iterations of least squares; each is added to the file of --out")
        ->type_name("N")
        ->check(CLI::Range(0, 100000).description(""));
    command
        .add_option("--damping", o.damping,
                    "Of least squares: weight of the reflectivity's square, as a share of what the data give")
        ->type_name("D");
    command.add_flag("--as-recorded", request.asRecorded,
                     "Migrate the data as they are; else the model's own traces are subtracted first");
    command.add_option("--mute-speed", o.window.muteSpeed, "Leave out samples before offset / speed, m/s")
        ->type_name("V");
    command.add_option("--mute-delay", o.window.muteDelay, "And so many seconds after that")->type_name("S");
    command.add_option("--taper", o.window.taper, "Length of the taper where traces begin and end, s")->type_name("S");
    command.add_option("--mute-depth", o.mute, "No image of the first so many metres, the water for instance")
        ->type_name("M");
    command.add_option("--water", o.water, "Added to the illumination that divides, as a share of its largest; 0.01")
        ->type_name("W");
    command.add_flag("--laplacian", o.laplacian,
                     "Filter the image by -(c / 4 pi f)^2 times its Laplacian; not least squares");
    command.add_option("--lags", o.lags.farthest, "Space-lag gathers up to so many metres to either side")
        ->type_name("M");
    command.add_option("--columns", o.lags.apart, "Of gathers: metres from one to the next; a sixteenth of the model")
        ->type_name("M");
}

} // namespace

void addMigrateCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("migrate", "Image reflectors from traces in a smooth model");
    auto request = std::make_shared<MigrateRequest>();
    auto& tape = request->options.gradient.tape;
    tape.mode = kAutomaticTape;
    command->add_option("FILE.toml", request->file, "Run description, as for ondo run, with the smooth model")
        ->type_name("");
    command
        ->add_option("--observed", request->observed,
                     "The data: results of ondo run, or traces as SEG-Y, NumPy ...; one trace a receiver")
        ->type_name("F");
    command->add_option("--out", request->out, "Write image, gathers and iterates to this HDF5 file")
        ->type_name("F.h5");
    command->add_option("--png", request->png, "Draw the image, or the last iterate, in grey")->type_name("F.png");
    addImaging(*command, *request);
    command->add_option("--device", request->device, "auto (the first GPU, else the CPU), cpu, or cuda:N")
        ->type_name("D");
    command
        ->add_option("--memory", tape.mode,
                     "Of the adjoint: auto, full, chunks, boundary, segments or binomial, as of ondo gradient")
        ->type_name("MODE");
    command
        ->add_option("--storage", request->storage,
                     "Of what is kept step by step: exact, float32, bfloat16, float16 or int8; not of binomial")
        ->type_name("TYPE");
    command
        ->add_option("--place", request->place,
                     "Of what is kept of the whole run: device, host or disk; device with auto: wherever it fits")
        ->type_name("WHERE");
    command->add_option("--every", tape.every, "Image every so many steps; the error is stated")->type_name("K");
    command->add_option("--set", request->assignments, "Set one key of the run description; may be given again")
        ->type_name("KEY=VALUE")
        ->expected(1)
        ->take_all();
    command->add_option("--threads", request->threads, "Threads of the CPU; 0: all")
        ->type_name("N")
        ->check(CLI::Range(0, 4096).description(""));
    command->add_flag("--dry-run", request->dryRun,
                      "Check everything, print plan and memory, compute and write nothing");
    command->add_flag("--quiet", request->quiet, "Print warnings, errors and the file written, nothing else");
    command->footer("The image is of the reflectivity 2 dc / c; units and layout are in the manual page.\n"
                    "Ctrl-C stops it (exit code 130); the file keeps every iteration that was complete.\n"
                    "Example:\n"
                    "  ondo run true.toml --out data.h5\n"
                    "  ondo migrate smooth.toml --observed data.h5 --out image.h5 --png image.png --lsrtm 10");
    command->callback([request, &run] { run = [request] { return migrateRun(*request); }; });
}

} // namespace ondo::cli
