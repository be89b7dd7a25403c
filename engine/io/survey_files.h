// Shots from files of places: which points are sources, which receivers, who listens to whom, and where that is on the
// model's axes. Any thread.
#pragma once

#include "engine/io/geometry_file.h"

namespace ondo {

struct SurveyFiles {
    std::string sources, receivers; // paths; empty: none from a file
    std::string relations;          // SPS X records, or the file that both of the others are; empty: all hear all
    std::string sourceColumns, receiverColumns;
    std::optional<double> sourceDepth, receiverDepth; // m: z of every point, in place of what the file says
    std::string unit;
    GeometryProjection projection;
    [[nodiscard]] bool given() const { return !sources.empty() || !receivers.empty(); }
};

struct PlacedSurvey {
    std::vector<Position> sources;
    std::vector<Position> receivers;
    std::vector<std::vector<std::uint32_t>> spreads; // of each source, into `receivers`; empty: all of them
    std::vector<std::string> notes;                  // what was taken for granted, one line each
};

// Refuses files without the points that are asked of them, and relations that name none of them.
[[nodiscard]] Result<PlacedSurvey> placeSurvey(const SurveyFiles& files);

} // namespace ondo
