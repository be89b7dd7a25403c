// What VTK draws in a QOpenGLWidget: rendered when it changes, kept in VTK's own framebuffer, blitted by the widget.
// GUI thread, inside initializeGL, paintGL or with the widget's context current.
#pragma once

#include "render/gl_scene.h"
#include "render/section_scene.h"

#include <QSize>

class QOpenGLWidget;

namespace ondo {

class VtkFurniture {
public:
    explicit VtkFurniture(QOpenGLWidget& widget);

    // Draws unless the last drawing was the same; true if it drew. Binds the widget's framebuffer again.
    bool draw(const SectionFurniture& furniture, const QSize& devicePixels);
    void blit();
    // The context goes away, or the widget does.
    void release();

private:
    QOpenGLWidget& m_widget;
    GlScene m_scene;
    SectionFurniture m_drawn;
    QSize m_size;
};

} // namespace ondo
