// Three textures between the display thread, which fills them, and the GUI thread, which shows them: the newest wins,
// nobody waits for the other on the CPU; fences order the two contexts on the GPU. GL objects belong to the share group.
#pragma once

#include "engine/frame/picture.h"

#include <QOpenGLExtraFunctions>

#include <array>
#include <cstdint>
#include <mutex>

namespace ondo {

// One filled texture: RGBA8, top row first, as many pixels as its frame says.
struct RingPicture {
    int slot = -1; // < 0: none
    GLuint texture = 0;
    PictureFrame shows;
    std::int64_t step = 0;
    double time = 0.0, clip = 0.0; // s, Pa
    std::uint64_t number = 0;
    GLsync filled = nullptr; // the GUI waits on it on the GPU, then deletes it
};

class TextureRing {
public:
    static constexpr int kSlots = 3;

    // Display thread: a slot to fill, or -1. Waits on the GPU until the GUI's last use of it is over.
    [[nodiscard]] int beginWrite(QOpenGLExtraFunctions& gl);
    // Does the slot's texture have this size already? If not, prepare() deletes it and makes another.
    [[nodiscard]] bool fits(int slot, int width, int height) const;
    // The slot's texture in the size wanted, bound.
    GLuint prepare(QOpenGLExtraFunctions& gl, int slot, int width, int height);
    // Takes the time, step and size from `picture`; replaces an unread one.
    void publish(QOpenGLExtraFunctions& gl, const RingPicture& picture);
    void abandon(int slot);
    // Display thread, at the end: deletes all GL objects. The GUI must have given its slot back.
    void clear(QOpenGLExtraFunctions& gl);

    // GUI thread, any context of the share group current: the newest unread picture, or none.
    [[nodiscard]] RingPicture take();
    // Its last use has been issued in the current context; inserts a fence.
    void giveBack(QOpenGLExtraFunctions& gl, int slot);
    // Without a context: at the end of a widget, after which nothing is shown any more.
    void giveBackUnfenced(int slot);

private:
    enum class State { Free, Writing, Ready, Held };
    struct Slot {
        State state = State::Free;
        GLuint texture = 0;
        int width = 0, height = 0;
        GLsync used = nullptr; // the GUI's last use
        RingPicture picture;
    };
    std::mutex m_mutex;
    std::array<Slot, kSlots> m_slots;
    int m_newest = -1;
};

} // namespace ondo
