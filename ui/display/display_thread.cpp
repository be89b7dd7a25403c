#include "ui/display/display_thread.h"

#include "engine/device/device_list.h"
#include "engine/device/display_link.h"

#include <QElapsedTimer>

#include <chrono>
#include <cstring>
#include <utility>

namespace ondo {

namespace {

// A frame is looked for this often even if nobody calls wake().
constexpr std::chrono::milliseconds kLook{8};
constexpr GLuint64 kSecond = 1000000000;

QString textOf(const Error& error)
{
    return QString::fromStdString(error.what);
}

} // namespace

DisplayThread::DisplayThread(QObject* parent)
    : QThread(parent)
    , m_context(std::make_unique<QOpenGLContext>())
{
    setObjectName("display");
    m_context->setShareContext(QOpenGLContext::globalShareContext());
    m_context->setFormat(QSurfaceFormat::defaultFormat());
    if (!m_context->create()) {
        m_verdict.reason = tr("no OpenGL context for the display thread");
        m_context.reset();
        return;
    }
    m_surface.setFormat(m_context->format());
    m_surface.create();
    m_context->moveToThread(this);
    start();
}

DisplayThread::~DisplayThread()
{
    detach();
    {
        const std::scoped_lock lock(m_mutex);
        m_quit = true;
    }
    m_changed.notify_all();
    wait();
}

DisplayVerdict DisplayThread::useDevice(std::shared_ptr<Device> device)
{
    std::unique_lock lock(m_mutex);
    if (m_context == nullptr) {
        return m_verdict;
    }
    m_wanted = std::move(device);
    m_changed.notify_all();
    m_changed.wait(lock, [&] { return !m_wanted.has_value() && !m_busy; });
    return m_verdict;
}

DisplayVerdict DisplayThread::verdict() const
{
    const std::scoped_lock lock(m_mutex);
    return m_verdict;
}

void DisplayThread::setVerdict(const DisplayVerdict& verdict)
{
    const std::scoped_lock lock(m_mutex);
    m_verdict = verdict;
}

void DisplayThread::attach(FrameExchange& frames)
{
    detach();
    {
        const std::scoped_lock lock(m_mutex);
        m_frames = &frames;
        m_news = true;
    }
    m_changed.notify_all();
}

void DisplayThread::detach()
{
    std::unique_lock lock(m_mutex);
    m_frames = nullptr;
    m_changed.wait(lock, [&] { return !m_busy; });
}

void DisplayThread::wake()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_news = true;
    }
    m_changed.notify_all();
}

RingPicture DisplayThread::take()
{
    m_told = false;
    return m_ring.take();
}

DisplayThread::Work DisplayThread::waitForWork()
{
    std::unique_lock lock(m_mutex);
    m_busy = false;
    m_changed.notify_all();
    const auto due = [&] { return m_quit || m_wanted.has_value() || (m_frames != nullptr && m_news); };
    if (m_frames == nullptr) {
        m_changed.wait(lock, [&] { return due() || m_frames != nullptr; });
    } else {
        m_changed.wait_for(lock, kLook, due);
    }
    m_news = false;
    m_busy = true;
    return {m_quit, std::exchange(m_wanted, std::nullopt), m_frames};
}

void DisplayThread::run()
{
    m_context->makeCurrent(&m_surface);
    QOpenGLExtraFunctions& gl = *m_context->extraFunctions();
    gl.glGenBuffers(1, &m_pixelBuffer);
    for (;;) {
        Work work = waitForWork();
        if (work.quit) {
            break;
        }
        if (work.device.has_value()) {
            tryDevice(std::move(*work.device));
        }
        if (work.frames != nullptr && work.frames->unread()) {
            moveOne(*work.frames);
        }
    }
    unregisterAll();
    m_link.reset();
    m_ring.clear(gl);
    gl.glDeleteBuffers(1, &m_pixelBuffer);
    m_context->doneCurrent();
    m_context.reset(); // on the thread it lives in
    const std::scoped_lock lock(m_mutex);
    m_busy = false;
}

void DisplayThread::tryDevice(std::shared_ptr<Device> device)
{
    unregisterAll();
    m_link.reset();
    DisplayVerdict verdict;
    if (device == nullptr || device->isHost()) {
        setVerdict(verdict);
        return;
    }
    auto link = std::make_unique<DisplayLink>(std::move(device));
    if (qEnvironmentVariable("ONDO_DISPLAY") == "host") {
        verdict.reason = tr("ONDO_DISPLAY=host asks for the way through host memory");
    } else if (const Result<> answer = link->probe(); !answer) {
        verdict.reason = textOf(answer.error());
        countFallback("direct display: " + answer.error().what);
    } else {
        verdict.transport = FrameTransport::Direct;
        m_link = std::move(link);
    }
    setVerdict(verdict);
}

void DisplayThread::moveOne(FrameExchange& frames)
{
    QElapsedTimer timer;
    timer.start();
    QOpenGLExtraFunctions& gl = *m_context->extraFunctions();
    const int slot = m_ring.beginWrite(gl);
    if (slot < 0) {
        return;
    }
    PaintedFrame frame;
    const int taken = frames.beginRead(frame);
    const int width = frame.shows.pixelsX;
    const int height = frame.shows.pixelsY;
    if (taken < 0 || width <= 0 || height <= 0 || frame.pixels == nullptr) {
        if (taken >= 0) {
            frames.endRead(taken);
        }
        m_ring.abandon(slot);
        return;
    }
    if (!m_ring.fits(slot, width, height)) {
        unregister(slot); // before its texture goes
    }
    const GLuint texture = m_ring.prepare(gl, slot, width, height);
    const bool direct = frame.transport == FrameTransport::Direct;
    if (direct && !fillDirect(slot, frame, texture)) {
        frames.endRead(taken);
        m_ring.abandon(slot);
        return;
    }
    if (!direct) {
        fillFromHost(frame);
    }
    RingPicture picture{slot, texture, frame.shows, frame.step, frame.time, frame.clip, frame.number, nullptr};
    const GLsync mine = gl.glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    picture.filled = gl.glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.glFlush();
    m_ring.publish(gl, picture);
    if (!m_told.exchange(true)) {
        emit pictureArrived();
    }
    m_handOver = static_cast<double>(timer.nsecsElapsed()) * 1e-6;
    if (direct) { // the device reads the frame's memory until then
        gl.glClientWaitSync(mine, 0, kSecond);
    }
    gl.glDeleteSync(mine);
    frames.endRead(taken);
}

bool DisplayThread::fillDirect(int slot, const PaintedFrame& frame, GLuint texture)
{
    if (m_link == nullptr) {
        loseDirect(tr("a frame on the device without a way to the display"));
        return false;
    }
    int& registered = m_registered[static_cast<std::size_t>(slot)];
    m_context->functions()->glBindTexture(GL_TEXTURE_2D, 0);
    if (registered < 0) {
        const Result<int> answer = m_link->registerTexture(texture, frame.shows.pixelsX, frame.shows.pixelsY);
        if (!answer) {
            loseDirect(textOf(answer.error()));
            return false;
        }
        registered = *answer;
    }
    if (const Result<> answer = m_link->present(registered, frame); !answer) {
        loseDirect(textOf(answer.error()));
        return false;
    }
    return true;
}

void DisplayThread::fillFromHost(const PaintedFrame& frame)
{
    QOpenGLExtraFunctions& gl = *m_context->extraFunctions();
    const GLsizeiptr bytes = GLsizeiptr{4} * frame.shows.pixelsX * frame.shows.pixelsY;
    gl.glBindBuffer(GL_PIXEL_UNPACK_BUFFER, m_pixelBuffer);
    gl.glBufferData(GL_PIXEL_UNPACK_BUFFER, bytes, nullptr,
                    GL_STREAM_DRAW); // orphaned: an upload under way keeps its own
    const void* source = nullptr;
    if (void* to =
            gl.glMapBufferRange(GL_PIXEL_UNPACK_BUFFER, 0, bytes, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT)) {
        std::memcpy(to, frame.pixels, static_cast<std::size_t>(bytes));
        gl.glUnmapBuffer(GL_PIXEL_UNPACK_BUFFER);
    } else {
        gl.glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
        source = frame.pixels;
    }
    gl.glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl.glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, frame.shows.pixelsX, frame.shows.pixelsY, GL_RGBA, GL_UNSIGNED_BYTE,
                       source);
    gl.glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void DisplayThread::loseDirect(const QString& reason)
{
    if (verdict().transport == FrameTransport::Host) {
        return; // told already; frames of the old kind may still come
    }
    setVerdict({FrameTransport::Host, reason});
    countFallback("direct display: " + reason.toStdString());
    emit directLost(reason);
}

void DisplayThread::unregister(int slot)
{
    int& registered = m_registered[static_cast<std::size_t>(slot)];
    if (registered >= 0 && m_link != nullptr) {
        m_link->unregister(registered);
    }
    registered = -1;
}

void DisplayThread::unregisterAll()
{
    for (int slot = 0; slot < TextureRing::kSlots; ++slot) {
        unregister(slot);
    }
}

} // namespace ondo
