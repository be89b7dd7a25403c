#include "render/gl_scene.h"

#include "render/scene_painter.h"
#include "render/vtk_log.h"

// GLEW before any other GL header.
#include <vtk_glew.h>

#include <vtkCallbackCommand.h>
#include <vtkContext2D.h>
#include <vtkContextActor.h>
#include <vtkContextItem.h>
#include <vtkContextScene.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLState.h>
#include <vtkRenderer.h>
#include <vtkUnsignedCharArray.h>
#include <vtkVersionMacros.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace ondo {

namespace {

// Debian's VTK has a GLEW that was built for GLX. In an EGL context (Wayland, no display) it loads every GL function and
// then answers "no GLX display" (4); VTK takes that for failure. VTK 9.4 has no GLEW.
class TolerantRenderWindow : public vtkGenericOpenGLRenderWindow {
public:
    static TolerantRenderWindow* New();
    vtkTypeMacro(TolerantRenderWindow, vtkGenericOpenGLRenderWindow);

    void OpenGLInitContext() override
    {
#if VTK_VERSION_NUMBER < VTK_VERSION_CHECK(9, 3, 20230807)
        if (!Initialized) {
            constexpr GLenum kNoGlxDisplay = 4;
            glewExperimental = GL_TRUE;
            const GLenum answer = glewInit();
            while (glGetError() != GL_NO_ERROR) {
            }
            GlewInitValid = answer == GLEW_OK || answer == kNoGlxDisplay;
            if (answer == kNoGlxDisplay && GLEW_VERSION_3_2) {
                MaximumHardwareLineWidth = 1.0F;
                ContextCreationTime.Modified();
                Initialized = true;
                return;
            }
        }
#endif
        Superclass::OpenGLInitContext();
    }

    // The owner's context, not a window of this library's.
    void SetWindowName(const char* /*unused*/) override {}
};
vtkStandardNewMacro(TolerantRenderWindow);

class PaintedItem : public vtkContextItem {
public:
    static PaintedItem* New();
    vtkTypeMacro(PaintedItem, vtkContextItem);

    bool Paint(vtkContext2D* context) override
    {
        if (paint != nullptr) {
            ScenePainter painter(*context, height, 1.0);
            (*paint)(painter);
        }
        return true;
    }

    const std::function<void(ScenePainter&)>* paint = nullptr;
    int height = 0;
};
vtkStandardNewMacro(PaintedItem);

// VTK's text tools are shared by the whole process: a figure made on another thread waits for the window's drawing.
std::mutex& drawing()
{
    static std::mutex mutex;
    return mutex;
}

} // namespace

class GlScene::Impl {
public:
    explicit Impl(Host h)
        : host(std::move(h))
    {
        routeVtkMessages();
        listener->SetClientData(this);
        listener->SetCallback(&Impl::answer);
        renderer->AddActor(actor);
        renderer->SetBackground(0.0, 0.0, 0.0);
        actor->GetScene()->AddItem(item);
    }

    void makeWindow()
    {
        window = vtkSmartPointer<TolerantRenderWindow>::New();
        window->SetReadyForRendering(false);
        window->SetOwnContext(0);
        window->SetFrameBlitModeToNoBlit();
        window->SetMultiSamples(0);
        window->SetDPI(72);
        window->AddObserver(vtkCommand::WindowMakeCurrentEvent, listener);
        window->AddObserver(vtkCommand::WindowIsCurrentEvent, listener);
        window->AddRenderer(renderer);
        window->SetReadyForRendering(true);
        window->SetForceMaximumHardwareLineWidth(1);
        window->OpenGLInitContext();
    }

    static void answer(vtkObject* /*unused*/, unsigned long event, void* self, void* data)
    {
        const Host& host = static_cast<Impl*>(self)->host;
        if (event == vtkCommand::WindowIsCurrentEvent) {
            *static_cast<bool*>(data) = host.isCurrent();
        } else if (event == vtkCommand::WindowMakeCurrentEvent && !host.isCurrent()) {
            host.makeCurrent();
        }
    }

    Host host;
    vtkNew<vtkCallbackCommand> listener;
    vtkNew<vtkRenderer> renderer;
    vtkNew<vtkContextActor> actor;
    vtkNew<PaintedItem> item;
    vtkSmartPointer<TolerantRenderWindow> window;
    int width = 0, height = 0;
};

GlScene::GlScene(Host host)
    : m_impl(std::make_unique<Impl>(std::move(host)))
{
}

GlScene::~GlScene()
{
    release();
}

void GlScene::draw(int width, int height, const std::function<void(ScenePainter&)>& paint)
{
    const std::scoped_lock lock(drawing());
    if (m_impl->window == nullptr) {
        m_impl->makeWindow();
    }
    TolerantRenderWindow& window = *m_impl->window;
    m_impl->width = std::max(width, 1);
    m_impl->height = std::max(height, 1);
    window.SetSize(m_impl->width, m_impl->height);
    m_impl->item->paint = &paint;
    m_impl->item->height = m_impl->height;
    m_impl->item->Modified();
    m_impl->actor->GetScene()->SetDirty(true);

    vtkOpenGLState* state = window.GetState();
    state->Reset();
    state->Push();
    state->vtkglDepthFunc(GL_LEQUAL);
    window.Render();
    state->Pop();
    m_impl->item->paint = nullptr;
}

void GlScene::blit()
{
    if (m_impl->window != nullptr) {
        glDisable(GL_SCISSOR_TEST);
        const int w = m_impl->width;
        const int h = m_impl->height;
        m_impl->window->BlitDisplayFramebuffer(0, 0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
}

HostPicture GlScene::read()
{
    HostPicture picture;
    if (m_impl->window == nullptr) {
        return picture;
    }
    vtkNew<vtkUnsignedCharArray> bytes;
    picture.width = m_impl->width;
    picture.height = m_impl->height;
    m_impl->window->GetRGBACharPixelData(0, 0, picture.width - 1, picture.height - 1, 1, bytes);
    const auto row = static_cast<std::size_t>(picture.width);
    picture.pixels.resize(row * static_cast<std::size_t>(picture.height));
    if (static_cast<std::size_t>(bytes->GetNumberOfValues()) < picture.pixels.size() * 4) {
        return {};
    }
    for (int y = 0; y < picture.height; ++y) {
        std::uint32_t* to = picture.pixels.data() + static_cast<std::size_t>(y) * row;
        std::memcpy(to, bytes->GetPointer(0) + static_cast<std::size_t>(picture.height - 1 - y) * row * 4, row * 4);
        std::transform(to, to + row, to, [](std::uint32_t c) { return c | 0xFF000000U; });
    }
    return picture;
}

void GlScene::release()
{
    if (m_impl->window != nullptr) {
        m_impl->actor->ReleaseGraphicsResources(m_impl->window);
        m_impl->window->Finalize();
        m_impl->window->SetReadyForRendering(false);
        m_impl->window->RemoveRenderer(m_impl->renderer);
        m_impl->window->RemoveObserver(m_impl->listener);
        m_impl->window = nullptr;
    }
}

} // namespace ondo
