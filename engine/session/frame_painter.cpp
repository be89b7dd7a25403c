#include "engine/session/frame_painter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ondo {

using kernels::CopyPurpose;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::size_t kBins = kernels::kHistogramBins;

} // namespace

FramePainter::FramePainter(std::shared_ptr<Device> device, const Stream& stream, FrameExchange& exchange,
                           double innerStep)
    : m_device(std::move(device))
    , m_stream(stream)
    , m_exchange(exchange)
    , m_innerStep(innerStep)
{
    m_colours =
        Buffer<std::uint32_t>(m_device, 512, "colour tables", BlockSize::Bucket, BlockContent::Zeroed, m_stream);
    m_bins = Buffer<unsigned>(m_device, kBins, "histogram", BlockSize::Bucket, BlockContent::Zeroed, m_stream);
    m_hostBins = static_cast<unsigned*>(m_device->backend().allocatePinned(kBins * sizeof(unsigned)));
    m_binsReady = Event(m_device);
    m_begin = Event(m_device, true);
    m_end = Event(m_device, true);
    for (auto& slot : m_slots) {
        slot.ready = Event(m_device);
    }
}

FramePainter::~FramePainter()
{
    if (m_pending >= 0) {
        m_exchange.abandon(m_pending);
    }
    m_exchange.drain();
    for (auto& slot : m_slots) {
        m_device->backend().releasePinned(slot.pinned);
    }
    m_device->backend().releasePinned(m_hostBins);
}

bool FramePainter::paintable(const PictureSettings& s)
{
    return s.frame.pixelsX > 0 && s.frame.pixelsY > 0 && s.frame.width > 0.0 && s.frame.height > 0.0 &&
           s.fieldColours && s.modelColours;
}

void FramePainter::newShot()
{
    m_statistics = {};
    m_binsPending = false;
    m_clip = 0.0;
    m_strongest = 0.0;
}

void FramePainter::uploadColours(const PictureSettings& s)
{
    if (m_fieldTable == s.fieldColours && m_modelTable == s.modelColours) {
        return;
    }
    m_fieldTable = s.fieldColours;
    m_modelTable = s.modelColours;
    auto& backend = m_device->backend();
    backend.copyToDevice(m_colours.data(), m_fieldTable->data(), sizeof(ColourTable), m_stream.handle(),
                         CopyPurpose::Setup);
    backend.copyToDevice(m_colours.data() + 256, m_modelTable->data(), sizeof(ColourTable), m_stream.handle(),
                         CopyPurpose::Setup);
}

void FramePainter::measure(Propagator& propagator, const PictureSettings& settings)
{
    propagator.histogram(settings, 0, m_bins.data());
    m_device->backend().copyToHost(m_hostBins, m_bins.data(), kBins * sizeof(unsigned), m_stream.handle(),
                                   CopyPurpose::Statistics);
    m_binsReady.record(m_stream);
    m_binsPending = true;
    m_binsPercentile = settings.percentile;
}

void FramePainter::readStatistics()
{
    m_binsReady.wait();
    m_statistics = amplitudeStatistics(m_hostBins, m_binsPercentile);
    m_binsPending = false;
}

// Up at once, since a wave that saturates hides itself; down with a time constant of 0.7 s, so that the picture never flickers.
double FramePainter::clipFor(const PictureSettings& s)
{
    if (s.clipMode == ClipMode::Fixed) {
        m_clip = s.clip;
        return m_clip;
    }
    if (s.hold && m_clip > 0.0) {
        return m_clip;
    }
    const auto now = Clock::now();
    // A thousandth of the shot's strongest picture is the floor: when the wave has left, what is shown is silence and not
    // round-off at full scale.
    m_strongest = std::max(m_strongest, m_statistics.percentile);
    const double target = std::max(m_statistics.percentile, 1e-3 * m_strongest);
    if (target > 0.0) {
        if (target >= m_clip || m_clip <= 0.0) {
            m_clip = target;
        } else {
            const double elapsed = std::chrono::duration<double>(now - m_clipSet).count();
            m_clip = target + (m_clip - target) * std::exp(-elapsed / 0.7);
        }
    }
    m_clipSet = now;
    return m_clip;
}

void FramePainter::measureIfAsked(Propagator& propagator, const PictureSettings& settings, ClipFrom clipFrom)
{
    if (clipFrom == ClipFrom::Before && m_clip > 0.0) {
        return;
    }
    measure(propagator, settings);
    readStatistics();
    if (settings.clipMode == ClipMode::Percentile && !settings.hold && clipFrom == ClipFrom::ThisField) {
        m_strongest = std::max(m_strongest, m_statistics.percentile);
        m_clip = std::max(m_statistics.percentile, 1e-3 * m_strongest);
    }
}

void FramePainter::makeRoom(Slot& slot, std::size_t pixels)
{
    auto& backend = m_device->backend();
    const bool hostTransport = m_transport == FrameTransport::Host;
    if (hostTransport && slot.pinnedPixels < pixels) {
        backend.releasePinned(slot.pinned);
        slot.pinned = nullptr;
        slot.pinned = static_cast<std::uint32_t*>(backend.allocatePinned(pixels * sizeof(std::uint32_t)));
        slot.pinnedPixels = pixels;
    }
    if (!(hostTransport && m_device->isHost()) && slot.device.size() < pixels) {
        slot.device = Buffer<std::uint32_t>(m_device, pixels, "pictures", BlockSize::Bucket,
                                            BlockContent::Uninitialised, m_stream);
    }
}

bool FramePainter::paint(Propagator& propagator, const PictureSettings& settings, ClipFrom clipFrom)
{
    if (!paintable(settings) || m_pending >= 0) {
        return false;
    }
    const int index = m_exchange.beginWrite();
    if (index < 0) {
        return false;
    }
    auto& backend = m_device->backend();
    const auto wall = Clock::now();
    if (m_binsPending && m_binsReady.isDone()) {
        readStatistics();
    }
    measureIfAsked(propagator, settings, clipFrom);
    auto& slot = m_slots[static_cast<std::size_t>(index)];
    const auto pixels =
        static_cast<std::size_t>(settings.frame.pixelsX) * static_cast<std::size_t>(settings.frame.pixelsY);
    const bool hostTransport = m_transport == FrameTransport::Host;
    const bool needsDevice = !(hostTransport && m_device->isHost());
    makeRoom(slot, pixels);
    uploadColours(settings);

    const bool time = !m_timing || m_end.isDone();
    if (time && m_timing) {
        const double seconds = backend.milliseconds(m_begin.handle(), m_end.handle()) * 1e-3;
        m_cost = m_cost <= 0.0 ? seconds : 0.8 * m_cost + 0.2 * seconds;
    }
    if (time && !m_device->isHost()) {
        m_begin.record(m_stream);
    }
    PaintRequest request;
    request.settings = settings;
    request.fieldColours = m_colours.data();
    request.modelColours = m_colours.data() + 256;
    request.clip = clipFor(settings);
    request.pixels = needsDevice ? slot.device.data() : slot.pinned;
    propagator.paint(request);
    if (!m_binsPending && clipFrom == ClipFrom::Before) {
        measure(propagator, settings);
    }

    PaintedFrame frame;
    frame.transport = m_transport;
    frame.shows = settings.frame;
    frame.step = propagator.stepsDone();
    frame.time = static_cast<double>(frame.step) * m_innerStep;
    frame.clip = request.clip;
    if (hostTransport && needsDevice) {
        backend.copyToHost(slot.pinned, slot.device.data(), pixels * sizeof(std::uint32_t), m_stream.handle(),
                           CopyPurpose::Picture);
    }
    slot.ready.record(m_stream);
    if (time && !m_device->isHost()) {
        m_end.record(m_stream);
        m_timing = true;
    }
    frame.pixels = hostTransport ? slot.pinned : slot.device.data();
    frame.ready = slot.ready.handle();
    if (hostTransport && needsDevice) {
        m_pending = index;
        m_pendingFrame = frame;
    } else {
        m_exchange.publish(index, frame);
        m_published = true;
    }
    if (m_device->isHost()) {
        const double seconds = std::chrono::duration<double>(Clock::now() - wall).count();
        m_cost = m_cost <= 0.0 ? seconds : 0.8 * m_cost + 0.2 * seconds;
    }
    return true;
}

bool FramePainter::poll()
{
    if (m_pending >= 0 && m_slots[static_cast<std::size_t>(m_pending)].ready.isDone()) {
        finishPending();
    }
    return std::exchange(m_published, false);
}

void FramePainter::finishPending()
{
    if (m_pending < 0) {
        return;
    }
    m_slots[static_cast<std::size_t>(m_pending)].ready.wait();
    m_exchange.publish(m_pending, m_pendingFrame);
    m_pending = -1;
    m_published = true;
}

std::uint64_t FramePainter::nonFinite(Propagator& propagator)
{
    if (m_binsPending) {
        readStatistics(); // these bins are about to be used for something else
    }
    propagator.histogram(PictureSettings{}, 0, m_bins.data());
    m_device->backend().copyToHost(m_hostBins, m_bins.data(), kBins * sizeof(unsigned), m_stream.handle(),
                                   CopyPurpose::Statistics);
    m_binsReady.record(m_stream);
    m_binsReady.wait();
    m_binsPending = false;
    return amplitudeStatistics(m_hostBins, 99.0).nonFinite;
}

} // namespace ondo
