// The moving picture in one pass: a plane of the field, down- or up-sampled to the pixels of its rectangle on the screen,
// gained, clipped, coloured and blended over the model. Also the histogram that the clip is chosen from.
// Both read the field where it lies and write a small result; no copy of the field is made.
#pragma once

#include "kernels/core/hd.h"

#include <cstdint>

namespace ondo::kernels {

// A plane through a field or model: node (row, column) at base + row * rowStride + column * columnStride.
template<class T>
struct Plane {
    const T* base = nullptr;
    std::int64_t rowStride = 0, columnStride = 1;
    int rows = 0, columns = 0;
};

// Which part of the plane the picture shows, in node units: pixel column px covers [left + px * perPixelX, + perPixelX).
// Node k covers [k - 0.5, k + 0.5). A view larger than the plane shows `outside` there.
struct PictureWindow {
    float left = 0.0F, top = 0.0F;
    float perPixelX = 1.0F, perPixelY = 1.0F;
    int width = 0, height = 0; // pixels
};

// RGBA, 8 bits each, red in the lowest byte (GL_RGBA, GL_UNSIGNED_BYTE on a little-endian machine).
struct PictureStyle {
    const std::uint32_t* fieldColours = nullptr; // 256: -clip .. +clip
    const std::uint32_t* modelColours = nullptr; // 256: modelLow .. modelHigh
    float inverseClip = 1.0F;                    // gain / clip, negative for reversed polarity
    float modelLow = 0.0F, modelInverseRange = 0.0F;
    float blend = 0.5F; // 0: the model alone ... 1: the field alone
    std::uint32_t outside = 0xFF000000U;
    std::uint32_t notANumber = 0xFFFF00FFU;
};

namespace detail {

ONDO_HD inline int clampIndex(int v, int count)
{
    return v < 0 ? 0 : v >= count ? count - 1 : v;
}

// Area average when several nodes fall on a pixel (at most 8 x 8 are read), bilinear when pixels are finer than nodes.
template<class T>
ONDO_HD inline float sample(const Plane<T>& p, float row, float column, float perRow, float perColumn)
{
    if (perRow <= 1.0F && perColumn <= 1.0F) {
        const float r = row + 0.5F * perRow;
        const float c = column + 0.5F * perColumn;
        const int r0 = static_cast<int>(r < 0.0F ? r - 1.0F : r);
        const int c0 = static_cast<int>(c < 0.0F ? c - 1.0F : c);
        const float fr = r - static_cast<float>(r0);
        const float fc = c - static_cast<float>(c0);
        const int ra = clampIndex(r0, p.rows);
        const int rb = clampIndex(r0 + 1, p.rows);
        const int ca = clampIndex(c0, p.columns);
        const int cb = clampIndex(c0 + 1, p.columns);
        const float v00 = static_cast<float>(p.base[ra * p.rowStride + ca * p.columnStride]);
        const float v01 = static_cast<float>(p.base[ra * p.rowStride + cb * p.columnStride]);
        const float v10 = static_cast<float>(p.base[rb * p.rowStride + ca * p.columnStride]);
        const float v11 = static_cast<float>(p.base[rb * p.rowStride + cb * p.columnStride]);
        return (1.0F - fr) * ((1.0F - fc) * v00 + fc * v01) + fr * ((1.0F - fc) * v10 + fc * v11);
    }
    const int rowsRead = perRow > 8.0F ? 8 : perRow < 1.0F ? 1 : static_cast<int>(perRow + 0.5F);
    const int columnsRead = perColumn > 8.0F ? 8 : perColumn < 1.0F ? 1 : static_cast<int>(perColumn + 0.5F);
    float sum = 0.0F;
    for (int i = 0; i < rowsRead; ++i) {
        const float rr = row + perRow * (static_cast<float>(i) + 0.5F) / static_cast<float>(rowsRead) + 0.5F;
        const int r = clampIndex(static_cast<int>(rr), p.rows);
        for (int j = 0; j < columnsRead; ++j) {
            const float cc =
                column + perColumn * (static_cast<float>(j) + 0.5F) / static_cast<float>(columnsRead) + 0.5F;
            sum += static_cast<float>(
                p.base[r * p.rowStride + clampIndex(static_cast<int>(cc), p.columns) * p.columnStride]);
        }
    }
    return sum / static_cast<float>(rowsRead * columnsRead);
}

ONDO_HD inline std::uint32_t mix(std::uint32_t under, std::uint32_t over, float alpha)
{
    std::uint32_t out = 0xFF000000U;
    for (int shift = 0; shift < 24; shift += 8) {
        const float u = static_cast<float>((under >> shift) & 255U);
        const float o = static_cast<float>((over >> shift) & 255U);
        out |= static_cast<std::uint32_t>(u + alpha * (o - u) + 0.5F) << shift;
    }
    return out;
}

} // namespace detail

template<class T>
struct PaintField {
    Plane<T> field;     // base may be null: the model alone
    Plane<float> model; // base may be null: the field alone; same rows and columns as `field`
    PictureWindow window;
    PictureStyle style;
    std::uint32_t* out = nullptr; // window.height rows of `pitch` pixels, top row first
    int pitch = 0;

    ONDO_HD std::uint32_t pixel(int px, int py) const
    {
        const float row = window.top + static_cast<float>(py) * window.perPixelY;
        const float column = window.left + static_cast<float>(px) * window.perPixelX;
        const int rows = field.base != nullptr ? field.rows : model.rows;
        const int columns = field.base != nullptr ? field.columns : model.columns;
        const float midRow = row + 0.5F * window.perPixelY;
        const float midColumn = column + 0.5F * window.perPixelX;
        if (midRow < -0.5F || midColumn < -0.5F || midRow >= static_cast<float>(rows) - 0.5F ||
            midColumn >= static_cast<float>(columns) - 0.5F) {
            return style.outside;
        }
        std::uint32_t colour = style.outside;
        if (model.base != nullptr) {
            const float v = detail::sample(model, row, column, window.perPixelY, window.perPixelX);
            if (!(v - v == 0.0F)) {
                colour = style.notANumber;
            } else {
                const float u = (v - style.modelLow) * style.modelInverseRange * 255.0F + 0.5F;
                colour = style.modelColours[detail::clampIndex(static_cast<int>(u < 0.0F     ? 0.0F
                                                                                : u > 255.0F ? 255.0F
                                                                                             : u),
                                                               256)];
            }
        }
        if (field.base != nullptr && style.blend > 0.0F) {
            const float v = detail::sample(field, row, column, window.perPixelY, window.perPixelX) * style.inverseClip;
            if (!(v - v == 0.0F)) {
                return style.notANumber;
            }
            const float clipped = v > 1.0F ? 1.0F : v < -1.0F ? -1.0F : v;
            const float size = clipped < 0.0F ? -clipped : clipped;
            const std::uint32_t wave = style.fieldColours[static_cast<int>((clipped * 0.5F + 0.5F) * 255.0F + 0.5F)];
            // Opacity: a floor that reaches 1 when blend does, and above it a rise with amplitude, full at a third of the clip.
            const float floorAlpha = model.base == nullptr ? 1.0F
                                     : style.blend > 0.5F  ? 2.0F * style.blend - 1.0F
                                                           : 0.0F;
            const float ceiling = style.blend > 0.5F ? 1.0F : 2.0F * style.blend;
            const float rising = size > 1.0F / 3.0F ? 1.0F : 3.0F * size;
            const float alpha = floorAlpha + (ceiling - floorAlpha) * rising;
            colour = detail::mix(colour, wave, alpha > 1.0F ? 1.0F : alpha);
        }
        return colour;
    }

    ONDO_HD void operator()(int px, int py) const { out[std::int64_t{py} * pitch + px] = pixel(px, py); }
};

// Histogram of |field| over a plane in bins of a quarter of a binary octave: bin = the exponent and two mantissa bits of the
// float. Bins from kFirstNonFinite up count infinities and NaN.
inline constexpr int kHistogramBins = 1024;
inline constexpr int kFirstNonFinite = 1020;

template<class T>
struct AmplitudeHistogram {
    Plane<T> field;
    unsigned* bins = nullptr; // kHistogramBins, zeroed by the launcher

    ONDO_HD int bin(int row, int column) const
    {
        const float v = static_cast<float>(field.base[row * field.rowStride + column * field.columnStride]);
        union {
            float f;
            std::uint32_t u;
        } bits;
        bits.f = v;
        return static_cast<int>((bits.u & 0x7FFFFFFFU) >> 21);
    }
};

// The smallest and largest magnitude of a bin.
inline float binLowerEdge(int bin)
{
    union {
        std::uint32_t u;
        float f;
    } bits;
    bits.u = static_cast<std::uint32_t>(bin) << 21;
    return bits.f;
}

} // namespace ondo::kernels
