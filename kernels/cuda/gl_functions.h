// The few OpenGL functions the presenter's probe needs, looked up when it runs: the module is loaded on machines that have
// no libGL, and built on machines without its headers.
#pragma once

#include <string>

namespace ondo::kernels::cuda {

// The names and values are the OpenGL specification's.
using GLenum = unsigned;
using GLuint = unsigned;
using GLint = int;
using GLsizei = int;

inline constexpr GLenum kGlTexture2D = 0x0DE1;
inline constexpr GLenum kGlRgba8 = 0x8058;
inline constexpr GLenum kGlRgba = 0x1908;
inline constexpr GLenum kGlUnsignedByte = 0x1401;
inline constexpr GLenum kGlTextureBinding2D = 0x8069;
inline constexpr GLenum kGlTextureMinFilter = 0x2801;
inline constexpr GLenum kGlTextureMagFilter = 0x2800;
inline constexpr GLenum kGlTextureMaxLevel = 0x813D;
inline constexpr GLint kGlNearest = 0x2600;
inline constexpr GLenum kGlPixelPackBuffer = 0x88EB;
inline constexpr GLenum kGlPixelPackBufferBinding = 0x88ED;
inline constexpr GLenum kGlPixelUnpackBuffer = 0x88EC;
inline constexpr GLenum kGlPixelUnpackBufferBinding = 0x88EF;
inline constexpr GLenum kGlRenderer = 0x1F01;
inline constexpr GLenum kGlVersion = 0x1F02;

struct GlFunctions {
    const unsigned char* (*getString)(GLenum) = nullptr;
    void (*getIntegerv)(GLenum, GLint*) = nullptr;
    GLenum (*getError)() = nullptr;
    void (*genTextures)(GLsizei, GLuint*) = nullptr;
    void (*deleteTextures)(GLsizei, const GLuint*) = nullptr;
    void (*bindTexture)(GLenum, GLuint) = nullptr;
    void (*texParameteri)(GLenum, GLenum, GLint) = nullptr;
    void (*texImage2D)(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void*) = nullptr;
    void (*getTexImage)(GLenum, GLint, GLenum, GLenum, void*) = nullptr;
    void (*bindBuffer)(GLenum, GLuint) = nullptr;

    // Empty, or why the functions cannot be had.
    [[nodiscard]] std::string load();
};

} // namespace ondo::kernels::cuda
