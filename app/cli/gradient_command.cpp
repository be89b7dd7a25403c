// `ondo gradient`: reads, plans, drives computeGradient, writes what it gave. Wiring only.
#include "app/cli/commands.h"
#include "app/cli/interrupt.h"
#include "app/cli/run_inputs.h"
#include "app/cli/terminal.h"

#include "engine/inversion/memory_choice.h"
#include "engine/io/gradient_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>

namespace ondo::cli {

namespace {

struct GradientRequest : RunInputs {
    std::string storage = "exact", place = "device", parameters = "speed,density";
    GradientOptions options;
    bool noSpeed = false, noPositions = false;
};

struct Prepared {
    std::shared_ptr<const SimulationPlan> plan;
    std::shared_ptr<Device> device;
    MemoryChoice memory;
};

Result<Prepared> prepare(const GradientRequest& request)
{
    const auto opened = openRun(request, true);
    if (!opened) {
        return tl::unexpected<Error>(opened.error());
    }
    auto plan = SimulationPlan::make(opened->description, opened->model, opened->device->facts(), opened->speed.get());
    if (!plan) {
        return tl::unexpected<Error>(plan.error());
    }
    auto memory = chooseMemory(**plan, request.options);
    if (!memory) {
        return tl::unexpected<Error>(memory.error());
    }
    if (!memory->why.empty()) {
        note("memory mode " + memory->why, request.quiet);
    }
    return Prepared{*plan, opened->device, std::move(*memory)};
}

std::string progressText(const GradientProgress& p)
{
    const std::string shot = p.shots > 1 ? fmt::format("shot {} of {}, ", p.shot + 1, p.shots) : std::string();
    return fmt::format("{}{} {} of {} steps", shot, p.backwards ? "backwards" : "forwards", p.step, p.steps);
}

int compute(const Prepared& prepared, const ObservedTraces& observed, const GradientRequest& request)
{
    watchInterrupts();
    std::atomic<bool> stop{false};
    ProgressLine line(request.quiet);
    GradientHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](const GradientProgress& p) {
        line.show(progressText(p));
        if (interrupted()) {
            stop.store(true);
        }
    };
    std::vector<std::string> told;
    hooks.note = [&](const std::string& text) {
        line.clear();
        note(text, request.quiet);
        told.push_back(text);
    };
    const auto data = std::make_shared<std::vector<TraceTable>>(observed.shots);
    auto gradient = computeGradient(prepared.plan, prepared.device, leastSquares(data), prepared.memory.options, hooks);
    line.clear();
    if (!gradient) {
        return complain(gradient.error());
    }
    gradient->why = prepared.memory.why;
    for (const auto& text : gradient->notes) {
        if (std::find(told.begin(), told.end(), text) == told.end()) {
            note(text, request.quiet);
        }
    }
    if (!request.quiet) {
        const GradientMemory& memory = prepared.memory.memory;
        fmt::print(stderr, "misfit {:.6g} Pa^2 s; done in {}{}\npeak on the device {}, predicted {}\n",
                   gradient->misfit, secondsText(gradient->seconds),
                   memory.seconds > 0.0 ? ", predicted " + secondsText(memory.seconds) : std::string(),
                   bytesText(static_cast<double>(gradient->peakBytes)), bytesText(static_cast<double>(memory.total())));
    }
    if (request.out.empty()) {
        note("nothing is written: give --out F.h5", request.quiet);
        return kDone;
    }
    const GradientResult result{*prepared.plan, prepared.memory.options, *gradient, request.observed};
    if (auto ok = writeGradient(request.out, result); !ok) {
        complain(ok.error());
        return kFailed;
    }
    std::error_code error;
    const auto bytes = std::filesystem::file_size(request.out, error);
    fmt::print("{}  {}  gradient: {} shot{}\n", request.out, bytesText(error ? 0.0 : static_cast<double>(bytes)),
               gradient->shots.size(), gradient->shots.size() == 1 ? "" : "s");
    return kDone;
}

int gradient(GradientRequest request)
{
    request.options.speed = !request.noSpeed;
    request.options.sourcePositions = request.options.receiverPositions = !request.noPositions;
    const auto storage = findStorage(request.storage);
    if (!storage) {
        return complain(storage.error());
    }
    const auto place = findPlace(request.place);
    if (!place) {
        return complain(place.error());
    }
    const auto parameters = findParameters(request.parameters);
    if (!parameters) {
        return complain(parameters.error());
    }
    request.options.parameters = *parameters;
    request.options.tape.storage = *storage;
    request.options.tape.place = *place;
    const auto prepared = prepare(request);
    if (!prepared) {
        return complain(prepared.error());
    }
    if (request.dryRun) {
        const MemoryChoice& memory = prepared->memory;
        fmt::print("{}{}", prepared->plan->describe(),
                   describeGradient(*prepared->plan, memory.options, memory.memory));
        if (memory.options.speed) {
            fmt::print("{}{}", memory.why.empty() ? std::string() : fmt::format("chosen    {}\n", memory.why),
                       describeWays(memoryWays(*prepared->plan, memory.options), memory.options.tape));
        }
    }
    if (request.dryRun && request.observed.empty()) {
        return kDone;
    }
    const auto observed = readData(request, *prepared->plan, "gradient");
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

} // namespace

void addGradientCommand(CLI::App& app, Command& run)
{
    auto* command = app.add_subcommand("gradient", "Differentiate the misfit of a run by its model and survey");
    auto request = std::make_shared<GradientRequest>();
    request->options.tape.mode = kAutomaticTape;
    command->add_option("FILE.toml", request->file, "Run description, as for ondo run")->type_name("");
    command
        ->add_option("--observed", request->observed,
                     "The data: results of ondo run, or traces as SEG-Y, NumPy ...; one trace a receiver")
        ->type_name("F");
    command->add_option("--out", request->out, "Write the gradient to this HDF5 file")->type_name("F.h5");
    command->add_option("--device", request->device, "auto (the first GPU, else the CPU), cpu, or cuda:N")
        ->type_name("D");
    command
        ->add_option(
            "--memory", request->options.tape.mode,
            "auto: the fastest that fits, and says which; full: keeps every step; chunks: checkpoints, the run twice; "
            "boundary: the interior's rim, runs the interior backwards; segments: checkpoints with boundary between; "
            "binomial: few checkpoints, steps repeated")
        ->type_name("MODE");
    command
        ->add_option("--storage", request->storage,
                     "Of what is kept step by step: exact, float32, bfloat16, float16 or int8; not of binomial")
        ->type_name("TYPE");
    command
        ->add_option("--place", request->place,
                     "Of what is kept of the whole run: device, host or disk; device with auto: wherever it fits")
        ->type_name("WHERE");
    auto& tape = request->options.tape;
    command->add_option("--checkpoints", tape.checkpoints, "Of binomial: states on the device; 0 of all: chosen")
        ->type_name("N");
    command->add_option("--host-checkpoints", tape.hostCheckpoints, "Of binomial: more of them in the host's memory")
        ->type_name("N");
    command->add_option("--disk-checkpoints", tape.diskCheckpoints, "Of binomial: more of them on disk")
        ->type_name("N");
    command
        ->add_option("--tape-folder", tape.folder, "Where files on disk lie; the system's folder for temporary files")
        ->type_name("DIR");
    command->add_option("--every", request->options.tape.every, "Image every so many steps; the error is stated")
        ->type_name("K");
    command
        ->add_option("--tail", request->options.tape.tail,
                     "Image the last so many steps alone, for misfits of the run's end; 0: all of them")
        ->type_name("K");
    command->add_option("--chunk", request->options.tape.chunk, "Steps between checkpoints; 0: chosen")->type_name("C");
    command
        ->add_option("--parameters", request->parameters,
                     "Where density varies: speed,density or speed,impedance, each at the other held fixed")
        ->type_name("P");
    command->add_flag("--no-speed", request->noSpeed, "Of the survey alone: wavelets and positions, not of the model");
    command->add_flag("--no-positions", request->noPositions, "Not of source and receiver positions");
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
    command->footer("The misfit is 1/2 sum over receivers of the integral of (p - observed)^2 over time.\n"
                    "Ctrl-C stops it (exit code 130); nothing is written then.\n"
                    "Example:\n"
                    "  ondo run true.toml --out data.h5\n"
                    "  ondo gradient start.toml --observed data.h5 --out gradient.h5");
    command->callback([request, &run] { run = [request] { return gradient(*request); }; });
}

} // namespace ondo::cli
