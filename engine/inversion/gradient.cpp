#include "engine/inversion/gradient.h"

#include "engine/inversion/gradient_frame.h"
#include "engine/inversion/gradient_needs.h"
#include "engine/inversion/image_sampling.h"
#include "engine/inversion/launch_waves.h"
#include "engine/inversion/memory_choice.h"
#include "engine/inversion/model_gradient.h"
#include "engine/inversion/tail.h"
#include "engine/session/guard.h"
#include "engine/tape/part_wave.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace ondo {

namespace {

// Steps that a device is given before it is waited for: of a grid that fills it; of a small one more, or it would be waited
// for as long as it computes. The host, which is done when a call returns, looks at `stop` that often.
constexpr int kQueued = 64;
constexpr int kMostQueued = 512;
constexpr double kFilling = 1e7; // nodes

using Clock = std::chrono::steady_clock;

// Or no number. Without a branch on the way: of a long run of a small grid the traces are no small part.
bool anyInfinite(const std::vector<double>& values)
{
    bool any = false;
    for (const double v : values) {
        any |= !(std::abs(v) <= std::numeric_limits<double>::max());
    }
    return any;
}

// One launch of shots: forwards, the misfits, backwards.
template<class T>
class GradientLaunch {
public:
    GradientLaunch(WaveDomain<T>& domain, int first, int count, const GradientOptions& options,
                   const GradientHooks& hooks)
        : m_domain(domain)
        , m_plan(domain.plan())
        , m_options(options)
        , m_hooks(hooks)
        , m_pictures(hooks)
        , m_survey(m_plan, first, count)
        , m_forward(domain, m_survey, options.receiverPositions)
        , m_adjoint(domain, m_survey, options.speed, options.sourcePositions)
        , m_first(firstOfTail(m_plan, options.tape.tail))
        , m_taped(m_forward, m_first, m_forward.steps() - m_first)
        , m_queued(queuedAtOnce(domain, count))
        , m_queuedUp(domain.device())
    {
        m_queuedUp.record(domain.stream());
    }

    [[nodiscard]] Result<> run(const MisfitFunction& misfit, Gradient& out, ModelGradient& model)
    {
        if (m_options.speed) {
            auto tape = (*findTape(m_options.tape))->make(m_taped, m_options.tape);
            if (!tape) {
                return tl::unexpected<Error>(tape.error());
            }
            m_tape = std::move(*tape);
        }
        if (auto ok = forwards(); !ok) {
            return ok;
        }
        if (auto ok = judge(misfit, out); !ok) {
            return ok;
        }
        if (auto ok = backwards(); !ok) {
            return ok;
        }
        collect(out, model);
        return {};
    }

private:
    [[nodiscard]] static int queuedAtOnce(const WaveDomain<T>& domain, int shots)
    {
        const double nodes = static_cast<double>(domain.layout().nodes()) * shots;
        return domain.device()->isHost()
                   ? static_cast<int>(std::clamp(kFilling / nodes, 1.0, double{kQueued}))
                   : static_cast<int>(std::clamp(kQueued * kFilling / nodes, double{kQueued}, double{kMostQueued}));
    }

    [[nodiscard]] Result<> pause(bool backwards, int done)
    {
        if (m_hooks.stop != nullptr && m_hooks.stop->load(std::memory_order_relaxed)) {
            m_domain.backend().synchronize(m_domain.stream().handle());
            return fail(ErrorKind::Cancelled, "the gradient was stopped before it was complete");
        }
        if (done % m_queued == 0 || done == m_forward.steps()) {
            waitForQueueBeforeLast();
            const auto now = Clock::now();
            if (m_hooks.progress && now - m_told > std::chrono::milliseconds(100)) {
                m_told = now;
                m_hooks.progress({m_survey.first, static_cast<int>(m_plan.run.survey.shots.size()), backwards, done,
                                  m_forward.steps()});
            }
        }
        return {};
    }

    // One queue of steps is always on its way while the next is filled, or the device would wait for this thread.
    void waitForQueueBeforeLast()
    {
        if (m_domain.device()->isHost()) {
            return;
        }
        m_queuedUp.wait(); // of the time before; the first time of nothing
        m_queuedUp.record(m_domain.stream());
    }

    [[nodiscard]] Result<> forwards()
    {
        m_forward.record(0);
        const int steps = m_forward.steps();
        for (int n = 0; n < steps;) {
            if (auto ok = pause(false, n); !ok) {
                return ok;
            }
            // No call goes beyond the step where it is waited for, nor beyond the one where the tape begins.
            const bool taped = m_tape != nullptr && n >= m_first;
            const int end = m_tape != nullptr && n < m_first ? m_first : steps;
            const int most = std::min(m_queued - n % m_queued, end - n);
            const auto span = taped ? m_tape->beforeSteps(n - m_first, most) : Result<KeptSpan>(KeptSpan{most});
            if (!span) {
                return tl::unexpected<Error>(span.error());
            }
            m_forward.advanceRecorded(n, *span);
            if (auto ok = taped ? m_tape->afterSteps(n - m_first, span->steps) : Result<>{}; !ok) {
                return ok;
            }
            n += span->steps;
        }
        return {};
    }

    // The misfits of the launch's shots and what they send back.
    [[nodiscard]] Result<> judge(const MisfitFunction& misfit, Gradient& out)
    {
        const auto rows = m_forward.traces(); // [sample][receiver]
        const auto width = m_survey.receivers.size();
        const auto samples = static_cast<std::size_t>(m_plan.time.count);
        m_residuals.assign(m_survey.count > 1 ? width * samples : 0, 0.0);
        std::vector<double> scales;
        for (int s = 0; s < m_survey.count; ++s) {
            const auto [from, to] = m_survey.receiversOf(s);
            TraceTable table = tableOf(rows, width, from, to - from, m_plan.time);
            if (auto ok = finite(table, s); !ok) {
                return ok;
            }
            const int shot = m_survey.first + s;
            auto residual = misfit(shot, table);
            if (!residual) {
                return tl::unexpected<Error>(residual.error());
            }
            auto scale = scaleOf(shot, *residual, table.values.size());
            if (!scale) {
                return tl::unexpected<Error>(scale.error());
            }
            scales.push_back(*scale);
            if (auto ok = checkTail(m_plan, m_options.speed ? m_options.tape.tail : 0, shot, residual->values); !ok) {
                return ok;
            }
            if (m_survey.count == 1) {
                m_residuals = std::move(residual->values);
            } else {
                std::copy(residual->values.begin(), residual->values.end(),
                          m_residuals.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(from) * samples));
            }
            out.shots[static_cast<std::size_t>(shot)].misfit = residual->misfit;
            out.misfit += residual->misfit;
            out.synthetic[static_cast<std::size_t>(shot)] = std::move(table);
        }
        m_adjoint.setResiduals(m_residuals, scales);
        return {};
    }

    [[nodiscard]] Result<> finite(const TraceTable& table, int shot) const
    {
        if (!anyInfinite(table.values)) {
            return {};
        }
        return fail(ErrorKind::Unstable,
                    fmt::format("the forward run of shot {} grew beyond all bounds", m_survey.first + shot + 1),
                    "use a smaller Courant fraction");
    }

    [[nodiscard]] static Result<double> scaleOf(int shot, const Residual& residual, std::size_t expected)
    {
        if (residual.values.size() != expected) {
            return fail(ErrorKind::Internal, fmt::format("the misfit gave {} derivatives for the {} samples of shot {}",
                                                         residual.values.size(), expected, shot + 1));
        }
        double largest = 0.0;
        for (const double v : residual.values) {
            largest = std::max(largest, std::abs(v));
        }
        if (anyInfinite(residual.values)) {
            return badInput(fmt::format("the misfit of shot {} has a derivative that is not finite", shot + 1),
                            "look for traces that are zero everywhere, or for samples that are not finite");
        }
        return residualScale(largest);
    }

    [[nodiscard]] Result<> backwards()
    {
        const int steps = m_forward.steps();
        m_told = {}; // that it turns is told at once, before its first picture
        m_adjoint.inject(m_plan.time.count - 1);
        for (int n = steps - 1; n >= 0;) {
            if (auto ok = pause(true, steps - 1 - n); !ok) {
                return ok;
            }
            const bool tailed = m_tape != nullptr && m_first > 0; // each step is looked at
            const int most = tailed ? 1 : std::min(m_queued - (steps - 1 - n) % m_queued, n + 1);
            const auto span = m_tape != nullptr && n >= m_first ? m_tape->keptOfSteps(n - m_first, most)
                                                                : Result<KeptSpan>(KeptSpan{most});
            if (!span) {
                return tl::unexpected<Error>(span.error());
            }
            m_adjoint.retreat(n, *span, m_forward);
            const int last = n - span->steps + 1; // of them
            if (tailed) {
                lookAtTail(last);
            }
            if (m_pictures.due()) {
                m_pictures.take(m_plan, m_domain.layout(), m_adjoint, {m_survey.first, last, m_options});
            }
            n = last - 1;
        }
        return {};
    }

    // The adjoint field's size where imaging ends, against a few looks before.
    void lookAtTail(int n)
    {
        constexpr int kLooks = 16;
        const int steps = m_forward.steps();
        if (n < m_first || (n - m_first) % std::max(1, (steps - m_first) / kLooks) != 0) {
            return;
        }
        double size = 0.0;
        for (int s = 0; s < m_survey.count; ++s) {
            for (const T v : m_adjoint.field(s)) {
                size += static_cast<double>(v) * static_cast<double>(v);
            }
        }
        m_largest = std::max(m_largest, size);
        m_left = m_largest > 0.0 ? std::sqrt(size / m_largest) : 0.0; // the last look is at m_first
    }

    void collect(Gradient& out, ModelGradient& model)
    {
        out.tailLeft = std::max(out.tailLeft, m_left);
        const auto series = m_adjoint.wavelets();
        const auto slopes = m_adjoint.slopes();
        const auto width = m_survey.sources.size();
        const double dt = m_plan.time.innerStep();
        for (int s = 0; s < m_survey.count; ++s) {
            ShotGradient& shot = out.shots[static_cast<std::size_t>(m_survey.first + s)];
            const auto [from, to] = m_survey.sourcesOf(s);
            for (int i = from; i < to; ++i) {
                SourceGradient g;
                for (std::size_t k = static_cast<std::size_t>(i); k < series.size(); k += width) {
                    g.series.push_back(series[k]);
                }
                Wavelet unit = m_survey.source[static_cast<std::size_t>(i)]->wavelet;
                g.recorded = unit.recordedGradient(g.series, dt);
                unit.amplitude = 1.0;
                const auto shape = unit.samples(dt, static_cast<int>(g.series.size()));
                for (std::size_t n = 0; n < shape.size(); ++n) {
                    g.amplitude += shape[n] * g.series[n];
                }
                if (m_options.sourcePositions) {
                    g.position = alongAxes(slopes, width, i,
                                           [&](std::size_t n) { return m_forward.wavelet(i, static_cast<int>(n)); });
                }
                shot.sources.push_back(std::move(g));
            }
            if (m_options.speed) {
                addModelGradient(m_plan, m_adjoint.images(s), m_options.tape.every / m_adjoint.scale(s), model);
            }
        }
        collectReceivers(out);
    }

    void collectReceivers(Gradient& out) const
    {
        if (!m_options.receiverPositions) {
            return;
        }
        const auto slopes = m_forward.slopes();
        const auto samples = static_cast<std::size_t>(m_plan.time.count);
        for (const auto& r : m_survey.receivers) {
            out.shots[static_cast<std::size_t>(m_survey.first + r.shot)].receivers.push_back(
                alongAxes(slopes, m_survey.receivers.size(), r.row,
                          [&](std::size_t k) { return m_residuals[static_cast<std::size_t>(r.row) * samples + k]; }));
        }
    }

    // sum over instants of weight(k) * rows[k][point * rank + axis]
    template<class Weight>
    [[nodiscard]] Position alongAxes(const std::vector<double>& rows, std::size_t points, int point,
                                     const Weight& weight) const
    {
        const auto rank = static_cast<std::size_t>(m_plan.model.grid().rank);
        double sum[3] = {0.0, 0.0, 0.0};
        for (std::size_t k = 0; k * points * rank < rows.size(); ++k) {
            for (std::size_t a = 0; a < rank; ++a) {
                sum[a] += weight(k) * rows[(k * points + static_cast<std::size_t>(point)) * rank + a];
            }
        }
        return rank == 3 ? Position{sum[2], sum[1], sum[0]} : Position{sum[1], 0.0, sum[0]};
    }

    WaveDomain<T>& m_domain;
    const SimulationPlan& m_plan;
    const GradientOptions& m_options;
    const GradientHooks& m_hooks;
    GradientPictures m_pictures;
    LaunchSurvey m_survey;
    ForwardWave<T> m_forward;
    AdjointWave<T> m_adjoint;
    int m_first;      // step that is imaged
    PartWave m_taped; // from there on
    int m_queued;
    Event m_queuedUp;
    std::unique_ptr<Tape> m_tape;
    double m_largest = 0.0, m_left = 0.0; // of the tail's adjoint field
    std::vector<double> m_residuals;      // [receiver][sample], as the misfit gave them
    Clock::time_point m_told;
};

template<class T>
Result<> computeAll(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                    const MisfitFunction& misfit, const GradientOptions& options, const GradientHooks& hooks,
                    Gradient& out)
{
    ModelGradient model(*plan);
    const Stream stream(device, kernels::StreamPriority::Solver);
    WaveDomain<T> domain(plan, device, stream);
    {
        auto field = domain.field(domain.batch(), "field"); // the launch's own takes its place
        domain.upload(field);
    }
    const int shots = static_cast<int>(plan->run.survey.shots.size());
    for (int first = 0; first < shots; first += plan->run.shotsAtOnce) {
        GradientLaunch<T> launch(domain, first, std::min(plan->run.shotsAtOnce, shots - first), options, hooks);
        if (auto ok = launch.run(misfit, out, model); !ok) {
            return ok;
        }
    }
    if (options.speed && options.parameters == ModelParameters::SpeedImpedance) {
        auto turned = byImpedance(plan->model, model);
        out.speed = std::move(turned.speed);
        out.impedance = std::move(turned.impedance);
    } else if (options.speed) {
        out.speed = std::move(model.speed);
        out.density = std::move(model.density);
    }
    return {};
}

void addNotes(Gradient& g, const SimulationPlan& plan, const GradientOptions& options)
{
    if (options.speed && firstOfTail(plan, options.tape.tail) > 0) {
        g.notes.push_back(describeTail(plan, options.tape.tail, g.tailLeft));
    }
    if (std::all_of(g.shots.begin(), g.shots.end(), [](const ShotGradient& s) { return s.misfit == 0.0; })) {
        g.notes.emplace_back(
            "the misfit is zero: synthetic and observed traces are equal, and so the gradient is zero");
    }
    if (options.tape.every > 1) {
        g.notes.push_back(fmt::format("imaged every {} steps: {:.2g} of the image may be folded onto it",
                                      options.tape.every, g.declaredError));
    }
}

std::string goingOn(const GradientOptions& options, const Error& error)
{
    const TapeOptions& next = options.instead.front();
    const auto text = [](const TapeOptions& tape) {
        return fmt::format("\"{}\"{}", tape.mode,
                           tape.place == Place::Device ? std::string() : fmt::format(" ({})", placeName(tape.place)));
    };
    return fmt::format("memory ran out in the memory mode {} ({}): the gradient begins again in {}, which needs less",
                       text(options.tape), error.what, text(next));
}

// Memory that ran out in a mode that was named: which other one would need less.
Error withWhatWouldFit(Error error, const SimulationPlan& plan, const GradientOptions& options)
{
    const auto kind = findTape(options.tape);
    if (!kind || !options.speed) {
        return error;
    }
    const auto ways = memoryWays(plan, options);
    if (const MemoryWay* other = lesserWay(ways, plan, gradientMemory(plan, options, **kind))) {
        error.remedy =
            fmt::format("use the memory mode \"auto\", or \"{}\": {} needs less", other->tape.mode, other->name());
    }
    return error;
}

// All of it in one memory mode.
Result<Gradient> computeIn(const std::shared_ptr<const SimulationPlan>& plan, const std::shared_ptr<Device>& device,
                           const MisfitFunction& misfit, const GradientOptions& options, const GradientHooks& hooks)
{
    const auto begun = Clock::now();
    Gradient out;
    out.tape = options.tape;
    out.shots.resize(plan->run.survey.shots.size());
    out.synthetic.resize(out.shots.size());
    if (options.speed) {
        out.declaredError = foldedShare(*plan, options.tape.every);
    }
    device->arena().forgetPeaks();
    const auto done = guarded([&]() -> Result<> {
        return plan->run.precision == Precision::Float64 ? computeAll<double>(plan, device, misfit, options, hooks, out)
                                                         : computeAll<float>(plan, device, misfit, options, hooks, out);
    });
    if (!done) {
        return tl::unexpected<Error>(done.error());
    }
    const auto finite = [](const std::vector<double>& values) {
        return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
    };
    if (!finite(out.speed) || !finite(out.density) || !finite(out.impedance)) {
        return fail(ErrorKind::Unstable, "the gradient is not finite everywhere: a field grew beyond all bounds",
                    "use a smaller Courant fraction");
    }
    out.peakBytes = device->arena().use().peak;
    out.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
    addNotes(out, *plan, options);
    return out;
}

} // namespace

Result<Gradient> computeGradient(const std::shared_ptr<const SimulationPlan>& plan,
                                 const std::shared_ptr<Device>& device, const MisfitFunction& misfit,
                                 const GradientOptions& options, const GradientHooks& hooks)
{
    auto choice = chooseMemory(*plan, options);
    if (!choice) {
        return tl::unexpected<Error>(choice.error());
    }
    GradientOptions& taken = choice->options;
    std::vector<std::string> notes;
    for (;;) {
        auto done = computeIn(plan, device, misfit, taken, hooks);
        if (done) {
            done->why = choice->why;
            done->notes.insert(done->notes.begin(), notes.begin(), notes.end());
            return done;
        }
        if (done.error().kind != ErrorKind::OutOfMemory) {
            return done;
        }
        device->arena().trim();
        if (taken.instead.empty()) {
            return within(withWhatWouldFit(std::move(done.error()), *plan, options),
                          fmt::format("in the memory mode \"{}\"", taken.tape.mode));
        }
        notes.push_back(goingOn(taken, done.error()));
        if (hooks.note) {
            hooks.note(notes.back());
        }
        taken.tape = taken.instead.front();
        taken.instead.erase(taken.instead.begin());
    }
}

} // namespace ondo
