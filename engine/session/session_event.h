// What a session tells: facts, past tense. Value types.
#pragma once

#include "engine/core/error.h"
#include "engine/frame/gather.h"
#include "engine/frame/picture.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace ondo {

struct Started {
    int shot = 0;
};
struct Progressed {
    int shot = 0;           // the shot being computed, from 0
    std::int64_t step = 0;  // inner steps done of this shot
    std::int64_t steps = 0; // inner steps of a shot
    double time = 0.0;      // s, simulated
    double stepsPerSecond = 0.0;
    double secondsLeft = 0.0; // all shots; < 0: not known yet
    double viewsPerSecond = 0.0;
    double viewShare = 0.0;      // fraction of the solver's time spent on views
    double clip = 0.0;           // Pa, in force
    double largest = 0.0;        // Pa, |p| over the visible plane at the last view
    std::size_t deviceBytes = 0; // live in the arena
};
struct PictureReady {}; // something new in Session::frames()
struct TracesGrew {
    int shot = 0;
    int recorded = 0; // samples valid in Session::gather()
};
struct ProbeGrew {
    int samples = 0;
};
struct PausedAt {
    std::int64_t step = 0;
    double time = 0.0;
};
struct Resumed {};
struct ShotFinished {
    std::shared_ptr<const Gather> gather;
};
// The run's end: exactly one of these, always the last event of a run.
struct Finished {
    std::shared_ptr<const FieldFrame> lastField;
    double seconds = 0.0;                        // wall clock
    std::shared_ptr<const FieldFrame> keptField; // SessionOptions::keepFieldAt, if the last launch came to it
};
struct Stopped {
    std::vector<std::shared_ptr<const Gather>> gathers; // of the unfinished shots, one or more, as far as they came
    std::shared_ptr<const FieldFrame> lastField;
    std::int64_t step = 0;
    std::shared_ptr<const FieldFrame> keptField;
};
struct Failed {
    Error error;
};

using SessionEvent = std::variant<Started, Progressed, PictureReady, TracesGrew, ProbeGrew, PausedAt, Resumed,
                                  ShotFinished, Finished, Stopped, Failed>;

} // namespace ondo
