// The device state of one launch of shots: fields, layer memories, sources, receivers, traces. It steps when told to; it has
// no thread, writes no file, calls nobody. All work is queued on the stream it was made with; failures throw BackendError.
// One thread at a time.
#pragma once

#include "engine/device/device.h"
#include "engine/frame/picture.h"
#include "engine/session/simulation_plan.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace ondo {

// What to paint: settings resolved to numbers and device tables.
struct PaintRequest {
    PictureSettings settings;
    const std::uint32_t* fieldColours = nullptr; // device, 256
    const std::uint32_t* modelColours = nullptr; // device, 256
    double clip = 1.0;                           // Pa
    std::uint32_t* pixels = nullptr;             // device, settings.frame.pixelsX a row
    int shot = 0;                                // within the launch
};

class Propagator {
public:
    virtual ~Propagator() = default;

    // Allocates and uploads; the plan must have been made for this device.
    [[nodiscard]] static std::unique_ptr<Propagator> create(std::shared_ptr<const SimulationPlan> plan,
                                                            std::shared_ptr<Device> device, const Stream& stream);

    // Fields to zero, the survey's shots [first, first + count) as sources and receivers; count <= plan.run.shotsAtOnce.
    virtual void begin(int firstShot, int count) = 0;
    // `count` inner steps: p(n) -> p(n+1), then the receivers if a sample is due. Steps done: fewer once *stop is set, which
    // is looked at between steps where a step takes time; may be null.
    virtual int advance(int count, const std::atomic<bool>* stop = nullptr) = 0;
    void step() { advance(1); }
    // Once *abandon is set, a step under way on the host ends early; the field is broken() then and must not be shown. May
    // be null.
    virtual void setAbandon(const std::atomic<bool>* abandon) = 0;
    [[nodiscard]] virtual bool broken() const = 0;
    [[nodiscard]] virtual std::int64_t stepsDone() const = 0;
    [[nodiscard]] virtual int samplesRecorded() const = 0; // valid trace samples, the one at t = 0 included

    // Samples [from, to) of all receivers of the launch, to host memory as [sample][receiver] float. Waits for the device.
    virtual void readTraces(int from, int to, std::vector<float>& out) = 0;
    virtual void readTraces(int from, int to, std::vector<double>& out) = 0; // as computed, for Precision::Float64
    // p(n) and p(n-1) of a shot on the computed domain, layers included, (z, y, x). Waits for the device. writeState goes on
    // from there; the layers' memories stay as they are.
    virtual void readState(int shot, std::vector<double>& now, std::vector<double>& before) = 0;
    virtual void writeState(int shot, const std::vector<double>& now, const std::vector<double>& before) = 0;
    // The user's part of a shot's field. Waits for the device.
    virtual void readField(int shot, FieldFrame& out) = 0;
    [[nodiscard]] virtual int receiverCount(int shot) const = 0; // of the launch's shots

    // A source more from now on, in shot `shot` of the launch.
    virtual void addSource(int shot, const Position& position, const Wavelet& wavelet) = 0;
    virtual void moveSource(int shot, int source, const Position& position) = 0;
    // The viewer's receiver in shot 0 of the launch; none when `on` is false. Its samples start with the next one due.
    virtual void setProbe(const Position* position) = 0;
    [[nodiscard]] virtual int probeFirstSample() const = 0;
    [[nodiscard]] virtual int probeSamples() const = 0;
    virtual void readProbe(int from, int to, std::vector<float>& out) = 0;

    // Queue one picture, or one histogram of |p| over the plane into kHistogramBins counters on the device.
    virtual void paint(const PaintRequest& request) = 0;
    virtual void histogram(const PictureSettings& settings, int shot, unsigned* bins) = 0;
};

} // namespace ondo
