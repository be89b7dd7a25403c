#include "engine/session/simulation_plan.h"

#include "engine/session/density_limits.h"
#include "engine/session/device_speed.h"
#include "engine/session/plan_work.h"
#include "kernels/core/stencil.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ondo {

namespace {

constexpr double kPi = std::numbers::pi;

double inverseSquares(const Grid& g)
{
    return 1.0 / (g.dz * g.dz) + 1.0 / (g.dx * g.dx) + (g.rank == 3 ? 1.0 / (g.dy * g.dy) : 0.0);
}

// -symbol h^2 of the second derivative at wavenumber k h.
double symbol(const kernels::AxisCoefficients<double>& c, int radius, double kh)
{
    double s = -c.second[0];
    for (int k = 1; k <= radius; ++k) {
        s -= 2.0 * c.second[k] * std::cos(k * kh);
    }
    return s;
}

// Phase error per wavelength, degrees, of a plane wave of wavenumber k in direction (nz, ny, nx): truth/TRUTHS.md (i).
double phaseError(const Grid& g, int radius, double v, double dt, double k, const double direction[3])
{
    const auto c = kernels::makeCoefficients<double>(radius, 1.0);
    const double h[3] = {g.dz, g.dy, g.dx};
    double sum = 0.0;
    for (int axis = 0; axis < 3; ++axis) {
        if (axis == 1 && g.rank == 2) {
            continue;
        }
        sum += symbol(c, radius, k * h[axis] * direction[axis]) / (h[axis] * h[axis]);
    }
    const double sine = std::min(1.0, 0.5 * v * dt * std::sqrt(std::max(0.0, sum)));
    const double numeric = 2.0 / dt * std::asin(sine) / k;
    return 360.0 * (v / numeric - 1.0);
}

double worstPhaseError(const Grid& g, int radius, double v, double dt, double frequency)
{
    const double k = 2.0 * kPi * frequency / v;
    const double diagonal = 1.0 / std::sqrt(static_cast<double>(g.rank));
    const double directions[4][3] = {
        {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {diagonal, g.rank == 3 ? diagonal : 0.0, diagonal}};
    double worst = 0.0;
    for (int i = 0; i < 4; ++i) {
        if (i == 2 && g.rank == 2) {
            continue;
        }
        const double e = phaseError(g, radius, v, dt, k, directions[i]);
        worst = std::abs(e) > std::abs(worst) ? e : worst;
    }
    return worst;
}

double floorToDigits(double v, int digits)
{
    const double scale = std::pow(10.0, digits - 1 - std::floor(std::log10(v)));
    return std::floor(v * scale) / scale;
}

std::string bytesText(double b)
{
    const char* units[] = {"B", "kB", "MB", "GB", "TB"};
    int u = 0;
    while (b >= 1000.0 && u < 4) {
        b /= 1000.0;
        ++u;
    }
    return fmt::format("{:.3g} {}", b, units[u]);
}

// 0.72, 4.1, 160: no powers of ten for what a person reads in seconds or degrees.
std::string twoDigits(double v)
{
    return std::abs(v) >= 99.5 ? fmt::format("{:.0f}", v) : fmt::format("{:.2g}", v);
}

std::string placeText(const Grid& g, const Position& p)
{
    return g.rank == 3 ? fmt::format("x = {:g} m, y = {:g} m, z = {:g} m", p.x, p.y, p.z)
                       : fmt::format("x = {:g} m, z = {:g} m", p.x, p.z);
}

// By how much, and where, a point lies outside the grid, or on a free face where pressure is zero by definition.
Result<> checkPoint(const Grid& g, const Boundary& boundary, const Position& p, const std::string& name)
{
    if (!std::isfinite(p.x) || !std::isfinite(p.y) || !std::isfinite(p.z)) {
        return badInput(name + " has a position that is not a finite number");
    }
    const double low[3] = {g.origin.z, g.origin.y, g.origin.x};
    const double high[3] = {g.origin.z + g.lengthZ(), g.origin.y + g.lengthY(), g.origin.x + g.lengthX()};
    const double at[3] = {p.z, p.y, p.x};
    const double h[3] = {g.dz, g.dy, g.dx};
    const char axis[3] = {'z', 'y', 'x'};
    constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};
    for (int a = 0; a < 3; ++a) {
        if (a == 1 && g.rank == 2) {
            continue;
        }
        const double slack = 1e-6 * h[a];
        const double beyond = std::max(low[a] - at[a], at[a] - high[a]);
        if (beyond > slack) {
            return badInput(fmt::format("{} at {} lies {:g} m outside the model, which spans {} = {:g} ... {:g} m",
                                        name, placeText(g, p), beyond, axis[a], low[a], high[a]),
                            "move it inside or enlarge the model");
        }
        for (int side = 0; side < 2; ++side) {
            const double face = side == 0 ? low[a] : high[a];
            if (boundary.at(kFaces[a][side]) == FaceCondition::Free && std::abs(at[a] - face) < slack) {
                return badInput(fmt::format("{} at {} lies on the free {} face, where pressure is always zero", name,
                                            placeText(g, p), faceName(kFaces[a][side])),
                                fmt::format("move it inside by some part of a cell ({:g} m) or more", h[a]));
            }
        }
    }
    return {};
}

Result<> checkSurvey(const SimulationPlan& plan)
{
    const auto& shots = plan.run.survey.shots;
    if (shots.empty()) {
        return badInput("the survey has no shot", "add a source");
    }
    for (std::size_t s = 0; s < shots.size(); ++s) {
        if (shots[s].sources.empty()) {
            return badInput(fmt::format("shot {} has no source", s + 1), "add a source");
        }
        for (std::size_t i = 0; i < shots[s].sources.size(); ++i) {
            const auto name = fmt::format("source {} of shot {}", i + 1, s + 1);
            if (auto ok = shots[s].sources[i].wavelet.check(); !ok) {
                return within(ok.error(), name);
            }
            if (auto ok = checkPoint(plan.model.grid(), plan.run.boundary, shots[s].sources[i].position, name); !ok) {
                return ok;
            }
        }
        for (std::size_t i = 0; i < shots[s].receivers.size(); ++i) {
            const auto name = fmt::format("receiver {} of shot {}", i + 1, s + 1);
            if (auto ok = checkPoint(plan.model.grid(), plan.run.boundary, shots[s].receivers[i].position, name); !ok) {
                return ok;
            }
        }
    }
    return {};
}

// A y where there is none is left out, which may not be what was meant: [x, z, y] for [x, y, z].
void judgePlaces(SimulationPlan& plan)
{
    if (plan.model.grid().rank == 3) {
        return;
    }
    const auto beside = [](const auto& point) { return point.position.y != 0.0; };
    std::ptrdiff_t sources = 0;
    std::ptrdiff_t receivers = 0;
    for (const auto& shot : plan.run.survey.shots) {
        sources += std::count_if(shot.sources.begin(), shot.sources.end(), beside);
        receivers += std::count_if(shot.receivers.begin(), shot.receivers.end(), beside);
    }
    if (sources + receivers > 0) {
        plan.warnings.push_back({fmt::format("the y of {} source{} and {} receiver{} is left out: the model has two "
                                             "dimensions",
                                             sources, sources == 1 ? "" : "s", receivers, receivers == 1 ? "" : "s"),
                                 "a position is [x, z], z positive down"});
    }
}

// Their range; refuses what is not finite and positive. what: "velocities".
Result<> checkValues(const Grid& g, const std::vector<float>& values, const char* what, double& least, double& most)
{
    std::int64_t bad = 0;
    std::int64_t first = -1;
    least = 1e300;
    most = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double v = static_cast<double>(values[i]);
        if (!(std::isfinite(v) && v > 0.0)) {
            first = bad++ == 0 ? static_cast<std::int64_t>(i) : first;
            continue;
        }
        least = std::min(least, v);
        most = std::max(most, v);
    }
    if (bad > 0) {
        return badInput(
            fmt::format("{} of {} {} are not positive finite numbers, the first is {} at node z {}, y {}, x {}", bad,
                        values.size(), what, values[static_cast<std::size_t>(first)],
                        first / (std::int64_t{g.ny} * g.nx), first / g.nx % g.ny, first % g.nx),
            "repair the model");
    }
    return {};
}

Result<> checkModel(SimulationPlan& plan)
{
    if (plan.model.empty()) {
        return badInput("there is no model", "load one or use the sample model");
    }
    if (auto ok = checkValues(plan.model.grid(), plan.model.velocity().samples(), "velocities", plan.vMin, plan.vMax);
        !ok) {
        return ok;
    }
    if (plan.vMin < 50.0 || plan.vMax > 15000.0) {
        plan.warnings.push_back(
            {fmt::format("velocities span {:g} ... {:g} m/s, unusual for the earth", plan.vMin, plan.vMax),
             "check the unit of the model (km/s, ft/s, slowness?)"});
    }
    return {};
}

// A density and the equation must want each other: neither is left out in silence.
Result<> checkDensity(SimulationPlan& plan)
{
    const auto name = equationKind(plan.run.equation).name;
    if (!plan.variableDensity()) {
        return plan.model.hasDensity()
                   ? badInput(fmt::format("the model has a density, and the equation \"{}\" has no place for it", name),
                              "set equation = \"variable-density\", or leave the density out")
                   : Result<>{};
    }
    if (!plan.model.hasDensity()) {
        return badInput(fmt::format("the equation \"{}\" needs a density, and the model has none", name),
                        "set density.path, density.value or density.rule, or equation = \"acoustic\"");
    }
    if (auto ok = checkValues(plan.model.grid(), plan.model.density().samples(), "densities", plan.densityMin,
                              plan.densityMax);
        !ok) {
        return ok;
    }
    if (plan.densityMin < 100.0 || plan.densityMax > 10000.0) {
        plan.warnings.push_back({fmt::format("densities span {:g} ... {:g} kg/m^3, unusual for the earth",
                                             plan.densityMin, plan.densityMax),
                                 "check their unit; air above water or rock is best a free surface"});
    }
    if (plan.run.spaceOrder > highestDensityOrder()) {
        return badInput(fmt::format("order {} where density varies is not proven stable", plan.run.spaceOrder),
                        fmt::format("use order {} or less", highestDensityOrder()));
    }
    return {};
}

Result<> chooseDomain(SimulationPlan& plan)
{
    const Grid& g = plan.model.grid();
    const auto& b = plan.run.boundary;
    if (plan.run.spaceOrder < 2 || plan.run.spaceOrder > 2 * kernels::kMaxRadius || plan.run.spaceOrder % 2 != 0) {
        return badInput(fmt::format("space order {} is not offered", plan.run.spaceOrder),
                        fmt::format("use an even number from 2 to {}", 2 * kernels::kMaxRadius));
    }
    plan.radius = plan.run.spaceOrder / 2;
    const int user[3] = {g.nz, g.ny, g.nx};
    int padded[3] = {g.nz, g.ny, g.nx};
    constexpr Face kFaces[3][2] = {{Face::ZLow, Face::ZHigh}, {Face::YLow, Face::YHigh}, {Face::XLow, Face::XHigh}};
    bool absorbs = false;
    for (int a = 0; a < 3; ++a) {
        if (a == 1 && g.rank == 2) {
            continue;
        }
        if (user[a] < 2 * plan.radius) {
            return badInput(fmt::format("the grid has {} nodes along {}, fewer than order {} needs", user[a], "zyx"[a],
                                        plan.run.spaceOrder),
                            fmt::format("give at least {} or use a lower order", 2 * plan.radius));
        }
        for (int side = 0; side < 2; ++side) {
            if (b.at(kFaces[a][side]) == FaceCondition::Absorbing) {
                (side == 0 ? plan.layerLow : plan.layerHigh)[a] = b.layerCells;
                padded[a] += b.layerCells;
                absorbs = true;
            }
        }
    }
    plan.nz = padded[0];
    plan.ny = padded[1];
    plan.nx = padded[2];
    if (absorbs) {
        if (b.layerCells < 1 || b.layerCells > 1000) {
            return badInput(fmt::format("an absorbing layer of {} cells", b.layerCells),
                            "give 1 to 1000 cells; 10 to 20 is usual");
        }
        if (!(b.reflection > 0.0 && b.reflection < 1.0)) {
            return badInput(fmt::format("the layer's theoretical reflection is {}", b.reflection),
                            "give a number between 0 and 1, such as 1e-5");
        }
        if (b.layerCells < 8) {
            plan.warnings.push_back(
                {fmt::format("absorbing layers of {} cells reflect visibly", b.layerCells), "use 10 to 20 cells"});
        }
    }
    return {};
}

double highestFrequency(const Survey& survey)
{
    double f = 0.0;
    for (const auto& shot : survey.shots) {
        for (const auto& source : shot.sources) {
            f = std::max(f, source.wavelet.highestFrequency());
        }
    }
    return f;
}

Result<> chooseTime(SimulationPlan& plan)
{
    const Grid& g = plan.model.grid();
    const auto& run = plan.run;
    const double fraction = run.courant == 0.0 ? 0.7 : run.courant;
    if (!(fraction > 0.0) || !std::isfinite(fraction)) {
        return badInput(fmt::format("a Courant fraction of {}", run.courant),
                        "give a number between 0 and 1; 0.7 is usual");
    }
    if (fraction >= 1.0) {
        return fail(ErrorKind::BadInput,
                    fmt::format("a Courant fraction of {:g} is unstable: the scheme's limit is 1", fraction),
                    "use less than 1; 0.7 is usual");
    }
    const double limit = plan.variableDensity() ? stableStep(plan) : stableDistance(g, plan.radius) / plan.vMax; // s
    double duration = run.duration;
    if (duration == 0.0) {
        const double path = std::hypot(g.lengthX(), g.lengthY(), g.lengthZ());
        double start = 0.0;
        for (const auto& shot : run.survey.shots) {
            for (const auto& source : shot.sources) {
                start = std::max(start, source.wavelet.centre());
            }
        }
        duration = floorToDigits(start + 1.2 * path / std::sqrt(plan.vMin * plan.vMax), 2);
    }
    if (!(duration > 0.0) || !std::isfinite(duration)) {
        return badInput(fmt::format("a duration of {} s", run.duration),
                        "give a positive time in seconds, or 0 to have one chosen");
    }
    const double wanted = fraction * limit;
    if (run.sampleInterval) {
        if (!(*run.sampleInterval > 0.0) || !std::isfinite(*run.sampleInterval)) {
            return badInput(fmt::format("a sample interval of {} s", *run.sampleInterval),
                            "give a positive time in seconds");
        }
        if (*run.sampleInterval > duration * (1.0 + 1e-9)) {
            return badInput(fmt::format("a sample interval of {:g} s is longer than the run of {:g} s",
                                        *run.sampleInterval, duration),
                            "shorten the interval or lengthen the run");
        }
        plan.time.dt = *run.sampleInterval;
        // A hair of slack: 0.002 / 0.0005 must be 4, not 5.
        plan.time.ratio = std::max(1, static_cast<int>(std::ceil(plan.time.dt / wanted * (1.0 - 1e-9))));
    } else {
        plan.time.dt = floorToDigits(wanted, 3);
        plan.time.ratio = 1;
    }
    const double samples = std::floor(duration / plan.time.dt + 1e-6) + 1.0;
    if (samples * plan.time.ratio > 1e9) {
        return badInput(
            fmt::format("{:g} s with a step of {:.3g} s make more than 1e9 steps", duration, plan.time.innerStep()),
            run.sampleInterval ? "shorten the run, or use a coarser grid or a longer sample interval"
                               : "shorten the run or use a coarser grid");
    }
    plan.time.count = std::max(2, static_cast<int>(samples));
    const double dt = plan.time.innerStep();
    plan.courantNumber = plan.vMax * dt / g.smallestSpacing();
    plan.courantLimit = plan.vMax * limit / g.smallestSpacing();
    return {};
}

void judgeSampling(SimulationPlan& plan)
{
    const Grid& g = plan.model.grid();
    const double f = highestFrequency(plan.run.survey);
    if (f <= 0.0) {
        return;
    }
    const double coarse = g.rank == 3 ? std::max({g.dz, g.dy, g.dx}) : std::max(g.dz, g.dx);
    plan.pointsPerWavelength = plan.vMin / f / coarse;
    if (plan.pointsPerWavelength <= 2.0) {
        plan.warnings.push_back(
            {fmt::format("only {:.2g} points per shortest wavelength ({:g} m/s at {:.3g} Hz): the highest "
                         "frequencies cannot travel on this grid",
                         plan.pointsPerWavelength, plan.vMin, f),
             fmt::format("use a spacing of {:.3g} m or less, or a lower frequency", plan.vMin / f / 4.0)});
        plan.phaseErrorDegrees = 360.0;
        return;
    }
    plan.phaseErrorDegrees = worstPhaseError(g, plan.radius, plan.vMin, plan.time.innerStep(), f);
    if (std::abs(plan.phaseErrorDegrees) > 3.0) {
        plan.warnings.push_back(
            {fmt::format("{:.3g} points per shortest wavelength mean a phase error of {:.2g} degrees per "
                         "wavelength at {:.3g} Hz: late or early tails behind the wave",
                         plan.pointsPerWavelength, plan.phaseErrorDegrees, f),
             "use a finer grid, a higher order, a smaller Courant fraction or a lower frequency"});
    }
}

void estimate(SimulationPlan& plan, const DeviceSpeed* speed)
{
    const PlanMemory memory = memoryOf(plan);
    plan.deviceBytes = memory.held;
    plan.deviceBytesTaken = memory.taken;
    // What was measured of a device are the kernels of one density.
    const bool known = speed != nullptr && !plan.variableDensity();
    plan.speed = known ? std::make_shared<const DeviceSpeed>(*speed) : nullptr;
    plan.secondsEstimate = known ? speed->runSeconds(workOf(plan)) : 0.0;
}

} // namespace

double stableDistance(const Grid& grid, int radius)
{
    return 2.0 / std::sqrt(kernels::nyquistSymbol(radius) * inverseSquares(grid));
}

std::int64_t SimulationPlan::totalSteps() const
{
    return std::int64_t{time.innerSteps()} * static_cast<std::int64_t>(run.survey.shots.size());
}

Result<std::shared_ptr<const SimulationPlan>> SimulationPlan::make(const RunDescription& run, const Model& model,
                                                                   const kernels::DeviceFacts& device,
                                                                   const DeviceSpeed* speed)
{
    auto plan = std::make_shared<SimulationPlan>();
    plan->run = run;
    plan->model = model;
    plan->device = device;
    if (auto ok = checkModel(*plan); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    if (auto ok = chooseDomain(*plan); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    if (auto ok = checkDensity(*plan); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    if (run.shotsAtOnce < 1) {
        return badInput(fmt::format("{} shots at once", run.shotsAtOnce), "give 1 or more");
    }
    if (auto ok = checkSurvey(*plan); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    judgePlaces(*plan);
    if (auto ok = chooseTime(*plan); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    plan->layerFrequency = run.boundary.frequency > 0.0 ? run.boundary.frequency
                                                        : run.survey.shots[0].sources[0].wavelet.dominantFrequency();
    judgeSampling(*plan);
    estimate(*plan, speed);
    bool receivers = false;
    for (const auto& shot : run.survey.shots) {
        receivers = receivers || !shot.receivers.empty();
    }
    if (!receivers) {
        plan->warnings.push_back({"there are no receivers, so there will be no gather", "add a line of receivers"});
    }
    // What the arena rounds up to lies in a GPU's memory; in the host's it is never touched.
    const std::size_t needed = device.computeMajor > 0 ? plan->deviceBytesTaken : plan->deviceBytes;
    if (device.memoryFree > 0 && needed > device.memoryFree) {
        return fail(ErrorKind::OutOfMemory,
                    fmt::format("the run needs {} on {}, which has {} free", bytesText(static_cast<double>(needed)),
                                device.name, bytesText(static_cast<double>(device.memoryFree))),
                    "use fewer shots at once, single precision, a coarser grid or another device");
    }
    return std::shared_ptr<const SimulationPlan>(plan);
}

std::string SimulationPlan::describe() const
{
    std::string s;
    s += fmt::format("model     {}: {}\n", model.name(), model.grid().describe());
    s += fmt::format("          {:g} ... {:g} m/s\n", vMin, vMax);
    if (variableDensity()) {
        s += fmt::format("          {:g} ... {:g} kg/m^3\n", densityMin, densityMax);
    }
    s += fmt::format("domain    {} x {}{} nodes with layers ({:.4g} M)\n", nz,
                     model.grid().rank == 3 ? fmt::format("{} x ", ny) : "", nx,
                     static_cast<double>(paddedNodes()) / 1e6);
    s += fmt::format("faces    ");
    for (int f = 0; f < 6; ++f) {
        const auto face = static_cast<Face>(f);
        if (model.grid().rank == 2 && (face == Face::YLow || face == Face::YHigh)) {
            continue;
        }
        s += fmt::format(" {} {}{}", faceName(face), conditionName(run.boundary.at(face)), f == 5 ? "\n" : ",");
    }
    s += fmt::format("equation  {}: {}\n", equationKind(run.equation).name, equationKind(run.equation).formula);
    s += fmt::format("scheme    order {} in space, 2 in time, {}\n", run.spaceOrder,
                     run.precision == Precision::Float64 ? "double precision" : "single precision");
    if (variableDensity()) {
        s += "kernels   node by node, step by step: this equation has no faster ones yet\n";
    }
    s += fmt::format("step      {:.6g} ms, {} a sample; {} samples of {:.6g} ms, {:.4g} s\n", time.innerStep() * 1e3,
                     time.ratio, time.count, time.dt * 1e3, time.duration());
    s += fmt::format("courant   {:.4f} of {:.4f}\n", courantNumber, courantLimit);
    s += fmt::format("sampling  {:.3g} points per shortest wavelength, phase error {} degrees per wavelength\n",
                     pointsPerWavelength, twoDigits(phaseErrorDegrees));
    s += fmt::format("survey    {} shot{}, {} at once\n", run.survey.shots.size(),
                     run.survey.shots.size() == 1 ? "" : "s", run.shotsAtOnce);
    s += fmt::format("device    {} ({}), {} needed, {} taken\n", device.id, device.name,
                     bytesText(static_cast<double>(deviceBytes)), bytesText(static_cast<double>(deviceBytesTaken)));
    s += secondsEstimate > 0.0 ? fmt::format("estimate  about {} s\n", twoDigits(secondsEstimate))
         : variableDensity()
             ? std::string("estimate  none: how fast this equation is was not measured\n")
             : std::string("estimate  none: the speed of this device is not known (ondo calibrate measures it)\n");
    for (const auto& w : warnings) {
        s += fmt::format("warning   {}; {}\n", w.what, w.remedy);
    }
    return s;
}

} // namespace ondo
