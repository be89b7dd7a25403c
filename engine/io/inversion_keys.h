// The [inversion] section of a run file. Each key is declared once (inversion_keys.cpp): what reads it, refuses
// misspellings,
// prints the list, and tells whether two inversions are the same follow from that table. Any thread.
//   [inversion]
//   misfit = "l2"
//   low_pass = [4, 8, 0]       one a stage, Hz; 0: all frequencies
//   iterations = [10, 10, 20]  one for all stages, or one a stage
#pragma once

#include "engine/inversion/inversion.h"

#include <span>
#include <string>
#include <vector>

namespace ondo {

// A key as a form or a list shows it.
struct InversionKey {
    std::string name; // "misfit"
    std::string type; // "number, 0 or more" "true or false" "one of l2, huber" ...
    std::string unit; // or empty
    std::string meaning;
    std::string standard; // the value it has when nobody gives one, as a file has it
};
[[nodiscard]] std::vector<InversionKey> inversionKeys();
// The value of each in the same order.
[[nodiscard]] std::vector<std::string> inversionValues(const InversionSettings& settings);
// What stands for a value that is left to the program.
inline constexpr const char* kChosen = "chosen";

// file: a run file, with or without the section; empty: the defaults. assignments: "inversion.key=value", others are
// left
// alone. Refusals begin with file:line, name the nearest key, or the value and its range.
[[nodiscard]] Result<InversionSettings> readInversionSettings(const std::string& file,
                                                              std::span<const std::string> assignments);
// True of an assignment that is the inversion's and not the run's.
[[nodiscard]] bool isInversionKey(std::string_view assignment);
// "inversion.smoothing = 40" a key, in the order of the table; without the last stage's iterations, of which there may
// be more
// another time.
[[nodiscard]] std::vector<std::string> inversionLines(const InversionSettings& settings);
// For `ondo invert --keys`.
[[nodiscard]] std::string inversionKeysText();

} // namespace ondo
