#include "render/scene_painter.h"

#include <vtkBrush.h>
#include <vtkContext2D.h>
#include <vtkPen.h>
#include <vtkTextProperty.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace ondo {

namespace {

void replaceAll(std::string& text, std::string_view from, std::string_view to)
{
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

// VTK's own face, used where no font is installed, has no superscripts and no thin space: 2.8e-5 then.
std::string spelledFor(const std::string& file, std::string words)
{
    if (file.empty()) {
        replaceAll(words, "·10", "e");
        constexpr std::array<std::string_view, 11> kRaised = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹", "⁻"};
        for (std::size_t i = 0; i < kRaised.size(); ++i) {
            replaceAll(words, kRaised[i], std::string_view("0123456789-").substr(i, 1));
        }
        replaceAll(words, "\u2009", "");
    }
    return words;
}

} // namespace

int ScenePainter::px(double length) const
{
    return std::max(1, static_cast<int>(std::lround(length * m_scale)));
}

void ScenePainter::fill(const PixelRect& rect, const Colour& colour)
{
    m_context.GetPen()->SetLineType(vtkPen::NO_PEN);
    m_context.GetBrush()->SetColor(colour.red, colour.green, colour.blue, colour.alpha);
    const auto x0 = static_cast<float>(rect.x);
    const auto y1 = static_cast<float>(m_height - rect.y);
    const float x1 = x0 + static_cast<float>(rect.width);
    const float y0 = y1 - static_cast<float>(rect.height);
    m_context.DrawQuad(x0, y0, x1, y0, x1, y1, x0, y1);
}

void ScenePainter::frame(const PixelRect& inside, int thickness, const Colour& colour)
{
    const int t = thickness;
    fill({inside.x - t, inside.y - t, inside.width + 2 * t, t}, colour);
    fill({inside.x - t, inside.y + inside.height, inside.width + 2 * t, t}, colour);
    fill({inside.x - t, inside.y, t, inside.height}, colour);
    fill({inside.x + inside.width, inside.y, t, inside.height}, colour);
}

void ScenePainter::apply(const TextStyle& style)
{
    vtkTextProperty* property = m_context.GetTextProp();
    const std::string& file = style.weight == Weight::Medium ? fontFiles().medium : fontFiles().regular;
    if (file.empty()) {
        property->SetFontFamilyToArial();
    } else {
        property->SetFontFamily(VTK_FONT_FILE);
        property->SetFontFile(file.c_str());
    }
    property->SetFontSize(std::max(4, static_cast<int>(std::lround(style.size * m_scale))));
    property->SetColor(style.colour.red / 255.0, style.colour.green / 255.0, style.colour.blue / 255.0);
    property->SetOpacity(style.colour.alpha / 255.0);
    property->SetBold(0);
    property->SetItalic(0);
    property->SetShadow(0);
    property->SetOrientation(style.turn == TextTurn::Upward ? 90.0 : 0.0);
    property->SetJustification(style.alignX == AlignX::Left     ? VTK_TEXT_LEFT
                               : style.alignX == AlignX::Centre ? VTK_TEXT_CENTERED
                                                                : VTK_TEXT_RIGHT);
    property->SetVerticalJustification(style.alignY == AlignY::Top      ? VTK_TEXT_TOP
                                       : style.alignY == AlignY::Middle ? VTK_TEXT_CENTERED
                                                                        : VTK_TEXT_BOTTOM);
}

void ScenePainter::text(double x, double y, const std::string& words, const TextStyle& style)
{
    if (words.empty()) {
        return;
    }
    apply(style);
    m_context.DrawString(static_cast<float>(std::lround(x)), static_cast<float>(m_height - std::lround(y)),
                         spelledFor(fontFiles().regular, words).c_str());
}

double ScenePainter::textWidth(const std::string& words, const TextStyle& style)
{
    TextStyle level = style;
    level.turn = TextTurn::Level;
    apply(level);
    std::array<float, 4> bounds{};
    m_context.ComputeStringBounds(spelledFor(fontFiles().regular, words).c_str(), bounds.data());
    return static_cast<double>(bounds[2]);
}

void ScenePainter::strip(const PixelRect& rect, const ColourTable& colours)
{
    const bool across = rect.width >= rect.height;
    const int length = across ? rect.width : rect.height;
    int from = 0;
    for (int i = 1; i <= length; ++i) {
        const auto entryAt = [&](int k) {
            return static_cast<std::size_t>(k) * 256U / static_cast<std::size_t>(length);
        };
        if (i < length && entryAt(i) == entryAt(from)) {
            continue;
        }
        const std::uint32_t c = colours[entryAt(from)];
        const Colour colour{static_cast<std::uint8_t>(c & 255U), static_cast<std::uint8_t>((c >> 8) & 255U),
                            static_cast<std::uint8_t>((c >> 16) & 255U)};
        fill(across ? PixelRect{rect.x + from, rect.y, i - from, rect.height}
                    : PixelRect{rect.x, rect.y + length - i, rect.width, i - from},
             colour);
        from = i;
    }
}

} // namespace ondo
