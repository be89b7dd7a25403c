// The simulation thread. Commands go in and return at once; facts come out of takeEvents() after wake().
// One run at a time. The thread owns the propagator and the device's solver stream; it touches no window and no file.
// Guarantees: play and single steps give bit-identical fields; traces do not depend on whether anybody looks;
// stop() takes effect within 50 ms on the devices we know (steps are queued in batches of a few milliseconds).
#pragma once

#include "engine/device/device.h"
#include "engine/frame/frame_exchange.h"
#include "engine/frame/gather.h"
#include "engine/frame/picture.h"
#include "engine/session/session_event.h"
#include "engine/session/simulation_plan.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace ondo {

enum class SessionState { Idle, Running, Pausing, Paused, Stopping };

// How much of the solver's time views may take.
struct ViewRate {
    double perSecond = 30.0; // at most; 0: no views
    double share = 0.10;     // of the solver's time, at most
    bool everyStep = false;  // a picture after each step, whatever it costs
    double pace = 0.0;       // simulated seconds a second, at most; 0: as fast as it goes
    bool operator==(const ViewRate&) const = default;
};

struct SessionOptions {
    FrameTransport transport = FrameTransport::Host;
    bool startPaused = false;
    bool keepLastField = true; // bring the last field to the host at the end
    // A field on the way to keep as well, s: the inner step next to it. What a run leaves behind is seldom its best picture.
    std::optional<double> keepFieldAt;
};

class Session {
public:
    // wake: called from the session's thread when events wait; at most one call pending until takeEvents(). May be empty.
    explicit Session(std::function<void()> wake = {});
    ~Session(); // stops and joins
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    // Any thread. Refused (BadInput) while a run is on.
    [[nodiscard]] Result<> start(std::shared_ptr<const SimulationPlan> plan, std::shared_ptr<Device> device,
                                 const SessionOptions& options);
    void pause();
    void resume();
    void stepOnce(int steps = 1); // inner steps; pauses first if running
    void stop();                  // ends the run and keeps the traces so far
    [[nodiscard]] SessionState state() const;
    void waitUntilIdle(); // for the command line and tests

    // Live settings: in force with the next picture, also while paused (a paused session repaints).
    void setPicture(const PictureSettings& settings);
    void setViewRate(const ViewRate& rate);
    void setTransport(FrameTransport transport); // falling back from Direct to Host without a restart
    // Visible or not: a hidden view costs nothing.
    void setViewing(bool visible);

    // A wavelet injected from the present instant on. Part of the run: traces change.
    void poke(const Position& position, const Wavelet& wavelet);
    // Source `index` of the running shot goes on from another place, from the present instant on.
    void moveSource(int index, const Position& position);
    // A receiver of the viewer's own, recording from the present instant on; none removes it.
    void setProbe(std::optional<Position> position);

    [[nodiscard]] std::vector<SessionEvent> takeEvents();
    [[nodiscard]] FrameExchange& frames();

    // Copies of what has been recorded so far; any thread.
    [[nodiscard]] Gather gather() const;
    struct ProbeTrace {
        Position position;
        double firstTime = 0.0, dt = 0.0; // s
        std::vector<float> samples;       // Pa
    };
    [[nodiscard]] ProbeTrace probeTrace() const;

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace ondo
