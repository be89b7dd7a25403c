// The thread that brings painted frames from the session to textures: its own GL context, shared with Qt's, which lives
// until the end of the program whatever happens to widgets. Direct frames are written by the device, host frames
// uploaded through a pixel buffer. Needs Qt::AA_ShareOpenGLContexts. Made, used and destroyed on the GUI thread.
// End of life: stop the run, then this, then the widgets, then the device.
#pragma once

#include "engine/device/device.h"
#include "engine/frame/frame_exchange.h"
#include "ui/display/texture_ring.h"

#include <QOffscreenSurface>
#include <QOpenGLContext>
#include <QString>
#include <QThread>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace ondo {

class DisplayLink;

// How frames get to the screen, and if not directly, why not. reason is empty when direct, or when the CPU computes.
struct DisplayVerdict {
    FrameTransport transport = FrameTransport::Host;
    QString reason;
    bool chosenByUser = false; // and not found out
};

class DisplayThread : public QThread {
    Q_OBJECT

public:
    explicit DisplayThread(QObject* parent = nullptr);
    ~DisplayThread() override;

    // Which way frames of this device take from now on: tried for real on the display thread; the caller waits for it
    // (milliseconds; a few hundred the first time on a GPU). ONDO_DISPLAY=host forces the host path. Not while attached.
    DisplayVerdict useDevice(std::shared_ptr<Device> device);
    [[nodiscard]] DisplayVerdict verdict() const;

    // Frames come from here until detach(), after which none of them is touched any more.
    void attach(FrameExchange& frames);
    void detach();
    // There may be a new frame. Any thread; cheap.
    void wake();

    // The GUI's side. After take() the next pictureArrived can come.
    [[nodiscard]] TextureRing& ring() { return m_ring; }
    [[nodiscard]] RingPicture take();

    // Milliseconds that the last hand-over took on this thread's CPU side.
    [[nodiscard]] double handOverMilliseconds() const { return m_handOver.load(); }

signals:
    void pictureArrived(); // at most one on its way
    // The direct way failed while running; frames should be asked for through the host from now on.
    void directLost(const QString& reason);

protected:
    void run() override;

private:
    struct Work {
        bool quit = false;
        std::optional<std::shared_ptr<Device>> device; // to be tried
        FrameExchange* frames = nullptr;
    };

    [[nodiscard]] Work waitForWork();
    void tryDevice(std::shared_ptr<Device> device);
    void moveOne(FrameExchange& frames);
    [[nodiscard]] bool fillDirect(int slot, const PaintedFrame& frame, GLuint texture);
    void fillFromHost(const PaintedFrame& frame);
    void loseDirect(const QString& reason);
    void unregister(int slot);
    void unregisterAll();
    void setVerdict(const DisplayVerdict& verdict);

    QOffscreenSurface m_surface;
    std::unique_ptr<QOpenGLContext> m_context;
    TextureRing m_ring;

    mutable std::mutex m_mutex;
    std::condition_variable m_changed; // both ways
    bool m_quit = false, m_news = false, m_busy = false;
    std::optional<std::shared_ptr<Device>> m_wanted;
    FrameExchange* m_frames = nullptr;
    DisplayVerdict m_verdict;
    std::atomic<bool> m_told = false;
    std::atomic<double> m_handOver = 0.0;

    // The display thread's own.
    std::unique_ptr<DisplayLink> m_link;
    std::array<int, TextureRing::kSlots> m_registered{-1, -1, -1};
    GLuint m_pixelBuffer = 0;
};

} // namespace ondo
