// Sources and receivers anywhere in the model, not only on nodes. Value types.
#pragma once

#include "engine/core/position.h"
#include "engine/survey/wavelet.h"

#include <vector>

namespace ondo {

struct Source {
    Position position; // metres
    Wavelet wavelet;
    bool operator==(const Source&) const = default;
};

struct Receiver {
    Position position; // metres; records pressure
    bool operator==(const Receiver&) const = default;
};

// Sources that fire together and the receivers that listen to them.
struct Shot {
    std::vector<Source> sources;
    std::vector<Receiver> receivers;
    bool operator==(const Shot&) const = default;
};

struct Survey {
    std::vector<Shot> shots;
    bool operator==(const Survey&) const = default;
};

// `count` receivers from first to last, both included, evenly spaced; one receiver stands at `first`.
[[nodiscard]] std::vector<Receiver> receiverLine(const Position& first, const Position& last, int count);

} // namespace ondo
