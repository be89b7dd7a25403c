#include "engine/tape/tape.h"

#include <fmt/format.h>

namespace ondo {

const std::vector<TapeKind>& tapeKinds()
{
    static const std::vector<TapeKind> kKinds = {fullTape(), chunkTape()};
    return kKinds;
}

Result<const TapeKind*> findTape(const TapeOptions& options)
{
    if (options.every < 1) {
        return badInput(fmt::format("imaging every {} steps", options.every), "give 1 or more");
    }
    if (options.chunk < 0) {
        return badInput(fmt::format("chunks of {} steps", options.chunk),
                        "give 1 or more, or 0 to have the length chosen");
    }
    std::string names;
    for (const auto& kind : tapeKinds()) {
        if (kind.name == options.mode) {
            if (options.chunk > 0 && kind.name == "full") {
                return badInput(fmt::format("chunks of {} steps in the memory mode \"full\"", options.chunk),
                                "leave the length out or use the mode \"chunks\"");
            }
            return &kind;
        }
        names += (names.empty() ? "" : ", ") + std::string(kind.name);
    }
    return badInput(fmt::format("\"{}\" is no memory mode", options.mode), "use one of: " + names);
}

} // namespace ondo
