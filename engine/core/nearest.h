// The nearest of some known words to one that is not known, for messages. Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ondo {

// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
[[nodiscard]] int editDistance(std::string_view a, std::string_view b);

// Empty when none is near: more than half the letters would have to change.
[[nodiscard]] std::string nearestWord(std::string_view word, std::span<const std::string> known);

} // namespace ondo
