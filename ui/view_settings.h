// How things are shown: no part of a run, saved with the window and not with the run file. Value type.
#pragma once

#include "engine/frame/frame_exchange.h"
#include "engine/frame/picture.h"
#include "engine/session/session.h"

#include <QString>

namespace ondo {

enum class GatherMode { Density, Wiggles, Overlay };
enum class DisplayWish { Automatic, ThroughHost };
// What a dragged source does to a run that is on.
enum class MoveMeaning { Continues, Restarts };

struct ViewSettings {
    QString fieldMap; // a name in render/colour_map.h
    QString modelMap;
    double blend = 0.62; // 0: the model alone ... 1: the field alone
    double gain = 1.0;
    bool reversedPolarity = false;
    double percentile = 99.0;
    bool hold = false;
    bool showModel = true;
    ViewRate rate;
    double watchSeconds = 10.0; // a shot takes at least so long; 0: as fast as it goes
    DisplayWish display = DisplayWish::Automatic;
    MoveMeaning move = MoveMeaning::Continues;
    GatherMode gatherMode = GatherMode::Density;
    double gatherPercentile = 94.0; // echoes are far weaker than the direct wave
    bool poke = false;
    bool showProbe = true;
    bool operator==(const ViewSettings&) const = default;
};

} // namespace ondo
