// What must not change a gradient: the memory mode, shots in company, the time step, a receiver that stands on a source.
#include "engine/selftest/adjoint_setup.h"
#include "engine/selftest/groups.h"
#include "engine/selftest/truth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ondo {

namespace {

AdjointSetup modeSetup(int rank, Precision precision)
{
    AdjointSetup a;
    a.rank = rank;
    a.precision = precision;
    a.faces = adjointFaces()[5];
    a.samples = rank == 3 ? 29 : 61;
    a.shots = 3;
    a.smooth = true;
    return a;
}

// Largest difference of everything that a gradient says.
double difference(const Gradient& a, const Gradient& b)
{
    double worst = std::max({std::abs(a.misfit - b.misfit), truth::largestDifference(a.speed, b.speed),
                             truth::largestDifference(a.density, b.density)});
    const auto apart = [&worst](const Position& p, const Position& q) {
        worst = std::max({worst, std::abs(p.x - q.x), std::abs(p.y - q.y), std::abs(p.z - q.z)});
    };
    for (std::size_t s = 0; s < a.shots.size(); ++s) {
        for (std::size_t i = 0; i < a.shots[s].sources.size(); ++i) {
            const auto& x = a.shots[s].sources[i];
            const auto& y = b.shots[s].sources[i];
            worst = std::max(worst, truth::largestDifference(x.series, y.series));
            apart(*x.position, *y.position);
        }
        for (std::size_t i = 0; i < a.shots[s].receivers.size(); ++i) {
            apart(a.shots[s].receivers[i], b.shots[s].receivers[i]);
        }
    }
    return worst;
}

SelftestOutcome modesAgree(SelftestContext& context, Equation equation, int rank, Precision precision)
{
    auto a = modeSetup(rank, precision);
    a.equation = equation;
    a.shotsAtOnce = 3;
    const auto plan = adjointPlan(a, *context.device);
    const auto d = innerProduct(randomData(*plan, 8));
    const auto full = gradientOf(plan, context.device, d);
    double worst = difference(full, gradientOf(plan, context.device, d)); // and once more
    std::string where = "a second run";
    for (const int chunk : {0, 1, 7, 16, 1000}) {
        GradientOptions options;
        options.tape.mode = "chunks";
        options.tape.chunk = chunk;
        const double e = difference(full, gradientOf(plan, context.device, d, options));
        if (!(e <= worst)) {
            worst = e;
            where = fmt::format("chunks of {}", chunk);
        }
    }
    return judged(worst, 0.0, "of J per unit", "the same operations on the same numbers: bit for bit", where);
}

// One row of the gradient matrix: a mode and a way to store against the full tape, twice.
SelftestOutcome matrixRow(SelftestContext& context, Equation equation, int rank, Precision precision,
                          const std::string& mode, Storage storage)
{
    auto a = modeSetup(rank, precision);
    a.equation = equation;
    a.shots = a.shotsAtOnce = 2;
    a.samples = rank == 3 ? 97 : 301; // waves come to the layers and leave by them
    a.faces = adjointFaces()[rank == 3 ? 5 : 1];
    const auto plan = adjointPlan(a, *context.device);
    // The data of another model: the misfit of a real inversion.
    auto speeds = plan->model.velocity().samples();
    std::transform(speeds.begin(), speeds.end(), speeds.begin(), [](float v) { return v * 1.02F; });
    const auto d =
        leastSquares(std::make_shared<std::vector<TraceTable>>(tracesOf(withSpeeds(*plan, speeds), context.device)));
    const auto full = gradientOf(plan, context.device, d);
    GradientOptions options;
    options.tape.mode = mode;
    options.tape.storage = storage;
    if (mode == "binomial") {
        options.tape.checkpoints = 3;
        options.tape.hostCheckpoints = 2;
        options.tape.diskCheckpoints = 2;
    }
    const auto once = gradientOf(plan, context.device, d, options);
    const auto again = gradientOf(plan, context.device, d, options);
    const double repeat = difference(once, again);
    const TapeError bound = tapeError(options.tape, precision == Precision::Float64 ? sizeof(double) : sizeof(float));
    const double error = std::max(truth::relativeL2(once.speed, full.speed),
                                  full.density.empty() ? 0.0 : truth::relativeL2(once.density, full.density));
    return judged(repeat == 0.0 ? error : std::max(error, 1.0), bound.most, "relative L2", std::string(bound.reason),
                  fmt::format("a second run {:.3g} from the first; {:.3g} MB, full {:.3g} MB", repeat,
                              static_cast<double>(once.peakBytes) / 1e6, static_cast<double>(full.peakBytes) / 1e6));
}

// Every third step imaged, in chunks that are no multiple of three: each mode images the same steps.
SelftestOutcome rarelyImaged(SelftestContext& context, int rank)
{
    auto a = modeSetup(rank, Precision::Float64);
    a.shots = 1;
    auto plan = std::make_shared<SimulationPlan>(*adjointPlan(a, *context.device));
    plan->time.dt *= 0.5; // so short and so many that it is not refused
    plan->time.count = 200;
    const auto d = innerProduct(randomData(*plan, 8));
    GradientOptions options;
    options.tape.every = 3;
    const auto full = gradientOf(plan, context.device, d, options);
    double worst = 0.0;
    std::string where;
    for (const auto& kind : tapeKinds()) {
        options.tape.mode = kind.name;
        options.tape.chunk = kind.chunked ? 7 : 0;
        const double e = truth::relativeL2(gradientOf(plan, context.device, d, options).speed, full.speed);
        if (!(e <= worst)) {
            worst = e;
            where = kind.name;
        }
    }
    return judged(worst, 1e-12, "relative L2", "bit for bit, but for the rounding of the steps taken back", where);
}

// What lies elsewhere comes back as it was: the same bits as on the device.
SelftestOutcome placeRow(SelftestContext& context, int rank, const std::string& mode, Storage storage, Place place)
{
    auto a = modeSetup(rank, Precision::Float32);
    a.shots = a.shotsAtOnce = 2;
    a.samples = rank == 3 ? 61 : 133; // several windows, the last one not full
    const auto plan = adjointPlan(a, *context.device);
    const auto d = innerProduct(randomData(*plan, 8));
    GradientOptions options;
    options.tape.mode = mode;
    options.tape.storage = storage;
    options.tape.chunk = (*findTape(options.tape))->chunked ? 7 : 0;
    const auto here = gradientOf(plan, context.device, d, options);
    options.tape.place = place;
    const auto there = gradientOf(plan, context.device, d, options);
    return judged(difference(here, there), 0.0, "of J per unit", "copied there and back: bit for bit",
                  fmt::format("{:.3g} MB on the device, {:.3g} MB were all there",
                              static_cast<double>(there.peakBytes) / 1e6, static_cast<double>(here.peakBytes) / 1e6));
}

void addPlaceRows(std::vector<SelftestCase>& out, int rank)
{
    for (const auto& kind : tapeKinds()) {
        for (const auto& storage : storageKinds()) {
            for (const auto place : {Place::Host, Place::Disk}) {
                const bool exact = storage.storage == Storage::Exact;
                if (!exact && (!kind.stored || (rank == 3 && storage.storage != Storage::Int8))) {
                    continue;
                }
                out.push_back({"adjoint",
                               fmt::format("gradient matrix: {}, {}, on {}, {}-D", kind.name, storage.name,
                                           placeName(place), rank),
                               false,
                               [=, mode = std::string(kind.name), storage = storage.storage](SelftestContext& c) {
                                   return placeRow(c, rank, mode, storage, place);
                               }});
            }
        }
    }
}

// Sources that are silent until the last steps, and a misfit of these alone: what a tail leaves out is zero, so that it gives
// the gradient of all steps.
SelftestOutcome tailRow(SelftestContext& context, int rank, const std::string& mode)
{
    constexpr int kTail = 40;
    auto a = modeSetup(rank, Precision::Float64);
    a.shots = a.shotsAtOnce = 2;
    a.samples = kTail + 30;
    auto plan = adjointPlan(a, *context.device);
    const int silent = plan->time.innerSteps() - kTail;
    Survey late = plan->run.survey;
    for (Shot& shot : late.shots) {
        for (Source& source : shot.sources) {
            auto samples = source.wavelet.samples(plan->time.innerStep(), plan->time.innerSteps() + 1);
            std::rotate(samples.begin(), samples.end() - silent, samples.end());
            std::fill(samples.begin(), samples.begin() + silent, 0.0);
            source.wavelet = *Wavelet::sampled(std::move(samples), plan->time.innerStep());
        }
    }
    plan = withSurvey(*plan, late);
    auto weights = std::make_shared<std::vector<TraceTable>>(*randomData(*plan, 8));
    for (TraceTable& t : *weights) {
        for (std::size_t i = 0; i < t.values.size(); ++i) {
            t.values[i] *= static_cast<int>(i % static_cast<std::size_t>(t.samples)) > silent ? 1.0 : 0.0;
        }
    }
    const auto d = innerProduct(weights);
    const auto full = gradientOf(plan, context.device, d);
    GradientOptions options;
    options.tape.mode = mode;
    options.tape.tail = kTail;
    options.tape.chunk = (*findTape(options.tape))->chunked ? 7 : 0;
    const auto tail = gradientOf(plan, context.device, d, options);
    const auto again = gradientOf(plan, context.device, d, options);
    const bool rewinds = (*findTape(options.tape))->rewinds;
    const double size = truth::relativeL2(full.speed, std::vector<double>(full.speed.size(), 0.0));
    const double error = rewinds ? truth::relativeL2(tail.speed, full.speed) : difference(tail, full);
    const bool good = difference(tail, again) == 0.0 && size > 0.0 && tail.peakBytes < full.peakBytes;
    return judged(good ? error : std::max(error, 1.0), rewinds ? 1e-12 : 0.0, rewinds ? "relative L2" : "of J per unit",
                  rewinds ? "the rounding of the steps taken back" : "zeros left out of sums: bit for bit",
                  fmt::format("{:.3g} MB, full {:.3g} MB", static_cast<double>(tail.peakBytes) / 1e6,
                              static_cast<double>(full.peakBytes) / 1e6));
}

SelftestOutcome company(SelftestContext& context, Equation equation, int rank, Precision precision)
{
    auto a = modeSetup(rank, precision);
    a.equation = equation;
    const auto alone = adjointPlan(a, *context.device);
    const auto d = innerProduct(randomData(*alone, 8));
    const auto one = gradientOf(alone, context.device, d);
    double worst = 0.0;
    for (const int together : {2, 3}) {
        a.shotsAtOnce = together;
        worst = std::max(worst, difference(one, gradientOf(adjointPlan(a, *context.device), context.device, d)));
    }
    return judged(worst, 0.0, "of J per unit", "a shot's image is its own, and they are summed in order: bit for bit");
}

// Every k-th step, up to the most that is not refused: what is declared must cover what it does.
SelftestOutcome sampledImages(SelftestContext& context, int rank, int ratio)
{
    const auto a = modeSetup(rank, Precision::Float64);
    auto plan = std::make_shared<SimulationPlan>(*adjointPlan(a, *context.device));
    plan->time.dt *= 0.5;
    plan->time.ratio = ratio;
    plan->time.dt *= ratio > 1 ? 2.0 : 1.0; // the same band of traces
    plan->time.count = ratio > 1 ? 100 : 200;
    // The data of another model: the misfit of a real inversion.
    auto speeds = plan->model.velocity().samples();
    std::transform(speeds.begin(), speeds.end(), speeds.begin(), [](float v) { return v * 1.02F; });
    const auto data = std::make_shared<std::vector<TraceTable>>(tracesOf(withSpeeds(*plan, speeds), context.device));
    const auto full = gradientOf(plan, context.device, leastSquares(data));
    GradientOptions options;
    options.tape.every = 64;
    while (options.tape.every > 1 && !checkGradient(*plan, options)) {
        --options.tape.every;
    }
    double worst = 0.0;
    std::string text;
    for (const int every : {2, 4, options.tape.every}) {
        options.tape.every = every;
        const auto g = gradientOf(plan, context.device, leastSquares(data), options);
        const double error = truth::relativeL2(g.speed, full.speed);
        worst = std::max(worst, error / g.declaredError);
        text += fmt::format("{}every {}: {:.2g} of {:.2g}", text.empty() ? "" : ", ", every, error, g.declaredError);
    }
    return judged(worst, 1.0, "of what is declared", "the declared share is an estimate of the most", text);
}

// A smooth model, smooth wavelets, steps small enough that the scheme's own error in time does not show.
Gradient smoothGradient(SelftestContext& context, double fraction)
{
    ShotSetup setup;
    setup.grid = *Grid::make2D(61, 71, 10.0, 10.0);
    const Grid& g = setup.grid;
    for (int z = 0; z < g.nz; ++z) {
        for (int x = 0; x < g.nx; ++x) {
            setup.velocity.push_back(2000.0F + 5.0F * static_cast<float>(z));
        }
    }
    setup.boundary.layerCells = 12;
    setup.boundary.frequency = 12.0;
    setup.precision = Precision::Float64;
    const double dt = 0.7 * stableDistance(g, 4) / 2600.0;
    setup.dt = dt * fraction;
    setup.steps = static_cast<int>(std::lround(0.5 / dt / fraction));
    setup.addShot({{{123.4, 0.0, 87.6}, Wavelet::ricker(12.0, 0.12)}}, {{612.3, 0.0, 52.7}, {401.2, 0.0, 44.4}});
    auto plan = std::make_shared<SimulationPlan>(*planOf(setup, *context.device));
    plan->vMax = 2600.0;
    auto speeds = plan->model.velocity().samples();
    for (int z = 20; z < 35; ++z) {
        for (int x = 25; x < 45; ++x) {
            speeds[static_cast<std::size_t>(z * g.nx + x)] += 100.0F;
        }
    }
    const auto data = std::make_shared<std::vector<TraceTable>>(tracesOf(withSpeeds(*plan, speeds), context.device));
    return gradientOf(plan, context.device, leastSquares(data));
}

SelftestOutcome timeStep(SelftestContext& context)
{
    const auto coarse = smoothGradient(context, 0.25);
    const auto fine = smoothGradient(context, 0.125);
    const double d = truth::relativeL2(coarse.speed, fine.speed);
    return judged(d, 5e-3, "relative L2", "the issue's bound; the scheme's error in time at half and whole step",
                  fmt::format("J {:.6g} and {:.6g}", coarse.misfit, fine.misfit));
}

// A receiver on a source that hears nothing new adds nothing, to the bit; that one with a residual of its own is right is
// shown by the dot products and central differences, half of which have such a receiver.
SelftestOutcome receiverOnSource(SelftestContext& context, int rank, bool onNodes)
{
    auto a = modeSetup(rank, Precision::Float64);
    a.shots = 1;
    a.onNodes = onNodes;
    const auto plain = adjointPlan(a, *context.device);
    a.receiverOnSource = true;
    const auto more = adjointPlan(a, *context.device);
    const auto d = randomData(*plain, 8);
    auto padded = std::make_shared<std::vector<TraceTable>>(*d);
    TraceTable& t = padded->front();
    t.values.resize(t.values.size() + static_cast<std::size_t>(t.samples), 0.0);
    ++t.receivers;
    const auto one = gradientOf(plain, context.device, innerProduct(d));
    const auto two = gradientOf(more, context.device, innerProduct(padded));
    double worst = truth::largestDifference(one.speed, two.speed);
    for (std::size_t i = 0; i < one.shots[0].sources.size(); ++i) {
        worst =
            std::max(worst, truth::largestDifference(one.shots[0].sources[i].series, two.shots[0].sources[i].series));
    }
    return judged(worst, 0.0, "of J per unit", "zeros added to sums: bit for bit");
}

// What holds for every equation; `prefix` names it.
void addModes(std::vector<SelftestCase>& out, Equation equation, const std::string& prefix, int rank)
{
    for (const auto precision : {Precision::Float64, Precision::Float32}) {
        const std::string what = fmt::format("{}{}-D, {}", prefix, rank, precisionName(precision));
        out.push_back({"adjoint", "memory modes give one gradient, " + what, false,
                       [=](SelftestContext& c) { return modesAgree(c, equation, rank, precision); }});
        out.push_back({"adjoint", "a shot alone and in company, " + what, false,
                       [=](SelftestContext& c) { return company(c, equation, rank, precision); }});
    }
    for (const auto precision : {Precision::Float64, Precision::Float32}) {
        for (const auto& kind : tapeKinds()) {
            for (const auto& storage : storageKinds()) {
                // Packing knows no equation: of the second one in three dimensions a row a storage is enough.
                const bool again = equation != Equation::Acoustic && rank == 3 && precision == Precision::Float64;
                if (storage.storage != Storage::Exact && (!kind.stored || again)) {
                    continue;
                }
                const std::string mode(kind.name);
                out.push_back({"adjoint",
                               fmt::format("gradient matrix: {}, {}, {}{}-D, {}", mode, storage.name, prefix, rank,
                                           precisionName(precision)),
                               false, [=, storage = storage.storage](SelftestContext& c) {
                                   return matrixRow(c, equation, rank, precision, mode, storage);
                               }});
            }
        }
    }
}

} // namespace

void addAdjointModeCases(std::vector<SelftestCase>& out)
{
    for (int rank = 2; rank <= 3; ++rank) {
        addModes(out, Equation::Acoustic, "", rank);
        addModes(out, Equation::VariableDensity, "variable density, ", rank);
        addPlaceRows(out, rank);
        for (const auto& kind : tapeKinds()) {
            out.push_back({"adjoint", fmt::format("gradient matrix: {}, the last steps alone, {}-D", kind.name, rank),
                           false,
                           [=, mode = std::string(kind.name)](SelftestContext& c) { return tailRow(c, rank, mode); }});
        }
        out.push_back({"adjoint", fmt::format("gradient matrix: every third step, {}-D", rank), false,
                       [=](SelftestContext& c) { return rarelyImaged(c, rank); }});
        for (const int ratio : {1, 4}) {
            out.push_back(
                {"adjoint",
                 fmt::format("imaging every k-th step, {}-D, {} step{} a sample", rank, ratio, ratio == 1 ? "" : "s"),
                 false, [=](SelftestContext& c) { return sampledImages(c, rank, ratio); }});
        }
        for (const bool onNodes : {true, false}) {
            out.push_back({"adjoint",
                           fmt::format("a receiver on a source, {}-D, {} nodes", rank, onNodes ? "on" : "between"),
                           false, [=](SelftestContext& c) { return receiverOnSource(c, rank, onNodes); }});
        }
    }
    out.push_back({"adjoint", "the gradient does not change with the time step", false, timeStep});
}

} // namespace ondo
