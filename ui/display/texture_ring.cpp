#include "ui/display/texture_ring.h"

#include <utility>

namespace ondo {

int TextureRing::beginWrite(QOpenGLExtraFunctions& gl)
{
    GLsync used = nullptr;
    int found = -1;
    {
        const std::scoped_lock lock(m_mutex);
        for (int i = 0; i < kSlots && found < 0; ++i) {
            Slot& slot = m_slots[static_cast<std::size_t>(i)];
            if (slot.state == State::Free) {
                slot.state = State::Writing;
                used = std::exchange(slot.used, nullptr);
                found = i;
            }
        }
    }
    if (used != nullptr) {
        gl.glWaitSync(used, 0, GL_TIMEOUT_IGNORED);
        gl.glDeleteSync(used);
    }
    return found;
}

bool TextureRing::fits(int slot, int width, int height) const
{
    const Slot& s = m_slots[static_cast<std::size_t>(slot)]; // Writing: the display thread's alone
    return s.texture != 0 && s.width == width && s.height == height;
}

GLuint TextureRing::prepare(QOpenGLExtraFunctions& gl, int slot, int width, int height)
{
    Slot& s = m_slots[static_cast<std::size_t>(slot)];
    if (fits(slot, width, height)) {
        gl.glBindTexture(GL_TEXTURE_2D, s.texture);
        return s.texture;
    }
    if (s.texture != 0) {
        gl.glDeleteTextures(1, &s.texture);
    }
    gl.glGenTextures(1, &s.texture);
    gl.glBindTexture(GL_TEXTURE_2D, s.texture);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    gl.glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    s.width = width;
    s.height = height;
    return s.texture;
}

void TextureRing::publish(QOpenGLExtraFunctions& gl, const RingPicture& picture)
{
    GLsync stale = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        if (m_newest >= 0) {
            Slot& old = m_slots[static_cast<std::size_t>(m_newest)];
            old.state = State::Free;
            stale = std::exchange(old.picture.filled, nullptr);
        }
        Slot& slot = m_slots[static_cast<std::size_t>(picture.slot)];
        slot.picture = picture;
        slot.state = State::Ready;
        m_newest = picture.slot;
    }
    if (stale != nullptr) {
        gl.glDeleteSync(stale);
    }
}

void TextureRing::abandon(int slot)
{
    const std::scoped_lock lock(m_mutex);
    m_slots[static_cast<std::size_t>(slot)].state = State::Free;
}

void TextureRing::clear(QOpenGLExtraFunctions& gl)
{
    const std::scoped_lock lock(m_mutex);
    for (Slot& slot : m_slots) {
        for (const GLsync sync : {slot.used, slot.picture.filled}) {
            if (sync != nullptr) {
                gl.glDeleteSync(sync);
            }
        }
        if (slot.texture != 0) {
            gl.glDeleteTextures(1, &slot.texture);
        }
        slot = Slot{};
    }
    m_newest = -1;
}

RingPicture TextureRing::take()
{
    const std::scoped_lock lock(m_mutex);
    if (m_newest < 0) {
        return {};
    }
    Slot& slot = m_slots[static_cast<std::size_t>(std::exchange(m_newest, -1))];
    slot.state = State::Held;
    RingPicture picture = slot.picture;
    slot.picture.filled = nullptr; // the taker's from here on
    return picture;
}

void TextureRing::giveBack(QOpenGLExtraFunctions& gl, int slot)
{
    const GLsync used = gl.glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.glFlush(); // another context waits on it
    const std::scoped_lock lock(m_mutex);
    Slot& s = m_slots[static_cast<std::size_t>(slot)];
    s.used = used;
    s.state = State::Free;
}

void TextureRing::giveBackUnfenced(int slot)
{
    const std::scoped_lock lock(m_mutex);
    m_slots[static_cast<std::size_t>(slot)].state = State::Free;
}

} // namespace ondo
