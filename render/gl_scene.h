// A VTK scene of flat drawing in somebody's GL context: a widget's, or a surfaceless one with no display.
// VTK renders into framebuffers of its own; the owner then has the result blitted where it wants it, or read back.
// All calls on the thread whose context it is, with that context current unless a line says otherwise. No VTK type leaks out.
#pragma once

#include "engine/frame/picture.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ondo {

class ScenePainter;

class GlScene {
public:
    struct Host {
        std::function<bool()> isCurrent;
        std::function<void()> makeCurrent; // called only if it is not
    };
    explicit GlScene(Host host);
    ~GlScene(); // any time after release(); without release() the context must be current
    GlScene(const GlScene&) = delete;
    GlScene& operator=(const GlScene&) = delete;

    // Renders width x height pixels. Leaves GL state that is not the caller's: set all that matters afterwards.
    void draw(int width, int height, const std::function<void(ScenePainter&)>& paint);
    // The last drawing, same size, into the framebuffer bound for drawing.
    void blit();
    // The last drawing on the host, opaque.
    [[nodiscard]] HostPicture read();
    // Gives all GL objects back; draw() may be called again, also in another context.
    void release();

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

// What VTK had to say since the last call (errors and warnings): kept here and never written to the console. Any thread.
[[nodiscard]] std::vector<std::string> takeVtkMessages();

} // namespace ondo
