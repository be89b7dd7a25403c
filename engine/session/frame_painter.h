// Makes the pictures of a running shot: paints on the device, finds the clip, hands the result to the FrameExchange.
// Belongs to the session's thread.
#pragma once

#include "engine/device/device.h"
#include "engine/frame/frame_exchange.h"
#include "engine/frame/plane_geometry.h"
#include "engine/propagator/propagator.h"

#include <array>
#include <chrono>

namespace ondo {

class FramePainter {
public:
    FramePainter(std::shared_ptr<Device> device, const Stream& stream, FrameExchange& exchange, double innerStep);
    ~FramePainter(); // waits until no picture is being read

    void setTransport(FrameTransport transport) { m_transport = transport; }
    // Can these settings be painted at all (a size, colour tables)?
    [[nodiscard]] static bool paintable(const PictureSettings& settings);

    // Queues a picture of the field as it is now. False when no slot was free. The clip follows the pictures before; or it
    // is measured on this very field (waits for the device), to be its clip at once or to be followed as ever: up at once,
    // down slowly.
    enum class ClipFrom { Before, ThisField, ThisFieldFollowed };
    bool paint(Propagator& propagator, const PictureSettings& settings, ClipFrom clipFrom);
    // Publishes pictures whose copy has arrived. True if anything was published since the last call.
    bool poll();
    void finishPending(); // waits for a picture under way and publishes it

    // Counts what is not finite in the visible plane; waits for the device.
    [[nodiscard]] std::uint64_t nonFinite(Propagator& propagator);

    [[nodiscard]] double clip() const { return m_clip; }
    [[nodiscard]] double largest() const { return m_statistics.largest; }
    [[nodiscard]] std::uint64_t lastNonFinite() const { return m_statistics.nonFinite; }
    // Seconds of the solver's time a picture takes, smoothed.
    [[nodiscard]] double costSeconds() const { return m_cost; }
    void newShot();

private:
    struct Slot {
        Buffer<std::uint32_t> device; // Direct, or the staging of Host on a GPU
        std::uint32_t* pinned = nullptr;
        std::size_t pinnedPixels = 0;
        Event ready;
    };

    void uploadColours(const PictureSettings& settings);
    void measure(Propagator& propagator, const PictureSettings& settings);
    void readStatistics();
    void measureIfAsked(Propagator& propagator, const PictureSettings& settings, ClipFrom clipFrom);
    void makeRoom(Slot& slot, std::size_t pixels);
    [[nodiscard]] double clipFor(const PictureSettings& settings);

    std::shared_ptr<Device> m_device;
    const Stream& m_stream;
    FrameExchange& m_exchange;
    double m_innerStep;
    FrameTransport m_transport = FrameTransport::Host;

    std::array<Slot, FrameExchange::kSlots> m_slots;
    int m_pending = -1; // slot whose host copy is under way
    PaintedFrame m_pendingFrame;
    bool m_published = false;

    Buffer<std::uint32_t> m_colours; // field then model
    std::shared_ptr<const ColourTable> m_fieldTable, m_modelTable;

    Buffer<unsigned> m_bins;
    unsigned* m_hostBins = nullptr;
    Event m_binsReady;
    bool m_binsPending = false;
    double m_binsPercentile = 99.0; // asked for with the bins on their way
    AmplitudeStatistics m_statistics;
    double m_clip = 0.0;
    double m_strongest = 0.0; // highest percentile of this shot, Pa
    std::chrono::steady_clock::time_point m_clipSet;

    Event m_begin, m_end;
    bool m_timing = false;
    double m_cost = 0.0;
};

} // namespace ondo
