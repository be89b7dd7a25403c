#include "engine/session/shot_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace ondo {

namespace {

constexpr double kBatchSeconds = 0.004; // of queued steps: what a stop or a picture may have to wait for, twice
constexpr double kReportInterval = 0.1; // s: progress, traces and the check for NaN
constexpr double kRateSeconds = 1.0;    // s: rates that are told are averages over so long
constexpr int kLongestBatch = 4096;

double secondsSince(std::chrono::steady_clock::time_point t)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - t).count();
}

// [sample][column] to [receiver][sample]. A few receivers at a time, whose part of a row is a line of the cache: one by one,
// each line would be fetched once a receiver.
void spread(const std::vector<float>& rows, int width, int column, int firstSample, int count, Gather& gather)
{
    constexpr int kTogether = 16;
    const auto samples = static_cast<std::size_t>(gather.samples);
    for (int first = 0; first < gather.receiverCount(); first += kTogether) {
        const int last = std::min(first + kTogether, gather.receiverCount());
        for (int s = 0; s < count; ++s) {
            const float* row = rows.data() + static_cast<std::size_t>(s) * static_cast<std::size_t>(width) + column;
            float* sample = gather.traces.data() + firstSample + s;
            for (int r = first; r < last; ++r) {
                sample[static_cast<std::size_t>(r) * samples] = row[r];
            }
        }
    }
}

} // namespace

ShotRunner::ShotRunner(NextRun run, CommandQueue& commands, EventQueue& events, RecordedTraces& recorded,
                       FrameExchange& frames)
    : m_run(std::move(run))
    , m_commands(commands)
    , m_events(events)
    , m_recorded(recorded)
    , m_frames(frames)
    , m_stream(m_run.device, kernels::StreamPriority::Solver)
    , m_propagator(Propagator::create(m_run.plan, m_run.device, m_stream))
    , m_painter(std::make_unique<FramePainter>(m_run.device, m_stream, frames, m_run.plan->time.innerStep()))
    , m_started(Clock::now())
{
    m_propagator->setAbandon(&m_commands.stopWanted());
    m_batchDone[0] = Event(m_run.device);
    m_batchDone[1] = Event(m_run.device);
    if (m_run.options.keepFieldAt) {
        m_keepStep = std::llround(std::max(*m_run.options.keepFieldAt, 0.0) / m_run.plan->time.innerStep());
    }
}

Result<SessionEvent> ShotRunner::run()
{
    const int shots = static_cast<int>(m_run.plan->run.survey.shots.size());
    for (m_shot = 0; m_shot < shots; m_shot += m_shots) {
        m_shots = std::min(m_run.plan->run.shotsAtOnce, shots - m_shot);
        beginLaunch();
        const auto finished = runLaunch();
        if (!finished) {
            return tl::unexpected<Error>(finished.error());
        }
        if (!*finished) {
            return SessionEvent(Stopped{launchGathers(), lastField(), m_propagator->stepsDone(), m_keptField});
        }
        if (auto ok = handOverGathers(); !ok) {
            return tl::unexpected<Error>(ok.error());
        }
    }
    return SessionEvent(Finished{lastField(), secondsSince(m_started), m_keptField});
}

std::shared_ptr<const FieldFrame> ShotRunner::lastField()
{
    if (!m_run.options.keepLastField || m_propagator->broken()) {
        return nullptr;
    }
    auto frame = std::make_shared<FieldFrame>();
    m_propagator->readField(0, *frame);
    return frame;
}

void ShotRunner::keepField()
{
    if (m_propagator->stepsDone() == m_keepStep && !m_propagator->broken()) {
        auto frame = std::make_shared<FieldFrame>();
        m_propagator->readField(0, *frame);
        m_keptField = std::move(frame);
    }
}

void ShotRunner::beginLaunch()
{
    m_keptField.reset();
    m_propagator->begin(m_shot, m_shots);
    m_painter->newShot();
    m_tracesRead = 0;
    m_probeRead = 0;
    m_stepsAtReport = 0;
    m_lastReport = Clock::now();
    m_lastView = Clock::now() - std::chrono::hours(1);
    {
        const std::lock_guard lock(m_recorded.mutex);
        m_recorded.gather = emptyGather(0);
        // A probe stays where it is from one shot to the next.
        m_recorded.probe.firstTime = 0.0;
        m_recorded.probe.dt = m_run.plan->time.dt;
        m_recorded.probe.samples.clear();
    }
    m_events.post(Started{m_shot});
}

Gather ShotRunner::emptyGather(int within) const
{
    Gather g;
    g.shot = m_shot + within;
    const auto& shot = m_run.plan->run.survey.shots[static_cast<std::size_t>(g.shot)];
    g.sources = shot.sources;
    g.receivers = shot.receivers;
    g.dt = m_run.plan->time.dt;
    g.samples = m_run.plan->time.count;
    g.traces.assign(g.receivers.size() * static_cast<std::size_t>(g.samples), 0.0F);
    return g;
}

Result<bool> ShotRunner::runLaunch()
{
    const std::int64_t steps = m_run.plan->time.innerSteps();
    m_atRest = false;
    while (m_propagator->stepsDone() < steps) {
        const SessionOrders orders = m_commands.take(m_atRest ? CommandQueue::Wait::ForChange : CommandQueue::Wait::No);
        m_painter->setTransport(orders.transport);
        for (const auto& action : orders.actions) {
            apply(action);
        }
        if (orders.stop) {
            readTraces();
            return false;
        }
        if (orders.resumed) {
            m_events.post(Resumed{});
        }
        if (orders.pause && orders.steps == 0) {
            rest(orders);
            continue;
        }
        m_atRest = false;
        const int count = queueSteps(orders);
        if (m_commands.stopWanted().load()) {
            continue; // at once to the order: a field left unfinished is not looked at
        }
        keepField();
        if (orders.pause) {
            m_commands.stepsDone(count);
        }
        look(orders);
        if (secondsSince(m_lastReport) >= kReportInterval) {
            if (auto ok = report(); !ok) {
                return tl::unexpected<Error>(ok.error());
            }
        }
    }
    m_stream.synchronize();
    lastLook();
    if (auto ok = report(); !ok) {
        return tl::unexpected<Error>(ok.error());
    }
    return true;
}

int ShotRunner::queueSteps(const SessionOrders& orders)
{
    const std::int64_t done = m_propagator->stepsDone();
    const std::int64_t end = m_run.plan->time.innerSteps();
    const std::int64_t left = (m_keepStep > done ? std::min(m_keepStep, end) : end) - done;
    const std::int64_t wanted = orders.pause ? orders.steps : orders.rate.everyStep && orders.viewing ? 1 : m_batch;
    int count = static_cast<int>(std::min<std::int64_t>({wanted, std::int64_t{m_batch}, left}));
    if (!orders.pause) {
        count = m_pacer.allowed(orders.rate.pace, m_run.plan->time.innerStep(), done, count);
        if (count == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return 0;
        }
    }
    const auto begun = Clock::now();
    m_propagator->advance(count, &m_commands.stopWanted());
    // Two batches in flight: the device is never idle, and never far ahead of us.
    m_batchDone[m_flight].record(m_stream);
    m_inFlight[m_flight] = true;
    m_flight ^= 1;
    if (m_inFlight[m_flight]) {
        m_batchDone[m_flight].wait();
    }
    adaptBatch(count, secondsSince(begun));
    return count;
}

void ShotRunner::adaptBatch(int count, double seconds)
{
    if (count <= 0 || seconds <= 0.0) {
        return;
    }
    const double wanted = std::clamp(kBatchSeconds * count / seconds, 1.0, static_cast<double>(kLongestBatch));
    // Grow gently: the first batches of a device return before their work is done.
    m_batch = static_cast<int>(std::clamp(wanted, 1.0, 2.0 * m_batch));
}

void ShotRunner::apply(const SessionAction& action)
{
    switch (action.kind) {
    case SessionAction::Kind::Poke: m_propagator->addSource(0, action.position, action.wavelet); break;
    case SessionAction::Kind::Move: m_propagator->moveSource(0, action.index, action.position); break;
    case SessionAction::Kind::Probe:
    case SessionAction::Kind::ProbeOff: {
        m_propagator->setProbe(action.kind == SessionAction::Kind::Probe ? &action.position : nullptr);
        m_probeRead = 0;
        const std::lock_guard lock(m_recorded.mutex);
        m_recorded.probe = {};
        m_recorded.probe.position = action.position;
        m_recorded.probe.dt = m_run.plan->time.dt;
        m_recorded.probe.firstTime = m_propagator->probeFirstSample() * m_run.plan->time.dt;
        break;
    }
    }
}

// Paused: let the device finish, tell, show the field as it is now; called again for each change of the picture.
void ShotRunner::rest(const SessionOrders& orders)
{
    m_stream.synchronize();
    if (orders.viewing && FramePainter::paintable(orders.picture) && (!m_atRest || orders.repaint)) {
        m_painter->finishPending();
        if (m_painter->paint(*m_propagator, orders.picture, FramePainter::ClipFrom::ThisField)) {
            m_painter->finishPending();
        } else {
            m_commands.repaintLater(); // every slot is being read
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (m_painter->poll()) {
            m_events.post(PictureReady{});
        }
    }
    if (!m_atRest) {
        readTraces();
        postProgress();
        m_commands.nowPaused();
        const double time = static_cast<double>(m_propagator->stepsDone()) * m_run.plan->time.innerStep();
        m_events.post(PausedAt{m_propagator->stepsDone(), time});
    }
    m_atRest = true;
}

void ShotRunner::look(const SessionOrders& orders)
{
    const bool wanted = orders.viewing && !orders.pause && (orders.rate.perSecond > 0.0 || orders.rate.everyStep) &&
                        FramePainter::paintable(orders.picture);
    if (wanted) {
        double interval = 0.0;
        if (orders.rate.everyStep) {
            waitForReader(0.1);
        } else {
            interval = 1.0 / orders.rate.perSecond;
            if (orders.rate.share > 0.0) {
                interval = std::max(interval, m_painter->costSeconds() / orders.rate.share);
            }
        }
        if ((secondsSince(m_lastView) >= interval || orders.repaint) && !m_frames.unread() &&
            m_painter->paint(*m_propagator, orders.picture, FramePainter::ClipFrom::Before)) {
            // The next view is due an interval after this one was, so that lateness does not add up; unless we fell behind.
            const auto step = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval));
            m_lastView = secondsSince(m_lastView) < 2.0 * interval ? m_lastView + step : Clock::now();
            m_viewSeconds += m_painter->costSeconds();
        }
    }
    if (m_painter->poll()) {
        m_events.post(PictureReady{});
    }
}

void ShotRunner::waitForReader(double seconds) const
{
    const auto from = Clock::now();
    while (m_frames.unread() && secondsSince(from) < seconds && !m_commands.stopWanted().load()) {
        std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
}

// The end of a shot must be seen: give the reader a moment before the slots go.
void ShotRunner::lastLook()
{
    const SessionOrders orders = m_commands.take(CommandQueue::Wait::No);
    if (!orders.viewing || orders.stop || !FramePainter::paintable(orders.picture)) {
        return;
    }
    m_painter->finishPending();
    waitForReader(0.1);
    // A shot that lasts a few views only: what they measured lies far behind, and the last one would stay saturated.
    if (m_painter->paint(*m_propagator, orders.picture, FramePainter::ClipFrom::ThisFieldFollowed)) {
        m_painter->finishPending();
    }
    if (m_painter->poll()) {
        m_events.post(PictureReady{});
        waitForReader(0.2);
    }
}

Result<> ShotRunner::report()
{
    readTraces();
    const auto bad = m_painter->nonFinite(*m_propagator);
    postProgress();
    if (bad > 0) {
        return tl::unexpected<Error>(unstable());
    }
    return {};
}

void ShotRunner::postProgress()
{
    const double elapsed = secondsSince(m_lastReport);
    const auto done = m_propagator->stepsDone();
    const auto views = m_frames.published();
    if (elapsed > 0.02 && done > m_stepsAtReport) {
        // A report may see no view or two: shown as they come, the rates would flicker.
        const double weight = m_stepsPerSecond > 0.0 ? 1.0 - std::exp(-elapsed / kRateSeconds) : 1.0;
        const auto approach = [weight](double& rate, double seen) { rate += weight * (seen - rate); };
        approach(m_stepsPerSecond, static_cast<double>(done - m_stepsAtReport) / elapsed);
        approach(m_viewsPerSecond, static_cast<double>(views - m_viewsAtReport) / elapsed);
        approach(m_viewShare, m_viewSeconds / elapsed);
    }
    m_stepsAtReport = done;
    m_viewsAtReport = views;
    m_viewSeconds = 0.0;
    m_lastReport = Clock::now();
    const auto& plan = *m_run.plan;
    const auto steps = static_cast<double>(plan.time.innerSteps());
    const int shots = static_cast<int>(plan.run.survey.shots.size());
    const double launchesLeft = std::ceil(static_cast<double>(shots - m_shot - m_shots) / plan.run.shotsAtOnce);
    Progressed p;
    p.shot = m_shot;
    p.step = done;
    p.steps = plan.time.innerSteps();
    p.time = static_cast<double>(done) * plan.time.innerStep();
    p.stepsPerSecond = m_stepsPerSecond;
    p.secondsLeft =
        m_stepsPerSecond > 0.0 ? (steps - static_cast<double>(done) + steps * launchesLeft) / m_stepsPerSecond : -1.0;
    p.viewsPerSecond = m_viewsPerSecond;
    p.viewShare = m_viewShare;
    p.clip = m_painter->clip();
    p.largest = m_painter->largest();
    p.deviceBytes = m_run.device->arena().use().live;
    m_events.post(p);
}

Error ShotRunner::unstable()
{
    FieldFrame field;
    m_propagator->readField(0, field);
    const auto bad = std::find_if(field.values.begin(), field.values.end(), [](float v) { return !std::isfinite(v); });
    const auto first = bad - field.values.begin();
    const auto plane = std::int64_t{field.ny} * field.nx;
    return {
        ErrorKind::Unstable,
        fmt::format(
            "the field of shot {} is not finite any more at step {} (t = {:.4g} s), first at node z {}, y {}, x {}",
            m_shot + 1, field.step, field.time, first / plane, first / field.nx % field.ny, first % field.nx),
        fmt::format(
            "the Courant number is {:.4f} of {:.4f}: lower [time] courant, check the model and the wavelet's amplitude",
            m_run.plan->courantNumber, m_run.plan->courantLimit),
        {}};
}

int ShotRunner::launchReceivers() const
{
    int n = 0;
    for (int s = 0; s < m_shots; ++s) {
        n += m_propagator->receiverCount(s);
    }
    return n;
}

// Brings the traces recorded since the last call to the host.
void ShotRunner::readTraces()
{
    const int samples = m_propagator->samplesRecorded();
    const int from = m_tracesRead;
    if (samples > from) {
        const int width = launchReceivers();
        m_propagator->readTraces(from, samples, m_scratch);
        {
            const std::lock_guard lock(m_recorded.mutex);
            if (width > 0) {
                spread(m_scratch, width, 0, from, samples - from, m_recorded.gather);
            }
            m_recorded.gather.recorded = samples;
        }
        m_tracesRead = samples;
        m_events.post(TracesGrew{m_shot, samples});
    }
    const int probed = m_propagator->probeSamples();
    if (probed > m_probeRead) {
        m_propagator->readProbe(m_probeRead, probed, m_scratch);
        {
            const std::lock_guard lock(m_recorded.mutex);
            m_recorded.probe.samples.insert(m_recorded.probe.samples.end(), m_scratch.begin(), m_scratch.end());
        }
        m_probeRead = probed;
        m_events.post(ProbeGrew{probed});
    }
}

// Of each shot of the launch, as far as it came.
std::vector<std::shared_ptr<const Gather>> ShotRunner::launchGathers()
{
    readTraces();
    const int width = launchReceivers();
    const int samples = m_propagator->samplesRecorded();
    std::vector<float> all;
    if (m_shots > 1 && samples > 0) {
        m_propagator->readTraces(0, samples, all);
    }
    std::vector<std::shared_ptr<const Gather>> gathers;
    int column = 0;
    for (int s = 0; s < m_shots; ++s) {
        auto gather = std::make_shared<Gather>(emptyGather(s));
        if (s == 0) {
            const std::lock_guard lock(m_recorded.mutex);
            *gather = m_recorded.gather;
        } else if (samples > 0) {
            spread(all, width, column, 0, samples, *gather);
            gather->recorded = samples;
        }
        column += gather->receiverCount();
        gathers.push_back(std::move(gather));
    }
    return gathers;
}

Result<> ShotRunner::handOverGathers()
{
    for (auto& gather : launchGathers()) {
        if (!std::all_of(gather->traces.begin(), gather->traces.end(), [](float v) { return std::isfinite(v); })) {
            return fail(ErrorKind::Unstable, fmt::format("the traces of shot {} are not finite", gather->shot + 1),
                        "lower [time] courant, check the model and the wavelet's amplitude");
        }
        m_events.post(ShotFinished{std::move(gather)});
    }
    return {};
}

} // namespace ondo
