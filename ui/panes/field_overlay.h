// What lies over the picture and moves with the mouse: handles, the spread's line, grid lines, the label beside a drag.
// One small GL program, one vertex buffer, one texture; a few hundred triangles a view. GUI thread, context current.
#pragma once

#include "engine/frame/picture.h"
#include "render/section_view.h"
#include "render/theme.h"

#include <QImage>
#include <QOpenGLBuffer>
#include <QOpenGLExtraFunctions>
#include <QOpenGLShaderProgram>
#include <QOpenGLVertexArrayObject>
#include <QSize>

#include <map>
#include <tuple>
#include <vector>

namespace ondo {

enum class HandleLook { Normal, Hovered, Selected };
enum class HandleKind { Source, Receiver, Probe };

struct HandleSprite {
    HandleKind kind = HandleKind::Source;
    HandleLook look = HandleLook::Normal;
    PixelPoint at;
};

struct OverlayContent {
    std::vector<PixelRect> lines; // filled rectangles, under the handles
    Colour lineColour;
    std::vector<HandleSprite> handles; // later ones on top
    QImage label;                      // premultiplied RGBA; null: none
    QPoint labelAt;                    // device pixels, top left
};

class FieldOverlay {
public:
    void setTheme(const Theme& theme, double scale);
    void setContent(const OverlayContent& content);
    // Into the bound framebuffer of this size.
    void draw(QOpenGLExtraFunctions& gl, const QSize& devicePixels);
    void release();

private:
    struct Vertex {
        float x, y, u, v;
        float colour[4];
    };
    struct Cell {
        PixelRect rect; // in the atlas
    };
    using CellKey = std::tuple<HandleKind, HandleLook>;

    void buildAtlas();
    void upload(QOpenGLExtraFunctions& gl);
    void addQuad(const PixelRect& to, const PixelRect& from, const Colour& tint);
    [[nodiscard]] bool prepare(QOpenGLExtraFunctions& gl);

    Theme m_theme;
    double m_scale = 1.0;
    OverlayContent m_content;
    QImage m_atlas; // white dot, sprites, then the label
    std::map<CellKey, Cell> m_cells;
    int m_spritesHeight = 0;
    bool m_spritesStale = true, m_contentStale = true;

    std::vector<Vertex> m_vertices;
    std::unique_ptr<QOpenGLShaderProgram> m_program;
    QOpenGLVertexArrayObject m_array;
    QOpenGLBuffer m_buffer;
    GLuint m_texture = 0;
    QSize m_textureSize;
};

} // namespace ondo
