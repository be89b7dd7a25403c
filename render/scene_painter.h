// Drawing for furniture: rectangles, text and images at device pixels from the top left corner, through vtkContext2D.
// Lengths are device pixels; text sizes are given at 100 % and grow with the scale. Valid inside one GlScene::draw.
#pragma once

#include "engine/frame/picture.h"
#include "render/section_view.h"
#include "render/theme.h"

#include <string>

class vtkContext2D;

namespace ondo {

enum class AlignX { Left, Centre, Right };
enum class AlignY { Top, Middle, Baseline, Bottom };
enum class Weight { Regular, Medium };
enum class TextTurn { Level, Upward };

struct TextStyle {
    double size = 12.0; // pixels at 100 %
    Colour colour;
    Weight weight = Weight::Regular;
    AlignX alignX = AlignX::Left;
    AlignY alignY = AlignY::Top;
    TextTurn turn = TextTurn::Level;
};

class ScenePainter {
public:
    ScenePainter(vtkContext2D& context, int height, double scale)
        : m_context(context)
        , m_height(height)
        , m_scale(scale)
    {
    }
    // Device pixels of a length at 100 %, whole, at least 1.
    [[nodiscard]] int px(double length) const;
    void fill(const PixelRect& rect, const Colour& colour);
    void frame(const PixelRect& inside, int thickness, const Colour& colour); // lies outside of `inside`
    void text(double x, double y, const std::string& words, const TextStyle& style);
    [[nodiscard]] double textWidth(const std::string& words, const TextStyle& style);
    // A colour table as a strip, low values left or at the bottom.
    void strip(const PixelRect& rect, const ColourTable& colours);

    void setScale(double scale) { m_scale = scale; }

private:
    void apply(const TextStyle& style);

    vtkContext2D& m_context;
    int m_height;
    double m_scale;
};

} // namespace ondo
