#include "ui/vtk/vtk_furniture.h"

#include "render/scene_painter.h"

#include <QOpenGLContext>
#include <QOpenGLFunctions>
#include <QOpenGLWidget>

namespace ondo {

VtkFurniture::VtkFurniture(QOpenGLWidget& widget)
    : m_widget(widget)
    , m_scene(
          {[&widget] { return widget.context() != nullptr && QOpenGLContext::currentContext() == widget.context(); },
           [&widget] { widget.makeCurrent(); }})
{
}

bool VtkFurniture::draw(const SectionFurniture& furniture, const QSize& devicePixels)
{
    if (m_size == devicePixels && m_drawn == furniture) {
        return false;
    }
    m_scene.draw(devicePixels.width(), devicePixels.height(), [&](ScenePainter& painter) {
        painter.fill({0, 0, devicePixels.width(), devicePixels.height()}, furniture.theme.background);
        drawSection(painter, furniture);
    });
    m_drawn = furniture;
    m_size = devicePixels;
    m_widget.context()->functions()->glBindFramebuffer(GL_FRAMEBUFFER, m_widget.defaultFramebufferObject());
    return true;
}

void VtkFurniture::blit()
{
    m_scene.blit();
}

void VtkFurniture::release()
{
    m_scene.release();
    m_size = {};
}

} // namespace ondo
