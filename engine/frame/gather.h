// The traces of one shot. Value type.
#pragma once

#include "engine/survey/survey.h"

#include <span>
#include <vector>

namespace ondo {

struct Gather {
    int shot = 0; // index in the survey, from 0
    std::vector<Source> sources;
    std::vector<Receiver> receivers;
    double dt = 0.0;           // s; sample k at k * dt
    int samples = 0;           // a trace
    int recorded = 0;          // samples that are valid so far, <= samples (a stopped run keeps what it had)
    std::vector<float> traces; // [receiver][sample], receivers.size() * samples; pressure

    [[nodiscard]] int receiverCount() const { return static_cast<int>(receivers.size()); }
    [[nodiscard]] std::span<const float> trace(int receiver) const
    {
        return {traces.data() + static_cast<std::size_t>(receiver) * static_cast<std::size_t>(samples),
                static_cast<std::size_t>(samples)};
    }
};

} // namespace ondo
