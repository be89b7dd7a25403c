// `ondo invert --line`: the misfit along the line from the run's model to another one, as a table. Wiring only.
#include "app/cli/invert_line.h"

#include "app/cli/interrupt.h"
#include "app/cli/terminal.h"

#include "engine/inversion/misfit_line.h"
#include "engine/io/atomic_file.h"
#include "engine/io/inversion_reader.h"
#include "engine/io/model_reader.h"

#include <fmt/format.h>

#include <atomic>

namespace ondo::cli {

namespace {

// Read as the run's own model is: what that file does not say this one need not say either.
Result<Model> endOf(const std::string& path, const RunDescription& run)
{
    if (isInversionFile(path)) {
        return readInversionModel(path);
    }
    ModelSource source = run.model;
    source.path = path;
    auto loaded = readModel(source);
    if (!loaded) {
        return tl::unexpected<Error>(loaded.error());
    }
    return std::move(loaded->model);
}

} // namespace

int misfitLine(const InvertRequest& request, const PreparedInversion& prepared, const ObservedTraces& observed)
{
    const SimulationPlan& start = *prepared.plan.plan;
    const auto end = endOf(request.line, start.run);
    if (!end) {
        return complain(end.error());
    }
    MisfitLineRequest line;
    line.from = request.span.front();
    line.to = request.span.back();
    line.points = request.points;
    line.data = prepared.settings.data;
    line.data.lowPass = prepared.settings.stages.front().lowPass;
    line.kinds = request.misfits.empty() ? std::vector<std::string>{line.data.kind} : request.misfits;
    const auto plan = planMisfitLine(start.run, start.model, *end, start.device, line);
    if (!plan) {
        return complain(plan.error());
    }
    if (request.dryRun) {
        fmt::print("line      {} points from t = {:g} (0: {}) to t = {:g} (1: {}), {} forward runs\n", line.points,
                   line.from, start.model.name(), line.to, request.line,
                   static_cast<std::size_t>(line.points) * start.run.survey.shots.size());
        return kDone;
    }
    watchInterrupts();
    std::atomic<bool> stop{false};
    ProgressLine shown(request.quiet);
    MisfitLineHooks hooks;
    hooks.stop = &stop;
    hooks.progress = [&](double fraction) {
        shown.show(fmt::format("misfit along the line: {:.0f} %", 100.0 * fraction));
        stop.store(interrupted());
    };
    const auto found = computeMisfitLine(**plan, prepared.device, observed.shots, *end, line, hooks);
    shown.clear();
    if (!found) {
        return complain(found.error());
    }
    for (const auto& curve : found->curves) {
        fmt::print("{}\n", describeCurve(*found, curve));
    }
    if (line.data.lowPass > 0.0) {
        note(fmt::format("traces below {:g} Hz, as in the first stage", line.data.lowPass), request.quiet);
    }
    if (auto ok = writeText(request.out, tableText(*found)); !ok) {
        return complain(ok.error());
    }
    fmt::print("{}  misfit along a line: {} points\n", request.out, found->t.size());
    return kDone;
}

} // namespace ondo::cli
