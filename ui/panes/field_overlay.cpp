#include "ui/panes/field_overlay.h"

#include "render/marker_sprite.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace ondo {

namespace {

constexpr int kDot = 4; // a white square of this size at the atlas's corner, for plain rectangles

constexpr const char* kVertexShader = R"(#version 150
uniform vec2 size;
in vec2 position;
in vec2 place;
in vec4 colour;
out vec2 atPlace;
out vec4 tint;
void main()
{
    gl_Position = vec4(2.0 * position.x / size.x - 1.0, 1.0 - 2.0 * position.y / size.y, 0.0, 1.0);
    atPlace = place;
    tint = colour;
}
)";
constexpr const char* kFragmentShader = R"(#version 150
uniform sampler2D atlas;
in vec2 atPlace;
in vec4 tint;
out vec4 result;
void main()
{
    result = texelFetch(atlas, ivec2(atPlace), 0) * tint;
}
)";

QImage premultiplied(const HostPicture& picture)
{
    const QImage straight(reinterpret_cast<const uchar*>(picture.pixels.data()), picture.width, picture.height,
                          QImage::Format_RGBA8888);
    return straight.convertToFormat(QImage::Format_RGBA8888_Premultiplied);
}

void place(QImage& atlas, const QImage& part, const QPoint& at)
{
    for (int y = 0; y < part.height(); ++y) {
        std::copy_n(part.constScanLine(y), part.width() * 4, atlas.scanLine(at.y() + y) + std::ptrdiff_t{4} * at.x());
    }
}

QImage spriteOf(HandleKind kind, HandleLook look, const Theme& theme, double scale)
{
    Marker marker = kind == HandleKind::Source     ? sourceMarker(theme, scale)
                    : kind == HandleKind::Receiver ? receiverMarker(theme, scale)
                                                   : probeMarker(theme, scale);
    marker.style.radius *= look == HandleLook::Normal ? 1.0 : 1.25;
    if (look == HandleLook::Selected) {
        marker.style.halo = theme.accent;
        marker.style.haloWidth = 2.2 * scale;
    }
    return premultiplied(markerSprite(marker));
}

} // namespace

void FieldOverlay::setTheme(const Theme& theme, double scale)
{
    m_spritesStale = m_spritesStale || !(m_theme == theme) || m_scale != scale;
    m_theme = theme;
    m_scale = scale;
}

void FieldOverlay::setContent(const OverlayContent& content)
{
    m_content = content;
    m_contentStale = true;
}

void FieldOverlay::buildAtlas()
{
    m_cells.clear();
    std::vector<std::pair<CellKey, QImage>> sprites;
    int width = kDot;
    int height = kDot;
    for (const HandleKind kind : {HandleKind::Source, HandleKind::Receiver, HandleKind::Probe}) {
        for (const HandleLook look : {HandleLook::Normal, HandleLook::Hovered, HandleLook::Selected}) {
            sprites.emplace_back(CellKey{kind, look}, spriteOf(kind, look, m_theme, m_scale));
            width += sprites.back().second.width();
            height = std::max(height, sprites.back().second.height());
        }
    }
    m_spritesHeight = height;
    m_atlas = QImage(std::max(width, m_content.label.width()), height + m_content.label.height(),
                     QImage::Format_RGBA8888_Premultiplied);
    m_atlas.fill(0);
    for (int y = 0; y < kDot; ++y) {
        std::fill_n(m_atlas.scanLine(y), kDot * 4, uchar{255});
    }
    int x = kDot;
    for (const auto& [key, image] : sprites) {
        place(m_atlas, image, {x, 0});
        m_cells[key] = {{x, 0, image.width(), image.height()}};
        x += image.width();
    }
    if (!m_content.label.isNull()) {
        place(m_atlas, m_content.label, {0, m_spritesHeight});
    }
}

void FieldOverlay::addQuad(const PixelRect& to, const PixelRect& from, const Colour& tint)
{
    const float alpha = static_cast<float>(tint.alpha) / 255.0F;
    const auto corner = [&](int dx, int dy) {
        const auto part = [alpha](std::uint8_t c) { return static_cast<float>(c) / 255.0F * alpha; };
        m_vertices.push_back({static_cast<float>(to.x + dx * to.width),
                              static_cast<float>(to.y + dy * to.height),
                              static_cast<float>(from.x + dx * from.width),
                              static_cast<float>(from.y + dy * from.height),
                              {part(tint.red), part(tint.green), part(tint.blue), alpha}});
    };
    for (const auto& [dx, dy] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}}) {
        corner(dx, dy);
    }
}

bool FieldOverlay::prepare(QOpenGLExtraFunctions& gl)
{
    if (m_program != nullptr) {
        return m_program->isLinked();
    }
    m_program = std::make_unique<QOpenGLShaderProgram>();
    m_program->addShaderFromSourceCode(QOpenGLShader::Vertex, kVertexShader);
    m_program->addShaderFromSourceCode(QOpenGLShader::Fragment, kFragmentShader);
    m_program->bindAttributeLocation("position", 0);
    m_program->bindAttributeLocation("place", 1);
    m_program->bindAttributeLocation("colour", 2);
    if (!m_program->link()) {
        return false;
    }
    m_array.create();
    m_buffer.create();
    m_array.bind();
    m_buffer.bind();
    const auto attribute = [&gl](GLuint index, GLint count, std::size_t offset) {
        gl.glEnableVertexAttribArray(index);
        // OpenGL takes an offset into the bound buffer in the guise of a pointer.
        gl.glVertexAttribPointer(index, count, GL_FLOAT, GL_FALSE, sizeof(Vertex), std::bit_cast<const void*>(offset));
    };
    attribute(0, 2, offsetof(Vertex, x));
    attribute(1, 2, offsetof(Vertex, u));
    attribute(2, 4, offsetof(Vertex, colour));
    m_array.release();
    m_buffer.release();
    return true;
}

void FieldOverlay::upload(QOpenGLExtraFunctions& gl)
{
    buildAtlas();
    m_vertices.clear();
    const PixelRect dot{1, 1, 0, 0};
    for (const PixelRect& line : m_content.lines) {
        addQuad(line, dot, m_content.lineColour);
    }
    for (const HandleSprite& handle : m_content.handles) {
        const PixelRect& cell = m_cells[{handle.kind, handle.look}].rect;
        const int x = static_cast<int>(std::lround(handle.at.x)) - cell.width / 2;
        const int y = static_cast<int>(std::lround(handle.at.y)) - cell.height / 2;
        addQuad({x, y, cell.width, cell.height}, cell, {255, 255, 255, 255});
    }
    if (!m_content.label.isNull()) {
        const QSize size = m_content.label.size();
        addQuad({m_content.labelAt.x(), m_content.labelAt.y(), size.width(), size.height()},
                {0, m_spritesHeight, size.width(), size.height()}, {255, 255, 255, 255});
    }
    m_buffer.bind();
    m_buffer.allocate(m_vertices.data(), static_cast<int>(m_vertices.size() * sizeof(Vertex)));
    m_buffer.release();
    if (m_texture == 0) {
        gl.glGenTextures(1, &m_texture);
    }
    gl.glBindTexture(GL_TEXTURE_2D, m_texture);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl.glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    gl.glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl.glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, m_atlas.width(), m_atlas.height(), 0, GL_RGBA, GL_UNSIGNED_BYTE,
                    m_atlas.constBits());
    m_spritesStale = m_contentStale = false;
}

void FieldOverlay::draw(QOpenGLExtraFunctions& gl, const QSize& devicePixels)
{
    if (!prepare(gl)) {
        return;
    }
    if (m_spritesStale || m_contentStale) {
        upload(gl);
    }
    if (m_vertices.empty()) {
        return;
    }
    gl.glDisable(GL_DEPTH_TEST);
    gl.glDisable(GL_CULL_FACE);
    gl.glEnable(GL_BLEND);
    gl.glBlendEquation(GL_FUNC_ADD);
    gl.glBlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ZERO, GL_ONE);
    m_program->bind();
    m_program->setUniformValue("size", QSizeF(devicePixels));
    m_program->setUniformValue("atlas", 0);
    gl.glActiveTexture(GL_TEXTURE0);
    gl.glBindTexture(GL_TEXTURE_2D, m_texture);
    m_array.bind();
    gl.glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(m_vertices.size()));
    m_array.release();
    m_program->release();
    gl.glBindTexture(GL_TEXTURE_2D, 0);
    gl.glDisable(GL_BLEND);
}

void FieldOverlay::release()
{
    if (m_texture != 0) {
        QOpenGLContext::currentContext()->functions()->glDeleteTextures(1, &m_texture);
        m_texture = 0;
    }
    m_array.destroy();
    m_buffer.destroy();
    m_program.reset();
    m_spritesStale = m_contentStale = true;
}

} // namespace ondo
