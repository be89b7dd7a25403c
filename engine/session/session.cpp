#include "engine/session/session.h"

#include "engine/session/guard.h"
#include "engine/session/session_queues.h"
#include "engine/session/shot_runner.h"

#include <thread>

namespace ondo {

class Session::Impl {
public:
    explicit Impl(std::function<void()> wake)
        : events(std::move(wake))
        , m_thread([this] { threadMain(); })
    {
    }
    ~Impl()
    {
        commands.quit();
        m_thread.join();
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    CommandQueue commands;
    EventQueue events;
    RecordedTraces recorded;
    FrameExchange frames;

private:
    void threadMain()
    {
        NextRun next;
        while (commands.waitForRun(next)) {
            SessionEvent last = Failed{};
            const auto result = guarded([&]() -> Result<> {
                ShotRunner runner(std::move(next), commands, events, recorded, frames);
                auto outcome = runner.run();
                if (!outcome) {
                    return tl::unexpected<Error>(outcome.error());
                }
                last = std::move(*outcome);
                return {};
            });
            if (!result) {
                last = Failed{result.error()};
            }
            next = {};
            commands.nowIdle();
            events.post(std::move(last));
            commands.endOfTelling();
        }
    }

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
    return m_impl->commands.start({std::move(plan), std::move(device), options});
}

void Session::pause()
{
    m_impl->commands.pause();
}

void Session::resume()
{
    m_impl->commands.resume();
}

void Session::stepOnce(int steps)
{
    m_impl->commands.step(steps);
}

void Session::stop()
{
    m_impl->commands.stop();
}

SessionState Session::state() const
{
    return m_impl->commands.state();
}

void Session::waitUntilIdle()
{
    m_impl->commands.waitUntilIdle();
}

void Session::setPicture(const PictureSettings& settings)
{
    m_impl->commands.setPicture(settings);
}

void Session::setViewRate(const ViewRate& rate)
{
    m_impl->commands.setRate(rate);
}

void Session::setTransport(FrameTransport transport)
{
    m_impl->commands.setTransport(transport);
}

void Session::setViewing(bool visible)
{
    m_impl->commands.setViewing(visible);
}

void Session::poke(const Position& position, const Wavelet& wavelet)
{
    m_impl->commands.act({SessionAction::Kind::Poke, position, wavelet, 0});
}

void Session::moveSource(int index, const Position& position)
{
    m_impl->commands.act({SessionAction::Kind::Move, position, {}, index});
}

void Session::setProbe(std::optional<Position> position)
{
    m_impl->commands.act(
        {position ? SessionAction::Kind::Probe : SessionAction::Kind::ProbeOff, position.value_or(Position{}), {}, 0});
}

std::vector<SessionEvent> Session::takeEvents()
{
    return m_impl->events.take();
}

FrameExchange& Session::frames()
{
    return m_impl->frames;
}

Gather Session::gather() const
{
    const std::lock_guard lock(m_impl->recorded.mutex);
    return m_impl->recorded.gather;
}

Session::ProbeTrace Session::probeTrace() const
{
    const std::lock_guard lock(m_impl->recorded.mutex);
    return m_impl->recorded.probe;
}

} // namespace ondo
