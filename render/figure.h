// A finished picture of a shot, for the command line's --png, for export and for tests: section with axes and colour bars,
// the gather beside it, a title and a line of parameters. Needs no display. Any thread.
#pragma once

#include "engine/core/result.h"
#include "engine/frame/gather.h"
#include "engine/frame/picture.h"
#include "engine/model/model.h"
#include "engine/survey/survey.h"
#include "render/gather_raster.h"
#include "render/theme.h"

#include <optional>
#include <string>
#include <vector>

namespace ondo {

enum class GatherLook { Density, Wiggles, Both };

struct FigureContent {
    Model model;
    std::shared_ptr<const FieldFrame> field; // null: the model alone
    PictureSettings style;                   // frame does not count; colour tables may be null: the theme's
    std::vector<Source> sources;
    std::vector<Receiver> receivers;
    std::optional<Gather> gather;
    GatherSettings gatherStyle; // size and colours may be left out
    GatherLook gatherLook = GatherLook::Density;
    std::string title;   // "Marmousi, shot 1 of 12"
    std::string caption; // "Ricker 12 Hz · order 8 · t = 1.204 s · NVIDIA H200"
};

struct Figure {
    HostPicture picture; // opaque
    // Not empty: no OpenGL was to be had, so the picture has no text and no axes. To be told and counted.
    std::string plainBecause;
};

// scale: device pixels a pixel at 100 %; text and lines grow with it. Refuses sizes below 320 x 240 or above 16384, an empty
// model and a field of another shape.
[[nodiscard]] Result<Figure> renderFigure(const FigureContent& content, int width, int height, const Theme& theme,
                                          double scale = 1.0);

} // namespace ondo
