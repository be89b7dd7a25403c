// Gathers to SEG-Y or .npy, chosen by the name's ending. Any thread; atomic.
#pragma once

#include "engine/frame/gather.h"

#include <span>
#include <string>

namespace ondo {

// .sgy .segy: revision 1, one field record a shot. .npy: (receiver, sample), or (shot, receiver, sample) for several.
// Refuses other endings, and shots that differ in shape for .npy.
[[nodiscard]] Result<> writeGathers(const std::string& path, std::span<const Gather> gathers,
                                    const std::string& title = {});

} // namespace ondo
