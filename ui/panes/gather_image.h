// Traces as a picture: variable density, wiggles with filled crests, or both. Pure painting on a QImage, any thread.
#pragma once

#include "engine/frame/gather.h"
#include "engine/frame/picture.h"
#include "ui/view_settings.h"

#include <QColor>
#include <QImage>

namespace ondo {

struct GatherStyle {
    GatherMode mode = GatherMode::Density;
    std::shared_ptr<const ColourTable> colours;
    QColor ground, ink, crest;
    double clip = 1.0; // Pa: full colour, full swing
    double gain = 1.0;
    bool reversed = false;
    double pixelRatio = 1.0;
    bool operator==(const GatherStyle&) const = default;
};

// Size in device pixels. Time runs down over all `samples`, receivers run across; rows not recorded yet are ground.
[[nodiscard]] QImage paintGather(const Gather& gather, QSize size, const GatherStyle& style);

// The magnitude below which `percentile` per cent of what is not silence lies.
[[nodiscard]] double gatherClip(const Gather& gather, double percentile);

// How many traces one wiggle stands for at this width.
[[nodiscard]] int wiggleStride(int receivers, double width);

} // namespace ondo
