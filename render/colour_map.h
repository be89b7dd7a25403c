// Colour maps, computed here: no table of anybody else's.
// Recipe: a map is a path through OKLab (Ottosson 2020) given by a few knots of lightness, chroma and hue; between knots
// those three vary linearly; chroma is lowered where sRGB has no such colour; kinks are averaged away; the path is then
// walked in 256 steps of equal length in OKLab, so equal steps of the value are equal steps of perceived colour. Diverging maps walk each
// half by itself with its lightness mirrored, so both signs weigh the same. "Seismic" and "Grey" are the customary ones:
// Seismic is straight in sRGB (not uniform, kept because eyes are used to it); Grey is uniform in lightness.
#pragma once

#include "engine/frame/picture.h"

#include <memory>
#include <string>
#include <vector>

namespace ondo {

enum class ColourMapUse { Field, Model };

struct ColourMapName {
    std::string name;  // what is kept in files and settings
    std::string title; // what is shown
    bool uniform = true;
};

// In the order a person steps through them; the first is the default in a light window.
[[nodiscard]] const std::vector<ColourMapName>& colourMaps(ColourMapUse use);
// The table of a name; of the first map of that use for an unknown name. Computed once, shared.
[[nodiscard]] std::shared_ptr<const ColourTable> colourTable(ColourMapUse use, const std::string& name);

// The name `steps` further in the list, around its ends.
[[nodiscard]] std::string nextColourMap(ColourMapUse use, const std::string& name, int steps);

// OKLab of an sRGB colour: lightness 0 .. 1, and the two opponent axes. For tests and legible text over a colour.
struct OkLab {
    double lightness = 0.0, a = 0.0, b = 0.0;
};
[[nodiscard]] OkLab toOkLab(std::uint32_t rgba);

} // namespace ondo
