#include "engine/session/session.h"

#include "engine/propagator/propagator.h"
#include "engine/session/frame_painter.h"
#include "engine/session/guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace ondo {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point t)
{
    return std::chrono::duration<double>(Clock::now() - t).count();
}

constexpr double kBatchSeconds = 0.004; // of queued steps: what a stop or a picture may have to wait for, twice
constexpr double kReportInterval = 0.1; // s, progress, traces and the check for NaN
constexpr int kLongestBatch = 4096;

} // namespace

class Session::Impl {
public:
    explicit Impl(std::function<void()> wake)
        : m_wake(std::move(wake))
        , m_thread([this] { threadMain(); })
    {
    }

    ~Impl()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_quit = true;
            m_stop = true;
        }
        m_changed.notify_all();
        m_thread.join();
    }

    Result<> start(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device,
                   const SessionOptions& options)
    {
        {
            const std::lock_guard lock(m_mutex);
            if (m_state != SessionState::Idle || m_next.plan) {
                return badInput("a run is on already", "stop it first");
            }
            m_next = {std::move(plan), std::move(device), options};
            m_stop = false;
            m_pause = options.startPaused;
            m_stepsWanted = 0;
            m_actions.clear();
            m_transport = options.transport;
            m_state = options.startPaused ? SessionState::Pausing : SessionState::Running;
        }
        m_changed.notify_all();
        return {};
    }

    void pause()
    {
        command([this] {
            if (m_state == SessionState::Running) {
                m_pause = true;
                m_state = SessionState::Pausing;
            }
        });
    }
    void resume()
    {
        command([this] {
            if (m_state == SessionState::Paused || m_state == SessionState::Pausing) {
                m_pause = false;
                m_stepsWanted = 0;
                m_state = SessionState::Running;
                m_resumed = true;
            }
        });
    }
    void stepOnce(int steps)
    {
        command([this, steps] {
            if (m_state != SessionState::Idle && m_state != SessionState::Stopping) {
                m_pause = true;
                m_stepsWanted += std::max(steps, 0);
                m_state = SessionState::Pausing;
            }
        });
    }
    void stop()
    {
        command([this] {
            if (m_state != SessionState::Idle) {
                m_stop = true;
                m_state = SessionState::Stopping;
            }
        });
    }
    SessionState state() const
    {
        const std::lock_guard lock(m_mutex);
        return m_state;
    }
    void waitUntilIdle()
    {
        std::unique_lock lock(m_mutex);
        m_idle.wait(lock, [this] { return m_state == SessionState::Idle && !m_telling && !m_next.plan; });
    }
    void setPicture(const PictureSettings& settings)
    {
        command([&] {
            m_repaint = m_repaint || !(m_picture == settings);
            m_picture = settings;
        });
    }
    void setViewRate(const ViewRate& rate)
    {
        command([&] { m_rate = rate; });
    }
    void setTransport(FrameTransport transport)
    {
        command([&] {
            m_transport = transport;
            m_repaint = true;
        });
    }
    void setViewing(bool visible)
    {
        command([&] {
            m_viewing = visible;
            m_repaint = m_repaint || visible;
        });
    }

    struct Action {
        enum class Kind { Poke, Move, Probe } kind = Kind::Poke;
        Position position;
        Wavelet wavelet;
        int index = 0;
        bool remove = false;
    };
    void act(Action action)
    {
        command([&] { m_actions.push_back(std::move(action)); });
    }

    std::vector<SessionEvent> takeEvents()
    {
        const std::lock_guard lock(m_eventMutex);
        m_wakePending = false;
        return std::exchange(m_events, {});
    }
    FrameExchange& frames() { return m_frames; }
    Gather gather() const
    {
        const std::lock_guard lock(m_dataMutex);
        return m_gather;
    }
    ProbeTrace probeTrace() const
    {
        const std::lock_guard lock(m_dataMutex);
        return m_probe;
    }

private:
    struct NextRun {
        std::shared_ptr<const SimulationPlan> plan;
        std::shared_ptr<Device> device;
        SessionOptions options;
    };

    // Everything of one run, on the session's thread.
    struct Run {
        std::shared_ptr<const SimulationPlan> plan;
        std::shared_ptr<Device> device;
        SessionOptions options;
        Stream stream;
        std::unique_ptr<Propagator> propagator;
        std::unique_ptr<FramePainter> painter;
        Event batchDone[2];
        int batch = 1;           // steps to queue at once
        int shot = 0, shots = 1; // of the launch: first and count
        Clock::time_point started = Clock::now(), lastReport = Clock::now(), lastView = Clock::now();
        std::int64_t stepsAtReport = 0;
        std::uint64_t viewsAtReport = 0;
        double viewSeconds = 0.0; // since the last report
        double stepsPerSecond = 0.0, viewsPerSecond = 0.0, viewShare = 0.0;
        int tracesRead = 0, probeRead = 0;
        std::vector<float> scratch;
    };

    template<class Change>
    void command(Change&& change)
    {
        {
            const std::lock_guard lock(m_mutex);
            change();
        }
        m_changed.notify_all();
    }

    void post(SessionEvent event)
    {
        bool call = false;
        {
            const std::lock_guard lock(m_eventMutex);
            // Facts that a newer one replaces do not pile up.
            const auto replaceable = [](const SessionEvent& e) {
                return std::holds_alternative<Progressed>(e) || std::holds_alternative<PictureReady>(e) ||
                       std::holds_alternative<TracesGrew>(e) || std::holds_alternative<ProbeGrew>(e);
            };
            bool replaced = false;
            if (replaceable(event)) {
                for (auto& e : m_events) {
                    if (e.index() == event.index()) {
                        e = event;
                        replaced = true;
                    }
                }
            }
            if (!replaced) {
                m_events.push_back(std::move(event));
            }
            call = !m_wakePending;
            m_wakePending = true;
        }
        if (call && m_wake) {
            m_wake();
        }
    }

    void threadMain()
    {
        for (;;) {
            NextRun next;
            {
                std::unique_lock lock(m_mutex);
                m_changed.wait(lock, [this] { return m_quit || m_next.plan; });
                if (m_quit) {
                    return;
                }
                next = std::exchange(m_next, {});
            }
            SessionEvent last = Failed{};
            const auto result = guarded([&]() -> Result<> { return runPlan(next, last); });
            if (!result) {
                last = Failed{result.error()};
            }
            // Idle before the last event, so that who hears it may start again; waitUntilIdle() returns after it was posted.
            {
                const std::lock_guard lock(m_mutex);
                m_state = SessionState::Idle;
                m_stop = false;
                m_telling = true;
            }
            post(std::move(last));
            {
                const std::lock_guard lock(m_mutex);
                m_telling = false;
            }
            m_idle.notify_all();
        }
    }

    Result<> runPlan(const NextRun& next, SessionEvent& last)
    {
        Run run;
        run.plan = next.plan;
        run.device = next.device;
        run.options = next.options;
        run.stream = Stream(run.device, kernels::StreamPriority::Solver);
        run.propagator = Propagator::create(run.plan, run.device, run.stream);
        run.painter = std::make_unique<FramePainter>(run.device, run.stream, m_frames, run.plan->time.innerStep());
        run.batchDone[0] = Event(run.device);
        run.batchDone[1] = Event(run.device);
        const int shots = static_cast<int>(run.plan->run.survey.shots.size());
        for (run.shot = 0; run.shot < shots; run.shot += run.shots) {
            run.shots = std::min(run.plan->run.shotsAtOnce, shots - run.shot);
            beginLaunch(run);
            auto finished = runShots(run);
            if (!finished) {
                return tl::unexpected<Error>(finished.error());
            }
            if (!*finished) {
                last = Stopped{std::make_shared<Gather>(gather()), lastField(run), run.propagator->stepsDone()};
                return {};
            }
            if (auto ok = handOverGathers(run); !ok) {
                return ok;
            }
        }
        last = Finished{lastField(run), secondsSince(run.started)};
        return {};
    }

    std::shared_ptr<const FieldFrame> lastField(Run& run)
    {
        if (!run.options.keepLastField) {
            return nullptr;
        }
        auto frame = std::make_shared<FieldFrame>();
        run.propagator->readField(0, *frame);
        return frame;
    }

    void beginLaunch(Run& run)
    {
        run.propagator->begin(run.shot, run.shots);
        run.painter->newShot();
        run.tracesRead = 0;
        run.probeRead = 0;
        run.stepsAtReport = 0;
        run.lastReport = Clock::now();
        run.lastView = Clock::now() - std::chrono::hours(1);
        {
            const std::lock_guard lock(m_dataMutex);
            m_gather = emptyGather(run, 0);
            // A probe stays where it is from one shot to the next.
            m_probe.firstTime = 0.0;
            m_probe.dt = run.plan->time.dt;
            m_probe.samples.clear();
        }
        post(Started{run.shot});
    }

    static Gather emptyGather(const Run& run, int within)
    {
        Gather g;
        g.shot = run.shot + within;
        const auto& shot = run.plan->run.survey.shots[static_cast<std::size_t>(g.shot)];
        g.sources = shot.sources;
        g.receivers = shot.receivers;
        g.dt = run.plan->time.dt;
        g.samples = run.plan->time.count;
        g.traces.assign(g.receivers.size() * static_cast<std::size_t>(g.samples), 0.0F);
        return g;
    }

    // What the thread has been told since it last looked.
    struct Orders {
        bool stop = false, pause = false, repaint = false, viewing = true, resumed = false;
        int steps = 0;
        PictureSettings picture;
        ViewRate rate;
        FrameTransport transport = FrameTransport::Host;
        std::vector<Action> actions;
    };
    Orders takeOrders(bool wait)
    {
        std::unique_lock lock(m_mutex);
        if (wait) {
            m_changed.wait(
                lock, [this] { return m_stop || !m_pause || m_stepsWanted > 0 || m_repaint || !m_actions.empty(); });
        }
        Orders o;
        o.stop = m_stop;
        o.pause = m_pause;
        o.steps = m_stepsWanted;
        o.repaint = std::exchange(m_repaint, false);
        o.viewing = m_viewing;
        o.resumed = std::exchange(m_resumed, false);
        o.picture = m_picture;
        o.rate = m_rate;
        o.transport = m_transport;
        o.actions = std::exchange(m_actions, {});
        return o;
    }

    // True: the launch's shots are done; false: stopped.
    Result<bool> runShots(Run& run)
    {
        const std::int64_t steps = run.plan->time.innerSteps();
        int flight = 0;
        bool inFlight[2] = {false, false};
        bool atRest = false;
        while (run.propagator->stepsDone() < steps) {
            const Orders orders = takeOrders(atRest);
            run.painter->setTransport(orders.transport);
            for (const auto& action : orders.actions) {
                apply(run, action);
            }
            if (orders.stop) {
                readTraces(run);
                return false;
            }
            if (orders.resumed) {
                post(Resumed{});
            }
            if (orders.pause && orders.steps == 0) {
                rest(run, orders, atRest);
                atRest = true;
                continue;
            }
            atRest = false;
            int count = orders.pause ? orders.steps : orders.rate.everyStep && orders.viewing ? 1 : run.batch;
            count = static_cast<int>(std::min<std::int64_t>({count, run.batch, steps - run.propagator->stepsDone()}));
            const auto begun = Clock::now();
            for (int i = 0; i < count; ++i) {
                run.propagator->step();
            }
            // Two batches in flight: the device is never idle, and never far ahead of us.
            run.batchDone[flight].record(run.stream);
            inFlight[flight] = true;
            flight ^= 1;
            if (inFlight[flight]) {
                run.batchDone[flight].wait();
            }
            adaptBatch(run, count, secondsSince(begun));
            if (orders.pause) {
                const std::lock_guard lock(m_mutex);
                m_stepsWanted = std::max(0, m_stepsWanted - count);
            }
            look(run, orders);
            if (secondsSince(run.lastReport) >= kReportInterval) {
                if (auto ok = report(run); !ok) {
                    return tl::unexpected<Error>(ok.error());
                }
            }
        }
        run.stream.synchronize();
        lastLook(run);
        if (auto ok = report(run); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
        return true;
    }

    static void adaptBatch(Run& run, int count, double seconds)
    {
        if (count <= 0 || seconds <= 0.0) {
            return;
        }
        const double perStep = seconds / count;
        const double wanted = std::clamp(kBatchSeconds / perStep, 1.0, static_cast<double>(kLongestBatch));
        // Grow gently: the first batches of a device return before their work is done.
        run.batch = static_cast<int>(std::clamp(wanted, 1.0, 2.0 * run.batch));
    }

    void apply(Run& run, const Action& action)
    {
        switch (action.kind) {
        case Action::Kind::Poke: run.propagator->addSource(0, action.position, action.wavelet); break;
        case Action::Kind::Move: run.propagator->moveSource(0, action.index, action.position); break;
        case Action::Kind::Probe: {
            run.propagator->setProbe(action.remove ? nullptr : &action.position);
            run.probeRead = 0;
            const std::lock_guard lock(m_dataMutex);
            m_probe = {};
            m_probe.position = action.position;
            m_probe.dt = run.plan->time.dt;
            m_probe.firstTime = run.propagator->probeFirstSample() * run.plan->time.dt;
            break;
        }
        }
    }

    // Paused: let the device finish, tell, show the field as it is now; called again for each change of the picture.
    void rest(Run& run, const Orders& orders, bool already)
    {
        run.stream.synchronize();
        const double time = static_cast<double>(run.propagator->stepsDone()) * run.plan->time.innerStep();
        if (orders.viewing && FramePainter::paintable(orders.picture) && (!already || orders.repaint)) {
            run.painter->finishPending();
            if (run.painter->paint(*run.propagator, orders.picture, FramePainter::ClipFrom::ThisField)) {
                run.painter->finishPending();
            } else {
                // Every slot is being read: try again as soon as we are called.
                const std::lock_guard lock(m_mutex);
                m_repaint = true;
            }
            if (run.painter->poll()) {
                post(PictureReady{});
            }
        }
        if (!already) {
            readTraces(run);
            postProgress(run);
            {
                const std::lock_guard lock(m_mutex);
                if (m_state == SessionState::Pausing && m_stepsWanted == 0) {
                    m_state = SessionState::Paused;
                }
            }
            post(PausedAt{run.propagator->stepsDone(), time});
        }
    }

    void look(Run& run, const Orders& orders)
    {
        const bool wanted = orders.viewing && (orders.rate.perSecond > 0.0 || orders.rate.everyStep) &&
                            FramePainter::paintable(orders.picture);
        if (wanted && !orders.pause) {
            double interval = 0.0;
            if (!orders.rate.everyStep) {
                interval = 1.0 / orders.rate.perSecond;
                if (orders.rate.share > 0.0) {
                    interval = std::max(interval, run.painter->costSeconds() / orders.rate.share);
                }
            } else {
                waitForReader(0.1);
            }
            if ((secondsSince(run.lastView) >= interval || orders.repaint) && !m_frames.unread()) {
                if (run.painter->paint(*run.propagator, orders.picture, FramePainter::ClipFrom::Before)) {
                    run.lastView = Clock::now();
                    run.viewSeconds += run.painter->costSeconds();
                }
            }
        }
        if (run.painter->poll()) {
            post(PictureReady{});
        }
    }

    void waitForReader(double seconds) const
    {
        const auto from = Clock::now();
        while (m_frames.unread() && secondsSince(from) < seconds) {
            {
                const std::lock_guard lock(m_mutex);
                if (m_stop) {
                    return;
                }
            }
            std::this_thread::sleep_for(std::chrono::microseconds(500));
        }
    }

    // The end of a shot must be seen: wait a moment for the reader before the slots go.
    void lastLook(Run& run)
    {
        const Orders orders = takeOrders(false);
        if (!orders.viewing || !FramePainter::paintable(orders.picture) || orders.stop) {
            return;
        }
        run.painter->finishPending();
        waitForReader(0.1);
        if (run.painter->paint(*run.propagator, orders.picture, FramePainter::ClipFrom::Before)) {
            run.painter->finishPending();
        }
        if (run.painter->poll()) {
            post(PictureReady{});
            waitForReader(0.2);
        }
    }

    void postProgress(Run& run)
    {
        const double elapsed = secondsSince(run.lastReport);
        const auto done = run.propagator->stepsDone();
        const auto views = m_frames.published();
        if (elapsed > 0.02 && done > run.stepsAtReport) {
            run.stepsPerSecond = static_cast<double>(done - run.stepsAtReport) / elapsed;
            run.viewsPerSecond = static_cast<double>(views - run.viewsAtReport) / elapsed;
            run.viewShare = run.viewSeconds / elapsed;
        }
        run.stepsAtReport = done;
        run.viewsAtReport = views;
        run.viewSeconds = 0.0;
        run.lastReport = Clock::now();
        const std::int64_t steps = run.plan->time.innerSteps();
        const int shots = static_cast<int>(run.plan->run.survey.shots.size());
        const double launchesLeft =
            std::ceil(static_cast<double>(shots - run.shot - run.shots) / run.plan->run.shotsAtOnce);
        Progressed p;
        p.shot = run.shot;
        p.step = done;
        p.steps = steps;
        p.time = static_cast<double>(done) * run.plan->time.innerStep();
        p.stepsPerSecond = run.stepsPerSecond;
        p.secondsLeft =
            run.stepsPerSecond > 0.0
                ? (static_cast<double>(steps - done) + static_cast<double>(steps) * launchesLeft) / run.stepsPerSecond
                : -1.0;
        p.viewsPerSecond = run.viewsPerSecond;
        p.viewShare = run.viewShare;
        p.clip = run.painter->clip();
        p.largest = run.painter->largest();
        p.deviceBytes = run.device->arena().use().live;
        post(p);
    }

    Result<> report(Run& run)
    {
        readTraces(run);
        const auto bad = run.painter->nonFinite(*run.propagator);
        postProgress(run);
        if (bad > 0) {
            return unstable(run);
        }
        return {};
    }

    static Result<> unstable(Run& run)
    {
        FieldFrame field;
        run.propagator->readField(0, field);
        std::size_t first = 0;
        while (first < field.values.size() && std::isfinite(field.values[first])) {
            ++first;
        }
        const auto nx = static_cast<std::size_t>(field.nx);
        const auto ny = static_cast<std::size_t>(field.ny);
        return fail(
            ErrorKind::Unstable,
            fmt::format(
                "the field of shot {} is not finite any more at step {} (t = {:.4g} s), first at node z {}, y {}, x {}",
                run.shot + 1, field.step, field.time, first / (nx * ny), first / nx % ny, first % nx),
            fmt::format(
                "the Courant number is {:.4f} of {:.4f}: lower [time] courant, check the model and the wavelet's "
                "amplitude",
                run.plan->courantNumber, run.plan->courantLimit));
    }

    // Brings the traces recorded since the last call to the host.
    void readTraces(Run& run)
    {
        const int samples = run.propagator->samplesRecorded();
        const int from = run.tracesRead;
        const int width = launchReceivers(run);
        const int mine = run.propagator->receiverCount(0);
        if (samples > from && width > 0) {
            run.propagator->readTraces(from, samples, run.scratch);
            const std::lock_guard lock(m_dataMutex);
            for (int s = from; s < samples; ++s) {
                for (int r = 0; r < mine; ++r) {
                    m_gather.traces[static_cast<std::size_t>(r) * static_cast<std::size_t>(m_gather.samples) +
                                    static_cast<std::size_t>(s)] =
                        run.scratch[static_cast<std::size_t>(s - from) * static_cast<std::size_t>(width) +
                                    static_cast<std::size_t>(r)];
                }
            }
            m_gather.recorded = samples;
        }
        run.tracesRead = samples;
        if (samples > from) {
            post(TracesGrew{run.shot, samples});
        }
        const int probed = run.propagator->probeSamples();
        if (probed > run.probeRead) {
            run.propagator->readProbe(run.probeRead, probed, run.scratch);
            {
                const std::lock_guard lock(m_dataMutex);
                m_probe.samples.insert(m_probe.samples.end(), run.scratch.begin(), run.scratch.end());
            }
            run.probeRead = probed;
            post(ProbeGrew{probed});
        }
    }

    static int launchReceivers(const Run& run)
    {
        int n = 0;
        for (int s = 0; s < run.shots; ++s) {
            n += run.propagator->receiverCount(s);
        }
        return n;
    }

    Result<> handOverGathers(Run& run)
    {
        readTraces(run);
        const int width = launchReceivers(run);
        std::vector<float> all;
        if (run.shots > 1) {
            run.propagator->readTraces(0, run.propagator->samplesRecorded(), all);
        }
        int column = 0;
        for (int s = 0; s < run.shots; ++s) {
            auto g = std::make_shared<Gather>(s == 0 ? gather() : emptyGather(run, s));
            const int receivers = g->receiverCount();
            if (s > 0) {
                g->recorded = run.propagator->samplesRecorded();
                for (int k = 0; k < g->recorded; ++k) {
                    for (int r = 0; r < receivers; ++r) {
                        g->traces[static_cast<std::size_t>(r) * static_cast<std::size_t>(g->samples) +
                                  static_cast<std::size_t>(k)] =
                            all[static_cast<std::size_t>(k) * static_cast<std::size_t>(width) +
                                static_cast<std::size_t>(column + r)];
                    }
                }
            }
            column += receivers;
            for (const float v : g->traces) {
                if (!std::isfinite(v)) {
                    return fail(ErrorKind::Unstable, fmt::format("the traces of shot {} are not finite", g->shot + 1),
                                "lower [time] courant, check the model and the wavelet's amplitude");
                }
            }
            post(ShotFinished{std::move(g)});
        }
        return {};
    }

    std::function<void()> m_wake;

    mutable std::mutex m_mutex; // commands and state
    std::condition_variable m_changed, m_idle;
    SessionState m_state = SessionState::Idle;
    NextRun m_next;
    bool m_quit = false, m_telling = false, m_stop = false, m_pause = false, m_repaint = false, m_viewing = true,
         m_resumed = false;
    int m_stepsWanted = 0;
    PictureSettings m_picture;
    ViewRate m_rate;
    FrameTransport m_transport = FrameTransport::Host;
    std::vector<Action> m_actions;

    std::mutex m_eventMutex;
    std::vector<SessionEvent> m_events;
    bool m_wakePending = false;

    mutable std::mutex m_dataMutex;
    Gather m_gather;
    ProbeTrace m_probe;

    FrameExchange m_frames;
    std::thread m_thread; // last: everything above exists when it starts
};

Session::Session(std::function<void()> wake)
    : m_impl(std::make_unique<Impl>(std::move(wake)))
{
}
Session::~Session() = default;

Result<> Session::start(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device,
                        const SessionOptions& options)
{
    return m_impl->start(std::move(plan), std::move(device), options);
}
void Session::pause()
{
    m_impl->pause();
}
void Session::resume()
{
    m_impl->resume();
}
void Session::stepOnce(int steps)
{
    m_impl->stepOnce(steps);
}
void Session::stop()
{
    m_impl->stop();
}
SessionState Session::state() const
{
    return m_impl->state();
}
void Session::waitUntilIdle()
{
    m_impl->waitUntilIdle();
}
void Session::setPicture(const PictureSettings& settings)
{
    m_impl->setPicture(settings);
}
void Session::setViewRate(const ViewRate& rate)
{
    m_impl->setViewRate(rate);
}
void Session::setTransport(FrameTransport transport)
{
    m_impl->setTransport(transport);
}
void Session::setViewing(bool visible)
{
    m_impl->setViewing(visible);
}
void Session::poke(const Position& position, const Wavelet& wavelet)
{
    m_impl->act({Impl::Action::Kind::Poke, position, wavelet, 0, false});
}
void Session::moveSource(int index, const Position& position)
{
    m_impl->act({Impl::Action::Kind::Move, position, {}, index, false});
}
void Session::setProbe(std::optional<Position> position)
{
    m_impl->act({Impl::Action::Kind::Probe, position.value_or(Position{}), {}, 0, !position.has_value()});
}
std::vector<SessionEvent> Session::takeEvents()
{
    return m_impl->takeEvents();
}
FrameExchange& Session::frames()
{
    return m_impl->frames();
}
Gather Session::gather() const
{
    return m_impl->gather();
}
Session::ProbeTrace Session::probeTrace() const
{
    return m_impl->probeTrace();
}

} // namespace ondo
