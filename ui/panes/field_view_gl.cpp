// FieldView: what happens inside its GL context.
#include "ui/panes/field_view.h"

#include "engine/frame/still_picture.h"
#include "ui/vtk/vtk_furniture.h"

#include <QOpenGLContext>

#include <algorithm>
#include <cmath>
#include <utility>

namespace ondo {

void FieldView::releaseGl()
{
    if (QOpenGLContext::currentContext() == nullptr) {
        return;
    }
    QOpenGLFunctions& gl = *QOpenGLContext::currentContext()->functions();
    m_furniture->release();
    m_overlay.release();
    m_timer.reset();
    m_timerRunning = false;
    if (m_picture.slot >= 0) {
        m_display->ring().giveBack(*QOpenGLContext::currentContext()->extraFunctions(), m_picture.slot);
        m_picture = {};
    }
    gl.glDeleteTextures(1, &m_stillTexture);
    gl.glDeleteFramebuffers(1, &m_readBuffer);
    m_stillTexture = m_readBuffer = 0;
    m_stillSize = {};
    m_stillStale = m_compose = true;
}

void FieldView::initializeGL()
{
    // Widgets that move to another window may get another context.
    disconnect(m_contextGone);
    m_contextGone = connect(
        context(), &QOpenGLContext::aboutToBeDestroyed, this,
        [this] {
            makeCurrent();
            releaseGl();
            doneCurrent();
        },
        Qt::DirectConnection);
    m_compose = m_overlayStale = m_stillStale = true;
}

void FieldView::resizeGL(int /*width*/, int /*height*/)
{
    m_lastSize = deviceSize();
    layOut();
    viewChanged();
}

void FieldView::paintGL()
{
    const QSize size = deviceSize();
    if (size != m_lastSize || m_scale != devicePixelRatioF()) { // another screen
        resizeGL(width(), height());
    }
    QOpenGLExtraFunctions& gl = *context()->extraFunctions();
    takeNewest(gl);
    const bool compose = std::exchange(m_compose, false); // asked for again while painting: next time
    if (compose) {
        m_furniture->draw(furniture(), size);
    }
    startTimer(compose);
    gl.glDisable(GL_SCISSOR_TEST);
    gl.glDisable(GL_DEPTH_TEST);
    gl.glDisable(GL_STENCIL_TEST);
    gl.glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl.glViewport(0, 0, size.width(), size.height());
    gl.glBindFramebuffer(GL_FRAMEBUFFER, defaultFramebufferObject());
    if (compose) {
        m_furniture->blit();
        gl.glBindFramebuffer(GL_FRAMEBUFFER, defaultFramebufferObject());
    }
    if (!m_model.empty()) {
        drawPicture(gl, size);
        if (m_overlayStale) {
            refreshOverlay();
        }
        if (!compose) { // what a handle shows outside of the picture is there already
            const PixelRect r = m_view.fieldRect();
            gl.glEnable(GL_SCISSOR_TEST);
            gl.glScissor(r.x, size.height() - r.y - r.height, r.width, r.height);
        }
        m_overlay.draw(gl, size);
        gl.glDisable(GL_SCISSOR_TEST);
    }
    readTimer();
    if (const GLenum error = gl.glGetError(); error != GL_NO_ERROR && m_glError == 0) {
        m_glError = error;
    }
}

void FieldView::takeNewest(QOpenGLExtraFunctions& gl)
{
    const RingPicture newest = m_display->take();
    if (newest.slot < 0) {
        return;
    }
    gl.glWaitSync(newest.filled, 0, GL_TIMEOUT_IGNORED);
    gl.glDeleteSync(newest.filled);
    if (!m_attached) { // came too late
        m_display->ring().giveBack(gl, newest.slot);
        return;
    }
    if (m_picture.slot >= 0) {
        m_display->ring().giveBack(gl, m_picture.slot);
    }
    m_picture = newest;
    m_stillStale = m_stillStale || !m_live;
    m_live = true;
    countView();
    noteClip(newest.clip / std::max(m_style.gain, 1e-12));
    emit pictureShown(newest.time, newest.step, newest.clip);
}

void FieldView::countView()
{
    ++m_viewsShown;
    ++m_viewsThisSecond;
    const qint64 elapsed = m_viewClock.isValid() ? m_viewClock.elapsed() : 0;
    if (elapsed >= 1000) {
        m_viewsPerSecond = 1000.0 * m_viewsThisSecond / static_cast<double>(elapsed);
        m_viewsThisSecond = 0;
        m_viewClock.restart();
    }
}

// At rest the picture itself; while a run is seen what lies beyond its newest picture, in half the resolution: it is there
// until the next picture has come.
void FieldView::paintStillPicture(QOpenGLExtraFunctions& gl)
{
    PictureSettings settings = pictureSettings();
    if (m_live) {
        settings.frame.pixelsX = (settings.frame.pixelsX + 1) / 2;
        settings.frame.pixelsY = (settings.frame.pixelsY + 1) / 2;
    }
    const HostPicture picture = m_live ? paintSilence(m_model, settings) : paintStill(m_model, m_still.get(), settings);
    m_stillStale = false;
    if (!m_live && m_still != nullptr) {
        noteClip(picture.clip / std::max(m_style.gain, 1e-12));
    }
    if (m_stillTexture == 0) {
        gl.glGenTextures(1, &m_stillTexture);
    }
    gl.glBindTexture(GL_TEXTURE_2D, m_stillTexture);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    gl.glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl.glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, picture.width, picture.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                    picture.pixels.data());
    m_stillSize = {picture.width, picture.height};
    gl.glBindTexture(GL_TEXTURE_2D, 0);
}

void FieldView::drawPicture(QOpenGLExtraFunctions& gl, const QSize& size)
{
    const PixelRect whole = m_view.fieldRect();
    // Made for the view of a moment ago: it stays where its metres are until one for this view has come.
    const PixelRect live = m_live ? m_view.placeOf(m_picture.shows) : PixelRect{};
    if (!live.covers(whole)) {
        if (m_stillStale) {
            paintStillPicture(gl);
        }
        blitPicture(gl, m_stillTexture, m_stillSize, whole);
    }
    if (m_live) {
        gl.glEnable(GL_SCISSOR_TEST);
        gl.glScissor(whole.x, size.height() - whole.y - whole.height, whole.width, whole.height);
        blitPicture(gl, m_picture.texture, {m_picture.shows.pixelsX, m_picture.shows.pixelsY}, live);
        gl.glDisable(GL_SCISSOR_TEST);
    }
}

void FieldView::blitPicture(QOpenGLExtraFunctions& gl, GLuint texture, const QSize& from, const PixelRect& to)
{
    if (texture == 0) {
        return;
    }
    if (m_readBuffer == 0) {
        gl.glGenFramebuffers(1, &m_readBuffer);
    }
    gl.glBindFramebuffer(GL_READ_FRAMEBUFFER, m_readBuffer);
    gl.glFramebufferTexture2D(GL_READ_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
    gl.glReadBuffer(GL_COLOR_ATTACHMENT0);
    const bool same = from == QSize(to.width, to.height);
    const int bottom = deviceSize().height();
    // Top row first in the texture: upside down for GL.
    gl.glBlitFramebuffer(0, 0, from.width(), from.height(), to.x, bottom - to.y, to.x + to.width,
                         bottom - to.y - to.height, GL_COLOR_BUFFER_BIT, same ? GL_NEAREST : GL_LINEAR);
    gl.glBindFramebuffer(GL_READ_FRAMEBUFFER, defaultFramebufferObject());
}

void FieldView::refreshOverlay()
{
    OverlayContent content;
    const PixelRect r = m_view.fieldRect();
    if (m_lines == Lines::Shown) {
        const GridLines lines = ondo::gridLines(furniture());
        const int thick = std::max(1, static_cast<int>(std::lround(m_scale)));
        for (const double x : lines.across) {
            content.lines.push_back({static_cast<int>(x), r.y, thick, r.height});
        }
        for (const double y : lines.down) {
            content.lines.push_back({r.x, static_cast<int>(y), r.width, thick});
        }
        content.lineColour = m_theme.grid;
    }
    m_handles.draw(content, m_view, m_style.plane, m_scale);
    if (m_drag == Drag::Handle || m_keyboardMove) {
        content.label = dragLabel();
        const PixelPoint at = m_view.toPixel(onPlane(m_style.plane, m_handles.positionOf(m_handles.selected)));
        const int away = static_cast<int>(16 * m_scale);
        const int x = static_cast<int>(at.x) + away;
        const int y = static_cast<int>(at.y) + away;
        const bool fitsRight = x + content.label.width() <= r.x + r.width;
        const bool fitsBelow = y + content.label.height() <= r.y + r.height;
        content.labelAt = {fitsRight ? x : static_cast<int>(at.x) - away - content.label.width(),
                           fitsBelow ? y : static_cast<int>(at.y) - away - content.label.height()};
    }
    m_overlay.setTheme(m_theme, m_scale);
    m_overlay.setContent(content);
    m_overlayStale = false;
}

void FieldView::startTimer(bool composing)
{
    // Only views of the moving field, and only one question at a time on its way.
    m_timing = m_live && !composing && !m_timerRunning;
    if (!m_timing) {
        return;
    }
    if (m_timer == nullptr) {
        m_timer = std::make_unique<QOpenGLTimerQuery>();
        if (!m_timer->create()) {
            m_timing = false;
            return;
        }
    }
    m_timing = m_timer->isCreated();
    if (m_timing) {
        m_timer->begin();
    }
}

void FieldView::readTimer()
{
    if (m_timing) {
        m_timer->end();
        m_timing = false;
        m_timerRunning = true;
    } else if (m_timerRunning && m_timer->isResultAvailable()) {
        const double ms = static_cast<double>(m_timer->waitForResult()) * 1e-6; // it is there: no wait
        m_glMilliseconds = m_glMilliseconds < 0.0 ? ms : 0.8 * m_glMilliseconds + 0.2 * ms;
        m_timerRunning = false;
    }
}

} // namespace ondo
